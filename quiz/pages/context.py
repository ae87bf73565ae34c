"""What every page needs: the main navigation with its current item, the theme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

THEMES = ("auto", "light", "dark")


@dataclass(frozen=True, kw_only=True)
class Item:
    """One entry of the main navigation."""

    name: str
    url: str
    current: bool
    on_phone: bool = True


def navigation(request: HttpRequest) -> dict[str, Any]:
    """The entries of pages.md 3.1 that exist, with the current one marked."""
    path = request.path
    entries = [
        (_("Today"), reverse("pages:home"), True),
        (_("Questions"), reverse("bank:index"), True),
        (_("Exercises"), reverse("practice:index"), True),
        (_("Chapter"), reverse("bank:chapter"), True),
        (_("Lab"), reverse("lab:index"), False),
    ]
    items = [
        Item(name=name, url=url, current=path == url or (url != "/" and path.startswith(url)), on_phone=phone)
        for name, url, phone in entries
    ]
    theme = request.COOKIES.get("theme", "auto")
    return {"navigation": items, "theme": theme if theme in THEMES else "auto"}
