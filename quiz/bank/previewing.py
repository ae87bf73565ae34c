"""What a candidate will see, while an instructor is still typing: the site's own renderer on unsaved text."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from quiz.bank.markup import check

MAX_LENGTH = 20_000


@require_POST
def preview(request: HttpRequest) -> HttpResponse:
    """The posted Markdown as HTML, what is wrong in it named by line. For those who may edit the bank."""
    if not request.user.has_perms(["quiz.change_question", "quiz.change_section"]):
        raise PermissionDenied
    text = request.POST.get("text", "")[:MAX_LENGTH]
    inline = request.POST.get("form") == "inline"
    context = {"text": text, "is_inline": inline, "problems": check(text)}
    return render(request, "bank/_preview.html", context)
