"""The renderer: formulas, money, live numbers, code, tables, links; as HTML, as one line, as plain text."""

from __future__ import annotations

import re

import pytest
from django.template import Context, Template
from django.utils import translation

from quiz.bank.blocks import BLOCKS, Block, Setting
from quiz.bank.markup import check, plain, render, render_inline
from quiz.exercises.types import Text
from quiz.expressions import evaluate

X = '<math data-linear="x"><mi>x</mi></math>'
DISPLAYED = (
    '<span class="formula" tabindex="0"><math display="block" data-linear="x"><mi>x</mi></math></span>'
)
PRE = '<pre class="code" tabindex="0"><code>'


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("$x$", X),
        ("维度$x$的", f"维度{X}的"),
        ("**$x$**", f"<strong>{X}</strong>"),
        ("$5 and $6 is money", "$5 and $6 is money"),
        ("US$5–$6", "US$5–$6"),
        ("it costs $5.", "it costs $5."),
        (r"\$x\$", "$x$"),
        ("$ x$ and $x $", "$ x$ and $x $"),
        ("`$x$`", "<code>$x$</code>"),
        ("$5, then `$x$`", "$5, then <code>$x$</code>"),
        ("``a ` b``", "<code>a ` b</code>"),
        ("`<b>`", "<code>&lt;b&gt;</code>"),
        ("`{{ 1 }}`", "<code>{{ 1 }}</code>"),
        ("a ` b", "a ` b"),
        ("*a* **b**", "<em>a</em> <strong>b</strong>"),
        ("a < b & c", "a &lt; b &amp; c"),
        ("{{ 1/3 }}", "0.333"),
        ("{{ 1/3 | 5 }}", "0.33333"),
        ("{{ 0 - 1/3 }}", "−0.333"),
        ("{{ -inf }}", "−∞"),
        ("{{ 6 * 7 }}", "42"),
        ("{{ [0.5, 2] | 1 }}", "[0.5, 2]"),
        ("{{ shape([[1, 2]]) }}", "(1, 2)"),
        ("$a = {{ 1/4 | 2 }}$", '<math data-linear="a = 0.25"><mi>a</mi><mo>=</mo><mn>0.25</mn></math>'),
        ("{{ nobody }}", '<code class="markup-error">{{ nobody }}</code>'),
        (r"$\nonsense$", r'<code class="markup-error">$\nonsense$</code>'),
        ("{{ 1 | x }}", '<code class="markup-error">{{ 1 | x }}</code>'),
        ("\ue0000\ue001 $x$", f"0 {X}"),
        (r"\{{ 1 }}", "{{ 1 }}"),
    ],
)
def test_line_renders_as(source: str, html: str) -> None:
    assert render_inline(source) == html
    assert render(source) == f"<p>{html}</p>"


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("# a\n\n###### b", "<h2>a</h2>\n<h5>b</h5>"),
        ("1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>"),
        ("> a", "<blockquote>\n<p>a</p>\n</blockquote>"),
        ("a\n\n---", "<p>a</p>\n<hr>"),
        ("[a](/bank/1/)", '<p><a href="/bank/1/">a</a></p>'),
        ("[a](https://b.c/d)", '<p><a href="https://b.c/d" rel="noopener noreferrer">a</a></p>'),
        ("    not code", "<p>not code</p>"),
        ("$$x$$", DISPLAYED),
        ("a\n\n$$\nx\n$$\n\nb", f"<p>a</p>\n{DISPLAYED}\n<p>b</p>"),
        ("a $$x$$", f"<p>a {DISPLAYED}</p>"),
        ("```text\n<b> $x$ {{ 1 }}\n```", f"{PRE}&lt;b&gt; $x$ {{{{ 1 }}}}</code></pre>"),
    ],
)
def test_blocks_render_as(source: str, html: str) -> None:
    assert render(source) == html


def test_line_has_no_blocks_and_no_links() -> None:
    assert render_inline("# a [b](/c/) \n\n- d") == "# a b - d"
    assert render_inline("$$x$$") == X


def test_bar_in_a_formula_or_number_does_not_split_a_cell() -> None:
    html = render("| a | b |\n|:--|--:|\n| $|x|$ | {{ 1/3 | 4 }} |")
    assert re.findall(r"<td[^>]*>", html) == ['<td class="align-left">', '<td class="align-right">']
    assert '<td class="align-right">0.3333</td>' in html
    assert html.startswith('<div class="scroll" tabindex="0"><table>')


def test_code_is_highlighted_by_classes_and_keeps_its_text() -> None:
    html = render("```python\ndef f(x):\n    return 'a' < x  # $y$\n```")
    assert '<span class="hl-k">def</span>' in html
    assert "style=" not in html
    words = re.sub(r"<[^>]*>", "", html)
    assert words == "def f(x):\n    return 'a' &lt; x  # $y$"


def test_fence_in_a_list_stays_in_its_item() -> None:
    html = render("- a\n\n    ```text\n    b\n      c\n    ```\n- d")
    assert '<p>a</p>\n<pre class="code" tabindex="0"><code>b\n  c</code></pre>\n</li>' in html


def test_matrix_in_a_formula_holds_each_entry_of_the_example() -> None:
    html = render("$A = {{ chapter.A | 4 }}$")
    shown = [float(number) for number in re.findall(r"<mn>([\d.]+)</mn>", html)]
    assert shown == [round(float(weight), 4) for weight in evaluate("chapter.A").ravel()]
    assert html.count("<mtr>") == 3


