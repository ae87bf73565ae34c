"""Addresses of the bank and the chapter."""

from django.urls import path

from quiz.bank import previewing, taking, views
from quiz.bank.cases import views as cases
from quiz.bank.reading import views as reading
from quiz.bank.search import views as searching

app_name = "bank"
urlpatterns = [
    path("bank/", views.index, name="index"),
    path("bank/preview/", previewing.preview, name="preview"),
    path("bank/print/", taking.print_all, name="print"),
    path("bank/export/", taking.export, name="export"),
    path("bank/export/<str:choice>.html", taking.export_file, name="export_file"),
    path("bank/<int:number>/", views.question, name="question"),
    path("chapter/", reading.chapter, name="chapter"),
    path("chapter/start/oom/", cases.oom, name="oom"),
    path("chapter/start/tasks/", reading.tick, name="tick"),
    path("chapter/<str:number>/", reading.section, name="section"),
    path("chapter/<str:number>/read/", reading.read, name="read"),
    path("chapter/<str:number>/reached/", reading.reached, name="reached"),
    path("search/", searching.search, name="search"),
    path("glossary/", searching.terms, name="glossary"),
]
