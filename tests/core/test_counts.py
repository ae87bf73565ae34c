"""costs: published totals, torch's own parameter counts and FLOP counter, and counts by brute force."""

import inspect
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from attention_core import costs, masks
from attention_core.errors import NumericalError, ShapeError


def held(module):
    return sum(weight.numel() for weight in module.parameters())


def test_totals_of_known_models():
    base = {"layers": 12, "d_model": 768, "d_ff": 3072}
    assert costs.bert_parameters(**base, vocabulary=30522, positions=512) == 109_482_240
    assert costs.gpt2_parameters(**base, vocabulary=50257, positions=1024) == 124_439_808
    llama = {"layers": 32, "d_model": 4096, "d_ff": 11008, "vocabulary": 32000, "heads": 32}
    assert costs.llama_parameters(**llama) == 6_738_415_616
    layer = costs.attention_parameters(d_model=4096, heads=32)
    assert layer + costs.swiglu_parameters(d_model=4096, d_ff=11008) == 202_375_168
    assert 2 * costs.rms_norm_parameters(d_model=4096) == 8_192
    # Llama-3-8B: grouped heads, another vocabulary.
    grouped = llama | {"d_ff": 14336, "vocabulary": 128256, "kv_heads": 8}
    assert costs.llama_parameters(**grouped) == 8_030_261_248


def test_layers_hold_what_torchs_hold():
    encoder = nn.TransformerEncoderLayer(512, 8, 2048)
    assert costs.encoder_layer_parameters(d_model=512, d_ff=2048) == held(encoder) == 3_152_384
    decoder = nn.TransformerDecoderLayer(96, 4, 200)
    assert costs.decoder_layer_parameters(d_model=96, d_ff=200) == held(decoder)
    for bias in (True, False):
        theirs = nn.MultiheadAttention(96, 4, bias=bias)
        assert costs.attention_parameters(d_model=96, heads=4, bias=bias) == held(theirs)
        two = nn.Sequential(nn.Linear(96, 200, bias=bias), nn.Linear(200, 96, bias=bias))
        assert costs.feed_forward_parameters(d_model=96, d_ff=200, bias=bias) == held(two)
    assert costs.layer_norm_parameters(d_model=96) == held(nn.LayerNorm(96))
    assert costs.rms_norm_parameters(d_model=96) == held(nn.RMSNorm(96))
    assert costs.embedding_parameters(vocabulary=50, d_model=8, positions=7) == held(nn.Embedding(57, 8))
    assert costs.embedding_parameters(vocabulary=50, d_model=8, tied=False) == 2 * 50 * 8


def test_heads_change_no_count_and_groups_do():
    one = costs.attention_parameters(d_model=512)
    assert one == 4 * 512**2
    assert all(costs.attention_parameters(d_model=512, heads=h) == one for h in (2, 8, 64))
    grouped = costs.attention_parameters(d_model=512, heads=8, kv_heads=2)
    assert grouped == 2 * 512**2 + 2 * 512 * 2 * 64
    wide = costs.attention_parameters(d_model=512, heads=8, head_width=128, bias=True)
    assert wide == 4 * 512 * 1024 + 3 * 1024 + 512
    with pytest.raises(ShapeError, match=r"^heads: given 7"):
        costs.attention_parameters(d_model=512, heads=7)


def test_the_estimate_by_hand_counts_matrices_only():
    base = {"layers": 12, "d_model": 768, "d_ff": 3072}
    assert costs.weight_parameters(**base, vocabulary=0) == 12 * 12 * 768**2
    tied = costs.weight_parameters(**base, vocabulary=50257)
    assert tied == 12 * 12 * 768**2 + 50257 * 768
    assert costs.weight_parameters(**base, vocabulary=50257, tied=False) - tied == 50257 * 768
    exact = costs.gpt2_parameters(**base, vocabulary=50257, positions=1024)
    biases_and_norms = 12 * (9 * 768 + 3072) + 2 * 768
    assert exact - tied == 1024 * 768 + biases_and_norms


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 10), st.integers(0, 10), st.sampled_from([None, *masks.ALIGNMENTS]),
    st.none() | st.tuples(st.none() | st.integers(0, 12), st.none() | st.integers(0, 12)),
)  # fmt: skip
def test_pairs_are_those_of_the_masks(queries, keys, causal, window):
    allowed = np.ones((queries, keys), dtype=bool)
    offset = masks.offset_of(causal, queries, keys)
    if causal is not None:
        allowed &= masks.causal(queries, keys=keys, alignment=causal)
    if window is not None:
        allowed &= masks.window(queries, keys=keys, span=window, offset=offset)
    assert costs.visible_pairs(queries, keys=keys, causal=causal, window=window) == allowed.sum()


