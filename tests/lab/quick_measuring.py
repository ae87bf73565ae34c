"""A measuring command that takes no time and imports nothing large, and notes that it was at work.

Each line of the ledger (LAB_LEDGER): `began` or `ended`, the way, the length, the heads, and the numbers of
the worker's process and of its own.
"""

import json
import os
import sys
import time
from typing import Any


def note(word: str, asked: dict[str, Any]) -> None:
    ledger = os.open(os.environ["LAB_LEDGER"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    point = f"{asked['backend']} {asked['length']} {asked['heads']}"
    os.write(ledger, f"{word} {point} {os.getppid()} {os.getpid()}\n".encode())
    os.close(ledger)


def main(arguments: list[str]) -> None:
    asked = json.loads(arguments[arguments.index("--json") + 1])
    note("began", asked)
    time.sleep(float(os.environ.get("LAB_SECONDS", "0.3")))
    note("ended", asked)
    found = {"outcome": "measured", "configuration": asked, "backend_ran": asked["backend"], "n": 3}
    times = {"median_ms": 2.0, "p25_ms": 1.9, "p75_ms": 2.1, "min_ms": 1.8, "cold_ms": 4.0}
    print(json.dumps({**found, **times, "machine": {"device": "cpu"}}))


if __name__ == "__main__":
    main(sys.argv[1:])
