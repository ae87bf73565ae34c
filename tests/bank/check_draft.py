"""`python -m tests.bank.check_draft PATHS…`: every error of drafts with file and line. A path is a file or a
folder; with `--run` the listings are run and what they print is shown.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path


def main() -> int:
    reader = argparse.ArgumentParser(prog="check_draft", description=(__doc__ or "").split("\n")[0])
    reader.add_argument("paths", nargs="+", type=Path)
    reader.add_argument("--run", action="store_true", help="run the listings and show what they print")
    given = reader.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    from tests import listings
    from tests.bank.drafts import check, each_file

    errors = check(given.paths)
    print("\n".join(errors) if errors else "In order.")
    if given.run:
        errors += listings.show(list(each_file(given.paths)))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
