"""Blocks of the content: let, matrices, charts, diagrams, corrections, listings; as pages and as words."""

from __future__ import annotations

import re

import numpy as np
import pytest

from quiz.bank import listings
from quiz.bank.markup import check, plain, render
from quiz.expressions import evaluate
from quiz.figures import diagrams


def fence(info: str, *lines: str) -> str:
    return "\n".join([f"```{info}", *lines, "```"])


def cells(html: str) -> list[str]:
    return re.findall(r"<td[^>]*>([^<]*)</td>", html)


# --- let --------------------------------------------------------------------------------------------------


def test_a_name_is_known_from_its_fence_to_the_end() -> None:
    text = f"{{{{ n }}}}\n\n{fence('let', 'n = 4', 'm = n * 2')}\n\n{{{{ m }}}} $x = {{{{ n + m }}}}$"
    assert plain(text) == "{{ n }}\n8 x = 12"
    assert [(problem.line, problem.message) for problem in check(text)] == [
        (1, "live number: column 1: the name 'n' is not known in {{ n }}")
    ]


def test_a_name_may_stand_for_a_group_and_an_expression_go_on_in_the_next_line() -> None:
    text = fence("let", "t = trace(chapter.Q,", "  chapter.K, chapter.V)") + "\n\n{{ t.weights[0, 0] | 4 }}"
    assert check(text) == ()
    assert plain(text) == f"{evaluate('chapter.A[0, 0]'):.4f}"


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        (["n = 1", "", "x"], 4, "let: a line of let is written `name = expression`"),
        (["n = 1", "n = 2"], 3, "let: the name 'n' is given twice"),
        (["rows = 1"], 2, "let: 'rows' is a word of the notation; take another name"),
        (["n = nobody"], 2, "let: n: column 1: the name 'nobody' is not known"),
        (["_n = 1"], 2, "let: a line of let is written `name = expression`"),
        (["a = (1 +", "b = 2"], 2, "let: a: column 1: this cannot be read as an expression"),
        (["f = sqrt"], 2, "let: f: column 1: this names no number; expected a number, an array or a shape"),
    ],
)
def test_a_wrong_definition_is_told_at_its_line(lines: list[str], line: int, message: str) -> None:
    assert (line, message) in [(problem.line, problem.message) for problem in check(fence("let", *lines))]


def test_what_could_be_defined_is_known_beside_what_could_not() -> None:
    assert plain(fence("let", "a = 1 / 0", "b = 2") + "\n\n{{ b }} {{ a }}").endswith("\n2 {{ a }}")


# --- matrices ---------------------------------------------------------------------------------------------


def test_a_matrix_shows_what_the_expression_is() -> None:
    html = render(
        fence(
            "matrix", "value: chapter.A", "name: A", "role: s", "rows: q", "columns: k", "heat: yes", "lit: 2"
        )
    )
    shown = [float(cell) for cell in cells(html) if cell]
    np.testing.assert_array_equal(shown, np.round(np.ravel(evaluate("chapter.A")), 3))
    assert re.findall(r'scope="(\w+)">(\w)<sub>(\d)</sub>', html) == [
        *(("col", "k", str(n)) for n in (1, 2, 3)), *(("row", "q", str(n)) for n in (1, 2, 3)),
    ]  # fmt: skip
    assert html.count('<tr class="lit">') == 1
    assert html.index('<tr class="lit">') > html.index("q<sub>1</sub>")
    assert 'class="h20"' in html
    assert "role-s" in html


def test_matrices_stand_side_by_side_and_their_labels_may_be_words() -> None:
    html = render(
        fence(
            "matrix", "value: [[1, 2]]", "name: a", "columns: The cat", "---", "value: [3, -inf]", "name: b"
        )
    )
    assert html.startswith('<div class="matrices"><figure')
    assert html.count("<figure") == 2
    assert ">The</th>" in html
    assert '<td class="masked">−∞</td>' in html


def test_noise_of_a_computation_is_no_number() -> None:
    assert cells(render(fence("matrix", "value: [0.1 + 0.2 - 0.3, 1]", "name: x"))) == ["0", "1"]


