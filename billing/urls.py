"""Pages of money: comparing rental plans; asking for, making and accepting quotations."""

from django.urls import path

from billing import plan_views

app_name = "billing"
urlpatterns = [
    path("plans/", plan_views.plans, name="plans"),
]
