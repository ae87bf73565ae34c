"""The site with one page more: its own frame around nothing. What a page of text is measured against."""

from __future__ import annotations

import os
from functools import cache

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "quiz.settings")

from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.template.backends.django import Template
from django.urls import path

application = get_wsgi_application()

from quiz import urls  # noqa: E402  settings are configured only now

ADDRESS = "benchmark/shell/"
FRAME = '{% extends "base.html" %}{% block main %}<h1>Shell</h1>{% endblock %}'


@cache
def frame() -> Template:
    return engines["django"].from_string(FRAME)


def shell(request: HttpRequest) -> HttpResponse:
    return HttpResponse(frame().render({}, request))


urls.urlpatterns.insert(0, path(ADDRESS, shell))
