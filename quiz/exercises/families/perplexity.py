"""I5: the perplexity of three tokens."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from attention_core.training import perplexity
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
    Value,
    Values,
)

TOKENS = 3


@register
class Perplexity(Family):
    """Drawn: probabilities, three different ones."""

    slug = "perplexity"
    code = "I5"
    title = Text("算出一段文本的困惑度", "The perplexity of a text")
    sections = ("7.22",)
    questions = (33,)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="summed",
            title=Text("取了总和，没有取平均", "a sum instead of a mean"),
            told=Text(
                "指数里放的是损失之和，得到的是整段概率的倒数；文本越长它就越大。",
                "The exponent was the sum of the losses, which gives one over the probability of "
                "the text; it grows with every token.",
            ),
            question=Text(
                "两段文本一样好猜，只是长短不同，困惑度应当一样吗？",
                "Should two texts that are equally easy to guess, one longer than the other, have "
                "the same perplexity?",
            ),
            caption=Text("用总和会得到", "With the sum"),
        ),
        Misconception(
            slug="mean_of_inverses",
            title=Text("把 1/p 直接取了平均", "the mean of 1/p"),
            told=Text(
                "平均的是 $1/p$ 而不是 $-\\ln p$：得到的是算术平均，困惑度是几何平均。",
                "What was averaged is $1/p$, not $-\\ln p$: an arithmetic mean where perplexity is "
                "a geometric one.",
            ),
            question=Text(
                "定义里先取平均还是先取指数？",
                "In the definition, which comes first, the mean or the exponential?",
            ),
            caption=Text("平均 1/p 会得到", "The mean of 1/p"),
        ),
        Misconception(
            slug="inverse_of_mean",
            title=Text("先平均概率，再取倒数", "one over the mean probability"),
            told=Text(
                "算成了 $1/\\bar p$：平均的应当是 $-\\ln p$。",
                "The result is $1/\\bar p$, but what is averaged should be $-\\ln p$.",
            ),
            question=Text(
                "交叉熵平均的是概率，还是概率的对数？",
                "Does cross-entropy average probabilities or their logarithms?",
            ),
            caption=Text("平均概率再取倒数会得到", "One over the mean"),
        ),
        Misconception(
            slug="loss",
            title=Text("停在了损失，没有取指数", "the loss itself, without the exponential"),
            told=Text(
                "给出的是平均负对数似然，还差一次指数。",
                "What you gave is the mean negative log-likelihood; the exponential is missing.",
            ),
            question=Text(
                "猜对每个 token 的概率都是 1 时，困惑度应当是多少？你的算法给出多少？",
                "If every token had the probability 1, what should the perplexity be, and what "
                "would you get?",
            ),
            caption=Text("停在损失会得到", "The loss"),
        ),
        Misconception(
            slug="base_two",
            title=Text("对数用 e，指数却用了 2", "2 to the power of a loss in nats"),
            told=Text(
                "损失是用自然对数算的，指数的底却换成了 2。",
                "The loss was taken with the natural logarithm, but the power with base 2.",
            ),
            question=Text(
                "对数和指数的底必须满足什么关系，才能还原成「几选一」？",
                "How must the bases of logarithm and power be related to undo each other?",
            ),
            caption=Text("用 2 作底会得到", "With powers of 2"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="loss", kind="scalar", label=Text("平均损失", "mean loss"), required=False),
        Part(
            name="perplexity",
            kind="scalar",
            label=Text("困惑度", "perplexity"),
            tolerance=MAGNITUDE,
            uses=("loss",),
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        choices = [0.05, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 0.8]
        return {"probabilities": rng.choice(choices, TOKENS, replace=False).tolist()}

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        logs = [math.log(p) for p in drawn["probabilities"]]
        return {"loss": -sum(logs) / TOKENS, "perplexity": perplexity(logs)}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        chances = drawn["probabilities"]
        loss = self.right(drawn)["loss"]
        found = {
            "summed": 1 / math.prod(chances),
            "mean_of_inverses": sum(1 / p for p in chances) / TOKENS,
            "inverse_of_mean": TOKENS / sum(chances),
            "loss": loss,
            "base_two": 2.0**loss,
        }
        return {"loss": loss * TOKENS if slug == "summed" else loss, "perplexity": found[slug]}

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        return perplexity([-earlier["loss"]]) if part == "perplexity" else None

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                f"语言模型依次给 {TOKENS} 个正确的 token 打出下面的概率。这段文本的困惑度是多少？",
                f"A language model gave these probabilities to the {TOKENS} tokens that came. What "
                "is its perplexity on this text?",
            ),
            givens=(
                Given(
                    name="p",
                    value=drawn["probabilities"],
                    note=Text("每个正确 token 的概率", "of each true token"),
                ),
            ),
            conventions=(
                Text(
                    f"困惑度是 $e$ 的平均负对数似然次方，按 token 平均，{TOKENS} 个 token 都算。",
                    "Perplexity is $e$ to the mean negative log-likelihood, averaged over the "
                    f"tokens, all {TOKENS} of them.",
                ),
                Text("对数是自然对数 $\\ln$。", "Logarithms are natural, $\\ln$."),
                say.HALF_PERCENT,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        right, chances = self.right(drawn), drawn["probabilities"]
        losses = [-math.log(p) for p in chances]
        product = r" \times ".join(tex(p) for p in chances)
        return (
            SolutionStep(
                text=told(
                    "每个 token 的损失是 $-\\ln p$，取平均：",
                    "Each token's loss is $-\\ln p$; their mean:",
                    rf"-\ln p \approx {tex(losses)}",
                    rf"\frac{{{' + '.join(tex(loss) for loss in losses)}}}{{{TOKENS}}} \approx "
                    rf"{tex(right['loss'])}",
                ),
                part="loss",
            ),
            SolutionStep(
                text=told(
                    "取指数：",
                    "Its exponential:",
                    rf"e^{{{tex(right['loss'])}}} \approx {tex(right['perplexity'])}",
                ),
                part="perplexity",
            ),
            SolutionStep(
                text=told(
                    "换一种看法：它是 $1/p$ 的几何平均，相当于每步在这么多个等可能的 token 里猜：",
                    "Seen otherwise: the geometric mean of $1/p$, as if every step were a guess "
                    "among so many equally likely tokens:",
                    rf"\left({product}\right)^{{-1/{TOKENS}}}",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        losses = [-math.log(p) for p in drawn["probabilities"]]
        return (
            Text("先算平均损失，再取指数。", "First the mean loss, then its exponential."),
            Text(
                "每个 token 的损失是 $-\\ln p$；平均是除以 token 数。",
                "A token's loss is $-\\ln p$; the mean divides by the number of tokens.",
            ),
            Text(
                f"三个损失是 ${tex(losses)}$；取平均，再算 $e$ 的这么多次方。",
                f"The three losses are ${tex(losses)}$; take their mean, and $e$ to that power.",
            ),
        )
