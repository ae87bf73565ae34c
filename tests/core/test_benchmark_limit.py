"""The limit of memory: the law in closed form, the search on planted limits, real ones in other processes."""

import json
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import benchmark_limit, costs
from attention_core.benchmark_limit import (
    FINE,
    MIB,
    MOST_TRIES,
    Configuration,
    drawn_length,
    search,
)
from attention_core.errors import ShapeError

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits an address space")


def root(a: int, b: int, m: int) -> int:
    """The largest whole n ≥ 0 with a·n² + b·n ≤ m."""
    return (math.isqrt(b * b + 4 * a * m) - b) // (2 * a)


@given(st.integers(0, 2**40), st.sampled_from([1, 8, 32]), st.sampled_from([64, 128]))
def test_the_longest_length_is_the_root_of_the_law(memory: int, heads: int, width: int) -> None:
    shape: dict[str, Any] = {"memory": memory, "batch": 1, "heads": heads, "width": width, "dtype": "float32"}
    assert costs.longest_length("naive", **shape) == root(8 * heads, 4 * heads * width, memory)
    assert costs.longest_length("math", **shape) == root(9 * heads, 4 * heads * width, memory)
    assert costs.longest_length("flash", **shape) == memory // (heads * (4 * width + 4))


def test_four_times_the_memory() -> None:
    naive, flash = (
        [Configuration(backend, allowance=m, heads=8, width=64).predicted_n for m in (2**10, 2**12)]
        for backend in ("naive", "flash")
    )
    assert naive[1] / naive[0] == pytest.approx(2, rel=0.01)
    assert flash[1] / flash[0] == pytest.approx(4, rel=0.001)


