"""Addresses of the pages that compose the other features."""

from django.urls import path

from quiz.pages import appearance, health, home

app_name = "pages"
urlpatterns = [
    path("", home.home, name="home"),
    path("theme/", appearance.choose_theme, name="theme"),
    path("health/", health.health, name="health"),
]
