"""E3: one row of weights under padding on the left and a causal mask at once; what one array means to three
libraries.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from attention_core import faults, masks, pipeline
from attention_core.inputs import Inputs
from quiz.exercises import conventions as say
from quiz.exercises import honesty
from quiz.exercises.attention_steps import told, weights_lines
from quiz.exercises.choosing import Asked, Pick, mistakes_of, shuffled
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.padding_mistakes import PADDING_MISTAKES
from quiz.exercises.registry import register
from quiz.exercises.resuming import resumed_row
from quiz.exercises.types import (
    Drawn,
    Given,
    Misconception,
    Part,
    Prompt,
    SolutionStep,
    Text,
    Value,
    Values,
)

TOKENS = 6
SATURATED = 0.95
_SMALL = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

# What 1 means to SDPA, nn.MultiheadAttention and Hugging Face: 1 seen, 0 hidden. The option that says so.
READINGS: dict[tuple[int, ...], str] = {
    (1, 0, 1): "hidden_in_multihead",
    (1, 1, 1): "seen_everywhere",
    (0, 1, 0): "turned_round",
    (0, 0, 1): "hidden_in_torch",
    (1, 0, 0): "hidden_but_in_sdpa",
}
READING_MISTAKES = (
    Misconception(
        slug="seen_everywhere",
        title=Text("以为 1 在三处都表示看得见", "a 1 taken to mean “seen” in all three"),
        told=Text(
            "三处都按「1 就是可以看」来读，可是其中有一处的布尔掩码说的是「哪些不许看」。",
            "The array was read as “1 may be seen” three times, but one of the three boolean masks says what "
            "may not be seen.",
        ),
        question=Text(
            "参数名里带 padding 的那个掩码，True 标的是 padding，还是真实的 token？",
            "In the mask whose name speaks of padding, does True mark the padding or the real tokens?",
        ),
        caption=Text("选了三处都看得见", "Seen in all three chosen"),
    ),
    Misconception(
        slug="turned_round",
        title=Text("三处的含义全弄反了", "all three meanings turned round"),
        told=Text(
            "每一处都和文档说的相反：看得见的和看不见的换了位置。",
            "Each of the three is the opposite of what its documentation says.",
        ),
        question=Text(
            "`F.scaled_dot_product_attention` 的文档里，布尔 `attn_mask` 的 True 是「参与注意力」还是「遮"
            "住」？",
            "In the documentation of `F.scaled_dot_product_attention`, does True in a boolean `attn_mask` "
            "mean "
            "“takes part” or “hidden”?",
        ),
        caption=Text("选了全部相反", "All opposite chosen"),
    ),
    Misconception(
        slug="hidden_in_torch",
        title=Text("以为 torch 的两个接口含义相同", "both torch interfaces taken to mean the same"),
        told=Text(
            "torch 的两个接口都按「True 就遮住」来读，可是它们的布尔约定正好相反。",
            "Both torch interfaces were read as “True is hidden”, but their boolean conventions are "
            "opposite.",
        ),
        question=Text(
            "把下三角的布尔矩阵传给 `F.scaled_dot_product_attention`，等不等于 `is_causal=True`？",
            "Does a lower-triangular boolean matrix given to `F.scaled_dot_product_attention` equal "
            "`is_causal=True`?",
        ),
        caption=Text("选了 torch 两处都遮住", "Hidden in both of torch chosen"),
    ),
    Misconception(
        slug="hidden_but_in_sdpa",
        title=Text("把 Hugging Face 的 1 当成遮住", "a 1 of Hugging Face taken to mean “hidden”"),
        told=Text(
            "Hugging Face 的 `attention_mask` 也按「1 就遮住」读了；分词器给真实 token 的是哪个数，可以打印出"
            "来看。",
            "The `attention_mask` of Hugging Face was read as “1 is hidden” too; print what a tokeniser "
            "gives the "
            "real tokens.",
        ),
        question=Text(
            "分词器返回的 `attention_mask` 里，没有补齐的一句话是全 1 还是全 0？",
            "For a sentence without padding, is the `attention_mask` of a tokeniser all ones or all zeros?",
        ),
        caption=Text("选了只有 SDPA 看得见", "Seen in SDPA alone chosen"),
    ),
)


@register
class BothMasks(Family):
    """Drawn: scaled, the asked row's scores (6), different halves; pads on the left, 1 or 2; row from 0, with
    at least two keys seen and one hidden by the causal mask; passed, the array that is handed to three
    libraries (1 at the real tokens, or at the padding); options, the order of the choices.
    """

    slug = "both_masks"
    version = 2
    code = "E3"
    title = Text("两种掩码一起用", "Two masks at once")
    sections = ("7.16", "7.17")
    questions = (23,)
    minutes = 4
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        tuple(PADDING_MISTAKES[slug] for slug in faults.BOTH_MASKS) + READING_MISTAKES
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="masked",
            kind="vector",
            label=Text("掩码后的分数", "masked scores"),
            shape=(TOKENS,),
            role="s",
            required=False,
            infinite=True,
        ),
        Part(
            name="weights",
            kind="vector",
            label=Text("权重", "weights"),
            shape=(TOKENS,),
            role="s",
            uses=("masked",),
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        pads = int(rng.choice([1, 2]))
        at_pads = bool(rng.integers(2))
        return {
            "scaled": (rng.choice(np.arange(-3, 6), TOKENS, replace=False) / 2).tolist(),
            "pads": pads,
            "row": int(rng.integers(pads + 1, TOKENS - 1)),
            "passed": [int((j < pads) == at_pads) for j in range(TOKENS)],
            "options": shuffled(rng, READINGS.values()),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """What the row sees reaches 0 without saturation, and honest rounding comes out right."""
        row = slice(drawn["row"], drawn["row"] + 1)
        t = pipeline.follow(_inputs(drawn))
        if t.masked[row].max() < 0 or t.weights[row].max() >= SATURATED:
            return False
        return honesty.survives(t.masked[row], np.eye(TOKENS), t.weights[row])

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return (*self._PARTS, _visible(drawn).part)

    def right(self, drawn: Drawn) -> Values:
        return {**_values(drawn, pipeline.follow(_inputs(drawn))), "visible": _visible(drawn).right}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        return self.mistakes(drawn)[slug]

    def mistakes(self, drawn: Drawn) -> dict[str, Values]:
        inputs, right = _inputs(drawn), self.right(drawn)
        masked = {
            slug: {**right, **_values(drawn, pipeline.follow(inputs, faults.steps_with(slug)))}
            for slug in faults.BOTH_MASKS
        }
        return masked | mistakes_of([_visible(drawn)], known=self.misconceptions, others=right)

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        if part != "weights":
            return None
        row, one = np.array([drawn["scaled"]], dtype=np.float64), np.eye(TOKENS)
        return resumed_row(pipeline.prepare(row, one, one, scale=1.0), earlier, part)

    def prompt(self, drawn: Drawn) -> Prompt:
        row, pads = drawn["row"] + 1, drawn["pads"]
        return Prompt(
            task=Text(
                f"左边补了 {pads} 个 PAD，一共 {TOKENS} 个位置，做因果自注意力：由第 {row} 行的分数算出这一行"
                f"的权重。"
                "数组 $u$ 交给三个库，又各看得见哪些 key？",
                f"{_padding_tokens(pads)[0].upper()}{_padding_tokens(pads)[1:]} on the left, {TOKENS} "
                f"positions in "
                f"all, causal self-attention: work out the weights of row {row} from its scores. And which "
                f"keys do "
                "three libraries see when they are handed $u$?",
            ),
            givens=(
                Given(name=f"s_{row}", value=drawn["scaled"], role="s"),
                Given(
                    name="m",
                    value=[int(seen) for seen in _padding(drawn)[0]],
                    note=Text("1 真实，0 是 PAD", "1 real, 0 padding"),
                ),
                Given(
                    name="u",
                    value=drawn["passed"],
                    note=Text("交给三个库的数组", "handed to three libraries"),
                ),
            ),
            conventions=(
                Text(
                    "分数已经除过 $\\sqrt{d_k}$，还没有加任何掩码。",
                    "The scores are already divided by $\\sqrt{d_k}$ and not yet masked in any way.",
                ),
                Text(
                    "因果掩码：每个 token 看得见自己和前面的。PAD 不许被任何一行看。",
                    "Causal mask: a token sees itself and those before it. No row may see the padding.",
                ),
                Text(
                    "看不见的分数记作 `-inf`（或 −∞），权重是 0，也要写出来。",
                    "A hidden score is written `-inf` (or −∞); its weight is 0 and is written too.",
                ),
                Text(
                    "$u$ 原样交出去，不取反：当作 `F.scaled_dot_product_attention` 的布尔 `attn_mask`、"
                    "`nn.MultiheadAttention` 的布尔 `key_padding_mask`（1 变成 True）和 Hugging Face 的 "
                    "`attention_mask`；这一问不加因果掩码。",
                    "$u$ is handed over as it is: as the boolean `attn_mask` of "
                    "`F.scaled_dot_product_attention` and the boolean `key_padding_mask` of "
                    "`nn.MultiheadAttention` (1 becomes True), and as the `attention_mask` of Hugging Face; "
                    "no "
                    "causal mask in that question.",
                ),
                say.SOFTMAX_OVER_KEYS,
                say.COUNTED_FROM_ONE,
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        row, pads, right = drawn["row"] + 1, drawn["pads"], self.right(drawn)
        return (
            SolutionStep(
                text=told(
                    f"padding 掩码遮掉前 {pads} 列，因果掩码遮掉第 {row} 列后面的。有一个遮，就看不见：",
                    f"The padding mask hides the columns up to {pads}, the causal mask those after {row}. "
                    "Hidden by either is hidden:",
                    tex(right["masked"]),
                ),
                part="masked",
                figure=Given(name=f"s_{row}", value=right["masked"], role="s"),
            ),
            SolutionStep(
                text=told(
                    f"剩下第 {pads + 1} 到第 {row} 列，softmax 只在它们之间分：",
                    f"Columns {pads + 1} to {row} are left, and the softmax shares among them only:",
                    *weights_lines(right["masked"][pads:row]),
                ),
                part="weights",
                figure=Given(name=f"a_{row}", value=right["weights"], role="s"),
            ),
            SolutionStep(
                text=Text(
                    "SDPA 的 True 是「参与」，`nn.MultiheadAttention` 的 True 是「遮住」，Hugging Face 的 1 "
                    "是「真实」："
                    f"{_visible(drawn).right_label.zh}。",
                    "True takes part in SDPA, is hidden in `nn.MultiheadAttention`, and 1 is real in Hugging "
                    "Face: "
                    f"{_visible(drawn).right_label.en}.",
                ),
                part="visible",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        row, pads = drawn["row"] + 1, drawn["pads"]
        return (
            Text(
                "两个掩码各自遮住哪些列？先分别写出来。三个库的约定不全一样。",
                "Which columns does each mask hide? Write the two lists first. The conventions of the three "
                "libraries are not all the same.",
            ),
            Text(
                "要两个掩码都放行，这一列才看得见。torch 的两个接口，布尔约定正好相反。",
                "A column is seen only if both masks let it through. The two interfaces of torch have "
                "opposite "
                "boolean conventions.",
            ),
            Text(
                f"看得见的是第 {pads + 1} 到第 {row} 列，分数是 ${tex(drawn['scaled'][pads:row])}$。",
                f"Columns {pads + 1} to {row} are seen, with the scores ${tex(drawn['scaled'][pads:row])}$.",
            ),
        )


def _padding_tokens(pads: int) -> str:
    return f"{pads} padding token{'s' if pads > 1 else ''}"


def _padding(drawn: Drawn) -> Any:
    """(1, keys): True at the real ones, which stand on the right."""
    return masks.padding([TOKENS - drawn["pads"]], keys=TOKENS, side="left")[0, 0]


def _inputs(drawn: Drawn) -> Inputs:
    """The asked row as q·Iᵀ with scale 1; the other rows are 0, nothing depends on them."""
    scaled = np.zeros((TOKENS, TOKENS))
    scaled[drawn["row"]] = drawn["scaled"]
    one = np.eye(TOKENS)
    return pipeline.prepare(scaled, one, one, mask=_padding(drawn), causal="top_left", scale=1.0)


def _values(drawn: Drawn, trace: pipeline.Trace) -> Values:
    return {name: (trace[name][drawn["row"]] + 0.0).tolist() for name in ("masked", "weights")}


def _visible(drawn: Drawn) -> Asked:
    """Which keys SDPA, nn.MultiheadAttention and Hugging Face see under the passed array."""
    ones = np.array(drawn["passed"]) == 1
    seen = (
        masks.from_sdpa(ones),
        masks.from_multihead(ones),
        masks.from_hugging_face([drawn["passed"]])[0, 0, 0],
    )
    meant = tuple(int(np.array_equal(one, ones)) for one in seen)
    picks = {
        slug: Pick(slug=slug, label=_keys_seen(ones, meaning), mistake=slug)
        for meaning, slug in READINGS.items()
    }
    return Asked(
        name="visible",
        label=Text("三个库各看得见哪些 key", "the keys that each library sees"),
        picks=tuple(picks[slug] for slug in drawn["options"]),
        right=READINGS[meant],
    )


def _keys_seen(ones: Any, meaning: tuple[int, ...]) -> Text:
    sdpa, multihead, hugging = (_span(ones == bool(seen)) for seen in meaning)
    return Text(
        f"SDPA 看见 {sdpa}；MultiheadAttention 看见 {multihead}；Hugging Face 看见 {hugging}",
        f"SDPA sees {sdpa}; MultiheadAttention {multihead}; Hugging Face {hugging}",
    )


def _span(seen: Any) -> str:
    """`k₁–k₂`: the keys of a mask whose true places are neighbours, counted from 1."""
    first, last = int(np.flatnonzero(seen)[0]) + 1, int(np.flatnonzero(seen)[-1]) + 1
    names = [f"k{number}".translate(_SMALL) for number in (first, last)]
    return names[0] if first == last else "–".join(names)
