"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

from quiz.api import api

urlpatterns = [
    path("", include("quiz.pages.urls")),
    path("", include("quiz.bank.urls")),
    path("", include("quiz.practice.urls")),
    path("lab/", include("quiz.lab.urls")),
    path("accounts/", include("quiz.accounts.urls")),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("i18n/", include("django.conf.urls.i18n")),
]
