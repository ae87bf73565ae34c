"""How fast attention_core is on this CPU: `python -m tests.benchmarks.core_speed [--part …] [--write]`.

    chapter    attention and trace on the chapter's inputs against the bare NumPy formula    aims: 5 ×, 10 ×
    reference  the NumPy reference against PyTorch's unfused path at length 512
    import     importing attention_core against importing NumPy                               aim: 1.4 ×
    flash      the fused CPU kernel against naive over lengths: time, and peak memory in a process each
    tiling     peak memory of tiling.flash over lengths, beside that of attention

Ratios come from one run in which the sides take turns. The first three count processor time of one thread, so
that other work on the machine hardly matters; `flash` is wall time. --write puts the tables into
attention_core/README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from attention_core import attention, tiling, trace

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "attention_core" / "README.md"
START, END = (
    "<!-- measured: written by python -m tests.benchmarks.core_speed --write -->",
    "<!-- /measured -->",
)
Array = np.ndarray[Any, Any]
ROUNDS = 15
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def bare(q: Array, k: Array, v: Array, *, causal: bool = False) -> Array:
    """softmax(Q Kᵀ/√d) V as one would type it."""
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], dtype=bool)), scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True) @ v


def seconds(calls: list[Callable[[], Any]], *, repeats: int) -> list[float]:
    """Processor time of one call of each, the median of rounds in which they take turns."""
    taken: list[list[float]] = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(ROUNDS):
        for index, call in enumerate(calls):
            start = time.process_time()
            for _ in range(repeats):
                call()
            taken[index].append((time.process_time() - start) / repeats)
    return [median(times) for times in taken]


def chapter() -> Iterator[str]:
    yield "| inputs of the chapter | bare NumPy | attention | trace |"
    yield "| --- | ---: | ---: | ---: |"
    rng = np.random.default_rng(0)
    for name, length, width in (
        ("3 tokens, width 2", 3, 2),
        ("5 tokens, width 4", 5, 4),
        ("16 tokens, width 8", 16, 8),
    ):
        q, k, v = (rng.standard_normal((length, width)) for _ in range(3))
        for label, causal in ((name, None), (f"{name}, causal", "top_left")):
            plain, whole, traced = seconds(
                [
                    lambda: bare(q, k, v, causal=causal is not None),  # noqa: B023
                    lambda: attention(q, k, v, causal=causal),  # noqa: B023
                    lambda: trace(q, k, v, causal=causal),  # noqa: B023
                ],
                repeats=300,
            )
            cells = [f"{t * 1e6:.1f} µs ({t / plain:.1f} ×)" for t in (whole, traced)]
            yield f"| {label} | {plain * 1e6:.1f} µs | {' | '.join(cells)} |"


def reference() -> Iterator[str]:
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention

    torch.set_num_threads(1)
    yield "| length 512, 8 heads, width 64 | reference (NumPy) | PyTorch MATH | ratio |"
    yield "| --- | ---: | ---: | ---: |"
    rng = np.random.default_rng(0)
    with torch.no_grad(), sdpa_kernel([SDPBackend.MATH]):
        for dtype in (np.float64, np.float32):
            q, k, v = (rng.standard_normal((1, 8, 512, 64)).astype(dtype) for _ in range(3))
            tensors = [torch.from_numpy(x) for x in (q, k, v)]
            for label, causal in (("full", None), ("causal", "top_left")):
                own, other = seconds(
                    [
                        lambda: attention(q, k, v, causal=causal),  # noqa: B023
                        lambda: scaled_dot_product_attention(*tensors, is_causal=causal is not None),  # noqa: B023
                    ],
                    repeats=1,
                )
                cells = f"{own * 1e3:.1f} ms | {other * 1e3:.1f} ms | {own / other:.2f}"
                yield f"| {np.dtype(dtype).name}, {label} | {cells} |"


def importing() -> Iterator[str]:
    def once(module: str) -> float:
        code = f"import time; t = time.process_time(); import {module}; print(time.process_time() - t)"
        return float(
            subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True).stdout
        )

    pairs = [(once("numpy"), once("attention_core")) for _ in range(ROUNDS)]
    numpy, own = (median(side) for side in zip(*pairs, strict=True))
    yield "| import numpy | import attention_core | ratio |"
    yield "| ---: | ---: | ---: |"
    yield f"| {numpy * 1e3:.0f} ms | {own * 1e3:.0f} ms | {own / numpy:.2f} |"


def measured(backend: str, dtype: str, causal: bool, length: int) -> dict[str, Any]:
    configuration = {"backend": backend, "dtype": dtype, "causal": causal, "length": length}
    command = [sys.executable, "-m", "attention_core.benchmark", "--json", json.dumps(configuration)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(ran.stdout)
    assert found["outcome"] == "measured", found
    return found


def flash(lengths: tuple[int, ...] = (512, 1024, 2048, 4096)) -> Iterator[str]:
    yield "| dtype, mask, length | flash | naive | naive / flash | peak: flash | naive | naive, predicted |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for dtype in ("float32", "bfloat16"):
        for causal in (False, True):
            for length in lengths:
                fused, plain = (measured(backend, dtype, causal, length) for backend in ("flash", "naive"))
                label = f"{dtype}, {'causal' if causal else 'full'}, {length}"
                times = f"{fused['median_ms']:.1f} ms | {plain['median_ms']:.1f} ms"
                peaks = (fused["peak_bytes"], plain["peak_bytes"], plain["predicted_peak_bytes"])
                told = " | ".join("–" if peak is None else f"{peak / 2**20:.1f} MiB" for peak in peaks)
                yield f"| {label} | {times} | {plain['min_ms'] / fused['min_ms']:.1f} | {told} |"


def tiled(lengths: tuple[int, ...] = (512, 1024, 2048, 4096)) -> Iterator[str]:
    yield "| length | tiling.flash | a query | attention | a query |"
    yield "| ---: | ---: | ---: | ---: | ---: |"
    for length in lengths:
        peaks = [traced_peak(call, length) for call in (lambda *x: tiling.flash(*x), attention)]
        cells = " | ".join(f"{peak / 2**20:.2f} MiB | {peak / length:.0f} bytes" for peak in peaks)
        yield f"| {length} | {cells} |"


def traced_peak(call: Callable[..., Any], length: int, width: int = 32) -> int:
    """Bytes that NumPy held at most during the call, its output included, its inputs not."""
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal((length, width)) for _ in range(3)]
    call(*(x[:64] for x in inputs))  # whatever is imported or made once
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        call(*inputs)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "chapter": chapter,
    "reference": reference,
    "import": importing,
    "flash": flash,
    "tiling": tiled,
}


def machine() -> str:
    import torch

    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            line.split(":")[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line
        ]
        model = names[0] if names else model
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, torch {torch.__version__}"
    return f"{model}, {os.cpu_count()} cores, one thread used; {versions}."


def write(text: str) -> None:
    before, rest = README.read_text().split(START + "\n")
    README.write_text(before + START + "\n" + text + END + rest.split(END)[1])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", nargs="+", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--write", action="store_true", help="put the tables into attention_core/README.md")
    options = parser.parse_args()
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()):
        command = [sys.executable, "-m", "tests.benchmarks.core_speed", *sys.argv[1:]]
        os.execve(sys.executable, command, os.environ | ONE_THREAD)  # libraries count threads when loaded
    text = machine() + "\n\n"
    for part in options.part:
        for line in PARTS[part]():
            print(line, flush=True)
            text += line + "\n"
        text += "\n"
    if options.write:
        write(text)


if __name__ == "__main__":
    main()
