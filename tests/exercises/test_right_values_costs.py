"""Counts, bytes, FLOPs, paths: right values by formulas and enumerations written anew, mistakes by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from quiz.exercises.marking import mark_part
from tests.exercises.drawn import typed, variants

COUNT = 60


def test_params_are_the_sizes_of_the_matrices() -> None:
    for variant in variants("params")[:COUNT]:
        d = variant.drawn
        width, inner, table = d["d_model"], d["d_model"] * d["multiple"], (d["vocabulary"], d["d_model"])
        layer = [(width, width)] * 4 + [(width, inner), (inner, width)]
        matrices = layer * d["layers"] + [table] * (1 if d["tied"] else 2)
        assert variant.right["layer"] == sum(math.prod(shape) for shape in layer)
        assert variant.right["model"] == sum(math.prod(shape) for shape in matrices)
        assert variant.right["attention"] + variant.right["feed_forward"] == variant.right["layer"]


def test_params_mistakes_are_the_layers_they_claim() -> None:
    drawn = {"d_model": 512, "multiple": 4, "heads": 8, "layers": 6, "vocabulary": 1000, "tied": True}
    values = variants("params")[0].family.mistakes(drawn)
    d, f = 512, 2048
    expected = {
        "no_output_projection": 3 * d * d + 2 * d * f,
        "times_heads": 32 * d * d + 2 * d * f,
        "attention_only": 4 * d * d,
        "one_inner_matrix": 4 * d * d + d * f,
        "three_inner_matrices": 4 * d * d + 3 * d * f,
        "one_head_counted": 3 * d * 64 + d * d + 2 * d * f,
        "biases_and_norms": 3152384,  # an encoder layer of the original Transformer
    }
    assert {slug: value["layer"] for slug, value in values.items()} == expected
    assert {slug: (value["model"] - 512000) // 6 for slug, value in values.items()} == expected


def test_doubling_is_the_closed_ratio() -> None:
    for variant in variants("doubling")[:COUNT]:
        n, d = variant.drawn["length"], variant.drawn["d_model"]
        assert variant.right["ratio"] == float(Fraction(2 * (6 * d + 2 * n), 6 * d + n))
    values = variants("doubling")[0].family.mistakes({"length": 1000, "d_model": 1000})
    assert {slug: value["ratio"] for slug, value in values.items()} == pytest.approx(
        {
            "quadratic": 4,
            "linear": 2,
            "no_feed_forward": 8 / 3,
            "only_scores": 28 / 13,
            "no_projections": 12 / 5,
        }
    )


def test_score_mem_is_the_formula_in_exact_fractions() -> None:
    for variant in variants("score_mem")[:COUNT]:
        d = variant.drawn
        size = {"float16": 2, "float32": 4}[d["dtype"]]
        assert variant.right["memory"] == float(
            Fraction(d["batch"] * d["heads"] * d["length"] ** 2 * size, 2**20)
        )
    drawn = {"batch": 3, "heads": 12, "length": 1000, "head_width": 64, "dtype": "float16"}
    family = variants("score_mem")[0].family
    right = family.right(drawn)["memory"]
    assert {slug: v["memory"] / right for slug, v in family.mistakes(drawn).items()} == pytest.approx(
        {
            "no_heads": 1 / 12,
            "no_batch": 1 / 3,
            "bits": 8,
            "decimal_units": 1.048576,
            "linear_in_length": 0.064,
            "other_dtype": 2,
        }
    )


def test_online_merge_is_the_softmax_over_all_keys() -> None:
    for variant in variants("online_merge"):
        scores, v = variant.drawn["scores"], variant.drawn["v"]
        shares = [math.exp(s) for s in scores]
        output = [sum(e * row[c] for e, row in zip(shares, v, strict=True)) / sum(shares) for c in range(2)]
        expected = [max(scores), sum(shares) / math.exp(max(scores)), *output]
        assert variant.right["merged"] == pytest.approx(expected, abs=1e-12)
        for part, block in (("first", slice(0, 2)), ("second", slice(2, 4))):
            top = max(scores[block])
            e = [math.exp(s - top) for s in scores[block]]
            sums = [sum(w * row[c] for w, row in zip(e, v[block], strict=True)) for c in range(2)]
            assert variant.right[part] == pytest.approx([top, sum(e), *sums], abs=1e-12)
        assert max(scores[2:]) > max(scores[:2])


def test_online_merge_mistakes_are_written_out() -> None:
    drawn = {"scores": [1, 0, 2, 1], "v": [[1, 0], [0, 1], [2, 0], [0, 4]]}
    values = variants("online_merge")[0].family.mistakes(drawn)
    e = math.exp(-1)
    total, plain, one, two = (1 + e) * (1 + e), 2 * (1 + e), (1, e), (2, 4 * e)
    both = [e * a + b for a, b in zip(one, two, strict=True)]
    added = [a + b for a, b in zip(one, two, strict=True)]
    assert {slug: value["merged"] for slug, value in values.items()} == {
        "not_rescaled": pytest.approx([2, plain, *(a / plain for a in added)]),
        "averaged": pytest.approx([2, total, 3 / (1 + e) / 2, 5 * e / (1 + e) / 2]),
        "only_total_rescaled": pytest.approx([2, total, *(a / total for a in added)]),
        "only_output_rescaled": pytest.approx([2, plain, *(b / plain for b in both)]),
        "not_divided": pytest.approx([2, total, *both]),
        "normalised_first": pytest.approx(
            [2, total, (e / (1 + e) + 2) / total, (e * e / (1 + e) + 4 * e) / total]
        ),
        "first_maximum": pytest.approx([1, total / e, *(b / total for b in both)]),
    }


def test_online_merge_worked_with_three_decimals_is_right() -> None:
    def r3(value: float) -> float:
        return round(value, 3)

    for variant in variants("online_merge"):
        (m1, l1, *o1), (m2, l2, *o2) = (map(r3, variant.right[name]) for name in ("first", "second"))
        shrink = r3(math.exp(m1 - m2))
        total = r3(shrink * l1 + l2)
        output = [r3(r3(shrink * a + b) / total) for a, b in zip(o1, o2, strict=True)]
        assert mark_part(variant, "merged", typed([m2, total, *output])).key == "right", variant.seed


def test_flash_tiles_are_those_with_a_visible_score() -> None:
    for variant in variants("flash_tiles")[:COUNT]:
        n, rows, columns = (variant.drawn[name] for name in ("length", "rows", "columns"))
        corners = [(i, j) for i in range(n // rows) for j in range(n // columns)]
        seen = [(i, j) for i, j in corners if j * columns <= i * rows + rows - 1]
        whole = [(i, j) for i, j in corners if j * columns + columns - 1 <= i * rows]
        assert variant.right["tiles"] == len(seen)
        assert {slug: value["tiles"] for slug, value in variant.raw_mistakes.items()} == {
            "all_tiles": len(corners),
            "half": len(corners) / 2,
            "square_tiles": sum(range(n // rows + 1)),
            "diagonal_skipped": len(whole),
        }


def test_path_is_how_far_dependence_spreads_layer_by_layer() -> None:
    def layers(reach: int, n: int) -> int:
        seen, count = 1, 0
        while seen < n:
            seen, count = seen + reach, count + 1
        return count

    for variant in variants("path")[:COUNT]:
        n, k = variant.drawn["length"], variant.drawn["kernel"]
        field, dilated = 1, 0
        while field < n:
            field, dilated = field * k, dilated + 1
        assert variant.right["layers"] == layers(k - 1, n)
        assert {slug: value["layers"] for slug, value in variant.raw_mistakes.items()} == {
            "attention": 1,
            "recurrent": layers(1, n),
            "centred_kernel": layers((k - 1) // 2, n),
            "dilated": dilated,
            "kernel_not_less_one": math.ceil(n / k),
        }


def test_recompute_counts_the_tokens_in_the_cache_step_by_step() -> None:
    for variant in variants("recompute")[:COUNT]:
        p, s = variant.drawn["prompt"], variant.drawn["steps"]
        cached, without, new = p, 0, 0
        for _ in range(s):
            without, new, cached = without + cached + 1, new + 1, cached + 1
        assert variant.right["saved"] == without - new == s * p + s * (s - 1) // 2
        assert {slug: value["saved"] for slug, value in variant.raw_mistakes.items()} == {
            "prompt_only": s * p,
            "new_token_saved": s * p + s * (s + 1) // 2,
            "square": cached**2,
            "what_is_left": p + new,
        }


def test_gqa_params_are_the_sizes_of_the_four_matrices() -> None:
    for variant in variants("gqa_params")[:COUNT]:
        kv, group, width = (variant.drawn[name] for name in ("kv_heads", "group", "head_width"))
        d = kv * group * width
        matrices = [(d, d), (d, kv * width), (d, kv * width), (d, d)]
        assert variant.right["weights"] == sum(math.prod(shape) for shape in matrices)
    drawn = {"kv_heads": 2, "group": 5, "head_width": 10}
    values = variants("gqa_params")[0].family.mistakes(drawn)
    assert {slug: value["weights"] for slug, value in values.items()} == {
        "ordinary_attention": 40000,
        "group_as_heads": 20000 + 2 * 100 * 50,
        "queries_shrunk": 3 * 100 * 20 + 10000,
        "no_output_projection": 10000 + 2 * 100 * 20,
    }


def test_gqa_ratio_is_the_ratio_of_stored_numbers() -> None:
    kinds = set()
    for variant in variants("gqa_ratio"):
        d = variant.drawn
        before = 2 * d["heads"] * d["head_width"]
        grouped = "kv_heads" in d
        kinds.add(grouped)
        after = 2 * d["kv_heads"] * d["head_width"] if grouped else d["latent_width"] + d["rope_width"]
        assert variant.right["share"] == pytest.approx(100 * after / before, rel=1e-14)
        wrong = {slug: value["share"] for slug, value in variant.raw_mistakes.items()}
        assert wrong == pytest.approx(
            {"inverted": 100 * before / after, "saving": 100 * (before - after) / before}
        )
    assert kinds == {True, False}
    v3 = {"layers": 61, "heads": 128, "head_width": 128, "latent_width": 512, "rope_width": 64}
    assert variants("gqa_ratio")[0].family.right(v3)["share"] == 100 * 576 / 32768  # DeepSeek-V3


def test_max_concurrency_is_the_largest_number_that_fits() -> None:
    for variant in variants("max_concurrency")[:COUNT]:
        d = variant.drawn
        sequence = 2 * d["layers"] * d["kv_heads"] * d["head_width"] * 2 * (d["prompt"] + d["output"])
        count, used = 0, d["billions"] * 2 * 10**9
        while used + sequence <= d["memory"] * 2**30:
            count, used = count + 1, used + sequence
        assert (variant.right["per_sequence"], variant.right["sequences"]) == (sequence, count)
        assert variant.right["per_token"] * (d["prompt"] + d["output"]) == sequence
    drawn = {"memory": 10, "billions": 1, "layers": 10, "kv_heads": 5, "group": 4, "head_width": 100}
    values = variants("max_concurrency")[0].family.mistakes({**drawn, "prompt": 9000, "output": 1000})
    free = 10 * 2**30 - 2 * 10**9  # a sequence takes 2 · 10⁸ bytes
    assert {slug: value["sequences"] for slug, value in values.items()} == {
        "forgot_weights": 10 * 2**30 // (2 * 10**8),
        "one_byte_weights": (free + 10**9) // (2 * 10**8),
        "rounded_up": free // (2 * 10**8) + 1,
        "forgot_factor_two": free // 10**8,
        "decimal_memory": 40,
        "query_heads": free // (8 * 10**8),
    }


def test_layer_flops_are_two_for_each_multiply_add() -> None:
    def flops(n_q: int, n_k: int, d: int, inner: int) -> list[int]:
        projections = 2 * (2 * n_q * d * d + 2 * n_k * d * d)
        return [projections, 2 * (n_q * d * n_k + n_q * n_k * d), 2 * (n_q * d * inner + n_q * inner * d)]

    for variant in variants("layer_flops")[:COUNT]:
        d = variant.drawn
        sizes = (d["d_model"], d["multiple"] * d["d_model"])
        once = flops(d["queries"], d["keys"], *sizes)
        twice = flops(2 * d["queries"], 2 * d["keys"], *sizes)
        own, own_twice = (flops(times * d["queries"], times * d["queries"], *sizes) for times in (1, 2))
        assert list(variant.right.values()) == [*once, sum(once), sum(twice)]
        wrong = variant.raw_mistakes
        assert list(wrong["half"].values()) == [value // 2 for value in variant.right.values()]
        assert list(wrong["quadratic_only"].values()) == [0, once[1], 0, once[1], twice[1]]
        assert list(wrong["self_attention"].values()) == [*own, sum(own), sum(own_twice)]
        more = (d["heads"] - 1) * once[1]
        assert list(wrong["times_heads"].values()) == [
            once[0], once[1] + more, once[2], sum(once) + more, sum(twice) + 4 * more
        ]  # fmt: skip
