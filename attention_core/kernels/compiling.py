"""Compile the Triton kernel ahead of time for a card that need not be there, and read what it would use.

    python -m attention_core.kernels.compiling [--dtypes bf16 fp32] [--widths 64 128] [--first]

prints one JSON line for each tile: bytes of shared memory, registers of a thread, bytes spilled to the stack.
A block that needs more shared memory than the card has fails at launch, and one that spills is slow; neither
shows under the interpreter, and both show here. Runs without TRITON_INTERPRET and without a GPU.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from attention_core.kernels.resources import Resources, usage
from attention_core.kernels.tiles import Tile, constants_of, tiles_for

CAPABILITY = 90
ITEMSIZES = {"fp16": 2, "bf16": 2, "fp32": 4}


@dataclass(frozen=True)
class Variant:
    """One specialisation of the kernel: dtype in Triton's spelling, head width, what hides keys."""

    dtype: str
    width: int
    causal: bool
    masked: bool = False


def compiled(variant: Variant, tile: Tile) -> Resources:
    """Compile this variant with this tile for compute capability 9.0."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from attention_core.kernels.flash_kernel import attend

    constants: dict[str, Any] = {"CAUSAL": variant.causal, "MASKED": variant.masked}
    constants |= constants_of(variant.width, variant.width, ITEMSIZES[variant.dtype])
    constants |= {"BLOCK_T": tile.rows, "BLOCK_S": tile.columns}
    pointer = f"*{variant.dtype}"
    signature = dict.fromkeys(("q_at", "k_at", "v_at", "output_at"), pointer)
    signature |= {"mask_at": "*u8", "lse_at": "*fp32", "scale": "fp32"}
    signature |= dict.fromkeys(("heads", "groups", "queries", "keys", "diagonal"), "i32")
    signature |= dict.fromkeys(("mask_batch", "mask_head", "mask_query"), "i32")
    names = attend.arg_names
    signature = {name: signature.get(name, "constexpr") for name in names}
    # Torch's allocations are aligned to 16 bytes, and the launcher says so.
    aligned = {(names.index(name),): [["tt.divisibility", 16]] for name in names if signature[name][0] == "*"}
    source = ASTSource(attend, signature, {(names.index(n),): v for n, v in constants.items()}, aligned)
    options = {"num_warps": tile.warps, "num_stages": tile.stages}
    kernel = triton.compile(source, target=GPUTarget("cuda", CAPABILITY, 32), options=options)
    registers, spilled = usage(kernel.asm["cubin"])
    return Resources(
        shared=int(kernel.metadata.shared),
        registers=registers,
        spilled=spilled,
        tensor_cores="wgmma" in kernel.asm["ptx"],
    )


def variants(dtypes: Sequence[str], widths: Sequence[int]) -> Iterator[tuple[Variant, Tile]]:
    """Each dtype and width, full, causal and masked, with each tile that would be tried."""
    for dtype in dtypes:
        for width in widths:
            for causal, masked in ((False, False), (True, False), (True, True)):
                for tile in tiles_for(width, ITEMSIZES[dtype], masked=masked):
                    yield Variant(dtype, width, causal, masked), tile


def _first(variant: Variant) -> Tile:
    return tiles_for(variant.width, ITEMSIZES[variant.dtype], masked=variant.masked)[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: one JSON line a tile; 1 when one does not fit."""
    parser = argparse.ArgumentParser(prog="python -m attention_core.kernels.compiling", description=__doc__)
    parser.add_argument("--dtypes", nargs="+", default=list(ITEMSIZES), choices=list(ITEMSIZES))
    parser.add_argument("--widths", nargs="+", default=[64, 128], type=int)
    parser.add_argument("--first", action="store_true", help="only the first tile of each, causal")
    options = parser.parse_args(arguments)
    fits = True
    for variant, tile in variants(options.dtypes, options.widths):
        if options.first and (not variant.causal or variant.masked or tile != _first(variant)):
            continue
        used = compiled(variant, tile)
        fits &= used.fits
        line: dict[str, Any] = asdict(variant) | asdict(tile) | asdict(used) | {"fits": used.fits}
        sys.stdout.write(json.dumps(line) + "\n")
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
