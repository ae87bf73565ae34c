"""G4: a Pre-LN sublayer on one token, and the diagram that a formula draws."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from attention_core.blocks import Norm, residual
from attention_core.norms import layer_norm
from quiz.exercises.attention_steps import told
from quiz.exercises.choosing import Asked, in_order, mistakes_of, shuffled
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex
from quiz.exercises.honesty import PLACES
from quiz.exercises.registry import register
from quiz.exercises.types import (
    Drawn,
    Given,
    Misconception,
    Part,
    Prompt,
    SolutionStep,
    Text,
    Tolerance,
    Value,
    Values,
)
from quiz.exercises.wiring import DRAWN_WRONGLY, FORMULAS, WIRINGS

Array = npt.NDArray[np.float64]
WIDTH = 3
WIDE = Tolerance(absolute=0.01)
MARGIN = 0.0094  # of that tolerance: what rounding every step may use up


WORKED = ("post_norm", "no_residual", "normalised_stream", "norm_after_branch")  # those that are computed
STREAM = [x for x in range(-3, 7) if x]  # where x is 0 the output is the branch itself


@register
class PreNorm(Family):
    """Drawn: x (3) different integers, w (3, 3) of small integers: the branch is F(h) = hW; formula, the one
    whose diagram is asked; options, the order of the diagrams.
    """

    slug = "pre_post"
    version = 2
    code = "G4"
    title = Text("算出一个 Pre-LN 子层，认出公式的图", "A Pre-LN sublayer, and the diagram of a formula")
    sections = ("7.20",)
    questions = (30,)
    minutes = 4
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="post_norm",
            title=Text("算成了 Post-LN", "a Post-LN sublayer instead of a Pre-LN one"),
            told=Text(
                "算的是 $\\text{LN}(x + F(x))$：归一化放到了相加之后。",
                "The result is $\\text{LN}(x + F(x))$: the norm came after the addition.",
            ),
            question=Text(
                "Pre-LN 里，归一化在支路上还是在残差流上？",
                "In Pre-LN, is the norm on the branch or on the residual stream?",
            ),
            caption=Text("Post-LN 会得到", "Post-LN gives"),
        ),
        Misconception(
            slug="no_residual",
            title=Text("没有加回 x", "x not added back"),
            told=Text(
                "停在了 $F(\\text{LN}(x))$：残差没有加。",
                "The work stopped at $F(\\text{LN}(x))$, without the residual.",
            ),
            question=Text("支路算完之后，要加到谁上面？", "Once the branch is done, what is it added to?"),
            caption=Text("不加残差会得到", "Without the residual"),
        ),
        Misconception(
            slug="normalised_stream",
            title=Text("加回的是归一化之后的 x", "the normalised x added back"),
            told=Text(
                "算的是 $\\text{LN}(x) + F(\\text{LN}(x))$：残差流也被归一化了。",
                "The result is $\\text{LN}(x) + F(\\text{LN}(x))$: the stream was normalised too.",
            ),
            question=Text("恒等的那条路上应当有归一化吗？", "Should there be a norm on the identity path?"),
            caption=Text("加回 LN(x) 会得到", "Adding LN(x) back"),
        ),
        Misconception(
            slug="norm_after_branch",
            title=Text("归一化放到了支路的末尾", "the norm at the end of the branch"),
            told=Text(
                "算的是 $x + \\text{LN}(F(x))$：先过了 $F$，再归一化。",
                "The result is $x + \\text{LN}(F(x))$: first $F$, then the norm.",
            ),
            question=Text(
                "「Pre」是说归一化在 $F$ 之前还是之后？", "“Pre”: does the norm come before $F$ or after it?"
            ),
            caption=Text("先 F 后归一化会得到", "F first, then the norm"),
        ),
        *DRAWN_WRONGLY,
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(
            name="normalised",
            kind="vector",
            label=Text("归一化 LN(x)", "normalised LN(x)"),
            shape=(WIDTH,),
            tolerance=WIDE,
            required=False,
        ),
        Part(
            name="branch",
            kind="vector",
            label=Text("支路 F(LN(x))", "branch F(LN(x))"),
            shape=(WIDTH,),
            tolerance=WIDE,
            required=False,
            uses=("normalised",),
        ),
        Part(
            name="output",
            kind="vector",
            label=Text("输出 y", "output y"),
            shape=(WIDTH,),
            tolerance=WIDE,
            role="o",
            uses=("branch",),
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "x": rng.choice(STREAM, WIDTH, replace=False).tolist(),
            "w": rng.integers(-2, 3, (WIDTH, WIDTH)).tolist(),
            "formula": str(rng.choice(list(FORMULAS))),
            "options": shuffled(rng, WIRINGS),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """No row of W is 0, F(x) and x + F(x) have spread, and honest rounding comes out right."""
        x, w = _arrays(drawn)
        if not w.any(axis=1).all() or min((x @ w).std(), (x + x @ w).std()) < 0.5:
            return False
        root = round(float(np.sqrt(round(float(x.var()), PLACES))), PLACES)
        normal = np.round(np.round(x - round(float(x.mean()), PLACES), PLACES) / root, PLACES)
        rounded = np.round(x + np.round(normal @ w, PLACES), PLACES)
        return float(np.abs(rounded - np.array(self.right(drawn)["output"])).max()) <= MARGIN

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return (*self._PARTS, _diagram(drawn).part)

    def right(self, drawn: Drawn) -> Values:
        x, w = _arrays(drawn)
        normal = layer_norm(x)
        output = residual(x, lambda h: h @ w, norm=Norm(), order="pre")
        return {**_values(normal, normal @ w, output), "diagram": _diagram(drawn).right}

    def mistakes(self, drawn: Drawn) -> dict[str, Values]:
        chosen = mistakes_of([_diagram(drawn)], known=self.misconceptions, others=self.right(drawn))
        diagram = {"diagram": _diagram(drawn).right}
        return {slug: {**self._worked(drawn, slug), **diagram} for slug in WORKED} | chosen

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        return self.mistakes(drawn)[slug]

    def _worked(self, drawn: Drawn, slug: str) -> Values:
        x, w = _arrays(drawn)
        normal = layer_norm(x)
        if slug == "post_norm":
            return _values(x, x @ w, residual(x, lambda h: h @ w, norm=Norm(), order="post"))
        if slug == "norm_after_branch":
            branch = layer_norm(x @ w)
            return _values(x, branch, x + branch)
        branch = normal @ w
        return _values(normal, branch, branch if slug == "no_residual" else normal + branch)

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        x, w = _arrays(drawn)
        if part == "branch":
            return (np.array(earlier["normalised"], dtype=np.float64) @ w + 0.0).tolist()
        return (x + np.array(earlier["branch"], dtype=np.float64)).tolist() if part == "output" else None

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                "一个 Pre-LN 的子层，支路是 $F(h) = hW$。算出这个 token 的输出 $y$。再选出 "
                f"${FORMULAS[drawn['formula']]}$ 画成图是哪一张。",
                "A Pre-LN sublayer has the branch $F(h) = hW$. Work out the output $y$ for this token. Then "
                f"choose the diagram of ${FORMULAS[drawn['formula']]}$.",
            ),
            givens=(Given(name="x", value=drawn["x"]), Given(name="W", value=drawn["w"])),
            conventions=(
                Text(
                    "Pre-LN 按 Xiong 等人 2020 年的定义：归一化在支路的入口；这里只算一个子层，没有"
                    "最后的归一化。",
                    "Pre-LN as in Xiong et al. 2020: the norm is at the entrance of the branch. One "
                    "sublayer only, no final norm.",
                ),
                Text(
                    "LN 在这个 token 自己的特征上做，用总体方差（除以特征数），$\\gamma = 1$，$\\"
                    "beta = 0$，$\\epsilon = 10^{-5}$ 手算时可以忽略。",
                    "LN runs over the features of this token with the population variance (divided "
                    "by their number), $\\gamma = 1$, $\\beta = 0$; $\\epsilon = 10^{-5}$ is too "
                    "small to matter by hand.",
                ),
                Text(
                    "token 是行向量，没有偏置，没有 dropout。",
                    "A token is a row vector; no biases, no dropout.",
                ),
                Text(
                    "小数请至少写到第 3 位，与准确值相差不超过 0.01 算对；也可以写算式。",
                    "Give at least 3 decimals; within 0.01 of the exact value is right. Expressions "
                    "are fine.",
                ),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        x, _ = _arrays(drawn)
        right = self.right(drawn)
        normal, branch, output = (right[part.name] for part in self._PARTS)
        return (
            SolutionStep(
                text=told(
                    "先归一化：",
                    "First the norm:",
                    rf"\mu \approx {tex(float(x.mean()))},\quad \sigma^2 \approx {tex(float(x.var()))}",
                    rf"\text{{LN}}(x) \approx {tex(normal)}",
                ),
                part="normalised",
            ),
            SolutionStep(
                text=told(
                    "过支路：",
                    "Through the branch:",
                    rf"F(\text{{LN}}(x)) = {tex(normal)}\, W \approx {tex(branch)}",
                ),
                part="branch",
            ),
            SolutionStep(
                text=told(
                    "加回没有动过的 $x$：",
                    "Added to $x$ as it came:",
                    rf"y = {tex(drawn['x'])} + {tex(branch)} \approx {tex(output)}",
                ),
                part="output",
                figure=Given(name="y", value=output, role="o"),
            ),
            SolutionStep(
                text=Text(
                    f"${FORMULAS[drawn['formula']]}$ 从里往外读：{_diagram(drawn).right_label.zh}。",
                    f"Read ${FORMULAS[drawn['formula']]}$ from the inside out: "
                    f"{_diagram(drawn).right_label.en}.",
                ),
                part="diagram",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        normal = self.right(drawn)["normalised"]
        return (
            Text(
                "有两条路：一条原样通过，一条先归一化再过 $F$。看图的那一问，从公式最里面的括号读起。",
                "There are two paths: one leaves $x$ alone, the other normalises and goes through $F$. For "
                "the "
                "diagram, begin with the innermost bracket of the formula.",
            ),
            Text("$y = x + F(\\text{LN}(x))$。", "$y = x + F(\\text{LN}(x))$."),
            Text(
                f"$\\text{{LN}}(x) \\approx {tex(normal)}$；乘 $W$，再加上 $x$。",
                f"$\\text{{LN}}(x) \\approx {tex(normal)}$; multiply by $W$ and add $x$.",
            ),
        )


def _arrays(drawn: Drawn) -> tuple[Array, Array]:
    return np.array(drawn["x"], dtype=np.float64), np.array(drawn["w"], dtype=np.float64)


def _values(normal: Array, branch: Array, output: Array) -> Values:
    found = {"normalised": normal, "branch": branch, "output": output}
    return {name: (value + 0.0).tolist() for name, value in found.items()}


def _diagram(drawn: Drawn) -> Asked:
    return Asked(
        name="diagram",
        label=Text("公式对应的图", "diagram of the formula"),
        picks=in_order(WIRINGS, drawn["options"]),
        right=drawn["formula"],
    )
