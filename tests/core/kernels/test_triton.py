"""The Triton kernel without a GPU: its numbers under the interpreter, its resources compiled ahead of time.

Both need a process of their own: the interpreter is chosen when the kernel's module is imported.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from attention_core import kernels
from attention_core.errors import UnsupportedKernel
from attention_core.kernels import tiles, triton_flash
from attention_core.kernels.calls import read_call
from attention_core.kernels.resources import SHARED_LIMIT, Resources

ROOT = Path(__file__).resolve().parents[3]
needs_triton = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None, reason="Triton is not installed"
)
TOLERANCES = {
    "float32": 5e-6,
    "float16": 2e-3,
}  # values are standard normal; float16 rounds weights and outputs
REGISTERS = 255  # that a thread can have


def printed(module, *arguments, interpret):
    environment = os.environ | {"TRITON_INTERPRET": "1"}
    if not interpret:
        del environment["TRITON_INTERPRET"]
    command = [sys.executable, "-m", module, *arguments]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def check_interpreted(lines, shapes):
    *calls, last = lines
    assert len(calls) == 2 * shapes * 3 * 2
    for call in calls:
        assert call["finite"], call
        assert call["error"] < TOLERANCES[call["dtype"]], call
        assert call["lse_error"] < 1e-5, call
        assert call["blind_are_zero"], call
    blind = {(c["shape"], c["causal"]): c["blind"] for c in calls if not c["masked"]}
    assert blind["more queries than keys", "bottom_right"] == 2 * (64 - 40)
    assert blind["narrow", "bottom_right"] == 77 - 1
    assert blind["decode", "top_left"] == blind["ragged", "bottom_right"] == 0
    assert all(c["blind"] > 0 for c in calls if c["masked"])
    record = last["record"]
    assert (record["ran"], record["kernel"]) == ("triton_flash", "attention_core::triton_flash"), record
    assert (record["fell_back_because"], record["mask_kind"]) == (None, "boolean + causal bottom_right")
    assert last["large"] == [1.0]
    assert last["bfloat16"]["ran"] == "flash"
    assert last["bfloat16"]["fell_back_because"].startswith(
        "triton_flash: bfloat16 under Triton's interpreter"
    )


@needs_triton
def test_the_kernel_is_right_under_the_interpreter():
    check_interpreted(printed("tests.core.kernels.interpreted", interpret=True), shapes=4)


@needs_triton
@pytest.mark.prove
def test_the_kernel_is_right_at_every_shape_under_the_interpreter():
    check_interpreted(printed("tests.core.kernels.interpreted", "--all", interpret=True), shapes=9)


def check_compiled(lines):
    for line in lines:
        assert 0 < line["shared"] <= SHARED_LIMIT, line
        assert line["spilled"] == 0, line
        assert line["fits"], line
        assert line["registers"] <= REGISTERS
        # Products of 16-bit floats go through the tensor cores; float32 keeps its exact ones.
        assert line["tensor_cores"] == (line["dtype"] != "fp32"), line


@needs_triton
def test_the_first_tiles_compile_for_a_card_that_is_not_there():
    arguments = ("--dtypes", "bf16", "fp32", "--widths", "64", "128", "--first")
    lines = printed("attention_core.kernels.compiling", *arguments, interpret=False)
    assert [(line["dtype"], line["width"]) for line in lines] == [
        ("bf16", 64), ("bf16", 128), ("fp32", 64), ("fp32", 128)
    ]  # fmt: skip
    check_compiled(lines)


@needs_triton
@pytest.mark.prove
@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32"])
def test_every_tile_that_is_tried_fits_without_spilling(dtype):
    widths = ("16", "32", "64", "80", "128", "256")
    lines = printed(
        "attention_core.kernels.compiling", "--dtypes", dtype, "--widths", *widths, interpret=False
    )
    size = 4 if dtype == "fp32" else 2
    counts = [
        len(tiles.tiles_for(int(width), size, masked=masked))
        for width in widths
        for masked in (False, False, True)
    ]
    assert len(lines) == sum(counts)
    check_compiled(lines)


@needs_triton
@pytest.mark.prove
def test_a_tile_that_is_too_large_is_caught():
    code = (
        "from attention_core.kernels.compiling import *\n"
        "used = compiled(Variant('fp32', 128, causal=False), Tile(32, 32, 4, 2))\n"
        "import json; print(json.dumps([used.fits, used.spilled > 0]))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [False, True]


def test_what_fits():
    assert Resources(SHARED_LIMIT, 255, 0, tensor_cores=True).fits
    assert not Resources(SHARED_LIMIT + 1, 255, 0, tensor_cores=True).fits
    assert not Resources(1024, 255, 8, tensor_cores=True).fits


def test_tiles_are_powers_of_two_that_the_matrix_instruction_takes():
    for itemsize in (2, 4):
        for width in (1, 16, 17, 64, 65, 128, 256):
            for masked in (False, True):
                for tile in tiles.tiles_for(width, itemsize, masked=masked):
                    assert tile.rows & (tile.rows - 1) == tile.columns & (tile.columns - 1) == 0
                    assert min(tile.rows, tile.columns) >= tiles.NARROWEST
                    assert tile.warps in (4, 8)
    assert [tiles.padded(width) for width in (1, 16, 17, 64, 65, 256)] == [16, 16, 32, 64, 128, 256]


REFUSED = {
    "float64": (torch.ones(1, 2, 3, 4, dtype=torch.float64), r"^float64: "),
    "width 257": (torch.ones(1, 2, 3, 257), r"^width 257: at most 256$"),
    "gradients": (torch.ones(1, 2, 3, 4, requires_grad=True), r"^gradients: "),
}


@needs_triton
@pytest.mark.parametrize("why", REFUSED)
def test_what_the_kernel_cannot_take_is_refused_before_it_is_loaded(why):
    x, reason = REFUSED[why]
    with pytest.raises(UnsupportedKernel, match=reason):
        triton_flash.refuse(read_call(x, x, x))


def test_without_triton_it_is_unsupported(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    x = torch.ones(1, 2, 3, 4)
    assert (
        kernels.run("triton_flash", x, x, x)[1].fell_back_because == "triton_flash: Triton is not installed"
    )
