"""Requests a second and median time of the main pages against a bare Django view, in one interleaved run.

    .venv/bin/python -m tests.benchmarks.web [--seconds 4] [--rounds 3]

Both are served by granian with one worker and eight threads, and loaded by `wrk` (apt-get install wrk) with
one thread and 16 connections. Also prints the web process's resident memory, and that torch is not in it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = {
    "home": "/",
    "question": "/bank/12/",
    "exercise": "/exercises/attention_row/1/",
    "bank": "/bank/",
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(application: str, environment: dict[str, str]) -> tuple[subprocess.Popen[bytes], int]:
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "granian",
        "--interface",
        "wsgi",
        "--workers",
        "1",
        "--blocking-threads",
        "8",
    ]
    command += ["--port", str(port), "--log-level", "error", application]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
    )
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return process, port
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"{application} did not start")


def load(url: str, seconds: int) -> tuple[float, float]:
    """Requests a second and the median in ms; stops when an answer was not a success."""
    ran = subprocess.run(
        ["wrk", "-t1", "-c16", f"-d{seconds}s", "--latency", url], capture_output=True, text=True, check=True
    ).stdout
    if "Non-2xx" in ran:
        raise SystemExit(f"{url}: not every answer was a success\n{ran}")
    rate = float(re.search(r"Requests/sec:\s*([\d.]+)", ran)[1])  # type: ignore[index]
    value, unit = re.search(r"50%\s+([\d.]+)(us|ms|s)", ran).groups()  # type: ignore[union-attr]
    return rate, float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def worker_of(leader: int) -> int:
    """granian's worker: the child of its main process with the most memory."""
    children = Path(f"/proc/{leader}/task/{leader}/children").read_text().split()
    return max((int(pid) for pid in children), key=resident)


def resident(pid: int) -> int:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) if found else 0


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--seconds", type=int, default=4)
    ask.add_argument("--rounds", type=int, default=3)
    chosen = ask.parse_args()
    if not shutil.which("wrk"):
        raise SystemExit("wrk is needed: apt-get install wrk")
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "QUIZ_DATA_DIR": folder,
            "PYTHONPATH": str(ROOT),
            "QUIZ_LOG_LEVEL": "ERROR",
        }
        for command in (["migrate", "-v0"], ["sync_bank"], ["collectstatic", "--noinput", "-v0"]):
            subprocess.run(
                [sys.executable, "manage.py", *command],
                cwd=ROOT,
                env=environment,
                check=True,
                stdout=subprocess.DEVNULL,
            )
        site, site_port = start("quiz.wsgi:application", environment)
        bare, bare_port = start("tests.benchmarks.bare:application", environment)
        try:
            figures: dict[str, list[tuple[float, float]]] = defaultdict(list)
            for _ in range(chosen.rounds):
                figures["bare"].append(load(f"http://127.0.0.1:{bare_port}/", chosen.seconds))
                for name, address in PAGES.items():
                    figures[name].append(load(f"http://127.0.0.1:{site_port}{address}", chosen.seconds))
            worker = worker_of(site.pid)
            maps = Path(f"/proc/{worker}/maps").read_text()
            report(figures)
            print(
                f"web process: {resident(worker) / 1024:.0f} MiB resident, torch mapped: {'libtorch' in maps}"
            )
        finally:
            for process in (site, bare):
                os.killpg(process.pid, 15)
                process.wait()


def report(figures: dict[str, list[tuple[float, float]]]) -> None:
    bare = statistics.median(rate for rate, _ in figures["bare"])
    print(f"{'page':10} {'req/s':>8} {'p50 ms':>8} {'of bare':>8}")
    for name, rounds in figures.items():
        rate = statistics.median(rate for rate, _ in rounds)
        middle = statistics.median(p50 for _, p50 in rounds)
        print(f"{name:10} {rate:8.0f} {middle:8.1f} {rate / bare:8.1%}")


if __name__ == "__main__":
    main()
