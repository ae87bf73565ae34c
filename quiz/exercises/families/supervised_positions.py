"""I6: how many next-token losses a padded batch has."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.training import supervised_positions
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

MASKED_PERCENT = 15  # of BERT's masked language model


@register
class SupervisedPositions(Family):
    """Drawn: length n, padding of each sequence; the real tokens are a multiple of 20."""

    slug = "supervised_positions"
    code = "I6"
    title = Text("一批序列里有多少个位置算损失", "The positions of a batch that have a loss")
    sections = ("7.22",)
    questions = (33,)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="padding_counted",
            title=Text("把 PAD 也算进去了", "padding counted"),
            told=Text(
                "每条都算了 $n-1$ 个位置；标签是 PAD 的位置不该有损失。",
                "Each sequence was given $n-1$ positions, but those whose label is padding have no loss.",
            ),
            question=Text(
                "要模型学会在句子结束后继续输出 PAD 吗？",
                "Should the model learn to go on with PAD after the end?",
            ),
            caption=Text("连 PAD 一起算会得到", "With the padding"),
        ),
        Misconception(
            slug="one_each",
            title=Text("每条序列只算了一个", "one position for each sequence"),
            told=Text(
                "只算了每条序列的最后一个预测；因果语言模型在每个位置上都学。",
                "Only the last prediction of each sequence was counted, but a causal model learns "
                "at every position.",
            ),
            question=Text(
                "teacher forcing 为什么能一次训练整条序列？",
                "Why can teacher forcing train a whole sequence at once?",
            ),
            caption=Text("每条一个会得到", "One each"),
        ),
        Misconception(
            slug="every_token",
            title=Text("每个真实的 token 都算了一个", "one position for every real token"),
            told=Text(
                "每条多算了一个：最后一个 token 后面没有东西可以预测，第一个 token 前面也没有输入。",
                "Each sequence has one too many: nothing follows the last token, and nothing comes "
                "before the first.",
            ),
            question=Text(
                "$m$ 个 token 排成一行，相邻的「前一个预测后一个」有几对？",
                "With $m$ tokens in a row, how many pairs of one and the next are there?",
            ),
            caption=Text("每个 token 一个会得到", "One for every token"),
        ),
        Misconception(
            slug="masked_share",
            title=Text("按 BERT 遮 15% 算了", "BERT's 15% of masked tokens"),
            told=Text(
                "算的是真实 token 的 15%，那是掩码语言模型；题目是因果语言模型。",
                "The count is 15% of the real tokens, which is the masked language model; here it "
                "is a causal one.",
            ),
            question=Text(
                "题目里的训练目标是遮词还是预测下一个词？",
                "Is the objective here to fill in masked words or to predict the next one?",
            ),
            caption=Text("按 15% 算会得到", "With 15%"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="positions",
            kind="integer",
            label=Text("算损失的位置数", "positions with a loss"),
            tolerance=EXACT,
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        length, batch = int(rng.integers(24, 41)), int(rng.integers(3, 6))
        padding = [0, *(int(rng.integers(1, 15)) for _ in range(batch - 2))]
        real = (batch - 1) * length - sum(padding)
        return {"length": length, "padding": [*padding, (real + length) % 20]}

    def accepts(self, drawn: Drawn) -> bool:
        """The last sequence is padded like the others: by 1 to 19."""
        return bool(drawn["padding"][-1] > 0)

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"positions": supervised_positions(_lengths(drawn))}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        lengths = _lengths(drawn)
        counts = {
            "padding_counted": len(lengths) * (drawn["length"] - 1),
            "one_each": len(lengths),
            "every_token": sum(lengths),
            "masked_share": sum(lengths) * MASKED_PERCENT // 100,
        }
        return {"positions": counts[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "因果语言模型用这一批序列做一步训练，预测下一个 token。一共有多少个位置算损失？",
                "A causal language model makes one training step on this batch, predicting the next "
                "token. How many positions have a loss?",
            ),
            givens=(
                Given(name="B", value=len(drawn["padding"]), note=Text("序列数", "sequences")),
                Given(name="n", value=drawn["length"], note=Text("填充后的长度", "length with padding")),
                Given(
                    name="pad",
                    value=drawn["padding"],
                    note=Text("每条序列右边的 PAD 数", "PAD tokens on the right of each"),
                ),
            ),
            conventions=(
                Text(
                    "PAD 在右边；标签是 PAD 的位置不算损失。",
                    "Padding is on the right; positions whose label is PAD have no loss.",
                ),
                Text(
                    "输入和标签是同一串 token 错开一位：句首和句尾的标记已经在 $n$ 里，不再另加。",
                    "Inputs and labels are the same tokens, one place apart; begin and end marks "
                    "are among the $n$ already, and none are added.",
                ),
                Text(
                    "每条序列单独一行，没有拼接；提示部分也算损失。要整数，必须准确。",
                    "One sequence a row, nothing packed; prompts have a loss too. A whole number, exact.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        lengths = _lengths(drawn)
        pairs = " + ".join(f"({m} - 1)" for m in lengths)
        return (
            SolutionStep(
                text=Text(
                    f"去掉 PAD，各条序列的真实长度是 {'、'.join(map(str, lengths))}。",
                    f"Without padding the sequences are {', '.join(map(str, lengths))} long.",
                )
            ),
            SolutionStep(
                text=told(
                    "长 $m$ 的序列有 $m-1$ 对「前一个预测后一个」：",
                    "A sequence of $m$ has $m-1$ pairs of one token and the next:",
                    rf"{pairs} = {self.right(drawn)['positions']}",
                ),
                part="positions",
            ),
            SolutionStep(
                text=told(
                    "也可以从整批算起：",
                    "Or from the whole batch:",
                    rf"B(n-1) - \text{{pad}} = {len(lengths)} \times {drawn['length'] - 1} - "
                    rf"{sum(drawn['padding'])} = {self.right(drawn)['positions']}",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        lengths = _lengths(drawn)
        return (
            Text(
                "一条一条地数：这条序列里有几个 token 能当标签？",
                "Sequence by sequence: how many of its tokens can be labels?",
            ),
            Text(
                "第一个 token 不是任何位置的标签，PAD 也不是。",
                "The first token is no position's label, and neither is padding.",
            ),
            Text(
                f"第 1 条有 {lengths[0]} 个真实 token，算 {lengths[0] - 1} 个位置；其余照样。",
                f"Sequence 1 has {lengths[0]} real tokens and so {lengths[0] - 1} positions; the "
                "others likewise.",
            ),
        )


def _lengths(drawn: Drawn) -> list[int]:
    return [drawn["length"] - padding for padding in drawn["padding"]]
