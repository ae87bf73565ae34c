"""What every page needs: the main navigation with its current item, the theme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from quiz.accounts.models import User

THEMES = ("auto", "light", "dark")


@dataclass(frozen=True, kw_only=True)
class Item:
    """One entry of the main navigation."""

    name: str
    url: str
    current: bool
    on_phone: bool = True


def navigation(request: HttpRequest) -> dict[str, Any]:
    """The entries of pages.md 3.1 that exist, with the current one marked; an entry may have other roots."""
    path = request.path
    entries: list[tuple[Any, ...]] = [
        (_("Today"), reverse("pages:home"), True),
        (_("Questions"), reverse("bank:index"), True),
        (_("Exercises"), reverse("practice:index"), True, reverse("practice:set_start")),
        (_("Chapter"), reverse("bank:chapter"), True),
        (_("Lab"), reverse("lab:index"), False),
    ]
    if isinstance(request.user, User) and request.user.works_at_desk:
        entries.append((_("Desk"), reverse("pages:desk"), False))
    items = [
        Item(name=name, url=url, current=_is_within(path, url, *others), on_phone=phone)
        for name, url, phone, *others in entries
    ]
    theme = request.COOKIES.get("theme", "auto")
    return {"navigation": items, "theme": theme if theme in THEMES else "auto"}


def _is_within(path: str, *roots: str) -> bool:
    """Whether a page lies under one of the roots; home has nothing under it."""
    return any(path == root or (root != "/" and path.startswith(root)) for root in roots)
