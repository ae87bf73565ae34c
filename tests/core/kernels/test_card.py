"""What nvidia-smi says, read from a tool of the same name that says what the tests choose."""

import os

import pytest

from attention_core.benchmark import Seen
from attention_core.kernels import card

GPU = "GPU-11111111-2222-3333-4444-555555555555"
OTHER = "GPU-99999999-2222-3333-4444-555555555555"
SCRIPT = """#!/bin/sh
case "$1" in
  *clocks_event_reasons*) {newer} ;;
  --query-gpu=*) cat "{folder}/cards" ;;
  --query-compute-apps=*) cat "{folder}/users" ;;
esac
"""


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """Puts a fake nvidia-smi first in the path; `told` writes what it says."""

    def told(cards, users="", *, newer='cat "{folder}/cards"'):
        (tmp_path / "cards").write_text(cards)
        (tmp_path / "users").write_text(users)
        path = tmp_path / "nvidia-smi"
        path.write_text(SCRIPT.format(newer=newer.format(folder=tmp_path), folder=tmp_path))
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    return told


def test_the_state_of_every_card_is_read(tool):
    tool(
        f"{GPU}, 1980, 3201, 412.50, 61, 98, 0x0000000000000024\n"
        f"{OTHER}, 345, 2619, [N/A], 30, 0, 0x0000000000000001\n"
    )
    assert card.cards() == {
        GPU: {
            "sm_mhz": 1980.0, "memory_mhz": 3201.0, "power_w": 412.5, "temperature_c": 61.0,
            "utilisation_percent": 98.0, "throttled": ["power cap", "software thermal"],
        },
        OTHER: {
            "sm_mhz": 345.0, "memory_mhz": 2619.0, "power_w": None, "temperature_c": 30.0,
            "utilisation_percent": 0.0, "throttled": [],
        },
    }  # fmt: skip


def test_an_older_driver_is_asked_by_the_older_name(tool):
    tool(f"{GPU}, 1410, 1593, 300, 50, 10, 0x0000000000000008\n", newer="exit 2")
    assert card.cards()[GPU]["throttled"] == ["hardware slowdown"]


def test_who_uses_a_card_and_how_much_of_it(tool):
    tool("", f"{GPU}, 41, 512\n{GPU}, 43, [N/A]\n{OTHER}, 42, 1\n")
    assert card.users() == {GPU: {41: 2**29, 43: None}, OTHER: {42: 2**20}}
    tool("", "")
    assert card.users() == {}


@pytest.mark.parametrize(
    ("after", "held"),
    [
        ({41: 7, os.getpid(): 30}, 30),
        ({41: 7, 99: 30}, 30),  # the host's id of this process
        ({41: 7, 99: 30, 100: 5}, None),  # which of the two?
        ({41: 7}, None),
        ({os.getpid(): None}, None),
    ],
)
def test_what_this_process_holds(after, held):
    assert card.own({41: 7}, after) == held


def test_where_no_process_is_told_nobody_knows_of_others(tool):
    """As in many containers: this process is not seen either."""
    tool(f"{GPU}, 1000, 1, 1, 1, 1, 0x0\n")
    assert Seen().told(GPU)["other_processes"] is None


def test_oneself_is_no_other_process(tool):
    tool("", f"{GPU}, 41, 1\n{GPU}, {os.getpid()}, 3\n")
    told = Seen().told(GPU)
    assert (told["other_processes"], told["process_bytes"]) == (1, 3 * 2**20)


def test_what_the_measurement_says_is_of_its_own_card(tool):
    tool(f"{GPU}, 1000, 1, 1, 1, 1, 0x0\n{OTHER}, 7, 1, 1, 1, 1, 0x0\n", f"{GPU}, 41, 9\n")
    seen = Seen()
    tool(f"{GPU}, 2000, 1, 1, 1, 1, 0x4\n", f"{GPU}, 41, 9\n{GPU}, 43, 600\n")
    told = seen.told(GPU)
    assert (told["card_before"]["sm_mhz"], told["card_after"]["sm_mhz"]) == (1000.0, 2000.0)
    assert told["card_after"]["throttled"] == ["power cap"]
    assert told["other_processes"] == 1  # those from before: this process itself comes later
    assert told["process_bytes"] == 600 * 2**20
    assert seen.told(OTHER)["other_processes"] is None
    assert seen.told("GPU-unknown")["card_before"] is None


@pytest.mark.parametrize("says", ["exit 9", "echo nonsense", "printf ''"])
def test_a_tool_that_says_nothing_useful_is_no_failure(tool, says):
    tool("nonsense\n", "nonsense\n", newer=says)
    assert card.cards() == {}
    assert card.users() == {}


def test_without_the_tool_nothing_is_known(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (card.cards(), card.users()) == ({}, None)
    assert set(Seen().told(None).values()) == {None}
