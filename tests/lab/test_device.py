"""What a worker declares: this machine's memory, and a card where a child finds one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quiz.lab import device


def test_the_declaration_agrees_with_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_probed", lambda: {"kind": "cpu", "threads": 3, "torch": "9.9"})
    monkeypatch.setattr(device, "_container_room", lambda: None)
    declared = device.declare()
    lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    assert declared["total_bytes"] == int(lines["MemTotal"].split()[0]) * 1024
    free = int(lines["MemAvailable"].split()[0]) * 1024
    assert declared["free_bytes"] == pytest.approx(free, rel=0.2)
    assert (declared["kind"], declared["threads"], declared["torch"]) == ("cpu", 3, "9.9")
    assert declared["label"].endswith("torch 9.9")


def test_a_containers_limit_bounds_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_probed", dict)
    monkeypatch.setattr(device, "_container_room", lambda: (2**30, 2**29))
    here = device.here()
    assert (here.total_bytes, here.free_bytes, here.can_measure) == (2**30, 2**29, False)


def test_a_card_counts_with_its_own_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"kind": "cuda", "name": "NVIDIA H200", "total": 140, "free": 130, "threads": 8, "torch": "2.13"}
    monkeypatch.setattr(device, "_probed", lambda: found)
    monkeypatch.setattr(device, "_card_free_bytes", lambda: None)
    here = device.here()
    assert (here.kind, here.name, here.total_bytes, here.free_bytes) == ("cuda", "NVIDIA H200", 140, 130)
    assert here.host_free_bytes > 2**20
    monkeypatch.setattr(device, "_card_free_bytes", lambda: 77)
    assert device.here().free_bytes == 77


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
    monkeypatch.setattr(device, "_probed", lambda: {"kind": "cpu", "threads": 3, "torch": "9.9"})
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


@pytest.mark.parametrize("outcome", ["missing", "garbage"])
def test_without_a_working_torch_nothing_can_be_measured(
    outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import nowhere" if outcome == "missing" else "print('[1')"
    monkeypatch.setattr(device, "PROBE", text)
    device._probed.cache_clear()
    try:
        assert device._probed() == {}
    finally:
        device._probed.cache_clear()


def test_the_probe_reports_this_torch(require: Any) -> None:
    require("torch")
    from importlib.metadata import version

    device._probed.cache_clear()
    found = device._probed()
    assert found["torch"].split("+")[0] == version("torch").split("+")[0]
    assert found["threads"] >= 1
