"""Right values of the families on positions against formulas written out, and honest work."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator

import numpy as np
import pytest

from attention_core import faults, pipeline
from quiz.exercises.marking import mark_part
from quiz.exercises.variants import Variant
from tests.exercises.drawn import typed, variants

COUNT = 60


def r3(value: float) -> float:
    return round(value, 3)


def turned(x: list[float], angles: list[float]) -> list[float]:
    """Neighbours as complex numbers, each multiplied by e^{iφ}."""
    pairs = zip(x[::2], x[1::2], angles, strict=True)
    products = [complex(a, b) * cmath.exp(1j * angle) for a, b, angle in pairs]
    return [part for z in products for part in (z.real, z.imag)]


def assert_right(variant: Variant, part: str, answers: Iterator[object]) -> None:
    worked = list(answers)
    assert worked
    for answer in worked:
        assert mark_part(variant, part, typed(answer)).key == "right", (variant.seed, answer)


def test_sinusoid_is_the_imaginary_or_real_part_of_a_turn() -> None:
    for variant in variants("sinusoid")[:COUNT]:
        d = variant.drawn
        pair, odd = divmod(d["dimension"], 2)
        wave = cmath.exp(1j * d["position"] * math.exp(-2 * pair / d["width"] * math.log(10000)))
        assert variant.right["entry"] == pytest.approx(wave.real if odd else wave.imag, abs=1e-12)


def test_sinusoid_mistakes_have_their_written_out_values() -> None:
    family = variants("sinusoid")[0].family
    mistakes = family.mistakes({"position": 7, "dimension": 2, "width": 8})
    assert {slug: values["entry"] for slug, values in mistakes.items()} == pytest.approx(
        {
            "sine_and_cosine_swapped": math.cos(0.7),
            "dimension_taken_for_pair": math.sin(0.07),
            "exponent_halved": math.sin(7 / math.sqrt(10)),
            "position_from_one": math.sin(0.8),
        }
    )


def test_sinusoid_with_a_rounded_angle_is_right() -> None:
    for variant in variants("sinusoid"):
        d = variant.drawn
        pair, odd = divmod(d["dimension"], 2)
        divisor = 10000 ** (2 * pair / d["width"])
        angles = [r3(d["position"] / divisor), r3(d["position"] / r3(divisor))]
        assert_right(variant, "entry", (r3(math.cos(a) if odd else math.sin(a)) for a in angles))


def test_rope_is_a_multiplication_of_complex_numbers() -> None:
    for variant in variants("rope")[:COUNT]:
        x, m = variant.drawn["x"], variant.drawn["position"]
        assert variant.right["rotated"] == pytest.approx(turned(x, [m, m / 100]), abs=1e-12)


def test_rope_mistakes_have_their_written_out_values() -> None:
    family = variants("rope")[0].family
    x, m = [1, -2, 3, 2], 6
    mistakes = family.mistakes({"x": x, "position": m})
    first = turned([x[0], x[2], x[1], x[3]], [m, m / 100])
    expected = {
        "half_split_pairs": [first[0], first[2], first[1], first[3]],
        "turned_backwards": turned(x, [-m, -m / 100]),
        "angles_in_degrees": turned(x, [m * math.pi / 180, m / 100 * math.pi / 180]),
        "one_angle": turned(x, [m, m]),
        "encoding_added": [1 + math.sin(6), -2 + math.cos(6), 3 + math.sin(0.06), 2 + math.cos(0.06)],
        "not_rotated": x,
    }
    assert set(mistakes) == set(expected)
    for slug, value in expected.items():
        assert mistakes[slug]["rotated"] == pytest.approx(value, abs=1e-12), slug


def test_rope_with_rounded_sines_and_cosines_is_right() -> None:
    for variant in variants("rope"):
        x, m = variant.drawn["x"], variant.drawn["position"]
        answer = []
        for (a, b), angle in zip((x[:2], x[2:]), (m, m / 100), strict=True):
            c, s = r3(math.cos(angle)), r3(math.sin(angle))
            answer += [r3(a * c - b * s), r3(a * s + b * c)]
        assert_right(variant, "rotated", iter([answer]))


def test_alibi_takes_the_slope_times_the_distance_off() -> None:
    for variant in variants("alibi")[:COUNT]:
        d = variant.drawn
        s, h, distance = d["score"], d["head"], d["query"] - d["key"]
        assert variant.right["biased"] == pytest.approx(s - distance / math.sqrt(2) ** h, abs=1e-12)
        expected = {
            "bias_sign_flipped": s + distance / math.sqrt(2) ** h,
            "alibi_heads_from_zero": s - distance / math.sqrt(2) ** (h - 1),
            "alibi_slope_by_head": s - distance / 2**h,
            "alibi_without_slope": s - distance,
            "bias_ignored": s,
        }
        found = {slug: values["biased"] for slug, values in variant.raw_mistakes.items()}
        assert found == pytest.approx(expected, abs=1e-12)


def test_alibi_with_a_rounded_slope_is_right() -> None:
    for variant in variants("alibi"):
        d = variant.drawn
        slope, distance = r3(2 ** (-d["head"] / 2)), d["query"] - d["key"]
        assert_right(variant, "biased", iter([r3(d["score"] - slope * distance)]))


def test_pe_shift_is_the_encoding_of_the_later_position() -> None:
    for variant in variants("pe_shift")[:COUNT]:
        w, p, k = (variant.drawn[name] for name in ("frequency", "position", "shift"))
        here, step = cmath.exp(1j * w * p), cmath.exp(1j * w * k)
        later, earlier, both = here * step, here / step, here + step
        assert variant.right["shifted"] == pytest.approx([later.imag, later.real], abs=1e-12)
        expected = {
            "shifted_back": [earlier.imag, earlier.real],
            "encodings_added": [both.imag, both.real],
            "encodings_multiplied": [here.imag * step.imag, here.real * step.real],
            "unchanged": [here.imag, here.real],
        }
        assert set(variant.raw_mistakes) == set(expected)
        for slug, value in expected.items():
            assert variant.raw_mistakes[slug]["shifted"] == pytest.approx(value, abs=1e-12), slug


def test_pe_shift_from_the_rounded_pair_is_right() -> None:
    for variant in variants("pe_shift"):
        w, k = variant.drawn["frequency"], variant.drawn["shift"]
        sine, cosine = variant.prompt.givens[-1].value
        s, c = r3(math.sin(r3(w * k))), r3(math.cos(r3(w * k)))
        assert_right(variant, "shifted", iter([[r3(sine * c + cosine * s), r3(cosine * c - sine * s)]]))


def test_rope_score_is_the_real_part_of_a_product() -> None:
    """⟨a, b⟩ = Re(a · conj b), so the score is Re(q · conj k · e^{i(m−n)})."""
    for variant in variants("rope_score")[:COUNT]:
        d = variant.drawn
        q, k, m, n = complex(*d["q"]), complex(*d["k"]), d["query"], d["key"]
        angles = {
            "positions_added": m + n,
            "not_rotated": 0,
            "only_queries_rotated": m,
            "distance_reversed": n - m,
        }
        assert set(variant.raw_mistakes) == set(angles)
        for slug, angle in (("", m - n), *angles.items()):
            values = variant.raw_mistakes[slug] if slug else variant.right
            expected = (q * k.conjugate() * cmath.exp(1j * angle)).real
            assert values["score"] == pytest.approx(expected, abs=1e-12), slug
            assert values["relative"] == pytest.approx(expected, abs=1e-12), slug
            assert values["shifted_q"] == pytest.approx(turned(d["q"], [angle]), abs=1e-12), slug
        assert variant.right["rotated_q"] == pytest.approx(turned(d["q"], [m]), abs=1e-12)
        assert variant.right["rotated_k"] == pytest.approx(turned(d["k"], [n]), abs=1e-12)


def test_rope_score_mistakes_are_those_of_the_pipeline() -> None:
    """The same names among the pipeline's faults give the same scores."""
    for variant in variants("rope_score")[:COUNT]:
        d = variant.drawn
        m, n = d["query"], d["key"]
        q, k = np.zeros((13, 2)), np.zeros((13, 2))
        q[m], k[n] = d["q"], d["k"]
        inputs = pipeline.prepare(q, k, k, scale=1.0)
        assert pipeline.follow(inputs, faults.ROTATED).scores[m, n] == pytest.approx(variant.right["score"])
        for slug, values in variant.raw_mistakes.items():
            scores = pipeline.follow(inputs, faults.steps_with(slug)).scores
            assert scores[m, n] == pytest.approx(values["score"], abs=1e-12), slug


