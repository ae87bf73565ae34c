"""Addresses of the lab."""

from django.urls import path

from quiz.lab import views

app_name = "lab"
urlpatterns = [
    path("", views.index, name="index"),
    path("start/", views.start, name="start"),
    path("compare/", views.compare, name="compare"),
    path("<int:number>/", views.run, name="run"),
    path("<int:number>/progress/", views.progress, name="progress"),
    path("<int:number>/cancel/", views.cancel, name="cancel"),
    path("<int:number>/results.csv", views.csv, name="csv"),
    path("<int:number>/results.json", views.json, name="json"),
    path("stored/<slug:slug>/<slug:kind>.csv", views.stored_csv, name="stored_csv"),
    path("stored/<slug:slug>/<slug:kind>.json", views.stored_json, name="stored_json"),
]
