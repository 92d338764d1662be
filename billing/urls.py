"""Pages of money: comparing rental plans; asking for, making and accepting quotations."""

from django.urls import path

from billing import plan_views
from billing.views import ask, edit, inbox, offer, quote, quotes

app_name = "billing"
urlpatterns = [
    path("plans/", plan_views.plans, name="plans"),
    # anybody
    path("ask/", ask.ask, name="ask"),
    path("ask/thanks/", ask.asked, name="asked"),
    # whoever has the link
    path("q/<str:token>/", offer.offer, name="offer"),
    path("q/<str:token>/accept/", offer.accept, name="accept"),
    path("q/<str:token>/decline/", offer.decline, name="decline"),
    path("q/<str:token>/question/", offer.question, name="question"),
    path("q/<str:token>/quote.pdf", offer.file, {"kind": "pdf"}, name="offer-pdf"),
    path("q/<str:token>/quote.xlsx", offer.file, {"kind": "xlsx"}, name="offer-xlsx"),
    # staff
    path("sales/", inbox.inbox, name="inbox"),
    path("sales/requests/<int:pk>/", inbox.request_page, name="request"),
    path("sales/requests/<int:pk>/take/", inbox.take, name="take"),
    path("sales/requests/<int:pk>/close/", inbox.close, name="close"),
    path("sales/figures/", quotes.figures, name="figures"),
    path("sales/quotes/", quotes.quotes, name="quotes"),
    path("sales/quotes/new/", edit.new, name="new"),
    path("sales/quotes/<str:number>/", quote.quote, name="quote"),
    path("sales/quotes/<str:number>/edit/", edit.edit, name="edit"),
    path("sales/quotes/<str:number>/step/", quote.step, name="step"),
    path("sales/quotes/<str:number>/duplicate/", quote.duplicate, name="duplicate"),
    path("sales/quotes/<str:number>/differences/", quote.differences, name="differences"),
    path("sales/quotes/<str:number>/link/", quote.link, name="link"),
    path("sales/quotes/<str:number>/mails/<int:pk>/again/", quote.mail_again, name="mail-again"),
    path("sales/quotes/<str:number>/quote.pdf", quote.file, {"kind": "pdf"}, name="quote-pdf"),
    path("sales/quotes/<str:number>/quote.xlsx", quote.file, {"kind": "xlsx"}, name="quote-xlsx"),
]
