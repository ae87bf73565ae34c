"""The demonstration: its points, what each needs, and how a form and an address carry its parameters."""

from __future__ import annotations

import re

import pytest
from django.http import QueryDict

from attention_core import costs
from quiz.lab import demos
from quiz.lab.demos.attention_length import BACKENDS, EVERYWHERE
from quiz.lab.forms import ParametersForm, state
from tests.lab.planted import DEMO, PARAMETERS


def test_the_demo_is_found_by_its_slug_and_no_other_is() -> None:
    found = demos.all_demos()
    assert [demo.place for demo in found] == list(range(1, len(found) + 1))
    assert all(demos.get(demo.slug) is demo for demo in found)
    with pytest.raises(demos.UnknownDemo):
        demos.get("attention_lengths")


def test_points_go_up_in_length_and_alternate_the_order() -> None:
    points = DEMO.points({**PARAMETERS, "backends": ["math", "naive", "flash"], "lengths": [512, 128, 256]})
    assert [(point["length"], point["backend"]) for point in points] == [
        (128, "flash"), (128, "naive"), (128, "math"),
        (256, "math"), (256, "naive"), (256, "flash"),
        (512, "flash"), (512, "naive"), (512, "math"),
    ]  # fmt: skip
    assert {(p["heads"], p["width"], p["dtype"], p["causal"], p["batch"]) for p in points} == {
        (4, 64, "float32", False, 1)
    }


def test_points_are_configurations_that_the_benchmark_takes() -> None:
    from attention_core.benchmark import Configuration

    for preset in DEMO.presets:
        for point in DEMO.points(preset.parameters):
            taken = Configuration(**point, device="cpu")
            assert taken.length == point["length"]
            assert taken.trains == preset.parameters["backward"]
            assert DEMO.foretold(point) == {"predicted_peak_bytes": taken.predicted_peak_bytes}


def test_a_forward_point_is_the_same_as_before_there_was_a_choice() -> None:
    """Stored runs stay comparable, and runs that were stored without the choice can still be read."""
    older = {name: value for name, value in PARAMETERS.items() if name != "backward"}
    assert DEMO.points(older) == DEMO.points(PARAMETERS)
    assert DEMO.summary(older) == DEMO.summary(PARAMETERS)
    assert all("passes" not in point for point in DEMO.points(PARAMETERS))
    training = {**PARAMETERS, "backward": True}
    assert {point["passes"] for point in DEMO.points(training)} == {"training"}
    assert "forward and backward" in DEMO.summary(training)


def test_what_exists_on_a_gpu_only_is_offered_and_not_chosen() -> None:
    [ways] = [parameter for parameter in DEMO.parameters if parameter.name == "backends"]
    assert [value for value, _name in ways.options] == list(BACKENDS)
    assert [name for value, name in ways.options if value != name] == [
        "efficient (GPU)", "cudnn (GPU)", "triton_flash (GPU)",
    ]  # fmt: skip
    assert ways.default == list(EVERYWHERE)
    assert len(BACKENDS) == len(set(BACKENDS)) == 6
    query = "&".join(f"backends={name}" for name in BACKENDS)
    query += "&lengths=16&heads=1&width=32&dtype=bfloat16"
    full = ParametersForm(DEMO, QueryDict(query), visitor=True)
    assert full.is_valid(), full.errors


@pytest.mark.parametrize("backend", ["flash", "naive", "math"])
@pytest.mark.parametrize("length", [16, 64, 512, 8192])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_terms_add_up_to_what_the_core_predicts(backend: str, length: int, dtype: str) -> None:
    parameters = {**PARAMETERS, "backends": [backend], "lengths": [length], "dtype": dtype}
    [point] = DEMO.points(parameters)
    assert sum(term.size for term in DEMO.terms(point)) == costs.predicted_bytes(
        backend, batch=1, heads=4, length=length, width=64, dtype=dtype
    )


def peak_of_naive(h: int, n: int, d: int, size: int) -> int:
    return 2 * h * n * n * size + h * n * d * size


def peak_of_math(h: int, n: int, d: int, size: int) -> int:
    widened = 4 * h * n * d * 4 if size < 4 else 0
    return 2 * h * n * n * 4 + h * n * n + widened + h * n * d * size


def peak_of_flash(h: int, n: int, d: int, size: int) -> int:
    return h * n * (d * size + 4)


PEAKS = {"flash": peak_of_flash, "naive": peak_of_naive, "math": peak_of_math, "cudnn": peak_of_flash}


def trained_naive(h: int, n: int, d: int, size: int) -> int:
    return 3 * h * n * n * size + 3 * h * n * d * size


def trained_math(h: int, n: int, d: int, size: int) -> int:
    return 3 * h * n * n * 4 + (h * n * d * (7 * 4 + size) if size < 4 else 4 * h * n * d * 4)


def trained_flash(h: int, n: int, d: int, size: int) -> int:
    return h * n * (4 * d * size + d * 4 + 8)


