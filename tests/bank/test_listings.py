"""Every listing of the content runs from nothing and prints what its page shows."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from quiz.bank.listings import CONTENT, FILE, digest
from tests.listings import Listing, ListingError, listings_in, run, shipped

LISTINGS = list({digest(listing.code): listing for listing in shipped()}.values())
TORCH = importlib.util.find_spec("torch") is not None


def printed() -> dict[str, str]:
    found: dict[str, str] = json.loads((CONTENT / FILE).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: f"{listing.path.stem}:{listing.line}")
def test_a_listing_prints_what_the_page_shows(listing: Listing) -> None:
    if listing.needs_torch and not TORCH:
        pytest.skip("torch is not installed here")
    assert run(listing) == printed()[digest(listing.code)]


def test_no_output_is_kept_for_a_listing_that_is_no_more() -> None:
    assert set(printed()) == {digest(listing.code) for listing in LISTINGS}


def test_a_listing_is_short_enough_to_be_read() -> None:
    assert {one.place: n for one in LISTINGS if (n := len(one.code.strip().split("\n"))) > 40} == {}


def test_listings_are_found_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("x\n\n```python\nprint(1)\n```\n\n```python fragment\ny\n```\n\n```text\nz\n```\n")
    assert list(listings_in([path])) == [Listing(path, 3, "print(1)")]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("pass", "prints nothing"),
        ("print('x' * 3000)", "prints 3000 characters"),
    ],
)
def test_a_listing_that_fails_is_told(code: str, message: str) -> None:
    with pytest.raises(ListingError, match=message):
        run(Listing(Path("a.md"), 1, code))


def test_a_listing_starts_from_nothing_and_blanks_at_line_ends_do_not_count() -> None:
    code = "import os, sys\nprint(sorted(os.listdir('.')), 'django' in sys.modules, '  ')"
    assert run(Listing(Path("a.md"), 1, code)) == "[] False"
