"""The lab's sentences are tested in English; the catalogue's own tests hold the Chinese ones to them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.utils import translation


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    with translation.override("en"):
        yield
