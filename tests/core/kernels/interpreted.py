"""The Triton kernel under Triton's interpreter, in a process that has TRITON_INTERPRET=1 from its start.

`python -m tests.core.kernels.interpreted [--all]` prints one JSON line a call: what was asked, the largest
errors of output and log-sum-exp against float64, how many queries saw nothing; then what `run` gave and
recorded.
"""

import argparse
import json
import sys
from itertools import product

import torch

from attention_core import attention, kernels
from attention_core.kernels.calls import Call, read_call
from attention_core.kernels.triton_flash import with_log_sum_exp

# batch, heads, groups, queries, keys, width, width of the values: blocks of the interpreter are 32 × 32
SHAPES = {
    "whole blocks": (1, 2, 2, 64, 128, 64, 64),
    "ragged": (2, 2, 1, 33, 45, 32, 32),
    "long, ragged, grouped": (2, 4, 2, 97, 113, 64, 64),
    "one key head": (1, 4, 1, 33, 200, 32, 32),
    "more queries than keys": (1, 2, 2, 64, 40, 32, 48),
    "narrow": (1, 1, 1, 77, 1, 5, 7),
    "decode": (1, 2, 1, 1, 77, 16, 16),
    "long": (1, 1, 1, 256, 256, 64, 64),
    "wide": (1, 1, 1, 40, 40, 200, 130),
}
QUICK = ("ragged", "more queries than keys", "narrow", "decode")


def drawn(shape: tuple[int, ...], dtype: torch.dtype, seed: int) -> tuple[torch.Tensor, ...]:
    batch, heads, groups, queries, keys, width, value_width = shape
    generator = torch.Generator().manual_seed(seed)
    sizes = ((heads, queries, width), (groups, keys, width), (groups, keys, value_width))
    q, k, v = (torch.randn((batch, *size), generator=generator).to(dtype) for size in sizes)
    mask = torch.rand((batch, 1, queries, keys), generator=generator) < 0.5
    mask[:, :, queries // 2] = False
    return q, k, v, mask


def log_sum_exp(call: Call) -> torch.Tensor:
    scores = (call.q.double() @ call.grouped(call.k).double().mT) * call.scale
    visible = call.visible()
    if visible is not None:
        scores = scores.masked_fill(~visible, -torch.inf)
    return torch.logsumexp(scores, dim=-1)


def told(name: str, dtype: torch.dtype, options: dict[str, object]) -> dict[str, object]:
    q, k, v, mask = drawn(SHAPES[name], dtype, seed=len(name))
    options = options | {"mask": mask if options["mask"] else None}
    call = read_call(q, k, v, **options)
    expected = attention(q.double(), k.double(), v.double(), **options)
    output, sums = with_log_sum_exp(call)
    right = log_sum_exp(call)
    seen = right > -torch.inf
    blind = ~seen
    return {
        "shape": name,
        "dtype": str(dtype).removeprefix("torch."),
        "error": (output.double() - expected).abs().max().item(),
        "lse_error": (sums.double() - right)[seen].abs().max().item() if bool(seen.any()) else 0.0,
        "blind": int(blind.sum()),
        "blind_are_zero": bool((output[blind] == 0).all()) and bool((sums[blind] == -torch.inf).all()),
        "finite": bool(torch.isfinite(output).all()) and bool(torch.isfinite(sums[seen]).all()),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    names = SHAPES if parser.parse_args().all else QUICK
    torch.set_num_threads(1)
    for dtype, name in product((torch.float32, torch.float16), names):
        for causal, masked in product((None, "top_left", "bottom_right"), (False, True)):
            scale = -0.2 if masked else None
            line = told(name, dtype, {"causal": causal, "mask": masked, "scale": scale})
            sys.stdout.write(json.dumps(line | {"causal": causal, "masked": masked}) + "\n")
    q, k, v, mask = drawn(SHAPES["decode"], torch.float32, seed=1)
    _, ran = kernels.run("triton_flash", q, k, v, mask=mask, causal="bottom_right")
    wide = torch.full((1, 1, 1, 64), 200.0, dtype=torch.float16)
    large, _ = kernels.run(
        "triton_flash", wide, torch.cat([wide, -wide], dim=-2), torch.tensor([[[[1.0], [2.0]]]]).half()
    )
    brief = torch.ones(1, 1, 3, 16, dtype=torch.bfloat16)
    _, record = kernels.run("triton_flash", brief, brief, brief)
    last = {"large": large.flatten().tolist(), "bfloat16": record.as_dict(), "record": ran.as_dict()}
    sys.stdout.write(json.dumps(last) + "\n")


if __name__ == "__main__":
    main()
