"""Serving: what a KV cache weighs and saves, and how many sequences fit beside the weights."""

from attention_core.costs.counting import product
from attention_core.errors import ShapeError


def kv_cache_bytes(
    *, layers: int, batch: int, length: int, kv_heads: int, head_width: int, itemsize: int
) -> int:
    """2 · L · B · S · G · D · bytes: a key and a value for every token, layer and key/value head.

    Llama-2-7B (32 layers, 32 heads of 128) at 2,048 tokens in float16 is exactly 1 GiB:

    >>> kv_cache_bytes(layers=32, batch=1, length=2048, kv_heads=32, head_width=128, itemsize=2) == 2**30
    True
    """
    return product(
        of=2,
        layers=layers,
        batch=batch,
        length=length,
        kv_heads=kv_heads,
        head_width=head_width,
        itemsize=itemsize,
    )


def kv_bytes_per_token(*, layers: int, kv_heads: int, head_width: int, itemsize: int) -> int:
    """2 · L · G · D · bytes: what one more token adds to the cache of its sequence.

    >>> kv_bytes_per_token(layers=32, kv_heads=8, head_width=128, itemsize=2)
    131072
    """
    return product(of=2, layers=layers, kv_heads=kv_heads, head_width=head_width, itemsize=itemsize)


def latent_bytes_per_token(*, layers: int, latent_width: int, rope_width: int, itemsize: int) -> int:
    """L · (d_c + d_R) · bytes: multi-head latent attention keeps one compressed vector and one rotated key.

    Source: DeepSeek-V2 technical report, section 2.1.

    >>> latent_bytes_per_token(layers=1, latent_width=512, rope_width=64, itemsize=1)
    576
    """
    width = product(latent_width=latent_width) + product(rope_width=rope_width)
    return product(layers=layers, width=width, itemsize=itemsize)


def weight_bytes(*, parameters: int, itemsize: int) -> int:
    """P · bytes: the weights alone.

    >>> weight_bytes(parameters=7 * 10**9, itemsize=2)
    14000000000
    """
    return product(parameters=parameters, itemsize=itemsize)


def admitted_sequences(*, memory: int, weights: int, per_sequence: int) -> int:
    """⌊(memory − weights) / bytes a sequence⌋, at least 0: the admission budget. All three are bytes.

    `per_sequence` is the KV cache at the full length, prompt and output: an admitted sequence must be able to
    end.

    >>> admitted_sequences(memory=80 * 2**30, weights=14 * 10**9, per_sequence=2**31)
    33
    """
    free = product(memory=memory) - product(weights=weights)
    if product(per_sequence=per_sequence) == 0:
        raise ShapeError("per_sequence", "0", "bytes that a sequence takes, at least 1")
    return max(0, free // per_sequence)


def projections_without_cache(*, prompt: int, steps: int) -> int:
    """Σ_{t = p}^{p + s − 1} t: key/value projections when every decoding step projects the whole past again.

    Step 1 reads the p prompt tokens, step s the p + s − 1 tokens so far; one layer, K and V of a token
    counted as one.

    >>> projections_without_cache(prompt=10, steps=3)
    33
    """
    product(prompt=prompt, steps=steps)
    return steps * prompt + steps * (steps - 1) // 2


def projections_with_cache(*, prompt: int, steps: int) -> int:
    """p + s − 1: each token is projected once (the last one generated is never read); 0 without a step.

    >>> projections_with_cache(prompt=10, steps=3)
    12
    """
    product(prompt=prompt, steps=steps)
    return prompt + steps - 1 if steps else 0
