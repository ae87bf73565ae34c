"""What can be taken along: the print page and the exported file."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from quiz.bank.choosing import language_of
from quiz.bank.exporting import CHOICES, exported
from quiz.bank.volume import volume


@require_safe
def print_all(request: HttpRequest) -> HttpResponse:
    """The whole chapter and bank in the reader's language, everything unfolded, set for A4."""
    language = language_of(get_language() or "zh-hans")
    return render(request, "bank/print.html", {"volume": volume(language, folded=False)})


@dataclass(frozen=True, kw_only=True)
class File:
    """`size` in bytes."""

    choice: str
    name: str
    size: int


@require_safe
def export(request: HttpRequest) -> HttpResponse:
    """The files to choose from, each with its size."""
    names = {"zh-hans": "简体中文", "en": "English", "both": _("Both languages")}
    files = [
        File(choice=choice, name=names[choice], size=len(exported(choice).encode())) for choice in CHOICES
    ]
    return render(request, "bank/export.html", {"files": files})


@require_safe
def export_file(request: HttpRequest, choice: str) -> HttpResponse:
    """One file, as a download."""
    if choice not in CHOICES:
        raise Http404
    headers = {"Content-Disposition": f'attachment; filename="qkv-{choice}.html"'}
    return HttpResponse(exported(choice), content_type="text/html; charset=utf-8", headers=headers)
