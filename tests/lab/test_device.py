"""What a worker declares: this machine's memory, and a card where a child finds one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quiz.lab import device
from tests.lab.planted import GIB


def test_the_declaration_agrees_with_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device.probe, "found", {"kind": "cpu", "threads": 3, "torch": "9.9"})
    monkeypatch.setattr(device, "_container_room", lambda: None)
    declared = device.declare()
    lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    assert declared["total_bytes"] == int(lines["MemTotal"].split()[0]) * 1024
    free = int(lines["MemAvailable"].split()[0]) * 1024
    assert declared["free_bytes"] == pytest.approx(free, rel=0.2)
    assert (declared["kind"], declared["threads"], declared["torch"]) == ("cpu", 3, "9.9")
    assert declared["label"].endswith("torch 9.9")


def test_a_containers_limit_bounds_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device.probe, "known", dict)
    monkeypatch.setattr(device, "_container_room", lambda: (2**30, 2**29))
    here = device.here()
    assert (here.total_bytes, here.free_bytes, here.can_measure) == (2**30, 2**29, False)


UUID = "GPU-11111111-2222-3333-4444-555555555555"
CARD = {
    "kind": "cuda", "name": "NVIDIA H200", "uuid": UUID, "total": 16 * GIB, "free": 15 * GIB, "threads": 8,
    "torch": "2.13",
}  # fmt: skip
SCRIPT = """#!/bin/sh
[ "$1" = "--id={uuid}" ] || exit 6
echo "{says}"
"""


class Asked:
    """A card whose probe is counted: each later one finds a GiB less than that at the start."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        self.again = 0
        self._path = tmp_path / "nvidia-smi"
        monkeypatch.setattr(device.probe, "found", CARD)
        monkeypatch.setattr(device.probe, "now", self._now)
        monkeypatch.setenv("PATH", str(tmp_path))

    def _now(self) -> dict[str, Any]:
        self.again += 1
        device.probe.found = {**CARD, "free": (15 - self.again) * GIB}
        return device.probe.found

    def tool(self, says: str, *, uuid: str = UUID) -> None:
        """What the driver's tool says of the card that it calls so, and of no other."""
        self._path.write_text(SCRIPT.format(says=says, uuid=uuid))
        self._path.chmod(0o755)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Asked:
    return Asked(monkeypatch, tmp_path)


@pytest.mark.parametrize(
    ("says", "free"), [("16384, 1024", GIB), ("16500, 0", 0), ("16500, 16450", 16 * GIB), ("16384, 1", 2**20)]
)
def test_the_drivers_tool_tells_what_is_free_on_this_very_card(asked: Asked, says: str, free: int) -> None:
    asked.tool(says)
    here = device.here()
    assert (here.kind, here.name, here.total_bytes) == ("cuda", "NVIDIA H200", 16 * GIB)
    assert (here.free_bytes, asked.again) == (free, 0)
    assert here.host_free_bytes > 2**20


@pytest.mark.parametrize(
    ("says", "uuid"),
    [("143771, 143000", UUID), ("16384, 1024", "GPU-9"), ("[N/A], [N/A]", UUID), ("", UUID),
     ("1\n2, 3", UUID), ("No devices were found", UUID)],
)  # fmt: skip
def test_where_it_says_nothing_of_this_card_torch_is_asked_before_a_point(
    asked: Asked, says: str, uuid: str
) -> None:
    """A card of which this process sees a part, another card, no figures; a worker's beat must not disturb
    what is being measured."""
    asked.tool(says, uuid=uuid)
    assert [device.here().free_bytes for _point in range(2)] == [14 * GIB, 13 * GIB]
    assert asked.again == 2
    assert (device.declare()["free_bytes"], asked.again) == (13 * GIB, 2)


def test_without_the_tool_too(asked: Asked) -> None:
    assert device.here().free_bytes == 14 * GIB


ALL = ["float32", "bfloat16", "float16"]
LOW = ["bfloat16", "float16"]


@pytest.mark.parametrize(("found", "kind", "expected"), [
    ({"torch": "2.13"}, "cpu", {"naive": ALL, "math": ALL, "flash": ALL, "flex": ALL}),
    ({"torch": "2.13", "triton": True}, "cpu", {"naive": ALL, "math": ALL, "flash": ALL, "flex": ALL}),
    ({"torch": "2.13", "triton": True, "capability": [9, 0]}, "cuda",
     {"naive": ALL, "math": ALL, "flash": LOW, "efficient": ALL, "cudnn": LOW, "flex": ALL,
      "triton_flash": ALL}),
    ({"torch": "2.13", "triton": False, "capability": [9, 0]}, "cuda",
     {"naive": ALL, "math": ALL, "flash": LOW, "efficient": ALL, "cudnn": LOW}),
    ({"torch": "2.13", "triton": True, "capability": [7, 5]}, "cuda",
     {"naive": ALL, "math": ALL, "flash": LOW, "efficient": ALL, "cudnn": LOW, "flex": ALL}),
    ({}, "cpu", {}),
])  # fmt: skip
def test_what_runs_here_follows_the_dispatchers_rules(
    found: dict[str, Any], kind: str, expected: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    assert device.runnable(found, kind=kind) == expected


def test_the_interpreter_lets_a_cpu_run_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    told = device.runnable({"torch": "2.13", "triton": True}, kind="cpu")
    assert told["triton_flash"] == ["float32", "float16"]  # it miscalculates bfloat16


def test_what_a_worker_declared_is_read_back_by_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device.probe, "found", {"kind": "cpu", "threads": 3, "torch": "9.9"})
    declared = json.loads(json.dumps(device.declare()))
    told = device.Device.from_resources(declared)
    assert told is not None
    assert told.abilities == [("float32, bfloat16, float16", "naive, math, flash, flex")]
    card = replace(told, backends={"math": ALL, "flash": LOW})
    assert card.abilities == [("float32", "math"), ("bfloat16, float16", "math, flash")]


@pytest.mark.parametrize("backends", [None, "flash", ["flash"]])
def test_rows_of_other_versions_are_read_all_the_same(backends: Any) -> None:
    row = {"kind": "cpu", "free_bytes": 7, "torch": "2.13", "surprise": 1}
    for resources in (row, {**row, "backends": backends}):
        told = device.Device.from_resources(resources)
        assert told is not None
        assert (told.free_bytes, told.backends, told.abilities) == (7, {}, [])


@pytest.mark.parametrize("text", ["import nowhere", "print('[1')", "print('[1]')", "import sys; sys.exit(3)"])
def test_without_a_working_torch_nothing_can_be_measured_until_it_works(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = device.Probe()
    monkeypatch.setattr(device, "PROBE", text)
    assert probe.known() == {}
    monkeypatch.setattr(device, "PROBE", 'print(\'{"kind": "cpu"}\')')
    assert probe.known() == {}  # it is not asked all the time
    monkeypatch.setattr(device, "AGAIN_SECONDS", 0)
    assert probe.known() == {"kind": "cpu"}
    monkeypatch.setattr(device, "PROBE", text)
    assert (probe.known(), probe.now()) == ({"kind": "cpu"}, {"kind": "cpu"})


def test_the_probe_reports_this_torch(require: Any) -> None:
    require("torch")
    from importlib.metadata import version

    found = device.Probe().known()
    assert found["torch"].split("+")[0] == version("torch").split("+")[0]
    assert found["threads"] >= 1
