"""The right options of choices beside numbers, against real layers of torch and Hugging Face's own rule."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from quiz.exercises.families.both_masks import READINGS
from quiz.exercises.families.cross_shape import SOURCE
from quiz.exercises.families.nan_rows import GIVES
from quiz.exercises.wiring import FORMULAS, WIRINGS
from tests.conftest import require
from tests.exercises.drawn import variants

COUNT = 40


def test_sources_are_those_of_a_real_transformer() -> None:
    """Hooks on the three kinds of attention of nn.Transformer see which tensors come in as q, k and v."""
    require("torch")
    import torch

    model = torch.nn.Transformer(8, 2, 1, 1, 16, batch_first=True).eval()
    memory: list[torch.Tensor] = []
    model.encoder.register_forward_hook(lambda _module, _args, output: memory.append(output))
    seen: dict[str, tuple[torch.Tensor, ...]] = {}

    def watch(name: str) -> Callable[..., None]:
        def note(_module: Any, args: tuple[torch.Tensor, ...], _kwargs: Any) -> None:
            seen[name] = args[:3]

        return note

    decoder = model.decoder.layers[0]
    layers = {
        "cross": decoder.multihead_attn,
        "decoder": decoder.self_attn,
        "encoder": model.encoder.layers[0].self_attn,
    }
    for name, layer in layers.items():
        layer.register_forward_pre_hook(watch(name), with_kwargs=True)
    source, target = torch.randn(1, 5, 8), torch.randn(1, 3, 8)
    model.train()(source, target)  # in training the encoder takes no shortcut past its modules
    found = {}
    for name, (q, k, v) in seen.items():
        assert k is v
        from_memory = [one is memory[0] for one in (q, k)]
        if from_memory == [False, True]:
            found[name] = "decoder_then_encoder"
        else:
            assert q is k
            found[name] = "all_encoder" if q.shape[1] == 5 else "all_decoder"
    assert found == SOURCE
    for variant in variants("cross_shape")[:COUNT]:
        assert variant.right["sources"] == SOURCE[variant.drawn["attention"]]


def seen_by_sdpa(passed: list[int]) -> list[int]:
    """Which values move the output when the array is SDPA's boolean mask."""
    import torch

    values = torch.eye(len(passed))[None]
    weights = torch.nn.functional.scaled_dot_product_attention(
        torch.ones(1, 1, 4), torch.ones(1, len(passed), 4), values, attn_mask=torch.tensor([passed]) == 1
    )
    return [int(weight > 0) for weight in weights[0, 0]]


def seen_by_multihead(passed: list[int]) -> list[int]:
    """The weights that nn.MultiheadAttention returns under the array as its key_padding_mask."""
    import torch

    layer = torch.nn.MultiheadAttention(4, 1, batch_first=True)
    keys = torch.randn(1, len(passed), 4)
    _, weights = layer(torch.ones(1, 1, 4), keys, keys, key_padding_mask=torch.tensor([passed]) == 1)
    return [int(weight > 0) for weight in weights[0, 0]]


def seen_by_hugging_face(passed: list[int]) -> list[int]:
    """The rule of its models, written out: (1 − mask) · finfo.min is added to the scores."""
    import torch

    added = (1.0 - torch.tensor(passed, dtype=torch.float32)) * torch.finfo(torch.float32).min
    return [int(weight > 0) for weight in torch.softmax(added, dim=-1)]


def test_three_libraries_read_one_array_as_the_option_says() -> None:
    require("torch")
    for variant in variants("both_masks")[:COUNT]:
        passed = variant.drawn["passed"]
        assert passed in (
            [int(j >= variant.drawn["pads"]) for j in range(6)],
            [int(j < variant.drawn["pads"]) for j in range(6)],
        )
        seen = [seen_by_sdpa(passed), seen_by_multihead(passed), seen_by_hugging_face(passed)]
        meaning = tuple(int(one == passed) for one in seen)
        assert all(one in (passed, [1 - bit for bit in passed]) for one in seen)
        assert READINGS[meaning] == variant.right["visible"]
        label = next(o.label for o in variant.part("visible").options if o.slug == READINGS[meaning])
        spans = [span(one) for one in seen]
        assert label.en == f"SDPA sees {spans[0]}; MultiheadAttention {spans[1]}; Hugging Face {spans[2]}"


