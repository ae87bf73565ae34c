"""What the chapter says of its worked example, and the counts the answers quote, hold in attention_core."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

from attention_core import attention, costs
from quiz.expressions import evaluate
from tests.bank.content_files import LIVE, File, files

SECTIONS = {language: files("sections", language) for language in ("zh-hans", "en")}


def matrices(file: File) -> dict[str, np.ndarray]:
    """The matrices written in a section, by the symbol before the equals sign."""
    found = re.findall(r"([A-Z][\w^\\]*)=\\begin\{pmatrix\}(.+?)\\end\{pmatrix\}", file.body)
    return {
        symbol: np.array([[int(cell) for cell in row.split("&")] for row in body.split(r"\\")])
        for symbol, body in found
    }


@pytest.mark.parametrize("language", ["zh-hans", "en"])
def test_the_worked_example_is_the_one_that_is_computed(language: str) -> None:
    written = matrices(SECTIONS[language]["7.12"])
    assert set(written) == {"X", "W_Q", "W_K", "W_V", r"QK^\top"}
    for symbol in ("X", "W_Q", "W_K", "W_V"):
        np.testing.assert_array_equal(written[symbol], evaluate(f"chapter.{symbol}"))
    np.testing.assert_array_equal(written[r"QK^\top"], evaluate("chapter.Q @ transpose(chapter.K)"))


def test_the_worked_example_is_as_blind_as_7_12_says() -> None:
    q, k, v = (np.asarray(evaluate(f"chapter.{name}")) for name in "QKV")
    np.testing.assert_array_equal(q @ k.T, k @ q.T)
    np.testing.assert_array_equal(v, evaluate("chapter.X"))
    np.testing.assert_allclose(attention(k, q, v), attention(q, k, v), rtol=0, atol=1e-15)
    for name in ("W_K", "W_V"):  # transposed, they are themselves
        np.testing.assert_array_equal(evaluate(f"transpose(chapter.{name})"), evaluate(f"chapter.{name}"))
    np.testing.assert_array_equal(k, v[:, ::-1])  # mixing with keys exchanges two columns


def test_no_shared_projection_makes_its_scores_as_7_6_says() -> None:
    assert np.linalg.eigvalsh(np.asarray(evaluate("chapter.S"))).min() < -1e-3


def test_padding_takes_most_of_the_row_of_7_16() -> None:
    source = LIVE.findall(SECTIONS["zh-hans"]["7.16"].texts)[0].split("|")[0]
    exps = np.exp([2.0, 1, 3, 2, 4, 5])
    assert evaluate(source.strip()) == pytest.approx(100 * exps[4:].sum() / exps.sum())


def test_the_caches_of_7_15_shrink_with_the_key_value_heads() -> None:
    live = [one.split("|")[0].strip() for one in LIVE.findall(SECTIONS["zh-hans"]["7.15"].texts)]
    full, grouped, single = (evaluate(one) for one in live if one.startswith("costs.kv_cache_bytes"))
    assert full == Fraction(2 * 32 * 4096 * 32 * 128 * 2, 2**20)
    assert full == 4 * grouped == 32 * single


@pytest.mark.parametrize(("n", "d"), [(7, 16), (96, 16), (512, 64)])
def test_scores_and_mixing_cost_4nnd_as_the_answers_say(n: int, d: int) -> None:
    counted = costs.attention_flops(batch=1, heads=1, queries=n, keys=n, width=d)
    assert counted == 4 * n**2 * d


def test_doubling_the_length_gives_the_factor_of_question_17() -> None:
    def layer(n: int, d: int) -> int:
        return 24 * n * d**2 + costs.attention_flops(batch=1, heads=1, queries=n, keys=n, width=d)

    for n, d in [(64, 64), (384, 64), (7, 5)]:
        assert Fraction(layer(2 * n, d), layer(n, d)) == Fraction(2 * (6 * d + 2 * n), 6 * d + n)
    assert Fraction(layer(2 * 384, 64), layer(384, 64)) == 3
