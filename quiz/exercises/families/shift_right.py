"""I3: the inputs and labels of teacher forcing."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.training import shift_right
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

TOKENS = 4
SPECIAL = ((0, 1), (1, 2), (101, 102), (2, 3))


@register
class ShiftRight(Family):
    """Drawn: tokens, four different ids; bos; eos."""

    slug = "shift_right"
    code = "I3"
    title = Text("写出右移后的输入和标签", "Inputs and labels, shifted right")
    sections = ("7.22",)
    questions = (33,)
    minutes = 2
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="not_shifted",
            title=Text("输入没有右移", "inputs that were not shifted"),
            told=Text(
                "输入和标签是同一串：每个位置的答案就是它自己的输入，模型照抄即可。",
                "Inputs and labels are the same row: every position is asked for the very token it "
                "reads, and copying is enough.",
            ),
            question=Text(
                "位置 $t$ 要预测的是下一个 token。它的输入里能不能已经有答案？",
                "Position $t$ is to predict the next token: may its input already hold the answer?",
            ),
            caption=Text("不右移会得到", "Without shifting"),
        ),
        Misconception(
            slug="labels_shifted_too",
            title=Text("标签也跟着右移了", "labels shifted along with the inputs"),
            told=Text(
                "标签也以 ⟨bos⟩ 开头：输入和标签还是一样，最后的 ⟨eos⟩ 永远学不到。",
                "The labels start with ⟨bos⟩ too: they equal the inputs again, and ⟨eos⟩ is never learnt.",
            ),
            question=Text(
                "模型什么时候需要预测 ⟨bos⟩？又怎样学会停下来？",
                "When would a model have to predict ⟨bos⟩, and how does it learn to stop?",
            ),
            caption=Text("标签也右移会得到", "With the labels shifted too"),
        ),
        Misconception(
            slug="reversed",
            title=Text("输入和标签写反了", "inputs and labels in each other's place"),
            told=Text(
                "输入没有 ⟨bos⟩，标签反而有：成了看着后一个 token 预测前一个。",
                "The labels have the ⟨bos⟩ and the inputs the ⟨eos⟩: each token would be predicted "
                "from the next one.",
            ),
            question=Text(
                "生成的第一步，模型手里只有哪个 token？",
                "At the first step of generation, which is the only token the model has?",
            ),
            caption=Text("写反会得到", "The other way round"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="pair",
            kind="sequence",
            label=Text("输入，接着是标签", "inputs, then labels"),
            shape=(2 * (TOKENS + 1),),
            tolerance=EXACT,
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        bos, eos = SPECIAL[int(rng.integers(len(SPECIAL)))]
        tokens = rng.choice(np.arange(110, 1000), TOKENS, replace=False).tolist()
        return {"tokens": tokens, "bos": bos, "eos": eos}

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        inputs, labels = _shifted(drawn)
        return {"pair": inputs + labels}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        inputs, labels = _shifted(drawn)
        pairs = {
            "not_shifted": labels + labels,
            "labels_shifted_too": inputs + inputs,
            "reversed": labels + inputs,
        }
        return {"pair": pairs[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                f"用 teacher forcing 训练因果解码器，这是一句话的 {TOKENS} 个 token。写出解码器的输"
                "入，接着写出标签。",
                f"A causal decoder is trained by teacher forcing on this sentence of {TOKENS} "
                "tokens. Write the decoder's inputs, and after them the labels.",
            ),
            givens=(
                Given(name="t", value=drawn["tokens"], note=Text("token 编号", "token ids")),
                Given(name="bos", value=drawn["bos"], note=Text("句首", "begin of sequence")),
                Given(name="eos", value=drawn["eos"], note=Text("句尾", "end of sequence")),
            ),
            conventions=(
                Text(
                    "一共训练 5 个位置：前 4 个各预测一个 token，最后一个预测 ⟨eos⟩。框架不会替你移位。",
                    "There are 5 positions to train: four predict a token each, the last one ⟨eos⟩. "
                    "The framework does not shift for you.",
                ),
                Text(
                    "先写 5 个输入，再写 5 个标签，一共 10 个编号，用逗号隔开，例如 `1, 2, 3`。没有填充。",
                    "First the 5 inputs, then the 5 labels: 10 ids, separated by commas, as in `1, "
                    "2, 3`. No padding.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        inputs, labels = _shifted(drawn)
        pair = self.right(drawn)["pair"]
        return (
            SolutionStep(
                text=Text(
                    f"输入以 ⟨bos⟩ 开头，整句右移一位：${tex(inputs)}$。",
                    f"The inputs start with ⟨bos⟩, the sentence moves one place right: ${tex(inputs)}$.",
                )
            ),
            SolutionStep(
                text=Text(
                    f"标签是同一句，以 ⟨eos⟩ 结尾：${tex(labels)}$。",
                    f"The labels are the same sentence, ending in ⟨eos⟩: ${tex(labels)}$.",
                )
            ),
            SolutionStep(
                text=Text(
                    f"连起来是 ${tex(pair)}$。自查：每个位置的标签，正是下一个位置的输入。",
                    f"Together ${tex(pair)}$. Check: the label at each position is the input at the next.",
                ),
                part="pair",
                figure=Given(name="⟨x, y⟩", value=pair),
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        inputs, labels = _shifted(drawn)
        return (
            Text(
                "每个位置读到目前为止的 token，预测下一个。",
                "Each position reads the tokens so far and predicts the next one.",
            ),
            Text(
                "输入多一个 ⟨bos⟩，标签多一个 ⟨eos⟩，两串一样长。",
                "The inputs gain a ⟨bos⟩, the labels an ⟨eos⟩; both are equally long.",
            ),
            Text(
                f"第一个位置输入 {inputs[0]}，标签 {labels[0]}；最后一个位置输入 {inputs[-1]}。",
                f"The first position reads {inputs[0]} and is asked for {labels[0]}; the last one "
                f"reads {inputs[-1]}.",
            ),
        )


def _shifted(drawn: Drawn) -> tuple[list[int], list[int]]:
    inputs, labels = shift_right(drawn["tokens"], bos=drawn["bos"], eos=drawn["eos"])
    return inputs.tolist(), labels.tolist()