def span(seen: list[int]) -> str:
    small = str.maketrans("123456", "₁₂₃₄₅₆")
    places = [j + 1 for j, one in enumerate(seen) if one]
    assert places == list(range(places[0], places[-1] + 1))
    ends = [f"k{place}".translate(small) for place in (places[0], places[-1])]
    return ends[0] if ends[0] == ends[1] else "–".join(ends)


def output_by(route: str) -> Any:
    """What row 0, which sees nothing, gives on each way; the values are those of a real layer."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    torch.manual_seed(0)
    n, pads = 5, 2
    seen = torch.ones(n, n, dtype=torch.bool).tril() & (torch.arange(n) >= pads)
    q, k, v = (torch.randn(1, 1, n, 4) for _ in range(3))
    if route in ("softmax", "finite_fill"):
        fill = -math.inf if route == "softmax" else -1e9
        scores = (q @ k.mT / 2).masked_fill(~seen, fill)
        return (torch.softmax(scores, dim=-1) @ v)[0, 0, 0], v[0, 0].mean(0)
    if route == "sdpa":
        return scaled_dot_product_attention(q, k, v, attn_mask=seen)[0, 0, 0], v[0, 0].mean(0)
    layer = torch.nn.MultiheadAttention(4, 2, batch_first=True, bias=False)
    hidden = torch.ones(n, n, dtype=torch.bool).triu(1)
    options = {} if route == "multihead" else {"need_weights": False}
    x, padding = torch.randn(1, n, 4), (torch.arange(n) < pads)[None]
    return layer(x, x, x, key_padding_mask=padding, attn_mask=hidden, **options)[0][0, 0], None


@pytest.mark.parametrize("route", GIVES)
def test_a_row_that_sees_nothing_gives_what_the_option_says(route: str) -> None:
    require("torch")
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        output, mean = output_by(route)
    found = {
        "nan": bool(output.isnan().all()),
        "zero": bool((output == 0).all()),
        "mean": mean is not None and torch.allclose(output, mean),
    }
    assert [name for name, is_so in found.items() if is_so] == [GIVES[route]]
    assert inspect.signature(torch.nn.MultiheadAttention.forward).parameters["need_weights"].default is True
    assert torch.__version__.startswith("2.13.")


def wired(slug: str, x: np.ndarray, norm: Callable[..., Any], branch: Callable[..., Any]) -> np.ndarray:
    """What a diagram computes, box by box."""
    drawing = WIRINGS[slug].drawing
    assert drawing is not None
    boxes = {"LN": norm, "F": branch}
    for name in drawing.before:
        x = boxes[name](x)
    through = x
    for name in drawing.branch:
        through = boxes[name](through)
    x = x + through if drawing.skip else through
    for name in drawing.after:
        x = boxes[name](x)
    return x


def test_diagrams_compute_the_formulas_they_are_chosen_for() -> None:
    rng = np.random.default_rng(3)
    w = rng.normal(size=(3, 3))

    def norm(x: np.ndarray) -> np.ndarray:
        return (x - x.mean()) / x.std()

    def branch(x: np.ndarray) -> np.ndarray:
        return np.tanh(x @ w)

    x = rng.normal(size=3)
    formulas = {
        "y = x + F(\\text{LN}(x))": x + branch(norm(x)),
        "y = \\text{LN}(x + F(x))": norm(x + branch(x)),
        "y = x + \\text{LN}(F(x))": x + norm(branch(x)),
        "y = \\text{LN}(x) + F(\\text{LN}(x))": norm(x) + branch(norm(x)),
    }
    assert sorted(formulas) == sorted(FORMULAS.values())
    outputs = {slug: wired(slug, x, norm, branch) for slug in WIRINGS}
    for slug, formula in FORMULAS.items():
        same = [other for other, output in outputs.items() if np.allclose(output, formulas[formula])]
        assert same == [slug]
    assert np.allclose(outputs["no_residual"], branch(norm(x)))
    for variant in variants("pre_post")[:COUNT]:
        assert variant.right["diagram"] == variant.drawn["formula"]
