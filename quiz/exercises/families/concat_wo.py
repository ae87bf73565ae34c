"""D4: the heads' outputs side by side, through W_O."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.multihead import join
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_dot
from quiz.exercises.projected import listed
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

HEADS = HEAD_WIDTH = 2
WIDTH = HEADS * HEAD_WIDTH


@register
class ConcatWo(Family):
    """Drawn: heads (2, 2), the output of each head for one token, integers; w_o (4, 4), integers."""

    slug = "concat_wo"
    code = "D4"
    title = Text("拼接各头，再乘 W_O", "Concatenate the heads, then W_O")
    sections = ("7.14",)
    questions = (18, 20)
    minutes = 3
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="no_output_projection",
            title=Text("拼接之后没有乘 W_O", "a concatenation without W_O"),
            told=Text(
                "停在了拼接这一步：各头的结果只是并排放着，还没有混合。",
                "The work stopped at the concatenation: the heads stand side by side and have not been "
                "mixed.",
            ),
            question=Text(
                "拼接之后，来自不同头的信息在哪一步才合到一起？",
                "After the concatenation, at which step does what the heads found come together?",
            ),
            caption=Text("不乘 W_O 会得到", "Without W_O"),
        ),
        Misconception(
            slug="transposed_projection",
            title=Text("乘了 W_O 的转置", "a multiplication by W_O transposed"),
            told=Text(
                "拼好的行向量和 $W_O$ 的行做了点积，算成了 $W_O^\\top$；`nn.Linear` 的 `weight` 存的正是"
                "转置。",
                "The row vector met the rows of $W_O$, which is a product with $W_O^\\top$; `nn.Linear` "
                "stores its `weight` transposed.",
            ),
            question=Text(
                "行向量写在左边时，和 $W_O$ 的行还是列做点积？",
                "With the row vector on the left, does it meet the rows or the columns of $W_O$?",
            ),
            caption=Text("乘 W_O 的转置会得到", "With W_O transposed"),
        ),
        Misconception(
            slug="heads_averaged",
            title=Text("对各头取了平均", "the heads averaged"),
            told=Text(
                "各头乘自己那几行 $W_O$ 之后取了平均，只剩下一半；拼接再乘等于相加，不是平均。",
                "The heads went through their rows of $W_O$ and were then averaged, which leaves half: "
                "concatenating and multiplying adds them.",
            ),
            question=Text(
                "把拼接向量乘 $W_O$ 按头拆成两块，两块的结果之间是什么运算？",
                "Split the product with $W_O$ into one block for each head: which operation joins the "
                "two results?",
            ),
            caption=Text("取平均会得到", "Averaging the heads"),
        ),
        Misconception(
            slug="heads_exchanged",
            title=Text("头的次序反了", "the heads in the wrong order"),
            told=Text(
                "第 2 个头放在了前面，于是每个头都乘了别人那几行 $W_O$。",
                "Head 2 was put first, so that each head met the rows of $W_O$ that belong to the other.",
            ),
            question=Text(
                "$W_O$ 的前两行对应哪个头？", "To which head do the first two rows of $W_O$ belong?"
            ),
            caption=Text("次序反了会得到", "In the other order"),
        ),
        Misconception(
            slug="interleaved",
            title=Text("把两个头交错着放了", "the heads interleaved"),
            told=Text(
                "两个头的分量被一个隔一个地排列；拼接是先放完第 1 个头，再放第 2 个。",
                "The components of the two heads alternate; concatenating puts all of head 1 before head 2.",
            ),
            question=Text(
                "从 $[h, n, d_h]$ 换回 $[n, h, d_h]$ 再展平，哪一个下标变得最快？",
                "Going from $[h, n, d_h]$ back to $[n, h, d_h]$ and flattening, which index runs fastest?",
            ),
            caption=Text("交错排列会得到", "Interleaving them"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="output",
            kind="vector",
            label=Text("输出", "output"),
            shape=(WIDTH,),
            tolerance=EXACT,
            role="o",
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "heads": rng.choice([-2, -1, 1, 2, 3], (HEADS, HEAD_WIDTH)).tolist(),
            "w_o": rng.integers(-1, 3, (WIDTH, WIDTH)).tolist(),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """A W_O that is not its own transpose (so no identity either) and has no row of zeros."""
        w_o = np.array(drawn["w_o"])
        return bool((w_o != w_o.T).any() and w_o.any(axis=1).all())

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"output": _joined(np.array(drawn["heads"]), np.array(drawn["w_o"]))}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        heads, w_o = np.array(drawn["heads"]), np.array(drawn["w_o"])
        given, weight = {
            "no_output_projection": (heads, np.eye(WIDTH)),
            "transposed_projection": (heads, w_o.T),
            "heads_averaged": (heads / HEADS, w_o),
            "heads_exchanged": (heads[::-1], w_o),
            "interleaved": (heads.T.reshape(HEADS, HEAD_WIDTH), w_o),
        }[slug]
        return {"output": _joined(given, weight)}

    def prompt(self, drawn: Drawn) -> Prompt:
        first, second = drawn["heads"]
        return Prompt(
            task=Text(
                "两个头对同一个 token 各给出一个输出。拼接，再乘 $W_O$，得到多头注意力的输出。",
                "Two heads have each produced an output for the same token. Concatenate them and apply "
                "$W_O$: what is the output of multi-head attention?",
            ),
            givens=(
                Given(name="h_1", value=first, role="o", note=Text("第 1 个头", "head 1")),
                Given(name="h_2", value=second, role="o", note=Text("第 2 个头", "head 2")),
                Given(name="W_O", value=drawn["w_o"]),
            ),
            conventions=(
                Text(
                    "按头的次序拼接成一个行向量 $[h_1, h_2]$，写在 $W_O$ 的左边；没有偏置。",
                    "The heads are concatenated in order into one row vector $[h_1, h_2]$, to the left "
                    "of $W_O$; there is no bias.",
                ),
                Text("只到 $W_O$ 为止，不加残差。", "It ends with $W_O$; no residual is added."),
                say.WHOLE_NUMBERS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        joined, output = _side_by_side(drawn), self.right(drawn)["output"]
        columns = zip(*drawn["w_o"], strict=True)
        lines = [
            rf"o_{c} = {tex_dot(joined, column)} = {tex(output[c - 1])}"
            for c, column in enumerate(columns, start=1)
        ]
        return (
            SolutionStep(
                text=told("拼接：", "Concatenate:", rf"[h_1, h_2] = {tex(joined)}"),
            ),
            SolutionStep(
                text=told(
                    "和 $W_O$ 的每一列做点积：", "Then the dot product with every column of $W_O$:", *lines
                ),
                part="output",
                figure=Given(name="o", value=output, role="o"),
            ),
            SolutionStep(
                text=Text(
                    "换一种看法：$o = h_1 W_O^{(1)} + h_2 W_O^{(2)}$，$W_O$ 的前两行属于第 1 个头，后两"
                    "行属于第 2 个头。",
                    "Seen another way, $o = h_1 W_O^{(1)} + h_2 W_O^{(2)}$: the first two rows of $W_O$ "
                    "belong to head 1, the last two to head 2.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        joined, column = _side_by_side(drawn), [row[0] for row in drawn["w_o"]]
        return (
            Text(
                "拼接只是并排放，真正把两个头混到一起的是 $W_O$。",
                "Concatenating only puts the heads side by side; it is $W_O$ that mixes them.",
            ),
            Text(
                f"拼好的行向量有 {WIDTH} 个分量，和 $W_O$ 的列做点积。",
                f"The row vector has {WIDTH} components and meets the columns of $W_O$.",
            ),
            Text(
                f"第一个分量是 ${tex_dot(joined, column)}$。",
                f"The first component is ${tex_dot(joined, column)}$.",
            ),
        )


def _side_by_side(drawn: Drawn) -> list[int]:
    return [component for head in drawn["heads"] for component in head]


def _joined(heads: np.typing.NDArray[np.generic], w_o: np.typing.NDArray[np.generic]) -> list[float]:
    """The layer's output for one token, from its heads (h, d_h)."""
    outputs = heads.astype(np.float64)[:, None, :]
    joined: list[float] = listed(join(outputs, w_o.astype(np.float64))[0])
    return joined
