"""Addresses of the exercises and of my attempts."""

from django.urls import path

from quiz.practice import views

app_name = "practice"
urlpatterns = [
    path("exercises/", views.index, name="index"),
    path("exercises/<slug:slug>/", views.family, name="family"),
    path("exercises/<slug:slug>/<int:seed>/", views.variant, name="variant"),
    path("exercises/<slug:slug>/<int:seed>/answer/", views.answer, name="answer"),
    path("exercises/<slug:slug>/<int:seed>/reading/", views.reading, name="reading"),
    path("exercises/<slug:slug>/<int:seed>/help/", views.ask_help, name="help"),
    path("me/", views.me, name="me"),
]
