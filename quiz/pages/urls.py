"""Addresses of the pages that compose the other features."""

from django.urls import path

from quiz.pages import about, appearance, desk, families, health, home

app_name = "pages"
urlpatterns = [
    path("", home.home, name="home"),
    path("theme/", appearance.choose_theme, name="theme"),
    path("about/", about.about, name="about"),
    path("health/", health.health, name="health"),
    path("desk/", desk.desk, name="desk"),
    path("desk/families/", families.index, name="families"),
    path("desk/families/families.csv", families.as_csv, name="families_csv"),
    path("desk/families/<slug:slug>/", families.family, name="family"),
    path("desk/families/<slug:slug>/unknown/", families.unknown, name="family_unknown"),
    path("desk/families/<slug:slug>/unknown/unknown.csv", families.unknown_as_csv, name="family_unknown_csv"),
]
