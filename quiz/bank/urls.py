"""Addresses of the bank and the chapter."""

from django.urls import path

from quiz.bank import previewing, views
from quiz.bank.search import views as searching

app_name = "bank"
urlpatterns = [
    path("bank/", views.index, name="index"),
    path("bank/preview/", previewing.preview, name="preview"),
    path("bank/<int:number>/", views.question, name="question"),
    path("chapter/", views.chapter, name="chapter"),
    path("chapter/<str:number>/", views.section, name="section"),
    path("search/", searching.search, name="search"),
    path("glossary/", searching.terms, name="glossary"),
]
