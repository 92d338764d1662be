"""The API's routes about money."""

from django.urls import path

from billing.api import PlanComparisons

urlpatterns = [path("plan-comparisons", PlanComparisons.as_view(), name="api-plan-comparisons")]
