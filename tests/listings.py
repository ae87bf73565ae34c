"""Runs the listings of the content, each in a fresh process: `python -m tests.listings --write`.

A page shows under a listing what it printed. `--write` runs the listings that have no output yet and keeps
what they print in `quiz/bank/content/outputs.json`, forgetting those that are no more; `--all` runs every one
again. The tests run all of them and compare.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

from quiz.bank.listings import CONTENT, FILE, digest, listings_of

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 120  # a busy machine takes ten times as long as a quiet one
MOST_PRINTED = 2000  # characters


class ListingError(Exception):
    """A listing that failed, printed nothing, or ran too long."""


@dataclass(frozen=True)
class Listing:
    """A listing and where it stands."""

    path: Path
    line: int
    code: str

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"

    @property
    def needs_torch(self) -> bool:
        return "torch" in self.code


def listings_in(paths: list[Path]) -> Iterator[Listing]:
    for path in paths:
        for piece in listings_of(path.read_text(encoding="utf-8")):
            yield Listing(path, piece.line, piece.content)


def shipped() -> list[Listing]:
    return list(listings_in(sorted(CONTENT.rglob("*.md"))))


def run(listing: Listing) -> str:
    """What it prints, run from nothing: a new process in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            ran = subprocess.run(
                [sys.executable, "-W", "error::DeprecationWarning:__main__", "-c", listing.code],
                cwd=folder, env=_environment(folder), capture_output=True, text=True, timeout=SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ListingError(f"{listing.place}: runs longer than {SECONDS} s") from None
    return _judged(listing, ran.returncode, ran.stdout, ran.stderr)


def run_forked(listings: list[Listing]) -> Iterator[tuple[Listing, str]]:
    """As `run` for each, all from one process that has loaded torch; ListingError at the first that fails."""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(
            [sys.executable, "-m", "tests.forked"], input=json.dumps([one.code for one in listings]),
            cwd=ROOT, env=_environment(folder), capture_output=True, text=True, check=True,
            timeout=SECONDS * (len(listings) + 1),
        )  # fmt: skip
    for listing, (status, printed) in zip(listings, json.loads(ran.stdout), strict=True):
        yield listing, _judged(listing, status, printed, printed)


def _environment(home: str) -> dict[str, str]:
    """Nothing of this process: one thread, no hash seed, the project on the path."""
    return {
        "PATH": os.environ.get("PATH", ""), "HOME": home, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8",
        "TMPDIR": home,
    }  # fmt: skip


def _judged(listing: Listing, status: int, printed: str, complaint: str) -> str:
    """What a page may show of a run: lines without trailing blanks."""
    if status:
        raise ListingError(f"{listing.place}: fails\n{complaint.strip()}")
    shown = "\n".join(line.rstrip() for line in printed.strip("\n").split("\n"))
    if not shown:
        raise ListingError(f"{listing.place}: prints nothing")
    if len(shown) > MOST_PRINTED:
        raise ListingError(f"{listing.place}: prints {len(shown)} characters; at most {MOST_PRINTED}")
    return shown


def show(paths: list[Path]) -> list[str]:
    """Run the listings of drafts and print what they print; what failed comes back."""
    failed = []
    for listing in listings_in([path for path in paths if path.suffix == ".md"]):
        try:
            print(f"--- {listing.place}\n{run(listing)}")
        except ListingError as error:
            failed.append(str(error))
            print(f"--- {error}")
    return failed


def write(*, everything: bool) -> list[str]:
    """Bring outputs.json up to date; what failed comes back. Two writers at once wait for each other."""
    path = CONTENT / FILE
    failed = []
    with (Path(tempfile.gettempdir()) / "qkv-listings.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() and not everything else {}
        found = {}
        for listing in shipped():
            mark = digest(listing.code)
            try:
                found[mark] = known.get(mark) or found.get(mark) or run(listing)
            except ListingError as error:
                failed.append(str(error))
        text = json.dumps(dict(sorted(found.items())), ensure_ascii=False, indent=1)
        path.write_text(text + "\n", encoding="utf-8")
    return failed


def main() -> int:
    reader = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    reader.add_argument("paths", nargs="*", type=Path, help="drafts to run; without --write")
    reader.add_argument(
        "--write", action="store_true", help="run what has no output yet, keep what it prints"
    )
    reader.add_argument("--all", action="store_true", help="with --write: run every listing again")
    given = reader.parse_args()
    if given.write:
        failed = write(everything=given.all)
        print("\n".join(failed) if failed else f"{len(shipped())} listings have their output.")
    else:
        failed = show(given.paths or sorted({listing.path for listing in shipped()}))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
