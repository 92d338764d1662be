"""Pages below /cards/."""

from django.urls import path

from catalog import views

app_name = "catalog"
urlpatterns = [
    path("", views.cards, name="cards"),
    path("compare/", views.compare, name="compare"),
    path("<slug:slug>/", views.card, name="card"),
]
