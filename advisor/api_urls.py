"""The API's routes about advice."""

from django.urls import path

from advisor import api
from advisor.views.doctor import DiagnosisView
from advisor.views.model_file import ModelReading

urlpatterns = [
    path("recommendations", api.Recommendations.as_view(), name="api-recommendations"),
    path("recommendations/<slug:preset>", api.PresetRecommendation.as_view(), name="api-recommendation"),
    path("estimates", api.Estimates.as_view(), name="api-estimates"),
    path("presets", api.PresetList.as_view(), name="api-presets"),
    path("models/read", ModelReading.as_view(), name="api-model-reading"),
    path("models", api.ModelList.as_view(), name="api-models"),
    path("models/<str:slug>", api.ModelDetail.as_view(), name="api-model"),
    path("diagnoses", DiagnosisView.as_view(), name="api-diagnoses"),
]
