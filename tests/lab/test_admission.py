"""Admission: the sum, the room, what is left out, what is refused, and the largest length that would do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attention_core import costs
from quiz.lab.admission import PROCESS_BYTES, assess, best_device, largest_size, need_of
from quiz.lab.device import Device
from quiz.lab.offering import room_refusals
from tests.lab.planted import CPU, DEMO, GIB, PARAMETERS

ALL = {**PARAMETERS, "backends": ["flash", "naive", "math"]}


def test_a_points_need_is_the_process_and_what_the_core_predicts() -> None:
    [point] = DEMO.points({**PARAMETERS, "backends": ["naive"], "lengths": [1024]})
    need = need_of(DEMO, point, kind="cpu")
    predicted = costs.predicted_bytes("naive", batch=1, heads=4, length=1024, width=64, dtype="float32")
    assert need.total == 256 * 2**20 + predicted
    assert [term.size for term in need.terms] == [256 * 2**20, 3 * 2**20, 2 * 4 * 1024 * 1024 * 4 + 2**20]


def test_nine_tenths_of_what_is_free_may_be_used() -> None:
    assert assess(DEMO, PARAMETERS, CPU).room == int(8 * GIB * 0.9)


def test_a_run_that_fits_is_admitted_whole() -> None:
    found = assess(DEMO, ALL, CPU)
    assert found.is_admitted
    assert found.left_out == ()
    assert found.seconds == pytest.approx(sum(need.seconds for need in found.needs))


def test_what_does_not_fit_is_left_out_while_another_way_fits() -> None:
    found = assess(DEMO, {**ALL, "lengths": [1024, 32768]}, CPU)
    assert found.is_admitted
    assert sorted((n.configuration["backend"], n.configuration["length"]) for n in found.left_out) == [
        ("math", 32768), ("naive", 32768),
    ]  # fmt: skip
    assert found.seconds < sum(need.seconds for need in found.needs)


def test_a_length_at_which_nothing_fits_refuses_the_run_with_the_sum() -> None:
    small = replace(CPU, free_bytes=GIB // 2)
    found = assess(DEMO, {**ALL, "backends": ["naive", "math"], "lengths": [128, 8192]}, small)
    assert not found.is_admitted
    assert found.impossible_sizes == (8192,)
    [reason] = room_refusals(DEMO, found)
    largest = {
        name: largest_size(DEMO, need.configuration, small)
        for need in found.largest
        for name in [need.configuration["backend"]]
    }
    assert reason == (
        "Not enough memory at n = 8192: nine tenths of the 512 MiB that are free are 461 MiB. Largest n that "
        f"would be admitted: naive {largest['naive']}, math {largest['math']}."
    )


@pytest.mark.parametrize("backend", ["flash", "naive", "math"])
@pytest.mark.parametrize("free", [GIB // 2, 3 * GIB, 100 * GIB])
def test_the_largest_size_is_admitted_and_the_next_is_not(backend: str, free: int) -> None:
    device = replace(CPU, free_bytes=free)
    [point] = DEMO.points({**PARAMETERS, "backends": [backend], "lengths": [128]})
    largest = largest_size(DEMO, point, device)
    room = int(free * 0.9)
    assert need_of(DEMO, {**point, "length": largest}, kind="cpu").total <= room
    if largest < 2**20:
        assert need_of(DEMO, {**point, "length": largest + 1}, kind="cpu").total > room


def test_nothing_fits_into_less_than_the_process() -> None:
    [point] = DEMO.points({**PARAMETERS, "backends": ["flash"], "lengths": [128]})
    assert largest_size(DEMO, point, replace(CPU, free_bytes=PROCESS_BYTES["cpu"])) == 0


def test_without_a_declared_device_only_the_worker_can_tell() -> None:
    found = assess(DEMO, {**ALL, "lengths": [32768]}, None)
    assert found.room is None
    assert found.is_admitted
    assert room_refusals(DEMO, found) == []


def test_the_rough_time_grows_with_the_work_and_shrinks_on_a_card() -> None:
    def seconds(length: int, kind: str) -> float:
        [point] = DEMO.points({**PARAMETERS, "backends": ["naive"], "lengths": [length]})
        return need_of(DEMO, point, kind=kind).seconds

    assert seconds(16, "cpu") == pytest.approx(5.2, abs=0.01)
    assert seconds(8192, "cpu") > 4 * (seconds(4096, "cpu") - 5.2)
    assert seconds(8192, "cuda") < seconds(8192, "cpu") / 2


def test_the_best_device_can_measure_and_has_most_room() -> None:
    large, torchless = replace(CPU, free_bytes=9 * GIB), replace(CPU, free_bytes=99 * GIB, torch=None)
    assert best_device([CPU, large, torchless]) == large
    assert best_device([torchless]) is None
    assert best_device([]) is None


def test_a_device_survives_its_declaration() -> None:
    from dataclasses import asdict

    assert Device.from_resources({**asdict(CPU), "label": CPU.label, "later": 1}) == CPU
    assert Device.from_resources({}) is None
    assert CPU.label == "CPU, Planted, 2 threads, 16 GiB, torch 2.13.0"
    card = replace(CPU, kind="cuda", name="H200", torch=None)
    assert card.label == "GPU, H200, 16 GiB, no torch"
