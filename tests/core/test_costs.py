"""costs: published figures, and brute-force counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import costs, masks
from attention_core.errors import ShapeError

ONE = {"batch": 1, "heads": 1, "queries": 1, "keys": 1, "width": 1, "itemsize": 1}


def test_kv_cache_of_known_models():
    llama_2_7b = {"layers": 32, "batch": 1, "length": 2048, "kv_heads": 32, "head_width": 128, "itemsize": 2}
    assert costs.kv_cache_bytes(**llama_2_7b) == 1_073_741_824
    llama_3_70b = {"layers": 80, "batch": 1, "length": 4096, "kv_heads": 8, "head_width": 128, "itemsize": 2}
    assert costs.kv_cache_bytes(**llama_3_70b) == 1_342_177_280
    assert costs.kv_cache_bytes(**llama_3_70b | {"kv_heads": 64}) == 10_737_418_240


def test_score_matrix_of_the_chapter():
    half = {"batch": 1, "heads": 32, "itemsize": 2}
    assert costs.score_matrix_bytes(**half, queries=4096, keys=4096) == 2**30
    assert costs.score_matrix_bytes(**half, queries=32768, keys=32768) == 64 * 2**30


def test_sizes_are_those_of_real_arrays():
    q, kv = np.empty((2, 3, 5, 7), np.float32), np.empty((2, 3, 11, 7), np.float32)
    sizes = {"batch": 2, "heads": 3, "queries": 5, "width": 7, "itemsize": 4}
    assert costs.qkv_bytes(**sizes, keys=11) == q.nbytes + 2 * kv.nbytes
    assert costs.output_bytes(**sizes) == q.nbytes


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 12), st.integers(0, 12), st.sampled_from([None, *masks.ALIGNMENTS]))
def test_visible_pairs_are_counted_exactly(queries, keys, causal):
    everything = np.ones((queries, keys), dtype=bool)
    mask = everything if causal is None else masks.causal(queries, keys=keys, alignment=causal)
    assert costs.visible_pairs(queries, keys=keys, causal=causal) == mask.sum()


def test_flops_count_two_for_each_multiply_add_and_only_visible_pairs():
    sizes = {"batch": 2, "heads": 3, "width": 8}
    # A product (m × k)(k × n) is 2mkn: once for Q Kᵀ, once for A V.
    assert costs.attention_flops(**sizes, queries=5, keys=7) == 2 * 3 * (2 * 5 * 8 * 7 + 2 * 5 * 7 * 8)
    per_pair = 4 * 2 * 3 * 8
    assert costs.attention_flops(**sizes, queries=4, keys=10, causal="bottom_right") == 34 * per_pair
    assert costs.attention_flops(**sizes, queries=4, keys=10, causal="top_left") == 10 * per_pair


def test_peaks_at_the_measured_size():
    """Length 8,192, 8 heads of 64 in float32: two matrices are 4,096 MiB and the output 16 MiB."""
    sizes = {"batch": 1, "heads": 8, "length": 8192, "width": 64, "dtype": "float32"}
    mebibyte = 2**20
    assert costs.peak_bytes("naive", **sizes) == (4096 + 16) * mebibyte
    assert costs.peak_bytes("flash", **sizes) == 16 * mebibyte + 8 * 8192 * 4
    assert costs.peak_bytes("math", **sizes) == (4096 + 512 + 16) * mebibyte


def test_flash_is_linear_and_naive_quadratic_in_the_length():
    sizes = {"batch": 1, "heads": 2, "width": 16, "dtype": "bfloat16"}
    assert costs.peak_bytes("flash", length=2048, **sizes) == 2 * costs.peak_bytes(
        "flash", length=1024, **sizes
    )
    output = costs.output_bytes(batch=1, heads=2, queries=1024, width=16, itemsize=2)
    matrices = [costs.peak_bytes("naive", length=n * 1024, **sizes) - n * output for n in (1, 2)]
    assert matrices[1] == 4 * matrices[0]


def test_admission_counts_inputs_and_the_larger_of_call_and_check():
    sizes = {"batch": 1, "heads": 8, "length": 8192, "width": 64, "dtype": "float32"}
    inputs = 3 * 16 * 2**20
    assert costs.predicted_bytes("naive", **sizes) == inputs + costs.peak_bytes("naive", **sizes)
    assert costs.predicted_bytes("flash", **sizes) > inputs + costs.peak_bytes("flash", **sizes)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: costs.naive_peak_bytes(**ONE | {"heads": -1}), "heads"),
        (lambda: costs.flash_peak_bytes(**ONE | {"keys": 1.5}), "keys"),
        (lambda: costs.visible_pairs(True, keys=2), "queries"),
        (lambda: costs.itemsize("int4"), "dtype"),
        (lambda: costs.peak_bytes("tpu", batch=1, heads=1, length=1, width=1, dtype="float32"), "backend"),
    ],
)
def test_a_count_that_is_none_is_refused_by_name(call, argument):
    with pytest.raises(ShapeError) as refusal:
        call()
    assert refusal.value.argument == argument
