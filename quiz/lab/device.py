"""The device of a lab worker: what it is, and how much memory is free. Never imports torch itself."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from django.utils import translation
from django.utils.translation import gettext as _

from attention_core.kernel_rules import FALLBACKS, Request, refusal
from quiz.lab.children import ROOT
from quiz.lab.formatting import size, threads_told

PROBE = """
import importlib.util, json, torch
found = {"torch": torch.__version__, "threads": torch.get_num_threads(), "kind": "cpu"}
found["triton"] = importlib.util.find_spec("triton") is not None
if torch.cuda.is_available():
    from attention_core.kernels.record import device_uuid
    card = torch.cuda.get_device_properties(0)
    found |= {"kind": "cuda", "name": card.name, "total": card.total_memory}
    found["capability"] = [card.major, card.minor]
    found["free"] = torch.cuda.mem_get_info(0)[0]
    found["uuid"] = device_uuid(torch.device("cuda", 0))
print(json.dumps(found))
"""
PROBE_SECONDS = 120
AGAIN_SECONDS = 60  # after a failure
WHOLE = 1.1  # times what torch sees of a card's memory: with more it is not the same device
DTYPES = ("float32", "bfloat16", "float16")
TYPICAL_WIDTH = 64  # of a head, for what a kernel takes in general


@dataclass(frozen=True, kw_only=True)
class Device:
    """`kind` is "cpu" or "cuda"; total and free are the card's, or the host's memory when there is none.

    `torch` is None where nothing can be measured. `backends`: the kernels that run here, each with the number
    formats it takes.
    """

    kind: str = "cpu"
    name: str = ""
    total_bytes: int = 0
    free_bytes: int = 0
    host_free_bytes: int = 0
    threads: int = 1
    torch: str | None = None
    backends: dict[str, list[str]] = field(default_factory=dict)

    @property
    def can_measure(self) -> bool:
        return self.torch is not None

    @property
    def abilities(self) -> list[tuple[str, str]]:
        """The number formats with the kernels that take them: `[("float32", "naive, math"), …]`."""
        told: dict[str, list[str]] = {}
        for dtype in DTYPES:
            taking = ", ".join(backend for backend, taken in self.backends.items() if dtype in taken)
            if taking:
                told.setdefault(taking, []).append(dtype)
        return [(", ".join(dtypes), taking) for taking, dtypes in told.items()]

    @property
    def label(self) -> str:
        """For people: `CPU, AMD EPYC, 2 threads, 23.4 GiB, torch 2.13.0`."""
        what = "GPU" if self.kind == "cuda" else "CPU"
        parts = [what, self.name, size(self.total_bytes)]
        if self.kind == "cpu":
            parts.insert(2, threads_told(self.threads))
        parts.append(f"torch {self.torch}" if self.torch else _("no torch"))
        return ", ".join(part for part in parts if part)

    @classmethod
    def from_resources(cls, resources: dict[str, Any]) -> Self | None:
        """What a worker declared (see `declare`); None when it has not declared anything yet."""
        known = {name: resources[name] for name in cls.__dataclass_fields__ if name in resources}
        if not isinstance(known.get("backends", {}), dict):
            del known["backends"]
        return cls(**known) if {"kind", "free_bytes"} <= known.keys() else None


def declare() -> dict[str, Any]:
    """What the worker's row says about its device. Slow once (a child imports torch), then cheap: it is asked
    for while something is measured.
    """
    device = _described(probe.known(), kind="auto", fresh=False)
    with translation.override("en"):  # what is stored does not depend on who runs the worker
        return {**asdict(device), "label": device.label}


def here(kind: str = "auto") -> Device:
    """This machine's device with what is free now: its GPU if it has one, or the CPU when asked for."""
    return _described(probe.known(), kind=kind, fresh=True)