def test_the_words_of_a_matrix_follow_the_language() -> None:
    source = fence("matrix", "value: [1, 2]", "name: x")
    assert 'aria-label="Copy x"' in render(source, "en")
    assert 'aria-label="复制 x"' in render(source, "zh-hans")
    assert (
        plain(fence("matrix", "value: [[1, 2]]", "name: W_Q", "note: rows")) == "W Q (1×2, rows) = [[1, 2]]"
    )


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        (["value: nobody", "name: x"], 2, "matrix: value: column 1: the name 'nobody' is not known"),
        (["value: 3", "name: x"], 2, "matrix: value is no vector or matrix"),
        (["name: x"], 1, "matrix: value is missing"),
        (["value: [1]"], 1, "matrix: name is missing"),
        (["value: [1]", "name:"], 3, "matrix: name is empty"),
        (["value: [1]", "name: x", "hue: red"], 4, "matrix: the key 'hue' is not known: value, name"),
        (["value: [1]", "name: x", "name: y"], 4, "matrix: the key 'name' is given twice"),
        (["value: [1]", "name: K^\\top"], 3, "matrix: name is plain text, such as W_Q, K^T or q_{2}"),
        (["value: [1]", "name: x", "role: z"], 4, "matrix: 'z' is not one of q, k, v, s, o"),
        (["value: [1]", "name: x", "heat: hot"], 4, "matrix: 'hot' is not one of yes, no"),
        (["value: [1]", "name: x", "lit: 0"], 4, "matrix: lit is a row from 1 to 1"),
        (["value: [1, 2]", "name: x", "columns: a b c"], 4, "matrix: 3 labels for 2"),
        (["value: [1]", "name: x", "---", "value: [1]"], 4, "matrix: name is missing"),
        (["what is this"], 2, "matrix: 'what is this' is no line of `key: value`"),
    ],
)
def test_a_wrong_matrix_is_told_at_its_line(lines: list[str], line: int, message: str) -> None:
    (problem,) = check(fence("matrix", *lines))
    assert (problem.line, problem.message[: len(message)]) == (line, message)
    assert "markup-error" in render(fence("matrix", *lines))


# --- charts -----------------------------------------------------------------------------------------------

CHART = [
    "title: 标题 {{ 1 + 1 }}",
    "x: arange(4) + 1",
    "x-label: n",
    "y-label: y",
    "series:",
    "  - name: a",
    "    value: (arange(4) + 1) ** 2",
    "  - {name: b, value: '[4, 3, 2, 1]'}",
    "look: 看这里。",
]


def test_a_chart_draws_its_series_and_says_what_to_look_at() -> None:
    html = render(fence("chart", *CHART), "zh-hans")
    assert html.count("<svg") == 2
    assert '<p class="chart-title">标题 2</p>' in html
    assert '<p class="chart-look">看什么：看这里。</p>' in html
    assert "What to look at: 看这里。" in render(fence("chart", *CHART), "en")
    assert [float(cell) for cell in cells(html)] == [1, 4, 4, 3, 9, 2, 16, 1]
    assert plain(fence("chart", *CHART)) == "标题 2\n看这里。"


def test_two_charts_of_a_text_share_no_id() -> None:
    ids = re.findall(r'\bid="([^"]+)"', render(f"{fence('chart', *CHART)}\n\n{fence('chart', *CHART)}"))
    assert len(ids) == len(set(ids)) == 8


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (CHART[1], "x: nobody", 3, "chart: column 1: the name 'nobody' is not known"),
        (CHART[1], "x: 3", 3, "chart: a vector of 2 to 256 numbers is needed"),
        (CHART[1], "x: arange(3)", 8, "chart: the series has 4 values, x has 3"),
        (CHART[1], "x: [0, 1, 2, 3]\nlog: x", 4, "chart: a logarithmic x axis shows numbers above 0 only"),
        (CHART[8], "look: a\nlog: z", 11, "chart: log is x, y or both"),
        (CHART[8], "hue: red", 10, "chart: the key 'hue' is not known"),
        (CHART[8], "", 2, "chart: look is missing"),
        (
            CHART[0],
            "title: '{{ nobody }}'",
            2,
            "chart: live number: column 2: the name 'nobody' is not known",
        ),
        (CHART[0], "title: $n$", 2, "chart: texts of a chart are plain"),
        (CHART[0], "title: [a", 3, "chart: YAML: expected ',' or ']'"),
        (CHART[7], "  - {name: b}", 9, "chart: value is missing"),
        ("1 ** 2", "1 / 0", 8, "chart: "),
    ],
)
def test_a_wrong_chart_is_told_at_its_line(old: str, new: str, line: int, message: str) -> None:
    source = fence("chart", *CHART).replace("(arange(4) + 1) ** 2", "arange(4) + 1 ** 2").replace(old, new)
    problem = check(source)[0]
    assert problem.message.startswith(message)
    assert problem.line == line


def test_more_than_six_series_are_refused() -> None:
    more = [*CHART[:8], *["  - {name: c, value: x}"] * 5, CHART[8]]
    assert "chart: series is a list of 1 to 6" in check(fence("chart", *more))[0].message


