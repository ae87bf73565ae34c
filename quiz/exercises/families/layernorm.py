"""G1: LayerNorm of one token, with its weight and bias: mean, variance, output."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from attention_core.norms import layer_norm, moments
from quiz.exercises import conventions as say
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.formatting import tex, tex_factor
from quiz.exercises.honesty import MARGIN, PLACES
from quiz.exercises.registry import register
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

Array = npt.NDArray[np.float64]
WIDTH = 4
EPS = 1e-5


@register
class LayerNormed(Family):
    """Drawn: x, different integers; gamma and beta, halves off 1 and 0."""

    slug = "layernorm"
    code = "G1"
    title = Text("算出一个 token 的 LayerNorm", "LayerNorm of one token")
    sections = ("7.20",)
    questions = (29,)
    minutes = 4
    one_handed = False
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="sample_variance",
            title=Text("方差除以了 n−1", "a variance divided by n−1"),
            told=Text(
                "方差除以的是 $n-1$（样本方差），LayerNorm 用的是总体方差。",
                "The variance was divided by $n-1$, as for a sample; LayerNorm takes the population "
                "variance.",
            ),
            question=Text(
                "这几个特征是从更多特征里抽出来的样本，还是这个 token 的全部？",
                "Are these features a sample of more features, or all that the token has?",
            ),
            caption=Text("方差除以 n−1 会得到", "With n−1"),
        ),
        Misconception(
            slug="divided_by_variance",
            title=Text("除以了方差，没有开方", "a division by the variance without its root"),
            told=Text(
                "减去均值后除以了 $\\sigma^2$，而不是 $\\sigma$。",
                "The centred values were divided by $\\sigma^2$ instead of $\\sigma$.",
            ),
            question=Text("除完以后，方差会变成 1 吗？", "After your division, is the variance 1?"),
            caption=Text("除以方差会得到", "Dividing by the variance"),
        ),
        Misconception(
            slug="not_centred",
            title=Text("没有减均值，算成了 RMSNorm", "no centring, which makes it an RMSNorm"),
            told=Text(
                "直接除以了 $\\sqrt{\\text{mean}(x^2)}$，均值没有减掉。",
                "The values were divided by $\\sqrt{\\text{mean}(x^2)}$ without subtracting the mean.",
            ),
            question=Text(
                "归一化之后、乘 $\\gamma$ 之前，这一行的均值应当是多少？",
                "What should the mean of the row be after the normalisation, before $\\gamma$?",
            ),
            caption=Text("不减均值会得到", "Without centring"),
        ),
        Misconception(
            slug="no_affine",
            title=Text("没有乘 γ、加 β", "γ and β left out"),
            told=Text(
                "停在了 $\\hat x$：归一化做完了，可学习的缩放和平移还没做。",
                "The work stopped at $\\hat x$: the learnt scale and shift are still to come.",
            ),
            question=Text(
                "题目给出的 $\\gamma$ 和 $\\beta$ 用在哪一步？",
                "Where do the given $\\gamma$ and $\\beta$ come in?",
            ),
            caption=Text("不乘 γ、不加 β 会得到", "Without γ and β"),
        ),
        Misconception(
            slug="no_shift",
            title=Text("乘了 γ，没有加 β", "γ applied but β left out"),
            told=Text(
                "得到的是 $\\gamma \\hat x$，少了最后的平移。",
                "What you gave is $\\gamma \\hat x$; the final shift is missing.",
            ),
            question=Text(
                "LayerNorm 学的参数有两组，你用了几组？",
                "LayerNorm learns two vectors: how many of them did you use?",
            ),
            caption=Text("不加 β 会得到", "Without β"),
        ),
        Misconception(
            slug="swapped_affine",
            title=Text("γ 和 β 用反了", "γ and β in each other's place"),
            told=Text("算成了 $\\beta \\hat x + \\gamma$。", "The result is $\\beta \\hat x + \\gamma$."),
            question=Text("哪一个管缩放，哪一个管平移？", "Which of the two scales, and which one shifts?"),
            caption=Text("γ、β 互换会得到", "With γ and β swapped"),
        ),
        Misconception(
            slug="affine_first",
            title=Text("先乘 γ 加 β，再归一化", "γ and β applied before the normalisation"),
            told=Text(
                "算成了 $\\text{LN}(\\gamma x + \\beta)$：归一化又把刚加上的缩放和平移改掉了。",
                "The result is $\\text{LN}(\\gamma x + \\beta)$: the normalisation then alters the "
                "scale and shift just applied.",
            ),
            question=Text(
                "如果放在归一化之前，网络学到的整体缩放还留得下来吗？",
                "If they came first, would an overall scale that the network learnt survive?",
            ),
            caption=Text("先仿射再归一化会得到", "Affine first"),
        ),
        Misconception(
            slug="min_max",
            title=Text("用最大、最小值归一化（min-max）", "a min-max normalisation"),
            told=Text(
                "用 $(x-\\min)/(\\max-\\min)$ 代替了减均值、除以标准差。",
                "You used $(x-\\min)/(\\max-\\min)$ instead of mean and standard deviation.",
            ),
            question=Text("LayerNorm 用哪两个统计量？", "Which two statistics does LayerNorm use?"),
            caption=Text("min-max 会得到", "With min-max"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="mean", kind="scalar", label=Text("均值 μ", "mean μ"), required=False),
        Part(
            name="variance",
            kind="scalar",
            label=Text("方差 σ²", "variance σ²"),
            required=False,
            uses=("mean",),
        ),
        Part(
            name="output",
            kind="vector",
            label=Text("输出 y", "output y"),
            shape=(WIDTH,),
            role="o",
            uses=("mean", "variance"),
        ),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        return {
            "x": rng.choice(np.arange(-3, 8), WIDTH, replace=False).tolist(),
            "gamma": (rng.choice([-2, 1, 3, 4], WIDTH) / 2).tolist(),
            "beta": (rng.choice([-4, -2, -1, 1, 2, 3], WIDTH) / 2).tolist(),
        }

    def accepts(self, drawn: Drawn) -> bool:
        """A mean off 0, a γ that differs between features, and honest rounding comes out right."""
        x, gamma, beta = _arrays(drawn)
        if x.mean() == 0 or len(set(drawn["gamma"])) == 1:
            return False
        exact = np.array(self.right(drawn)["output"])
        centred = np.round(x - np.round(x.mean(), PLACES), PLACES)
        deviation = round(math.sqrt(round(float(np.mean(centred**2)), PLACES)), PLACES)
        normalised = np.round(centred / deviation, PLACES)
        return float(np.abs(np.round(normalised * gamma + beta, PLACES) - exact).max()) <= MARGIN

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        x, gamma, beta = _arrays(drawn)
        return _values(x, layer_norm(x, gamma, beta, eps=EPS))

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        x, gamma, beta = _arrays(drawn)
        normal = layer_norm(x, eps=EPS)
        if slug == "sample_variance":
            sample = float(x.var(ddof=1))
            return _values(x, (x - x.mean()) / math.sqrt(sample + EPS) * gamma + beta, variance=sample)
        if slug == "not_centred":
            square = float(np.mean(x * x))
            return _values(x, x / math.sqrt(square + EPS) * gamma + beta, variance=square)
        if slug == "affine_first":
            changed = gamma * x + beta
            return _values(changed, layer_norm(changed, eps=EPS))
        outputs = {
            "divided_by_variance": (x - x.mean()) / (x.var() + EPS) * gamma + beta,
            "no_affine": normal,
            "no_shift": gamma * normal,
            "swapped_affine": beta * normal + gamma,
            "min_max": (x - x.min()) / (x.max() - x.min()) * gamma + beta,
        }
        return _values(x, outputs[slug])

    def carry(self, drawn: Drawn, part: str, earlier: Values) -> Value | None:
        if part not in ("variance", "output"):
            return None
        x, gamma, beta = _arrays(drawn)
        centred = x - earlier["mean"]
        if part == "variance":
            return float(np.mean(centred**2))
        return (gamma * centred / math.sqrt(earlier["variance"] + EPS) + beta).tolist()

    def prompt(self, drawn: Drawn) -> Prompt:
        return Prompt(
            task=Text(
                f"一个 token 有 {WIDTH} 个特征。算出它经过 LayerNorm 的输出 $y$。",
                f"A token has {WIDTH} features. Work out its LayerNorm output $y$.",
            ),
            givens=(
                Given(name="x", value=drawn["x"]),
                Given(name="γ", value=drawn["gamma"], note=Text("缩放", "scale")),
                Given(name="β", value=drawn["beta"], note=Text("平移", "shift")),
            ),
            conventions=(
                Text(
                    "$y = \\gamma \\odot (x-\\mu)/\\sqrt{\\sigma^2+\\epsilon} + \\beta$，$\\gamma$、"
                    "$\\beta$ 逐特征作用；$\\mu$、$\\sigma^2$ 在这个 token 自己的特征上求。",
                    "$y = \\gamma \\odot (x-\\mu)/\\sqrt{\\sigma^2+\\epsilon} + \\beta$, with $\\"
                    "gamma$ and $\\beta$ feature by feature; $\\mu$ and $\\sigma^2$ are taken over "
                    "the features of this token.",
                ),
                Text(
                    "方差是总体方差：除以特征数 $n$。$\\epsilon = 10^{-5}$，手算时可以忽略。",
                    "The variance is the population variance, divided by the number of features "
                    "$n$. $\\epsilon = 10^{-5}$ is too small to matter by hand.",
                ),
                say.THREE_DECIMALS,
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        x, _, _ = _arrays(drawn)
        right = self.right(drawn)
        mean, variance = right["mean"], right["variance"]
        centred = (x - mean).tolist()
        total = " + ".join(tex_factor(value) for value in drawn["x"])
        squares = " + ".join(f"{tex_factor(value)}^2" for value in centred)
        normal = layer_norm(x, eps=EPS).tolist()
        return (
            SolutionStep(
                text=told("均值：", "The mean:", rf"\mu = \frac{{{total}}}{{{WIDTH}}} = {tex(mean)}"),
                part="mean",
            ),
            SolutionStep(
                text=told(
                    "减去均值，平方，再取平均（除以特征数）：",
                    "Subtract it, square, and average over the features:",
                    rf"x - \mu = {tex(centred)}",
                    rf"\sigma^2 = \frac{{{squares}}}{{{WIDTH}}} \approx {tex(variance)}",
                ),
                part="variance",
            ),
            SolutionStep(
                text=told(
                    "除以标准差，得到均值 0、方差 1 的一行：",
                    "Divided by the standard deviation: a row of mean 0 and variance 1:",
                    rf"\hat x = \frac{{x-\mu}}{{{tex(math.sqrt(variance))}}} \approx {tex(normal)}",
                )
            ),
            SolutionStep(
                text=told(
                    "最后逐特征乘 $\\gamma$、加 $\\beta$：",
                    "Last, $\\gamma$ and $\\beta$, feature by feature:",
                    rf"y = {tex(drawn['gamma'])} \odot \hat x + {tex(drawn['beta'])} \approx "
                    rf"{tex(right['output'])}",
                ),
                part="output",
                figure=Given(name="y", value=right["output"], role="o"),
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        right = self.right(drawn)
        deviation = tex(math.sqrt(right["variance"]))
        return (
            Text(
                "只看这一个 token：它自己的特征求均值和方差。",
                "Look at this token only: mean and variance of its own features.",
            ),
            Text(
                "顺序是：减均值 → 除以标准差 → 乘 $\\gamma$ → 加 $\\beta$。方差除以的是特征数。",
                "In order: subtract the mean → divide by the standard deviation → times $\\gamma$ → "
                "plus $\\beta$. The variance is divided by the number of features.",
            ),
            Text(
                f"$\\mu = {tex(right['mean'])}$，$\\sigma \\approx {deviation}$；还差除法和 $\\"
                "gamma$、$\\beta$。",
                f"$\\mu = {tex(right['mean'])}$ and $\\sigma \\approx {deviation}$; the division, "
                "$\\gamma$ and $\\beta$ are left.",
            ),
        )


def _arrays(drawn: Drawn) -> tuple[Array, Array, Array]:
    x, gamma, beta = (np.array(drawn[name], dtype=np.float64) for name in ("x", "gamma", "beta"))
    return x, gamma, beta


def _values(x: Array, output: Array, *, variance: float | None = None) -> Values:
    mean, inverse = moments(x, eps=0.0)
    if variance is None:
        variance = float(inverse[0]) ** -2
    return {"mean": float(mean[0]), "variance": variance, "output": (output + 0.0).tolist()}
