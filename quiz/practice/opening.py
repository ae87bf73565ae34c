"""The variant behind an address, or the page that says there is none."""

from __future__ import annotations

from django.http import Http404
from django.utils.translation import gettext as _

from quiz.exercises.registry import UnknownFamily
from quiz.exercises.seeds import PUBLIC_SEEDS
from quiz.exercises.variants import Variant
from quiz.responses.keeping import open_variant


def open_or_404(slug: str, seed: int) -> Variant:
    if seed >= PUBLIC_SEEDS:
        raise Http404(_("A variant's number is a whole number below 2147483648."))
    try:
        return open_variant(slug, seed)
    except UnknownFamily:
        raise Http404(_("There is no exercise of this name.")) from None