@given(st.integers(1, 100_000), st.integers(1, 100_000))
def test_the_search_closes_in_on_any_limit(limit: int, start: int) -> None:
    most = drawn_length(start)
    found = search(lambda n: n <= limit, start=start, most=most)
    assert found.tried <= MOST_TRIES
    assert found.longest == min(limit, found.longest)
    if limit >= most:
        assert (found.longest, found.failed) == (most, None)
    else:
        assert found.failed is not None
        assert found.longest <= limit < found.failed
        assert found.failed - found.longest <= max(1, found.longest // FINE)


@given(st.integers(1, 100_000))
def test_lengths_that_run_are_few(limit: int) -> None:
    """Each of them may be slow: a law that is right costs one, one that is a tenth too high a few."""
    ran: list[int] = []

    def runs(n: int) -> bool:
        if n <= limit:
            ran.append(n)
        return n <= limit

    search(runs, start=limit, most=drawn_length(limit))
    assert len(ran) == 1
    ran.clear()
    search(runs, start=limit + limit // 10, most=drawn_length(limit + limit // 10))
    assert len(ran) <= 10


def test_nothing_that_fits_and_no_time_are_told() -> None:
    found = search(lambda n: False, start=1000, most=1133)
    assert (found.longest, found.failed) == (0, 1)
    found = search(lambda n: True, start=1000, most=1133, may_try=lambda n: n <= 1003)
    assert (found.longest, found.failed, found.tried) == (1003, None, 3)
    found = search(lambda n: n <= 900, start=1000, most=1133, may_try=lambda n: False)
    assert (found.longest, found.failed, found.tried) == (873, 937, 8)  # a first one is sought in any case


def command(program: str) -> dict[str, Any]:
    """What a process of its own prints: limits and the C library's settings stay in it."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(found, dict)
    return found


def measured(budget: float = 1.0, **configuration: Any) -> dict[str, Any]:
    text = json.dumps(configuration)
    return command(
        "from attention_core import benchmark_limit as b; "
        f"b.main(['--json', {text!r}, '--budget', '{budget}'])"
    )


@linux_only
@pytest.mark.parametrize("backend", ["flash", "naive", "math"])
def test_the_real_limit_is_near_the_law_and_its_result_right(backend: str) -> None:
    shape = {"allowance": 8, "heads": 32, "width": 128}
    found = measured(budget=10, backend=backend, **shape)  # the time bounds the search and is not used up
    assert (found["outcome"], found["backend_ran"]) == ("measured", backend)
    assert 0.8 <= found["ratio"] <= 1.05
    assert found["real_n"] < found["failed_n"] <= found["real_n"] + max(1, found["real_n"] // FINE)
    assert (found["limit_n"], found["ended_by"]) == (found["real_n"], "limit")
    assert 2 <= found["tries"] <= MOST_TRIES
    assert "can't allocate memory" in found["said"]
    assert found["error"] <= found["allowed_error"] < 1e-5
    law = Configuration(backend, **shape).law(found["real_n"])
    assert found["left_bytes"] == 8 * MIB - law
    assert not any("ms" in name for name in found)


@linux_only
def test_a_limit_beyond_the_time_is_only_a_lower_bound() -> None:
    found = measured(budget=0.02, backend="flash", allowance=1024, heads=32, width=128)
    assert found["outcome"] == "measured"
    assert found["failed_n"] is found["limit_n"] is None
    assert 1 <= found["real_n"] < found["predicted_n"]
    assert found["ended_by"] == "time"


@linux_only
def test_much_more_than_the_law_allows_is_not_told_as_a_want_of_time() -> None:
    found = command(
        "import json; from attention_core import benchmark_limit as b; "
        "b.Configuration.predicted_n = property(lambda self: 100); "
        "print(json.dumps(b.measure(b.Configuration('flash', allowance=64, heads=2, width=16), budget=1)))"
    )
    assert (found["real_n"], found["failed_n"], found["ended_by"]) == (drawn_length(100), None, "law")


@linux_only
def test_the_pace_is_that_of_the_arithmetic_and_not_of_the_launch() -> None:
    """As on a card, where a short call takes the 60 µs of its launch whatever its length."""
    paced_at, affordable = command(
        "import json; from attention_core import benchmark_limit as b; "
        "b.Tries._pace = lambda self, n: max(6e-5, 1e-10 * n * n); "
        "tries = b.Tries(b.Configuration('flash', allowance=64, heads=4, width=64), seconds=12); "
        "print(json.dumps({'told': [tries.paced_at, tries.affordable()]}))"
    )["told"]
    assert 1e-10 * paced_at**2 >= 0.01
    assert affordable == pytest.approx((6 / 1e-10) ** 0.5, rel=1e-3)


@linux_only
def test_a_process_that_may_not_map_so_much_says_so() -> None:
    found = command(
        "import json, resource, torch; from attention_core import benchmark_limit as b; "
        "from attention_core.kernels.limiting import mapped_bytes; "
        "resource.setrlimit(resource.RLIMIT_AS, (mapped_bytes() + 2**28, resource.RLIM_INFINITY)); "
        "found = b.measure(b.Configuration('naive', allowance=4096, heads=8, width=64), budget=0.02); "
        "print(json.dumps(found))"
    )
    assert found["outcome"] == "unsupported"
    assert "may map" in found["reason"]


@linux_only
def test_a_wrong_result_has_no_limit() -> None:
    found = command(
        "import json; from attention_core import benchmark_limit as b; "
        "from attention_core.kernels import backends; from attention_core.kernels.naive import naive; "
        "backends.KERNELS['naive'] = lambda call: naive(call) + 1e-3; "
        "print(json.dumps(b.measure(b.Configuration('naive', allowance=4, heads=8, width=64), budget=0.1)))"
    )
    assert found["outcome"] == "wrong"
    assert "real_n" not in found
    assert found["error"] == pytest.approx(1e-3, rel=0.01)


@linux_only
def test_the_limit_refuses_counts_from_what_is_there_and_leaves_nothing_behind() -> None:
    found = command(
        "import json, resource, torch; from attention_core.kernels import limiting as l\n"
        "l.hand_memory_back(); cpu = torch.device('cpu'); told = {}\n"
        "before = resource.getrlimit(resource.RLIMIT_AS); held = torch.ones(2**24)\n"
        "with l.limited(cpu, 2**24): kept = torch.ones(2**21); told['fits'] = kept.numel()\n"
        "try:\n"
        "    with l.limited(cpu, 2**24): torch.empty(2**23)\n"
        "except RuntimeError as error: told['refused'] = l.exhausted(error)\n"
        "try:\n"
        "    with l.limited(cpu, 2**24): bytearray(2**25)\n"
        "except MemoryError as error: told['python'] = l.exhausted(error)\n"
        "told['other'] = l.exhausted(RuntimeError('shapes do not match'))\n"
        "told['restored'] = resource.getrlimit(resource.RLIMIT_AS) == before\n"
        "told['after'] = torch.ones(2**23).numel(); print(json.dumps(told))"
    )
    assert found == {
        "fits": 2**21, "refused": True, "python": True, "other": False, "restored": True, "after": 2**23,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"backend": "sparse"}, "backend"), ({"allowance": 0}, "allowance"), ({"allowance": 1.5}, "allowance"),
     ({"heads": 0}, "heads"), ({"width": True}, "width"), ({"dtype": "float8"}, "dtype"),
     ({"device": "tpu"}, "device"), ({"seed": -1}, "seed")],
)  # fmt: skip
def test_what_cannot_be_measured_is_refused_by_name(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ShapeError, match=named):
        Configuration(**{"backend": "naive", **changes})


def test_the_command_refuses_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmark_limit.main(["--json", '{"backend": "none"}']) == 2
    assert "backend" in capsys.readouterr().err
