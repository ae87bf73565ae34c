"""Addresses of the lab."""

from django.urls import path

from quiz.lab import views

app_name = "lab"
urlpatterns = [
    path("", views.index, name="index"),
    path("start/", views.start, name="start"),
    path("<int:number>/", views.run, name="run"),
    path("<int:number>/progress/", views.progress, name="progress"),
    path("<int:number>/cancel/", views.cancel, name="cancel"),
    path("<int:number>/results.csv", views.results, name="csv"),
]
