"""What a worker declares: this machine's memory, and a card where a child finds one."""

from __future__ import annotations

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
