"""Every listing of the content runs from nothing and prints what its page shows."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from quiz.bank.listings import CONTENT, FILE, digest
from tests.listings import Listing, ListingError, listings_in, run, run_forked, shipped

LISTINGS = list({digest(listing.code): listing for listing in shipped()}.values())
TORCH = importlib.util.find_spec("torch") is not None


def printed() -> dict[str, str]:
    found: dict[str, str] = json.loads((CONTENT / FILE).read_text(encoding="utf-8"))
    return found


ALONE = [listing for listing in LISTINGS if not listing.needs_torch]


@pytest.mark.parametrize("listing", ALONE, ids=lambda listing: f"{listing.path.stem}:{listing.line}")
def test_a_listing_prints_what_the_page_shows(listing: Listing) -> None:
    assert run(listing) == printed()[digest(listing.code)]


@pytest.mark.skipif(not TORCH, reason="torch is not installed here")
def test_listings_with_torch_print_what_the_page_shows() -> None:
    known = printed()
    found = dict(run_forked([listing for listing in LISTINGS if listing.needs_torch]))
    assert {one.place: text for one, text in found.items() if text != known[digest(one.code)]} == {}


def test_no_output_is_kept_for_a_listing_that_is_no_more() -> None:
    assert set(printed()) == {digest(listing.code) for listing in LISTINGS}


def test_a_listing_is_short_enough_to_be_read() -> None:
    long = {}
    for listing in LISTINGS:
        lines = len(listing.code.strip().split("\n"))
        if lines > (40 if listing.path.parent.name == "sections" else 60):
            long[listing.place] = lines
    assert long == {}


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
