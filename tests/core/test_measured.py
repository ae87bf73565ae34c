"""What the README's measured tables promise about memory, and that what is compared is the same attention."""

import numpy as np

from attention_core import attention, tiling
from tests.benchmarks import core_speed


def test_the_tiled_walk_needs_memory_in_proportion_to_the_length():
    short, long = (core_speed.traced_peak(lambda *x: tiling.flash(*x), length) for length in (512, 2048))
    assert long < 4.4 * short
    assert long < 2048 * 32 * 8 * 2.5  # the output, joined from its blocks, and one tile
    whole = core_speed.traced_peak(attention, 512)
    assert whole > 2 * 512 * 512 * 8 > 10 * short


def test_the_bare_formula_is_the_same_attention():
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal((5, 4)) for _ in range(3))
    for causal in (False, True):
        expected = attention(q, k, v, causal="top_left" if causal else None)
        np.testing.assert_allclose(core_speed.bare(q, k, v, causal=causal), expected, rtol=1e-13)


def test_the_tables_stand_in_the_readme():
    written = core_speed.README.read_text().split(core_speed.START)[1].split(core_speed.END)[0]
    assert [
        written.count(f"\n| {head} |") for head in ("inputs of the chapter", "import numpy", "length")
    ] == [1, 1, 1]
