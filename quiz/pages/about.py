"""/about/: where the numbers come from, what was tested and counted, and which versions run here."""

from __future__ import annotations

import platform
from importlib.metadata import version as installed

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from quiz.bank.models import COLLECTIONS
from quiz.pages import records
from quiz.version import version

LIBRARIES = ("django", "numpy", "math-core", "markdown", "nh3", "pygments")


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """No query: everything comes from what the tests wrote and from what is installed."""
    versions = [("QKV", version()), ("Python", platform.python_version())]
    versions += [(name, installed(name)) for name in LIBRARIES]
    context = {
        "separation": records.separation(),
        "operators": records.operators(),
        "dispatches": records.dispatches(),
        "collections": COLLECTIONS,
        "versions": versions,
    }
    return render(request, "pages/about.html", context)
