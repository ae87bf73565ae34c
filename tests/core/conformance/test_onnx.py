"""The ONNX operator suite through attention_core at its own tolerance: every case, on three array libraries.

The cases are loaded inside the tests, because building them takes seconds that a run of other tests should
not pay, and all in this file, so that they are built by one process.
"""

import numpy as np
import pytest

from attention_core import kernels
from tests.core.conformance import counting
from tests.core.conformance.cases import COUNTS, Case, cases, mismatch
from tests.core.conformance.dispatching import PORTABLE, count
from tests.core.conformance.libraries import LIBRARIES
from tests.core.conformance.operators import OPERATORS, failures


def test_no_case_is_left_out():
    assert {operator: len(listed) for operator, listed in cases().items()} == COUNTS
    assert set(OPERATORS) == set(COUNTS)
    names = [case.name for listed in cases().values() for case in listed]
    assert len(names) == len(set(names)) == sum(COUNTS.values())


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
@pytest.mark.parametrize("operator", OPERATORS)
def test_every_case_of_the_suite_passes(operator, library):
    assert failures(operator, library) == ()


OTHERS = [backend for backend in kernels.BACKENDS if backend not in PORTABLE]


@pytest.mark.parametrize("backend", [*PORTABLE, *(pytest.param(b, marks=pytest.mark.prove) for b in OTHERS)])
def test_every_case_is_passed_fallen_back_or_refused_with_a_reason(backend):
    counts = count(backend)
    assert counts.wrong == ()
    told = counts.passed + counts.fell_back.total() + counts.refused.total()
    assert told == COUNTS["Attention"]
    assert all(reason.startswith(backend + ": ") for reason in counts.fell_back)
    assert set(counts.refused) == {"added scores", "scores or weights asked for", "soft cap"}


def test_the_plain_kernels_take_all_that_can_be_said():
    for backend in ("naive", "math"):
        assert count(backend).passed == COUNTS["Attention"] - count(backend).refused.total()
        assert not count(backend).fell_back


def test_the_readme_tells_the_real_counts():
    assert counting.written() == counting.tables(), "run: python -m tests.core.conformance --write"
    assert counting.tables().count("93/93") == len(LIBRARIES)


WRONG = {
    "shape": np.zeros((2, 1), dtype=np.float32),
    "dtype": np.ones(2),
    "value": np.array([1.0, 1.01], dtype=np.float32),
    "nan": np.array([1.0, np.nan], dtype=np.float32),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_output_would_be_told(what):
    right = np.ones(2, dtype=np.float32)
    case = Case("drill", "Softmax", {}, {}, {"y": right}, rtol=1e-3, atol=1e-7)
    assert mismatch(case, {"y": right * np.float32(1.0001)}) is None
    assert mismatch(case, {"y": WRONG[what]}).startswith("drill: y")


def test_infinities_must_be_at_the_same_places():
    expected = np.array([0.0, -np.inf], dtype=np.float32)
    case = Case("drill", "Attention", {}, {}, {"y": expected}, rtol=1e-3, atol=1e-7)
    assert mismatch(case, {"y": expected.copy()}) is None
    assert mismatch(case, {"y": np.array([-np.inf, 0.0], dtype=np.float32)}) is not None