def test_block_with_a_name_is_drawn_by_its_own_function(monkeypatch: pytest.MonkeyPatch) -> None:
    def shout(source: str, setting: Setting) -> str:
        return f"<p>{evaluate(source)}!</p>"

    monkeypatch.setitem(BLOCKS, "shout", Block(html=shout, text=shout))
    assert render("```shout\n6 * 7\n```") == "<p>42!</p>"
    assert render("```shout\nx\n```") == '<code class="markup-error">```shout\nx\n```</code>'
    assert check("```shout\n6 * 7\n```") == ()
    assert [problem.line for problem in check("a\n\n```shout\nx\n```")] == [3]


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("甲 $x$，乙", f'甲 <span class="held">{X}，</span>乙'),
        ("甲（$x$）乙", f'甲<span class="held">（{X}）</span>乙'),
        ("a $x$, b", f'a <span class="held">{X},</span> b'),
        ("a $x$ , b", f"a {X} , b"),
        ("($x$ a", f'<span class="held">({X}</span> a'),
        ("$x$$x$", f"{X}{X}"),
    ],
)
def test_punctuation_stays_with_its_formula(source: str, html: str) -> None:
    assert render_inline(source) == html
    assert render(source) == f"<p>{html}</p>"


def test_render_is_kept_by_content() -> None:
    assert render("once $x$") is render("once $x$")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"为什么除以 $\sqrt{d_k}$？", "为什么除以 √d_k？"),
        (r"$\frac{QK^\top}{\sqrt{d_k}}$", "QKᵀ/√d_k"),
        (r"$\frac{a+b}{2}$", "(a + b)/2"),
        (r"$d_{\text{model}}$", "d_model"),
        (r"$x^2 + y^{10}$", "x² + y¹⁰"),
        (r"$10000^{2i/d}$", "10000^(2i/d)"),
        (r"$e^{-x}$", "e^(−x)"),
        (r"$-\infty$", "−∞"),
        (r"$\operatorname{softmax}(x)$", "softmax(x)"),
        (r"$\begin{bmatrix}1&2\\3&4\end{bmatrix}$", "[1, 2; 3, 4]"),
        (r"$\mathbf{x}\in\mathbb{R}^{n\times d}$", "x ∈ ℝ^(n×d)"),
        (r"$\sum_{i=1}^{n} x_i$", "∑_(i=1)ⁿx_i"),
        (r"$\lVert x'\rVert$", "‖x′‖"),
        ("**a** `b` [c](/d/) {{ 1/2 | 1 }}", "a b c 0.5"),
        ("a & b < c", "a & b < c"),
        ("a\n\n- b\n- c", "a\nb\nc"),
        ("{{ nobody }}", "{{ nobody }}"),
    ],
)
def test_plain_text_is_readable(source: str, text: str) -> None:
    assert plain(source) == text


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("a\n\n$\\nonsense$", 3, 'Unknown command "\\nonsense"'),
        ("a\nb {{ nobody }}", 2, "the name 'nobody' is not known"),
        ("a\n$x = {{ 1/0 }}$", 2, "division by zero"),
        ("a\n\n```python\nx", 3, "the code block is not closed"),
        ("```klingon\nx\n```", 1, "the code language 'klingon' is not known"),
        ("a\nb <br> c", 2, "HTML is shown as text: <br>"),
        ("![a](b)", 1, "images are not supported"),
        ("[a](javascript:x)", 1, "the link leads to 'javascript:x'"),
        ("[a](//b.c)", 1, "the link leads to '//b.c'"),
        ("a $x b", 1, "a dollar sign opens no formula"),
        (r"$\color{red}x$", 1, "the style 'color:#FF0000' has no class"),
        (r"$\cancel{x}$", 1, "'class' is not supported"),
        ("text\n- a\n- b", 2, "a list needs a blank line before it"),
    ],
)
def test_check_names_the_line(source: str, line: int, message: str) -> None:
    problems = check(source)
    assert [problem.line for problem in problems] == [line]
    assert message in problems[0].message


@pytest.mark.parametrize(
    "source",
    [
        "$x$ and $5",
        r"\$x",
        "`$x` `<b>` `{{ a }}`",
        "a < b, c > d",
        "```\n<b> $x {{\n- a\n```",
        "- a\n- b",
        "<https://a.b>",
    ],
)
def test_check_finds_nothing_in(source: str) -> None:
    assert check(source) == ()


def test_texts_are_told_in_the_current_language() -> None:
    template = Template("{% load markup %}{{ t|told }}|{{ t|told_block }}|{{ t|told_plain }}")
    context = Context({"t": Text(zh="甲 $x$", en="one $x$")})
    with translation.override("zh-hans"):
        assert template.render(context) == f"甲 {X}|<p>甲 {X}</p>|甲 x"
    with translation.override("en"):
        assert template.render(context) == f"one {X}|<p>one {X}</p>|one x"


def test_plain_filter_is_escaped_like_any_text() -> None:
    template = Template("{% load markup %}{{ t|plain }}|{{ t|inline }}|{{ t|markup }}")
    assert template.render(Context({"t": "a <b> `<i>`"})) == (
        "a &lt;b&gt; &lt;i&gt;|a &lt;b&gt; <code>&lt;i&gt;</code>|<p>a &lt;b&gt; <code>&lt;i&gt;</code></p>"
    )


def test_the_empty_corner_of_a_table_is_no_header() -> None:
    html = render("| | $a$ | b |\n|---|---|---|\n| c | 1 | 2 |")
    assert html.count("<th>") == 2
    assert "<tr>\n<td></td>\n<th><math" in html
