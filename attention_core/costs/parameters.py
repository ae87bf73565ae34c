"""How many weights: each part, a layer, whole models. `bias` counts the added vectors too.

The number of heads changes nothing in multi-head attention: H heads of width E/H make E columns again.
"""

from attention_core.costs.counting import product
from attention_core.errors import ShapeError


def attention_parameters(
    *,
    d_model: int,
    heads: int = 1,
    kv_heads: int | None = None,
    head_width: int | None = None,
    bias: bool = False,
) -> int:
    """2 · E · H·D (queries, output) + 2 · E · G·D (keys, values): 4E² when G = H and D = E/H.

    `bias` adds H·D + 2G·D + E.

    >>> attention_parameters(d_model=512, heads=8), attention_parameters(d_model=512, heads=8, kv_heads=2)
    (1048576, 655360)
    """
    kv_heads = heads if kv_heads is None else kv_heads
    if head_width is None:
        if product(heads=heads) == 0 or product(d_model=d_model) % heads:
            raise ShapeError("heads", str(heads), f"a divisor of d_model {d_model}")
        head_width = d_model // heads
    own = product(heads=heads, head_width=head_width)
    shared = product(kv_heads=kv_heads, head_width=head_width)
    return product(of=2, d_model=d_model) * (own + shared) + (own + 2 * shared + d_model if bias else 0)


def feed_forward_parameters(*, d_model: int, d_ff: int, bias: bool = False) -> int:
    """2 · E · F, 8E² at F = 4E; bias: F + E.

    >>> feed_forward_parameters(d_model=512, d_ff=2048)
    2097152
    """
    return product(of=2, d_model=d_model, d_ff=d_ff) + (d_ff + d_model if bias else 0)


def swiglu_parameters(*, d_model: int, d_ff: int) -> int:
    """3 · E · F: gate, value and output.

    >>> swiglu_parameters(d_model=4096, d_ff=11008)
    135266304
    """
    return product(of=3, d_model=d_model, d_ff=d_ff)


def layer_norm_parameters(*, d_model: int) -> int:
    """2 · E: a weight and a bias for each feature.

    >>> layer_norm_parameters(d_model=512)
    1024
    """
    return product(of=2, d_model=d_model)


def rms_norm_parameters(*, d_model: int) -> int:
    """E: a weight for each feature.

    >>> rms_norm_parameters(d_model=512)
    512
    """
    return product(d_model=d_model)


def embedding_parameters(*, vocabulary: int, d_model: int, positions: int = 0, tied: bool = True) -> int:
    """(V + learnt positions) · E, and V · E once more for an output matrix that is not the same (`tied`).

    >>> embedding_parameters(vocabulary=50257, d_model=768, positions=1024)
    39383808
    """
    rows = product(vocabulary=vocabulary) * (1 if tied else 2) + product(positions=positions)
    return product(rows=rows, d_model=d_model)


def encoder_layer_parameters(*, d_model: int, d_ff: int, bias: bool = True) -> int:
    """Attention, feed-forward and two LayerNorms.

    >>> encoder_layer_parameters(d_model=512, d_ff=2048)
    3152384
    """
    return (
        attention_parameters(d_model=d_model, bias=bias)
        + feed_forward_parameters(d_model=d_model, d_ff=d_ff, bias=bias)
        + 2 * layer_norm_parameters(d_model=d_model)
    )


def decoder_layer_parameters(*, d_model: int, d_ff: int, bias: bool = True) -> int:
    """Self-attention, cross-attention, feed-forward and three LayerNorms.

    >>> decoder_layer_parameters(d_model=512, d_ff=2048)
    4204032
    """
    more = attention_parameters(d_model=d_model, bias=bias) + layer_norm_parameters(d_model=d_model)
    return encoder_layer_parameters(d_model=d_model, d_ff=d_ff, bias=bias) + more


def weight_parameters(*, layers: int, d_model: int, d_ff: int, vocabulary: int, tied: bool = True) -> int:
    """Matrices only, as estimated by hand: L (4E² + 2EF) + V E (2 V E when input and output are not tied).

    >>> weight_parameters(layers=12, d_model=768, d_ff=3072, vocabulary=0)
    84934656
    """
    layer = attention_parameters(d_model=d_model) + feed_forward_parameters(d_model=d_model, d_ff=d_ff)
    return product(of=layer, layers=layers) + embedding_parameters(
        vocabulary=vocabulary, d_model=d_model, tied=tied
    )


def bert_parameters(*, layers: int, d_model: int, d_ff: int, vocabulary: int, positions: int) -> int:
    """BERT: word, position and two segment embeddings with a LayerNorm, encoder layers with biases, a pooler.

    Source: Devlin et al. 2019. BERT-base, uncased:

    >>> bert_parameters(layers=12, d_model=768, d_ff=3072, vocabulary=30522, positions=512)
    109482240
    """
    pooler = product(d_model=d_model) * (d_model + 1)
    return (
        embedding_parameters(vocabulary=vocabulary, d_model=d_model, positions=positions)
        + product(of=2, d_model=d_model)
        + layer_norm_parameters(d_model=d_model)
        + product(of=encoder_layer_parameters(d_model=d_model, d_ff=d_ff), layers=layers)
        + pooler
    )


def gpt2_parameters(*, layers: int, d_model: int, d_ff: int, vocabulary: int, positions: int) -> int:
    """GPT-2: tied word embeddings, learnt positions, Pre-LN layers with biases, a final LayerNorm.

    Source: Radford et al. 2019. GPT-2 small:

    >>> gpt2_parameters(layers=12, d_model=768, d_ff=3072, vocabulary=50257, positions=1024)
    124439808
    """
    return (
        embedding_parameters(vocabulary=vocabulary, d_model=d_model, positions=positions)
        + product(of=encoder_layer_parameters(d_model=d_model, d_ff=d_ff), layers=layers)
        + layer_norm_parameters(d_model=d_model)
    )


def llama_parameters(
    *, layers: int, d_model: int, d_ff: int, vocabulary: int, heads: int = 1, kv_heads: int | None = None
) -> int:
    """LLaMA: untied embeddings, attention without biases (grouped with `kv_heads`), SwiGLU, RMSNorm.

    Source: Touvron et al. 2023. LLaMA-7B:

    >>> llama_parameters(layers=32, d_model=4096, d_ff=11008, vocabulary=32000, heads=32)
    6738415616
    """
    layer = (
        attention_parameters(d_model=d_model, heads=heads, kv_heads=kv_heads)
        + swiglu_parameters(d_model=d_model, d_ff=d_ff)
        + 2 * rms_norm_parameters(d_model=d_model)
    )
    return (
        embedding_parameters(vocabulary=vocabulary, d_model=d_model, tied=False)
        + product(of=layer, layers=layers)
        + rms_norm_parameters(d_model=d_model)
    )
