"""Every API route, version 1."""

from django.urls import include, path
from drf_spectacular.views import SpectacularJSONAPIView

from config import pages

urlpatterns = [
    path("", include("catalog.api_urls")),
    path("", include("billing.api_urls")),
    path("", include("advisor.api_urls")),
    path("schema", SpectacularJSONAPIView.as_view(), name="api-schema"),
    path("docs", pages.api_reference, name="api-docs"),
]