def test_a_window_of_w_keys_is_the_sum_of_the_smaller():
    for n, w in ((5, 2), (12, 5), (32, 31)):
        found = costs.visible_pairs(n, keys=n, causal="top_left", window=(w - 1, 0))
        assert found == sum(min(i + 1, w) for i in range(n))


def test_flops_are_those_that_torch_counts():
    q = torch.randn(2, 3, 5, 8, requires_grad=True)
    k, v = (torch.randn(2, 3, 7, 8, requires_grad=True) for _ in range(2))
    with FlopCounterMode(display=False) as counter:
        (torch.softmax(q @ k.mT, -1) @ v).sum().backward()
    sizes = {"batch": 2, "heads": 3, "queries": 5, "keys": 7, "width": 8}
    forward = costs.attention_flops(**sizes)
    assert counter.get_total_flops() == 3 * forward  # forward, and twice that backward
    assert costs.attention_backward_flops(**sizes) == 2 * forward + forward // 2  # Q Kᵀ made again


def test_a_layer_is_projections_pairs_and_feed_forward():
    layer = nn.TransformerEncoderLayer(16, 4, 40, dropout=0.0, batch_first=True)
    x = torch.randn(1, 6, 16)
    with FlopCounterMode(display=False) as counter:
        layer.train()(x).sum().backward()
    forward = costs.layer_flops(queries=6, keys=6, d_model=16, d_ff=40)
    parts = (
        costs.projection_flops(queries=6, keys=6, d_model=16),
        costs.attention_flops(batch=1, heads=4, queries=6, keys=6, width=4),
        costs.feed_forward_flops(tokens=6, d_model=16, d_ff=40),
    )
    assert forward == sum(parts)
    assert parts == (8 * 6 * 16**2, 4 * 6 * 6 * 16, 4 * 6 * 16 * 40)
    assert costs.layer_backward_flops(queries=6, keys=6, d_model=16, d_ff=40) == 2 * forward
    # the input itself needs no gradient, so torch leaves one product of the first projections out
    assert counter.get_total_flops() <= 3 * forward
    assert counter.get_total_flops() >= 3 * forward - 2 * 6 * 16 * 3 * 16 - 2 * parts[1] - parts[1]


def test_cross_attention_projects_each_side_once():
    cross = costs.layer_flops(queries=3, keys=9, d_model=16, d_ff=64)
    assert cross == 4 * (3 + 9) * 16**2 + 4 * 3 * 9 * 16 + 4 * 3 * 16 * 64
    assert costs.projection_flops(queries=3, keys=9, d_model=16, kv_width=4) == 4 * 3 * 256 + 4 * 9 * 16 * 4
    assert costs.swiglu_flops(tokens=3, d_model=16, d_ff=64) * 2 == 3 * costs.feed_forward_flops(
        tokens=3, d_model=16, d_ff=64
    )


@pytest.mark.parametrize(("n", "d"), [(64, 64), (128, 64), (384, 64), (131072, 4096)])
def test_doubling_the_length_of_a_layer(n, d):
    one, two = (costs.layer_flops(queries=m, keys=m, d_model=d, d_ff=4 * d) for m in (n, 2 * n))
    assert two / one == pytest.approx(2 * (6 * d + 2 * n) / (6 * d + n))