# --- diagrams and corrections -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", diagrams.NAMES)
def test_a_diagram_is_drawn_in_the_language_of_the_text(name: str) -> None:
    source = fence(f"diagram {name}")
    assert check(source) == ()
    zh, en = render(source, "zh-hans"), render(source, "en")
    assert re.search(r"[\u4e00-\u9fff]", zh)
    assert not re.search(r"[\u4e00-\u9fff]", en)
    assert plain(source, "en") == diagrams.described(name, language="en")


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        (fence("diagram nothing"), 1, "diagram: the diagram 'nothing' does not exist: encoder_layer"),
        (fence("diagram"), 1, "diagram: the diagram '' does not exist"),
        (fence("diagram transformer", "x"), 2, "diagram: a diagram has a name and nothing inside"),
        (fence("matrix A", "value: [1]", "name: x"), 1, "nothing follows matrix on its line"),
        (fence("correction"), 1, "correction: the correction is empty"),
        (fence("correction", "a", "b {{ nobody }}"), 3, "live number: column 1: the name 'nobody'"),
        (fence("python whole", "x"), 1, "'python whole': only python can be followed by a word, fragment"),
    ],
)
def test_a_wrong_block_is_told_at_its_line(source: str, line: int, message: str) -> None:
    problem = check(source)[0]
    assert (problem.line, problem.message[: len(message)]) == (line, message)


def test_a_correction_is_markdown_in_a_box_and_knows_the_names_around_it() -> None:
    text = f"{fence('let', 'n = 4')}\n\n{fence('correction', '说的是 {{ n }}。', '', '- $x$')}"
    html = render(text, "zh-hans")
    assert '<p class="correction-title">常见说法订正</p><p>说的是 4。</p>' in html
    assert "<li><math" in html
    assert "Often said, set right" in render(text, "en")
    assert plain(text, "zh-hans") == "常见说法订正\n说的是 4。\nx"
    assert check(text) == ()


# --- listings -----------------------------------------------------------------------------------------------


def test_a_listing_shows_what_it_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "print('<b>')"
    monkeypatch.setattr(listings, "outputs", lambda: {listings.digest(code): "<b>\nx"})
    html = render(fence("python", code) + "\n\na1", "en")
    assert (
        '<p class="output-label">Output</p><pre class="output" tabindex="0"><samp>&lt;b&gt;\nx</samp></pre>'
        in html
    )
    assert plain(fence("python", code) + "\n\na2", "zh-hans") == f"{code}\n输出\n<b>\nx\na2"
    assert "output" not in render(fence("python fragment", code))
    assert "output" not in render(fence("python", "print(2)"))


def test_a_listing_is_known_by_its_lines_alone() -> None:
    assert listings.digest("a\nb") == listings.digest("\na  \nb\n")
    assert listings.digest("a\nb") != listings.digest("a\n b")


# --- links to the glossary ----------------------------------------------------------------------------------

TERMS = """- {slug: query, zh: 查询, en: query, definition: {zh: 甲, en: A}}"""


@pytest.fixture
def _glossary(monkeypatch: pytest.MonkeyPatch) -> None:
    from quiz.bank.glossary import read_glossary

    terms, faults = read_glossary(TERMS)
    assert faults == ()
    for module in ("markup", "checking"):
        monkeypatch.setattr(f"quiz.bank.{module}.glossary", lambda: {term.slug: term for term in terms})


@pytest.mark.usefixtures("_glossary")
def test_a_term_is_a_link_in_the_words_of_the_text() -> None:
    link = '<a class="term" href="/glossary/#query">{}</a>'
    assert render("one [[query]]", "en") == f"<p>one {link.format('query')}</p>"
    assert render("一个 [[query]]", "zh-hans") == f"<p>一个 {link.format('查询')}</p>"
    assert render("two [[query|Q & K]]", "en") == f"<p>two {link.format('Q &amp; K')}</p>"
    assert plain("three [[query]]", "en") == "three query"


@pytest.mark.usefixtures("_glossary")
def test_no_link_stands_in_a_link_or_in_a_title() -> None:
    from quiz.bank.markup import render_inline

    assert render("[see [[query]] there](/a/)", "en") == '<p><a href="/a/">see query there</a></p>'
    assert render_inline("the [[query|one]] <", "en") == "the one &lt;"


@pytest.mark.usefixtures("_glossary")
@pytest.mark.parametrize(
    ("source", "messages"),
    [
        ("[[query]] [[query|a b]] `[[x]]` $[[x]]$ [[1, 0], [0, 1]]", []),
        ("a\n[[qeury]]", ["2 the glossary has no 'qeury'"]),
        ("[[query|$q$]]", ["1 [[query| is no link to the glossary: [[slug]] or [[slug|words]]"]),
        ("[[Query]]", ["1 [[Query]] is no link to the glossary: [[slug]] or [[slug|words]]"]),
    ],
)
def test_a_term_that_is_not_there_is_told(source: str, messages: list[str]) -> None:
    assert [f"{problem.line} {problem.message}" for problem in check(source)] == messages
