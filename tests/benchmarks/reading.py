"""What reading costs: the time of each section and question page beside the site's bare frame, on one server,
and the bytes of a first load as they are sent, without fonts.

    .venv/bin/python -m tests.benchmarks.reading [--requests 40]

What is told is the processor time of the web process, so that load from elsewhere does not count; frame and
page are asked for in turn. The promise: no section page takes more than 1.5 times the frame, no first load
100 kB.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urljoin

from tests.benchmarks.web import ROOT, start, worker_of

SHELL = "/benchmark/shell/"
SECTIONS = [f"/chapter/7.{number}/" for number in range(1, 25)]
QUESTIONS = [f"/bank/{number}/" for number in (1, 12, 16, 20, 37, 39)]
MOST_TIMES, MOST_BYTES, ROUNDS = 1.5, 100_000, 5
LINKED = re.compile(r'<(?:link|script|img)[^>]+(?:href|src)="(/static/[^"]+)"')
IMPORTED = re.compile(r"""(?:from|import)\s*\(?["'](\.{1,2}/[^"']+|/static/[^"']+)["']""")


def fetch(connection: http.client.HTTPConnection, address: str) -> tuple[bytes, int]:
    """The body unpacked, and the bytes that were sent."""
    connection.request("GET", address, headers={"Accept-Encoding": "gzip", "Accept-Language": "zh-CN"})
    answer = connection.getresponse()
    sent = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{address}: {answer.status}")
    if answer.headers.get("Content-Encoding") == "gzip":
        return gzip.decompress(sent), len(sent)
    return sent, len(sent)


def first_load(connection: http.client.HTTPConnection, address: str) -> dict[str, int]:
    """Bytes by address: the page, its stylesheets and pictures, its scripts and what these import."""
    body, size = fetch(connection, address)
    found = {address: size}
    waiting = LINKED.findall(body.decode())
    while waiting:
        wanted = waiting.pop()
        if wanted in found:
            continue
        body, found[wanted] = fetch(connection, wanted)
        if wanted.split("?")[0].endswith(".js"):
            waiting += [urljoin(wanted, name) for name in IMPORTED.findall(body.decode())]
    return found


def spent(worker: int) -> float:
    """Processor milliseconds of a process so far, all its threads."""
    tasks = Path(f"/proc/{worker}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6


def beside(
    connection: http.client.HTTPConnection, worker: int, address: str, requests: int
) -> tuple[float, float]:
    """Processor ms that the frame and a page take; the first of each, which fills caches, left out."""
    taken = dict.fromkeys((SHELL, address), 0.0)
    for one in taken:
        fetch(connection, one)
    for _ in range(ROUNDS):
        for one in taken:
            before = spent(worker)
            for _ in range(requests // ROUNDS):
                fetch(connection, one)
            taken[one] += spent(worker) - before
    frame, page = (total / (requests // ROUNDS * ROUNDS) for total in taken.values())
    return frame, page


def report(connection: http.client.HTTPConnection, worker: int, requests: int) -> bool:
    kept = True
    for address in (*SECTIONS, *QUESTIONS):
        frame, page = beside(connection, worker, address, requests)
        loaded = first_load(connection, address)
        total = sum(loaded.values())
        page_bytes = loaded[address] / 1000
        fine = total < MOST_BYTES and (page <= MOST_TIMES * frame or address not in SECTIONS)
        kept &= fine
        print(
            f"{address:16} {page:6.2f} ms, frame {frame:6.2f} ms, {page / frame:5.2f} ×;"
            f" {page_bytes:5.1f} kB page, {total / 1000:5.1f} kB first load{'' if fine else '  ✗'}"
        )
    return kept


def main() -> int:
    ask = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    ask.add_argument("--requests", type=int, default=40)
    chosen = ask.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ, "QUIZ_DATA_DIR": folder, "PYTHONPATH": str(ROOT), "QUIZ_LOG_LEVEL": "ERROR",
        }  # fmt: skip
        for command in (["migrate", "-v0"], ["sync_bank", "-v0"], ["collectstatic", "--noinput", "-v0"]):
            subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, env=environment, check=True)
        site, port = start("tests.benchmarks.shell:application", environment)
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port)
            return 0 if report(connection, worker_of(site.pid), chosen.requests) else 1
        finally:
            os.killpg(site.pid, 15)
            site.wait()


if __name__ == "__main__":
    sys.exit(main())
