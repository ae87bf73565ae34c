"""The kernels on a GPU: `python -m tests.benchmarks.core_gpu [--quick] [--part correct speed]`.

Correct: every backend, in every dtype, on shapes with odd lengths, grouped heads, both causal alignments,
masks and rows that see nothing, judged by the dispatcher's own rule; and the Triton kernel's log-sum-exp.

Speed: a table for lengths 512 to 16,384, widths 64 and 128, full and causal, forward, bfloat16, 16,384
tokens, model width 2,048, by the rules of `attention_core.kernels.timing` (CUDA events, warm caches, random
normal inputs); the backends take turns, first forward and then in reverse. TFLOP/s count 4·B·H·D for each
visible pair. Nothing about the card is changed; what it was doing is printed.

Of outside libraries only torch (with CUDA), Triton, NumPy and array-api-compat are imported.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from functools import partial
from itertools import product
from statistics import median
from typing import Any

import torch

from attention_core import attention, costs, kernels
from attention_core.errors import NumericalError
from attention_core.kernels import card, record, spying, timing, triton_flash
from attention_core.kernels.backends import KERNELS
from attention_core.kernels.calls import Call, read_call
from attention_core.kernels.influence import influenced_rows
from attention_core.kernels.verifying import check
from attention_core.peaks import ceiling_of

CUDA = torch.device("cuda")
FUSED = ("triton_flash", "flash", "cudnn")
CHECKED = (*FUSED, "efficient", "math", "flex")
CAUSAL = (None, "top_left", "bottom_right")
AIM = 0.9  # of PyTorch's FlashAttention in the same run
SHAPES = (  # batch, heads, groups, queries, keys, width
    (1, 2, 2, 128, 128, 64),
    (2, 4, 2, 113, 203, 64),
    (1, 8, 1, 1023, 1024, 128),
    (1, 2, 2, 64, 40, 32),
    (3, 6, 3, 1, 77, 80),
    (1, 1, 1, 77, 1, 16),
    (1, 2, 2, 512, 256, 256),
    (1, 2, 1, 33, 200, 5),
)
DTYPES = (torch.float16, torch.bfloat16, torch.float32)
TOKENS, MODEL_WIDTH = 16_384, 2_048


def drawn(shape: tuple[int, ...], dtype: torch.dtype, seed: int = 0) -> list[torch.Tensor]:
    batch, heads, groups, queries, keys, width = shape
    generator = torch.Generator(device=CUDA).manual_seed(seed)
    sizes = ((heads, queries, width), (groups, keys, width), (groups, keys, width))
    return [torch.randn((batch, *size), generator=generator, device=CUDA).to(dtype) for size in sizes]


def lse_error(call: Call) -> float:
    _, sums = triton_flash.with_log_sum_exp(call)
    scores = (call.q.double() @ call.grouped(call.k).double().mT) * call.scale
    visible = call.visible()
    right = torch.logsumexp(scores if visible is None else scores.masked_fill(~visible, -torch.inf), dim=-1)
    seen = right > -torch.inf
    if bool((sums[~seen] != -torch.inf).any()):
        return math.inf
    return (sums.double() - right)[seen].abs().max().item() if bool(seen.any()) else 0.0


def correct(backend: str, dtype: torch.dtype) -> int:
    """Print one line; the number of wrong results."""
    brief = backend == "flex"  # compiled anew for every shape
    outcomes: dict[str, int] = {}
    wrong, worst, worst_lse = 0, 0.0, 0.0
    for shape, causal, masked in product(SHAPES[:2] if brief else SHAPES, CAUSAL, (False, True)):
        if brief and (masked or causal == "bottom_right"):
            continue
        q, k, v = drawn(shape, dtype)
        mask = None
        if masked:
            mask = torch.rand((shape[0], 1, shape[3], shape[4]), device=CUDA) < 0.7
            mask[:, :, shape[3] // 2] = False
        try:
            output, ran = kernels.run(backend, q, k, v, mask=mask, causal=causal)
        except NumericalError as error:
            wrong += 1
            print(f"WRONG {backend} {dtype} {shape} {causal} masked={masked}: {error}")
            continue
        outcomes[ran.ran] = outcomes.get(ran.ran, 0) + 1
        expected = attention(q.double(), k.double(), v.double(), mask=mask, causal=causal)
        worst = max(worst, (output.double() - expected).abs().max().item())
        if ran.ran == "triton_flash":
            worst_lse = max(worst_lse, lse_error(read_call(q, k, v, mask=mask, causal=causal)))
    print(f"correct {backend:13} {dtype!s:15} error {worst:.2e} log-sum-exp {worst_lse:.2e} ran {outcomes}")
    return wrong + (worst_lse > 1e-3)


def speed(length: int, width: int, causal: str | None, budget: float) -> list[dict[str, Any]]:
    """Measure one point with every fused backend; print and return one row each."""
    batch, heads = max(1, TOKENS // length), MODEL_WIDTH // width
    q, k, v = drawn((batch, heads, heads, length, length, width), torch.bfloat16)
    call = read_call(q, k, v, causal=causal)
    ready = {name: partial(KERNELS[name], call) for name in FUSED if usable(name, call)}
    samples: dict[str, list[timing.Times]] = {name: [] for name in ready}
    for name in (*ready, *reversed(ready)):
        samples[name].append(timing.repeated(ready[name], CUDA, budget=budget))
    sizes = {"batch": batch, "heads": heads, "queries": length, "keys": length, "width": width}
    flops = costs.attention_flops(**sizes, causal=causal)
    rows = []
    for name, times in samples.items():
        middle = median(t.median for t in times)
        row = {"backend": name, "causal": causal, **sizes, "ms": middle, "tflops": flops / middle / 1e9}
        row |= {
            "p25": min(t.p25 for t in times),
            "p75": max(t.p75 for t in times),
            "n": sum(t.n for t in times),
        }
        row["tile"] = triton_flash.tuned_tile(call) if name == "triton_flash" else ""
        row["kernels"] = [kernel[:60] for kernel in spying.launched(ready[name])]
        rows.append(row)
        print(json.dumps(row), flush=True)
    return rows


def usable(name: str, call: Call) -> bool:
    """Run once (it compiles, tunes and plans here), prove it, check it: a wrong result is never timed."""
    try:
        output, ran, _ = spying.spied(lambda: KERNELS[name](call))
    except Exception as error:
        print(f"skipped {name}: {error}")
        return False
    verdict = check(call, output)
    influenced = influenced_rows(call, KERNELS[name], output)
    if ran != name or not verdict.right or influenced:
        told = f"error {verdict.error:.2e} of {verdict.allowed:.2e}, {influenced} rows influenced"
        print(f"NOT TIMED {name}: ran {ran}, {told}")
        return False
    return True


def table(rows: list[dict[str, Any]], peak: float) -> str:
    """Markdown: TFLOP/s and share of the peak, and the Triton kernel over Flash and over cuDNN."""
    points: dict[tuple[int, str, int], dict[str, float]] = {}
    for row in rows:
        points.setdefault((row["width"], row["causal"] or "full", row["keys"]), {})[row["backend"]] = row[
            "tflops"
        ]
    header = ("width", "mask", "length", *FUSED, "over flash", "over cudnn")
    lines = ["| " + " | ".join(header) + " |", "| ---: " * len(header) + "|"]
    for key, speeds in points.items():
        cells = [f"{speeds[n]:.0f} ({speeds[n] / peak:.0%})" if n in speeds else "–" for n in FUSED]
        own = speeds.get("triton_flash", math.nan)
        ratios = [f"{own / speeds[name]:.2f}" if name in speeds else "–" for name in ("flash", "cudnn")]
        lines.append("| " + " | ".join([*map(str, key), *cells, *ratios]) + " |")
    own, flash = ([p.get(name, math.nan) for p in points.values()] for name in ("triton_flash", "flash"))
    below = [key for key, mine, other in zip(points, own, flash, strict=True) if mine < AIM * other]
    return "\n".join([*lines, "", f"below {AIM} of flash: {below or 'nowhere'}"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", nargs="+", default=["correct", "speed"], choices=["correct", "speed"])
    parser.add_argument("--quick", action="store_true", help="two lengths and short repetitions")
    parser.add_argument("--budget", type=float, default=0.4, help="seconds of repetitions for a point")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("this machine has no usable CUDA device: nothing measured")
        return 0
    import triton

    name = torch.cuda.get_device_name(CUDA)
    ceiling = ceiling_of({"device": name}, "bfloat16")
    peak = ceiling.flops_a_second / 1e12 if ceiling else math.nan
    print(
        f"{name}, stated peak {peak} TFLOP/s; driver {record.driver_version()}; torch {torch.__version__}, "
    )
    print(f"Triton {triton.__version__}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}")
    print("before:", card.cards())
    wrong = 0
    rows: list[dict[str, Any]] = []
    with torch.no_grad():
        if "correct" in options.part:
            wrong = sum(correct(backend, dtype) for backend, dtype in product(CHECKED, DTYPES))
        if "speed" in options.part:
            lengths = (1024, 8192) if options.quick else (512, 1024, 2048, 4096, 8192, 16_384)
            for width, causal, length in product((64, 128), (None, "top_left"), lengths):
                rows += speed(length, width, causal, 0.1 if options.quick else options.budget)
            print(table(rows, peak))
    print("after:", card.cards())
    impossible = [row for row in rows if row["tflops"] > peak]
    if impossible:
        print("IMPOSSIBLE, faster than the card:", impossible)
    return 1 if wrong or impossible else 0


if __name__ == "__main__":
    sys.exit(main())