def test_training_takes_six_flops_a_weight_and_twelve_a_pair():
    assert costs.training_flops_per_token(parameters=10, layers=2, length=5, d_model=4) == 60 + 12 * 2 * 5 * 4
    # A layer's forward and backward, for each token, is that formula with its own matrices for P.
    n, d, f = 16, 8, 32
    weights = costs.attention_parameters(d_model=d) + costs.feed_forward_parameters(d_model=d, d_ff=f)
    both = 3 * costs.layer_flops(queries=n, keys=n, d_model=d, d_ff=f)
    assert both == n * costs.training_flops_per_token(parameters=weights, layers=1, length=n, d_model=d)


def test_additive_scores_are_not_d_times_dearer():
    sizes = {"length": 512, "width": 64}
    assert costs.dot_score_flops(**sizes) == 2 * 512**2 * 64 == 33_554_432
    assert costs.additive_score_flops(**sizes) == 4 * 512 * 64**2 + 4 * 512**2 * 64 == 75_497_472
    assert costs.additive_score_flops(**sizes, hoisted=False) == 512**2 * (4 * 64**2 + 4 * 64)
    both = costs.additive_score_flops(**sizes) / costs.dot_score_flops(**sizes, projected=True)
    assert both == pytest.approx(1.80, abs=0.005)


def test_traffic_of_the_worked_example():
    sizes = {"queries": 4096, "keys": 4096, "width": 64, "itemsize": 2}
    least, naive = costs.least_traffic_bytes(**sizes), costs.naive_traffic_bytes(**sizes)
    tiled = costs.tiled_traffic_bytes(**sizes, rows=128)
    assert [round(x / 1e6, 1) for x in (naive, least, tiled)] == [136.3, 2.1, 34.6]
    longer = {**sizes, "queries": 16384, "keys": 16384}
    found = (
        costs.naive_traffic_bytes(**longer),
        costs.least_traffic_bytes(**longer),
        costs.tiled_traffic_bytes(**longer, rows=128),
    )
    assert [round(x / 1e6, 1) for x in found] == [2155.9, 8.4, 541.1]
    assert costs.tiled_traffic_bytes(**sizes, rows=4096) == least
    assert costs.tiled_traffic_bytes(**sizes, rows=4000) == least + 2 * 4096 * 64 * 2  # two blocks


def test_intensity_and_roofline():
    sizes = {"queries": 4096, "keys": 4096, "width": 64}
    flops = costs.attention_flops(batch=1, heads=1, **sizes)
    naive = costs.arithmetic_intensity(flops=flops, moved=costs.naive_traffic_bytes(**sizes, itemsize=2))
    assert naive == pytest.approx(31.5, abs=0.05)
    ridge = costs.ridge_intensity(peak_flops=989e12, bandwidth=4.8e12)
    assert ridge == pytest.approx(206, abs=0.1)
    assert costs.attainable_flops(intensity=naive, peak_flops=989e12, bandwidth=4.8e12) == pytest.approx(
        naive * 4.8e12
    )
    assert costs.attainable_flops(intensity=1000, peak_flops=989e12, bandwidth=4.8e12) == 989e12
    assert costs.decode_intensity(heads=32, kv_heads=32, itemsize=2) == 1
    cached = costs.kv_cache_bytes(layers=1, batch=1, length=99, kv_heads=8, head_width=128, itemsize=2)
    one = costs.attention_flops(batch=1, heads=64, queries=1, keys=99, width=128)
    assert costs.decode_intensity(heads=64, kv_heads=8, itemsize=2) == one / cached == 8
    with pytest.raises(NumericalError, match=r"^peak_flops, bandwidth"):
        costs.ridge_intensity(peak_flops=1, bandwidth=0)


def test_tiles_fit_on_the_chip_or_not():
    assert costs.tile_bytes(rows=128, columns=128, width=128, itemsize=2) == 98_304
    assert costs.tile_bytes(rows=128, columns=64, width=64, itemsize=2) == 32_768
    assert costs.tile_bytes(rows=128, columns=128, width=128, itemsize=4, stages=3) == 458_752 > 232_448