TRAINED = {"flash": trained_flash, "naive": trained_naive, "math": trained_math, "efficient": trained_flash}


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("dtype", "size"), [("float32", 4), ("bfloat16", 2)])
def test_the_printed_formula_is_the_one_that_is_computed(
    backend: str, dtype: str, size: int, training: bool
) -> None:
    [point] = DEMO.points(
        {**PARAMETERS, "backends": [backend], "lengths": [4096], "dtype": dtype, "backward": training}
    )
    law = (TRAINED if training else PEAKS).get(backend)
    if law:
        assert DEMO.foretold(point) == {"predicted_peak_bytes": law(4, 4096, 64, size)}
    terms = DEMO.terms(point)
    assert len(terms) == (1 if training and backend == "triton_flash" else 2)
    for term in terms:
        assert calculated(term.formula) == term.size
    predicted = costs.predicted_training_bytes if training else costs.predicted_bytes
    shape = {"batch": 1, "heads": 4, "length": 4096, "width": 64}
    assert sum(term.size for term in terms) == predicted(backend, dtype=dtype, **shape)


def calculated(formula: str) -> int:
    """The value of a printed formula at H 4, n 4096, d 64; words before a colon only name a summand."""
    text = re.sub(r"[^+]*: ", " ", formula).removesuffix(" B").replace("4n", "4·n")
    text = text.replace("·", "*").replace("n²", "n**2")
    return int(eval(text, {"__builtins__": {}}, {"H": 4, "n": 4096, "d": 64}))


@pytest.mark.parametrize("backward", [False, True])
def test_only_fused_kernels_leave_hidden_tiles_out_and_make_weights_again(backward: bool) -> None:
    flops = {}
    for backend in BACKENDS:
        [point] = DEMO.points(
            {**PARAMETERS, "backends": [backend], "lengths": [128], "causal": True, "backward": backward}
        )
        flops[backend] = DEMO.calls_flops(point)
    product, visible = 2 * 4 * 128 * 128 * 64, 2 * 4 * 64 * 128 * 129 // 2
    unfused, fused = (6 * product, 7 * visible) if backward else (2 * product, 2 * visible)
    assert flops == {name: unfused if name in ("naive", "math") else fused for name in BACKENDS}


def test_an_address_carries_every_parameter() -> None:
    for parameters in [PARAMETERS, *(preset.parameters for preset in DEMO.presets)]:
        form = ParametersForm(DEMO, QueryDict(state(DEMO, parameters).urlencode()), visitor=False)
        assert form.is_valid(), form.errors
        assert form.parameters == {**parameters, "backends": sorted(parameters["backends"], key=_by_chart)}


def _by_chart(backend: str) -> int:
    return BACKENDS.index(backend)


def test_an_address_without_parameters_shows_the_quick_preset() -> None:
    form = ParametersForm(DEMO, QueryDict("demo=attention_length"), visitor=True)
    assert form.is_valid()
    assert form.parameters == DEMO.presets[0].parameters


def test_a_visitor_is_not_offered_long_lengths(settings: object) -> None:
    settings.LAB_VISITOR_MAX_LENGTH = 256  # type: ignore[attr-defined]
    query = state(DEMO, {**PARAMETERS, "lengths": [256, 512]})
    assert ParametersForm(DEMO, query, visitor=False).is_valid()
    form = ParametersForm(DEMO, query, visitor=True)
    assert not form.is_valid()
    assert list(form.errors) == ["lengths"]
    assert "512" in form.errors["lengths"][0]
    options = dict(form.fields["lengths"].choices)  # type: ignore[attr-defined]
    assert list(options) == [16, 32, 64, 128, 256]


def test_a_small_limit_still_leaves_a_default(settings: object) -> None:
    settings.LAB_VISITOR_MAX_LENGTH = 32  # type: ignore[attr-defined]
    form = ParametersForm(DEMO, QueryDict(""), visitor=True)
    assert form.is_valid()
    assert form.parameters["lengths"] == [16]


@pytest.mark.parametrize(
    "query",
    [
        "lengths=128&heads=4&width=64&dtype=float32",  # no way chosen
        "backends=flash&heads=4&width=64&dtype=float32",  # no length
        "backends=flex&lengths=128&heads=4&width=64&dtype=float32",
        "backends=flash&lengths=128&heads=5&width=64&dtype=float32",
        "backends=flash&lengths=128&heads=4&width=64&dtype=float8",
        "backends=flash&lengths=<script>&heads=4&width=64&dtype=float32",
        "backends=flash&"
        + "&".join(f"lengths={2**e}" for e in range(4, 13))
        + "&heads=4&width=64&dtype=float32",
    ],
)
def test_what_is_not_offered_is_refused(query: str) -> None:
    assert not ParametersForm(DEMO, QueryDict(query), visitor=False).is_valid()


def test_repeated_and_unordered_choices_are_put_in_order() -> None:
    query = "backends=math&backends=flash&backends=math&lengths=512&lengths=16&heads=1&width=32&dtype=float16"
    form = ParametersForm(DEMO, QueryDict(query), visitor=False)
    assert form.is_valid()
    assert (form.parameters["backends"], form.parameters["lengths"]) == (["flash", "math"], [16, 512])
