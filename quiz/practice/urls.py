"""Addresses of the exercises, of practice sets and of my attempts."""

from django.urls import path

from quiz.practice import reporting, set_views, views

app_name = "practice"
urlpatterns = [
    path("exercises/", views.index, name="index"),
    path("exercises/<slug:slug>/", views.family, name="family"),
    path("exercises/<slug:slug>/<int:seed>/", views.variant, name="variant"),
    path("exercises/<slug:slug>/<int:seed>/answer/", views.answer, name="answer"),
    path("exercises/<slug:slug>/<int:seed>/reading/", views.reading, name="reading"),
    path("exercises/<slug:slug>/<int:seed>/help/", views.ask_help, name="help"),
    path("exercises/<slug:slug>/<int:seed>/report/", reporting.report, name="report"),
    path("practice/sets/", set_views.start, name="set_start"),
    path("practice/sets/<int:number>/", set_views.overview, name="set"),
    path("practice/sets/<int:number>/<int:position>/", set_views.item, name="set_item"),
    path("practice/sets/<int:number>/<int:position>/again/", set_views.again, name="set_again"),
    path("me/", views.me, name="me"),
]
