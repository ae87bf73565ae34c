"""H6: the projections of keys and values that a cache saves."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.costs import projections_without_cache
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values


@register
class Recomputation(Family):
    """Drawn: prompt and steps."""

    slug = "recompute"
    code = "H6"
    title = Text("KV Cache 省掉了多少次重复投影", "The projections a KV cache saves")
    sections = ("7.15",)
    questions = (35,)
    minutes = 3
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="prompt_only",
            title=Text(
                "只算了提示，没算已生成的 token", "the prompt counted, but not the tokens generated since"
            ),
            told=Text(
                "每一步都只省了 $p$ 次；前面解码出来的 token 也不用重算。",
                "Every step was given $p$ saved projections, but the tokens decoded before need not "
                "be redone either.",
            ),
            question=Text(
                "解码到第 5 步时，缓存里除了提示还有什么？",
                "At the fifth step, what does the cache hold besides the prompt?",
            ),
            caption=Text("只算提示会得到", "Counting the prompt only"),
        ),
        Misconception(
            slug="new_token_saved",
            title=Text("把每步的新 token 也算成省下的", "the new token of each step counted as saved"),
            told=Text(
                "每步的新 token 无论如何都要投影一次，缓存省不掉它。",
                "The new token of a step has to be projected in any case; the cache does not save it.",
            ),
            question=Text(
                "新 token 的 K、V 在它到来之前能放进缓存吗？",
                "Can a token's K and V be in the cache before it has arrived?",
            ),
            caption=Text("连新 token 一起算会得到", "With the new tokens"),
        ),
        Misconception(
            slug="square",
            title=Text("算成了总长度的平方", "the square of the whole length"),
            told=Text(
                "算的是 $(p+s)^2$，那是分数矩阵的大小，不是投影的次数。",
                "The count is $(p+s)^2$: that is the size of a score matrix, not a number of projections.",
            ),
            question=Text(
                "一次投影针对一个 token，还是一对 token？",
                "Is a projection made for one token or for a pair of them?",
            ),
            caption=Text("按平方算会得到", "With the square"),
        ),
        Misconception(
            slug="what_is_left",
            title=Text("算成了用缓存之后还剩的次数", "the projections that are left, not those saved"),
            told=Text(
                "$p+s$ 是有缓存时要做的次数；题目问的是省掉的。",
                "$p+s$ is what is done with a cache; asked is what it saves.",
            ),
            question=Text("「省掉的」等于哪两个数之差？", "What two numbers is a saving the difference of?"),
            caption=Text("还剩的次数是", "Left with a cache"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="saved", kind="integer", label=Text("省掉的投影次数", "projections saved"), tolerance=EXACT
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {"prompt": int(rng.integers(20, 400)), "steps": int(rng.integers(6, 60))}

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        """Step i projects the prompt, the tokens before and the new one; only the new one is no saving."""
        every_step = projections_without_cache(prompt=drawn["prompt"] + 1, steps=drawn["steps"])
        return {"saved": every_step - drawn["steps"]}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        prompt, steps = drawn["prompt"], drawn["steps"]
        counts = {
            "prompt_only": steps * prompt,
            "new_token_saved": projections_without_cache(prompt=prompt + 1, steps=steps),
            "square": (prompt + steps) ** 2,
            "what_is_left": prompt + steps,
        }
        return {"saved": counts[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "解码器读完 $p$ 个提示 token，再解码 $s$ 步，每步输入 1 个新 token。和每步都重算相"
                "比，KV Cache 一共省掉了多少次 K、V 投影？",
                "A decoder reads a prompt of $p$ tokens and then decodes $s$ steps, each with 1 new "
                "token as input. Compared with computing everything anew at each step, how many K "
                "and V projections does the cache save in all?",
            ),
            givens=(
                Given(name="p", value=drawn["prompt"], note=Text("提示的 token 数", "tokens of the prompt")),
                Given(name="s", value=drawn["steps"], note=Text("解码步数", "decoding steps")),
            ),
            conventions=(
                Text(
                    "只看一层；一个 token 的 K 和 V 合起来算 1 次投影。",
                    "One layer only; K and V of a token count as 1 projection together.",
                ),
                Text(
                    "没有缓存时，每个解码步都把到此为止的所有 token（提示、已解码的、这一步新输入"
                    "的）重新投影一遍。",
                    "Without a cache every decoding step projects all tokens so far again: the "
                    "prompt, those decoded before, and the new one.",
                ),
                Text(
                    "有缓存时，每步只投影新输入的那一个。读提示那一次两种做法相同。",
                    "With a cache each step projects the new one only. Reading the prompt is the "
                    "same either way.",
                ),
                Text("要整数，必须准确；也可以写算式。", "A whole number, exact; an expression is fine."),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        prompt, steps, saved = drawn["prompt"], drawn["steps"], self.right(drawn)["saved"]
        return (
            SolutionStep(
                text=Text(
                    f"第 1 步省掉提示的 {prompt} 次；之后每一步，缓存里多一个 token，就多省 1 次；第"
                    f" $s$ 步省 $p+s-1 = {prompt + steps - 1}$ 次。",
                    f"Step 1 saves the prompt's {prompt}; with each further step the cache holds "
                    "one token more and saves one more; step $s$ saves $p+s-1 = "
                    f"{prompt + steps - 1}$.",
                )
            ),
            SolutionStep(
                text=told(
                    "把 $s$ 步加起来：",
                    "Over all $s$ steps:",
                    r"\sum_{i=0}^{s-1} (p + i) = sp + \frac{s(s-1)}{2}",
                    rf"{steps} \times {prompt} + \frac{{{steps} \times {steps - 1}}}{{2}} = {saved}",
                ),
                part="saved",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        prompt, steps = drawn["prompt"], drawn["steps"]
        return (
            Text(
                "一步一步地数：这一步开始时，缓存里已经有几个 token？",
                "Step by step: how many tokens are in the cache when the step begins?",
            ),
            Text(
                "第一步是 $p$ 个，以后每步多 1 个；加起来是等差数列。",
                "At the first step $p$, then one more each time: an arithmetic series.",
            ),
            Text(
                f"首项 {prompt}，末项 {prompt + steps - 1}，一共 {steps} 项。",
                f"The first term is {prompt}, the last {prompt + steps - 1}, and there are {steps}.",
            ),
        )