def _described(found: dict[str, Any], *, kind: str, fresh: bool) -> Device:
    """`fresh`: torch is asked again where the driver's tool does not say what is free on the card."""
    memory = _memory()
    free = memory.get("MemAvailable", 0)
    if found.get("kind") == "cuda" and kind != "cpu":
        card_free = _card_free_bytes(found)
        if card_free is None and fresh:
            return _described(probe.now(), kind=kind, fresh=False)
        return Device(
            kind="cuda",
            name=found["name"],
            total_bytes=found["total"],
            free_bytes=found["free"] if card_free is None else card_free,
            host_free_bytes=free,
            threads=found["threads"],
            torch=found["torch"],
            backends=runnable(found, kind="cuda"),
        )
    return Device(
        name=_processor(),
        total_bytes=memory.get("MemTotal", 0),
        free_bytes=free,
        host_free_bytes=free,
        threads=found.get("threads", os.cpu_count() or 1),
        torch=found.get("torch"),
        backends=runnable(found, kind="cpu"),
    )


def runnable(found: dict[str, Any], *, kind: str) -> dict[str, list[str]]:
    """The kernels that a probed machine can run on this kind of device, each with the formats it takes."""
    if not found.get("torch"):
        return {}
    capability = tuple(found["capability"]) if kind == "cuda" and "capability" in found else None
    triton_for = (
        {"triton_flash", "flex"} if kind == "cuda" else {"triton_flash"}
    )  # flex is compiled by it there
    told: dict[str, list[str]] = {}
    for backend in FALLBACKS:
        if backend in triton_for and not found.get("triton"):
            continue
        for dtype in DTYPES:
            request = Request(
                device=kind,
                dtype=dtype,
                width=TYPICAL_WIDTH,
                value_width=TYPICAL_WIDTH,
                interpreted=os.environ.get("TRITON_INTERPRET") == "1",
                capability=capability,
            )
            if refusal(backend, request) is None:
                told.setdefault(backend, []).append(dtype)
    return told


class Probe:
    """What a child that imports torch reports, kept once it has worked; what failed is tried again later."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}
        self._failed = -math.inf

    def known(self) -> dict[str, Any]:
        """The last report; empty where torch is missing or broken."""
        if not self.found and time.monotonic() - self._failed > AGAIN_SECONDS:
            self.now()
        return self.found

    def now(self) -> dict[str, Any]:
        """A new report, or the last one where that fails."""
        try:
            done = subprocess.run(  # noqa: S603  our own interpreter and text
                [sys.executable, "-c", PROBE],
                capture_output=True, text=True, timeout=PROBE_SECONDS, check=True, cwd=ROOT,
            )  # fmt: skip
            found = json.loads(done.stdout)
        except (OSError, subprocess.SubprocessError, ValueError):
            found = None
        if isinstance(found, dict):
            self.found = found
        else:
            self._failed = time.monotonic()
        return self.found


probe = Probe()


def _card_free_bytes(found: dict[str, Any]) -> int | None:
    """Free memory of the probed card, from the driver's own tool; None when it does not say, or speaks of a
    whole card of which this process sees a part.
    """
    tool, uuid = shutil.which("nvidia-smi"), found.get("uuid")
    if tool is None or not uuid:
        return None
    command = [tool, f"--id={uuid}", "--query-gpu=memory.total,memory.free", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)  # noqa: S603
        total, free = (int(figure) * 2**20 for figure in done.stdout.split(","))
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return None if total > WHOLE * found["total"] else min(free, found["total"])


def _memory() -> dict[str, int]:
    """Bytes by name from /proc/meminfo, bounded by the container's limit; elsewhere what sysconf knows."""
    found: dict[str, int] = {}
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            name, _, rest = line.partition(":")
            found[name] = int(rest.split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        found = {"MemTotal": pages, "MemAvailable": pages // 2}
    room = _container_room()
    if room is not None:
        found["MemTotal"] = min(found.get("MemTotal", room[0]), room[0])
        found["MemAvailable"] = min(found.get("MemAvailable", room[1]), room[1])
    return found


def _container_room() -> tuple[int, int] | None:
    """(limit, limit − used) of the control group, when it has a limit."""
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            most = int(Path(limit).read_text())
            taken = int(Path(used).read_text())
        except (OSError, ValueError):
            continue
        return most, max(0, most - taken)
    return None


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return ""
