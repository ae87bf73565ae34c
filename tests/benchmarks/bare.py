"""A bare Django project: one view, no middleware, no database. What the site's pages are measured against."""

from __future__ import annotations

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path


def bare(request: HttpRequest) -> HttpResponse:
    return HttpResponse("bare")


urlpatterns = [path("", bare)]

if not settings.configured:
    settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="bare", MIDDLEWARE=[])
application = get_wsgi_application()
