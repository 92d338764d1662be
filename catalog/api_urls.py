"""The catalogue's routes below /api/v1/."""

from django.urls import path

from catalog import api

urlpatterns = [
    path("gpus", api.GpuList.as_view(), name="api-gpus"),
    path("gpus/<slug:slug>", api.GpuDetail.as_view(), name="api-gpu"),
    path("skus", api.SkuList.as_view(), name="api-skus"),
    path("plans", api.PlanList.as_view(), name="api-plans"),
]
