"""H5: what share of ordinary attention's KV cache is left under GQA, MQA or MLA."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from attention_core.costs import kv_bytes_per_token, latent_bytes_per_token
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import (
    MAGNITUDE,
    Drawn,
    Given,
    Misconception,
    Part,
    Prompt,
    SolutionStep,
    Text,
    Values,
)

HEADS = ((40, 8), (28, 4), (71, 1), (32, 4), (48, 8), (64, 8), (24, 3), (56, 7), (36, 6), (32, 1))
LATENT_HEADS = (16, 20, 32, 40, 64, 128)
ITEMSIZE = 2


@register
class GqaRatio(Family):
    """Drawn: heads, head_width, layers; kv_heads (grouped) or latent_width and rope_width (MLA)."""

    slug = "gqa_ratio"
    code = "H5"
    title = Text("KV Cache 剩下原来的百分之几", "The share of the KV cache that is left")
    sections = ("7.15",)
    questions = (36,)
    minutes = 1
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="inverted",
            title=Text("比例算反了", "the ratio upside down"),
            told=Text(
                "用 MHA 的缓存去除以改造后的缓存，得到的是原来的几倍，超过了 100%。",
                "Ordinary attention's cache was divided by the smaller one, which gives more than 100%.",
            ),
            question=Text("改造之后缓存应当变大还是变小？", "Should the cache grow or shrink?"),
            caption=Text("比例算反会得到", "With the ratio inverted"),
        ),
        Misconception(
            slug="saving",
            title=Text("算成了省下的部分", "the part that is saved"),
            told=Text(
                "给出的是省掉的百分比，题目问的是剩下的。",
                "What you gave is the share that is saved; asked is the share that is left.",
            ),
            question=Text(
                "题目问的是「剩下」还是「省下」？两者加起来是多少？",
                "Does the task ask for what is left or what is saved, and what do the two add up to?",
            ),
            caption=Text("省下的是", "Saved"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="share", kind="scalar", label=Text("剩下百分之几", "percent left"), tolerance=MAGNITUDE),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        shared: dict[str, Any] = {
            "layers": int(rng.choice([24, 27, 28, 32, 36, 40, 48, 60, 61])),
            "head_width": int(rng.choice([64, 96, 128])),
        }
        if rng.random() < 2 / 3:
            heads, kv_heads = HEADS[int(rng.integers(len(HEADS)))]
            return {**shared, "heads": heads, "kv_heads": kv_heads}
        latent, rope = int(rng.choice([256, 384, 512])), int(rng.choice([32, 64]))
        return {**shared, "heads": int(rng.choice(LATENT_HEADS)), "latent_width": latent, "rope_width": rope}

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        sizes = {"layers": drawn["layers"], "itemsize": ITEMSIZE}
        before = kv_bytes_per_token(kv_heads=drawn["heads"], head_width=drawn["head_width"], **sizes)
        if "kv_heads" in drawn:
            after = kv_bytes_per_token(kv_heads=drawn["kv_heads"], head_width=drawn["head_width"], **sizes)
        else:
            after = latent_bytes_per_token(
                latent_width=drawn["latent_width"], rope_width=drawn["rope_width"], **sizes
            )
        return {"share": 100 * after / before}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        share = self.right(drawn)["share"]
        return {"share": 10**4 / share if slug == "inverted" else 100 - share}

    def prompt(self, drawn: Drawn) -> Prompt:
        common = (
            ("L", drawn["layers"], Text("层数", "layers")),
            ("h", drawn["heads"], Text("query 头数", "query heads")),
            ("d_h", drawn["head_width"], Text("每个头的宽度", "width of one head")),
        )
        task, own, stored = _grouped(drawn) if "kv_heads" in drawn else _latent(drawn)
        return Prompt(
            task=task,
            givens=tuple(Given(name=name, value=value, note=note) for name, value, note in (*common, *own)),
            conventions=(
                stored,
                Text(
                    "普通多头（MHA）有 $h$ 个 K、V 头，每个 token、每层存 K 和 V 两份。层数、精度、"
                    "长度两边都一样。",
                    "Ordinary multi-head attention has $h$ K and V heads and stores both K and V "
                    "for every token and layer. Layers, precision and length are the same on both "
                    "sides.",
                ),
                Text(
                    "写剩下的百分比，不写百分号：四分之一写 25。",
                    "Give the percentage that is left, without the sign: a quarter is 25.",
                ),
                say.HALF_PERCENT,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        heads, width, share = drawn["heads"], drawn["head_width"], self.right(drawn)["share"]
        if "kv_heads" in drawn:
            text = told(
                "宽度、层数、长度、K 和 V 两份都约掉了，只剩头数之比：",
                "Width, layers, length and the two of K and V cancel; the ratio of heads is left:",
                rf"\frac{{h_\text{{kv}}}}{{h}} = \frac{{{drawn['kv_heads']}}}{{{heads}}} \approx "
                rf"{tex(share)}\,\%",
            )
        else:
            latent, rope = drawn["latent_width"], drawn["rope_width"]
            text = told(
                "每个 token、每层：MLA 存 $d_c + d_R$ 个数，MHA 存 $2 h d_h$ 个：",
                "For a token and a layer, MLA stores $d_c + d_R$ numbers and ordinary attention $2 h d_h$:",
                rf"\frac{{{latent} + {rope}}}{{2 \times {heads} \times {width}}} = \frac{{"
                rf"{latent + rope}}}{{{2 * heads * width}}} \approx {tex(share)}\,\%",
            )
        return (
            SolutionStep(text=text, part="share"),
            SolutionStep(
                text=Text(
                    "缓存小了，同样的显存能放更多序列，解码时每步要读的字节也少了。",
                    "A smaller cache lets more sequences into the same memory, and a decoding step "
                    "reads fewer bytes.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        if "kv_heads" in drawn:
            last = Text(
                f"缓存的头数从 {drawn['heads']} 变成了 {drawn['kv_heads']}。",
                f"The heads that are cached went from {drawn['heads']} to {drawn['kv_heads']}.",
            )
        else:
            latent = drawn["latent_width"] + drawn["rope_width"]
            last = Text(
                f"每个 token、每层从 {2 * drawn['heads'] * drawn['head_width']} 个数变成了 {latent} 个。",
                f"For a token and a layer, {2 * drawn['heads'] * drawn['head_width']} numbers "
                f"became {latent}.",
            )
        return (
            Text(
                "先写出两边每个 token、每层各存几个数。",
                "First write down how many numbers each side stores for a token and a layer.",
            ),
            Text(
                "再用改造后的除以原来的：两边相同的因子会约掉。",
                "Then divide the new count by the old one; what both sides share cancels.",
            ),
            last,
        )


Row = tuple[str, int, Text]


def _grouped(drawn: Drawn) -> tuple[Text, tuple[Row, ...], Text]:
    task = Text(
        "把普通多头注意力换成每组 query 头共用一对 K、V 头，KV Cache 剩下原来的百分之几？",
        "Ordinary multi-head attention is replaced by one in which groups of query heads share a K "
        "and a V head. What percentage of the KV cache is left?",
    )
    own = (("h_kv", drawn["kv_heads"], Text("K、V 头数", "K and V heads")),)
    return task, own, Text("K、V 头的宽度不变。", "K and V heads keep their width.")


def _latent(drawn: Drawn) -> tuple[Text, tuple[Row, ...], Text]:
    task = Text(
        "把普通多头注意力换成 MLA，KV Cache 剩下原来的百分之几？",
        "Ordinary multi-head attention is replaced by MLA (multi-head latent attention). What "
        "percentage of the KV cache is left?",
    )
    own = (
        ("d_c", drawn["latent_width"], Text("压缩向量的宽度", "width of the compressed vector")),
        ("d_R", drawn["rope_width"], Text("解耦的 RoPE key 的宽度", "width of the decoupled RoPE key")),
    )
    stored = Text(
        "MLA 每个 token、每层只存一个压缩向量 $d_c$ 和一个所有头共用的 RoPE key $d_R$。",
        "For every token and layer MLA stores one compressed vector of $d_c$ and one RoPE key of "
        "$d_R$ that all heads share.",
    )
    return task, own, stored
