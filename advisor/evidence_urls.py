"""Pages of evidence: how far off the answers are, what is known of a model, what was measured on a card."""

from django.urls import path

from advisor import evidence_views

urlpatterns = [
    path("accuracy/", evidence_views.accuracy, name="accuracy"),
    path("accuracy.csv", evidence_views.accuracy_csv, name="accuracy-csv"),
    path("models/", evidence_views.models, name="models"),
    path("models/<str:slug>/", evidence_views.model, name="model"),
    path("measurements/<str:slug>/", evidence_views.card, name="card-evidence"),
]