def test_serving():
    model = {"layers": 32, "kv_heads": 8, "head_width": 128, "itemsize": 2}
    token = costs.kv_bytes_per_token(**model)
    assert token * 4096 == costs.kv_cache_bytes(**model, batch=1, length=4096) == 2**29
    budget = {"memory": 80 * 2**30, "weights": costs.weight_bytes(parameters=7 * 10**9, itemsize=2)}
    most = costs.admitted_sequences(**budget, per_sequence=4096 * token)
    assert budget["weights"] + most * 4096 * token <= budget["memory"]
    assert budget["weights"] + (most + 1) * 4096 * token > budget["memory"]
    assert costs.admitted_sequences(memory=1, weights=2, per_sequence=1) == 0
    with pytest.raises(ShapeError, match=r"^per_sequence: given 0"):
        costs.admitted_sequences(memory=1, weights=0, per_sequence=0)


def test_latent_attention_keeps_576_numbers_a_token():
    latent = costs.latent_bytes_per_token(layers=1, latent_width=512, rope_width=64, itemsize=1)
    every = costs.kv_bytes_per_token(layers=1, kv_heads=128, head_width=128, itemsize=1)
    assert (latent, every) == (576, 32_768)
    assert every / latent == pytest.approx(56.9, abs=0.02)


@given(st.integers(0, 20), st.integers(0, 20))
def test_what_a_cache_saves(prompt, steps):
    without = costs.projections_without_cache(prompt=prompt, steps=steps)
    assert without == sum(prompt + step for step in range(steps))
    with_cache = costs.projections_with_cache(prompt=prompt, steps=steps)
    if prompt and steps:
        assert with_cache == prompt + (steps - 1)


def test_paths_of_the_table():
    assert costs.attention_path(length=50) == 1
    assert costs.recurrent_path(length=50) == 49
    assert costs.convolution_path(length=50, kernel=3) == 25
    assert costs.convolution_path(length=50, kernel=3, centred=True) == 49
    assert [costs.attention_path(length=n) for n in (0, 1, 2)] == [0, 0, 1]
    sizes = {"length": 30, "width": 8}
    assert costs.attention_operations(**sizes) == 30**2 * 8
    assert costs.recurrent_operations(**sizes) == 30 * 8**2
    assert costs.convolution_operations(**sizes, kernel=3) == 3 * 30 * 8**2


@given(st.integers(1, 200), st.integers(2, 7))
def test_stacked_convolutions_reach_as_far_as_they_must(length, kernel):
    layers = costs.convolution_path(length=length, kernel=kernel)
    field = costs.receptive_field(layers=layers, window=kernel)
    assert field >= length
    assert layers == 0 or costs.receptive_field(layers=layers - 1, window=kernel) < length
    dilated = costs.dilated_path(length=length, kernel=kernel)
    assert kernel**dilated >= length
    assert dilated == 0 or kernel ** (dilated - 1) < length


NAMES = sorted(name for name, _ in inspect.getmembers(costs, inspect.isfunction))
STRINGS = {"dtype": "float16", "backend": "naive"}
GIVEN = STRINGS | {"lengths": [8, 8]}


@pytest.mark.parametrize("name", NAMES)
def test_every_count_is_exact_and_refuses_what_is_none(name):
    """Whole numbers of any size come out whole; −1, 1.5 and True are refused by the argument's name."""
    act = getattr(costs, name)
    wanted = {
        p.name: GIVEN.get(p.name, 8)
        for p in inspect.signature(act).parameters.values()
        if p.default is p.empty
    }
    result = act(**wanted)
    assert isinstance(result, int | float)
    assert not math.isnan(result)
    if name in ("ridge_intensity", "attainable_flops"):
        return
    for argument in wanted.keys() - STRINGS.keys():
        for bad in (-1, 1.5, True):
            with pytest.raises(ShapeError) as refusal:
                act(**wanted | {argument: bad})
            named = refusal.value.argument
            assert argument in named.split(", ") or (argument, named) == ("length", "queries")
