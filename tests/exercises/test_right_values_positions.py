"""Right values of the families on positions against formulas written out, and honest work."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator

import pytest

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
