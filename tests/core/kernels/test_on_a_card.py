"""What is asked of CUDA, told by a stand-in that keeps its semantics: launches return at once and are carried
out in order, events take the card's time, and settings refuse a device without a number as PyTorch does."""

import time
from types import SimpleNamespace

import pytest
import torch

from attention_core.errors import UnsupportedKernel
from attention_core.kernels import limiting, spying, timing
from attention_core.kernels.timing import LEAST, MOST, SLOW

CARD = torch.device("cuda")
MS = 1e-3


class Card:
    """A queue that is emptied in its own time, told in seconds."""

    def __init__(self) -> None:
        self.free_at = 0.0  # by the host's clock
        self.host = 0.0
        self.launches = 0

    def launch(self, seconds: float, *, host: float = 0.0) -> None:
        self.host += host
        self.free_at = max(self.free_at, self.host) + seconds
        self.launches += 1

    def wait(self, _device: object = None) -> None:
        self.host = max(self.host, self.free_at)


@pytest.fixture
def card(monkeypatch):
    card = Card()

    class Event:
        def __init__(self, *, enable_timing: bool) -> None:
            assert enable_timing

        def record(self) -> None:
            card.free_at = self.at = max(card.free_at, card.host)

        def elapsed_time(self, stop: "Event") -> float:
            return (stop.at - self.at) / MS

    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "synchronize", card.wait)
    monkeypatch.setattr(torch.cuda, "_sleep", lambda cycles: card.launch(cycles / timing._CYCLES))
    monkeypatch.setattr(timing, "time", SimpleNamespace(perf_counter=lambda: card.host))
    return card


@pytest.mark.parametrize("seconds", [5e-6, 40e-6, 1 * MS])
def test_a_short_call_is_timed_without_its_launch(card, seconds):
    """Launching takes longer than the two shorter ones themselves."""
    times = timing.repeated(lambda: card.launch(seconds, host=60e-6), CARD, budget=0.5)
    assert (times.median, times.p25, times.p75) == (pytest.approx(seconds / MS),) * 3
    assert times.n == MOST


@pytest.mark.parametrize("seconds", [29 * MS, 300 * MS, 3.0])
def test_repetitions_take_no_more_than_the_budget_or_the_least_number(card, seconds):
    """Launches return at once, so that the host's clock would let all of them through."""
    budget = 1.0
    times = timing.repeated(lambda: card.launch(seconds, host=60e-6), CARD, budget=budget)
    assert times.median == pytest.approx(seconds / MS)
    assert times.n == max(LEAST if seconds < budget else SLOW, int(budget / (seconds + 60e-6)))
    assert card.host <= budget * 0.2 + (times.n + 4) * (seconds + 60e-6) + timing._LONGEST_AHEAD


def test_a_limit_is_set_on_the_card_by_its_number(monkeypatch):
    """PyTorch refuses a device without one here, and takes it elsewhere."""
    shares = []

    def set_share(share, device):
        torch.cuda.memory._get_device_index(device)  # what PyTorch itself asks first
        shares.append((share, device))

    for name, value in {
        "synchronize": None, "empty_cache": None, "mem_get_info": (60, 100), "memory_reserved": 10,
        "current_device": 3,
    }.items():  # fmt: skip
        monkeypatch.setattr(torch.cuda, name, lambda *_device, value=value: value)
    monkeypatch.setattr(torch.cuda, "set_per_process_memory_fraction", set_share)
    with limiting.limited(CARD, 50):
        assert shares == [(0.6, 3)]
    assert shares == [(0.6, 3), (1.0, 3)]
    said = "60 bytes are free on the card, 61 are asked for"
    with pytest.raises(UnsupportedKernel, match=said), limiting.limited(CARD, 61):
        pytest.fail("granted")


def test_what_runs_on_a_cpu_leaves_the_card_alone(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda *_: pytest.fail("the card was asked"))
    monkeypatch.setattr(torch.profiler, "profile", lambda **_: pytest.fail("the card was watched"))
    assert spying.launched(lambda: None, torch.device("cpu")) == []
    assert timing.once(lambda: time.sleep(0.001), torch.device("cpu")) >= 1
