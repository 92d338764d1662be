"""Pages of evidence: how far off the answers are, what is known of a model, what was measured on a card."""

from django.urls import path

from advisor.views import evidence

urlpatterns = [
    path("accuracy/", evidence.accuracy, name="accuracy"),
    path("accuracy.csv", evidence.accuracy_csv, name="accuracy-csv"),
    path("models/", evidence.models, name="models"),
    path("models/<str:slug>/", evidence.model, name="model"),
    path("measurements/<str:slug>/", evidence.card, name="card-evidence"),
]
