"""What a candidate will see, while an instructor is still typing: the site's own renderer on unsaved text."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from quiz.bank.answers import BY_FIELD
from quiz.bank.choosing import Part, language_of
from quiz.bank.validating import problems_of

MAX_LENGTH = 40_000


@require_POST
def preview(request: HttpRequest) -> HttpResponse:
    """The posted Markdown as HTML, what is wrong in it named by line. For those who may edit the bank.

    `form` is "inline", "block" or the field of an answer's part; `language` that of the text.
    """
    if not request.user.has_perms(["quiz.change_question", "quiz.change_section"]):
        raise PermissionDenied
    text = request.POST.get("text", "")[:MAX_LENGTH]
    form = request.POST.get("form", "")
    language = language_of(request.POST.get("language", ""))
    context = {
        "part": Part(text=text, language=language),
        "is_inline": form == "inline",
        "kind": BY_FIELD[form].kind if form in BY_FIELD else "",
        "problems": problems_of(text, language=language, part=form),
    }
    return render(request, "bank/_preview.html", context)
