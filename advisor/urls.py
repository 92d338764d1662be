"""The customer's road: the door, the wizard's steps, the result; beside it the guide, the doctor and the pages of evidence."""

from django.urls import include, path

from advisor.guide import views as guide
from advisor.views import doctor, home, model_file, result, saved, wizard

app_name = "advisor"
urlpatterns = [
    path("", home.home, name="home"),
    path("read-model/", model_file.read_file, name="read-file"),
    path("advise/amount/", wizard.amount, name="amount"),
    path("advise/check/", wizard.check, name="check"),
    path("advise/expert/", wizard.expert, name="expert"),
    path("advise/result/", result.result, name="result"),
    path("advise/saved/", saved.saved, name="saved"),
    path("advise/<slug:scenario>/", wizard.scenario, name="scenario"),
    path("advise/<slug:scenario>/<slug:task>/", wizard.what, name="what"),
    path("guide/", guide.guide, name="guide"),
    path("guide/<slug:slug>/", guide.topic, name="guide-topic"),
    path("doctor/", doctor.doctor, name="doctor"),
    path("", include("advisor.evidence_urls")),
]