def test_rope_score_with_rounded_steps_is_right() -> None:
    def turn(x: list[float], angle: float) -> list[float]:
        c, s = r3(math.cos(angle)), r3(math.sin(angle))
        return [r3(x[0] * c - x[1] * s), r3(x[0] * s + x[1] * c)]

    for variant in variants("rope_score"):
        d = variant.drawn
        q, k = turn(d["q"], d["query"]), turn(d["k"], d["key"])
        shifted = turn(d["q"], d["query"] - d["key"])
        answers = [q[0] * k[0] + q[1] * k[1], shifted[0] * d["k"][0] + shifted[1] * d["k"][1]]
        assert_right(variant, "score", (r3(answer) for answer in answers))


def test_embed_scale_is_the_paper_s_formula_entry_by_entry() -> None:
    for variant in variants("embed_scale")[:COUNT]:
        d, e, p = variant.drawn["width"], variant.drawn["embedding"], variant.drawn["position"]
        slow = p / 10000 ** (2 / d)
        encoding = [math.sin(p), math.cos(p), math.sin(slow), math.cos(slow)]
        root = math.sqrt(d)
        factors = {
            "not_scaled": (1, 1),
            "scaled_by_width": (d, 1),
            "both_scaled": (root, root),
            "divided": (1 / root, 1),
        }
        assert set(variant.raw_mistakes) == set(factors)
        for slug, (a, b) in (("", (root, 1)), *factors.items()):
            values = variant.raw_mistakes[slug] if slug else variant.right
            expected = [a * x + b * wave for x, wave in zip(e, encoding, strict=True)]
            assert values["x"] == pytest.approx(expected, abs=1e-12), slug


def test_embed_scale_from_the_rounded_encoding_is_right() -> None:
    for variant in variants("embed_scale"):
        embedding, encoding, width = (given.value for given in variant.prompt.givens)
        answer = [r3(math.sqrt(width) * e + wave) for e, wave in zip(embedding, encoding, strict=True)]
        assert_right(variant, "x", iter([answer]))
