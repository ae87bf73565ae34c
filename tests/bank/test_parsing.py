"""Content files are read strictly: each mistake is told with its file and line, all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from quiz.bank.answers import PARTS
from quiz.bank.parsing import parse_bank
from quiz.bank.specs import ContentErrors, SectionTextSpec
from tests.bank.whole import (
    BODY_EN,
    BODY_ZH,
    FILES,
    PARTS_ZH,
    QUESTION_EN,
    QUESTION_ZH,
    stand_beside_the_shipped,
    write,
)

FAMILIES = ("kv_cache", "softmax_row")
Errors = Callable[[dict[str, str]], list[str]]


@pytest.fixture(autouse=True)
def _beside_the_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_beside_the_shipped(monkeypatch)


@pytest.fixture
def errors(tmp_path: Path) -> Errors:
    """The errors of the good files with some changed, as `name:line: message`."""

    def found(changed: dict[str, str]) -> list[str]:
        write(tmp_path, {**FILES, **changed})
        with pytest.raises(ContentErrors) as caught:
            parse_bank(tmp_path, families=FAMILIES, whole=True)
        return [str(error).removeprefix(f"{tmp_path}/") for error in caught.value.errors]

    return found


def test_good_files_become_the_bank(tmp_path: Path) -> None:
    bank = parse_bank(write(tmp_path, FILES), families=FAMILIES, whole=True)
    assert [(s.number, s.position) for s in bank.sections] == [("7.1", 1), ("7.10", 2)]
    assert bank.sections[0].texts["zh-hans"] == SectionTextSpec(title="甲", body=BODY_ZH.strip())
    assert bank.sections[0].texts["en"] == SectionTextSpec(title="One", body=BODY_EN.strip())
    question = bank.questions[0]
    assert (question.number, question.sections, question.difficulty, question.families) == (
        1, ("7.1", "7.10"), "basic", ("kv_cache",),
    )  # fmt: skip
    assert (question.abilities, question.asked, question.next) == (("principle", "tensors"), 18, (2,))
    english = question.texts["en"]
    assert (english.title, english.examines) == ("Why divide?", "Variance")
    assert (english.short_answer, english.minute_answer) == ("Because.", "A minute.")
    assert english.passing_points == "- One\n- Two\n- Three"
    assert (english.bonus_points, english.sources) == ("- Four", "- [Text](https://example.org/)")
    assert english.common_mistakes == "## Wrong one\n\nBecause.\n\n## Wrong two\n\nBecause."
    assert english.follow_ups.startswith("## Asked one?\n\nAnswer.")
    # A heading inside code is code.
    assert question.texts["zh-hans"].full_answer.endswith("```python\n# short answer\nprint(1)\n```")


def test_until_a_bank_is_whole_parts_may_be_missing(tmp_path: Path) -> None:
    short = {
        name: text if name.startswith("s") else text.split("# one minute")[0] for name, text in FILES.items()
    }
    bank = parse_bank(write(tmp_path, short), families=FAMILIES, whole=False)
    assert bank.questions[0].texts["en"].full_answer == ""
    with pytest.raises(ContentErrors) as caught:
        parse_bank(tmp_path, families=FAMILIES, whole=True)
    told = {error.message for error in caught.value.errors}
    assert told == {f"# {shape.heading} is missing" for shape in PARTS[1:]}


QZ, QE = "questions/01.zh-hans.md", "questions/01.en.md"
QZ2, S1 = "questions/02.zh-hans.md", "sections/7.01.zh-hans.md"
CODE = "```python\n# short answer\nprint(1)\n```"
ALL = " or # ".join(shape.heading for shape in PARTS)
UNKNOWN_ZH = (
    "10: 'sources' is not a field of this file; "
    "its fields: abilities, asked, difficulty, examines, families, next, number, sections, title"
)
UNKNOWN_EN = "2: 'number' is not a field of this file; its fields: examines, title"
BY_ZERO = "division by zero, or no finite result in {{ 2 / 0 }}"
NOWHERE = "the link /bank/7/ leads nowhere: the question 7 does not exist"
UNLIKE = "items `- …` differ: 3 in Chinese, 4 in English"
ONE_PARAGRAPH = "one paragraph stands before the first ## heading, and nothing else"
MISSING = "1: the file in the other language is missing"


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        (QZ, "number: 1", "number: 2", "2: number is 2 but the file's name says 1"),
        (QZ, "number: 1", 'number: "1"', "2: number must be a whole number"),
        (QZ, "number: 1", "number: true", "2: number must be a whole number"),
        (QZ, "number: 1\n", "", "1: number is missing"),
        (QZ, "number: 1", "number:", "2: number is empty"),
        (QZ, "number: 1", "number: 1\nnumber: 1", "3: 'number' is given twice"),
        (QZ, '"7.1", ', "7.1, ", "3: sections must be a list of texts in quotes"),
        (QZ, '["7.1", "7.10"]', '"7.1"', "3: sections must be a list of texts in quotes"),
        (QZ, '["7.1", "7.10"]', "[]", "3: sections needs at least 1"),
        (QZ, '"7.10"', '"7.1"', "3: sections names something twice"),
        (QZ, '"7.10"', '"7.99"', "3: the section '7.99' does not exist"),
        (QZ, "basic", "easy", "4: difficulty is 'easy'; it must be one of basic, middle, advanced"),
        (QZ, "kv_cache", "nonsense", "5: the exercise family 'nonsense' does not exist"),
        (QZ, "[principle, tensors]", "[]", "6: abilities needs at least 1"),
        (QZ, "[principle, tensors]", "[wit]", "6: the ability 'wit' does not exist"),
        (QZ, "tensors]", "tensors, systems, training]", "6: abilities are at most 3"),
        (QZ, "asked: 18", "asked: 31", "7: asked is 1 to 30, or left out"),
        (QZ, "asked: 18", "asked: ~18", "7: asked must be a whole number"),
        (QZ, "next: [2]", "next: [1]", "8: the other question 1 does not exist"),
        (QZ, "next: [2]", "next: 2", "8: next must be a list of whole numbers"),
        (QZ, "examines: 方差", "examines: ''", "10: examines is empty"),
        (QZ, "examines: 方差\n", "", "1: examines is missing"),
        (QZ, "examines: 方差", "examines: [a]", "10: examines must be a text in quotes"),
        (QZ, "方差", "方" * 301, "10: examines must be one line of at most 300 characters"),
        (QZ, "examines", "sources: x\nexamines", UNKNOWN_ZH),
        (QZ, "sqrt", "nonsense", '9: formula: 0: Unknown command "\\nonsense". in $\\nonsense{d_k}$'),
        (QZ, "operatorname{Var}", "no", '14: formula: 0: Unknown command "\\no". in $\\no(q\\cdot k)=d_k$'),
        (QZ, CODE, "```python\nx", "30: the code block is not closed"),
        (QZ, CODE, "# short answer\n\nx", "30: the heading 'short answer' is there twice"),
        (QZ, "print(1)", "print(2)", "30: the listing has no output yet: python -m tests.listings --write"),
        (QZ, "# short answer\n\n因为", "因为", f"12: text before the first heading: expected # {ALL}"),
        (QZ, "一分钟。", "## 一分钟", "18: no heading stands in a text to be said aloud"),
        (QZ, "一分钟。", CODE, "18: no block stands in a text to be said aloud"),
        (QZ, "### 代码", "## 代码", "28: headings in here are written ###"),
        (QZ, "- 丙\n", "", "35: # passing points has 2 items; 3 to 6 are needed"),
        (QZ, "- 丙", "- 丙\n\n丙丙", "41: only `- items` stand under # passing points"),
        (QZ, "## 错二\n\n因为。\n", "", "45: # common mistakes has 1 ## headings; 2 to 4 are needed"),
        (QZ, "## 错一", "错\n\n## 错一", "45: text before the first ## heading under # common mistakes"),
        (QZ, "## 错一\n\n因为。", "## 错一", "47: nothing stands under ## 错一"),
        (QZ, "一分钟。", "[x](/bank/7/)", f"18: {NOWHERE}"),
        (QZ, "一分钟。", "[[qeury]]", "18: the glossary has no 'qeury'"),
        (QE, "# one minute\n\nA minute.\n", "", "5: # one minute is missing"),
        (QE, "Because.", "", "5: nothing stands under # short answer"),
        (QE, "# short answer", "# Short", f"5: the heading 'Short': expected # {ALL}"),
        (QE, "2 * n", "2 / 0", f"19: live number: column 1: {BY_ZERO}"),
        (QE, "2 * n", "3 * n", "5: # full answer: live number only in the English text: 3*n"),
        (QE, "- Three\n", "- Three\n- More\n", f"5: # passing points: {UNLIKE}"),
        (QE, "# one minute\n\nA minute.\n\n", "", "5: # one minute is there in one language only"),
        (QE, "title: Why", "number: 1\ntitle: Why", UNKNOWN_EN),
        (QE, "title: Why divide?", "title: Why: divide?", "2: YAML: mapping values are not allowed here"),
        (QE, "---\ntitle", "title", "1: the file does not begin with a line of ---"),
        (QE, "Variance\n---", "Variance", "1: the front matter is not closed by a line of ---"),
        (S1, '"7.1"', "7.1", "2: number must be a text in quotes"),
        (S1, '"7.1"', '"7.2"', "2: number is '7.2' but the file's name says '7.1'"),
        (S1, "$x$", "$x$ <b>y</b>", "5: HTML is shown as text: <b>"),
        (S1, "开头 $x$。", "", "5: the text begins with a paragraph that says what the section answers"),
        (S1, "$x$。", "$x$。\n\n再说。", f"5: {ONE_PARAGRAPH}"),
        (S1, "## 公式", "## 公示", f"11: the heading '公示': expected ## {' or ## '.join(PARTS_ZH)}"),
        (S1, "## 公式\n\n正文。", "", "5: ## 公式 is missing"),
        (S1, "## 公式\n\n正文。", "## 公式", "11: nothing stands under ## 公式"),
        (S1, "## 公式", "## 代码", "15: ## 逐项拆解 must stand before ## 代码, and once"),
        ("glossary.yaml", "zh: 查询", "zh: ''", "1: something is empty, or not a text (put it in quotes)"),
        ("glossary.yaml", "query", "Query", "1: the slug 'Query' is not small letters, digits and _"),
        ("glossary.yaml", "- slug", "slug", "2: YAML: mapping values are not allowed here"),
        ("glossary.yaml", "$q$。", "$\\no$。", '1: query: formula: 0: Unknown command "\\no". in $\\no$'),
    ],
)  # fmt: skip
def test_mistake_is_told_with_its_line(errors: Errors, name: str, old: str, new: str, expected: str) -> None:
    assert old in FILES[name]
    assert f"{name}:{expected}" in errors({name: FILES[name].replace(old, new, 1)})


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        (
            "questions/03.zh-hans.md",
            f"questions/03.zh-hans.md:{MISSING}: en",
        ),
        ("questions/03.en.md", f"questions/03.en.md:{MISSING}: zh-hans"),
        ("questions/2.en.md", "questions/2.en.md:1: the file's name is not one of the bank's"),
        ("sections/notes.txt", "sections/notes.txt:1: the file's name is not one of the bank's"),
    ],
)
def test_stray_file_or_missing_twin_is_told(errors: Errors, added: str, expected: str) -> None:
    text = FILES.get(added.replace("03", "01"), "")
    assert expected in errors({added: text})


def test_file_that_is_no_utf8_is_told(errors: Errors, tmp_path: Path) -> None:
    write(tmp_path, FILES)
    (tmp_path / "sections" / "7.10.en.md").write_bytes(b"---\ntitle: \xff\n---\n")
    with pytest.raises(ContentErrors) as caught:
        parse_bank(tmp_path, families=FAMILIES, whole=True)
    assert "cannot be read" in caught.value.errors[0].message


def test_all_mistakes_are_told_together_in_order(errors: Errors) -> None:
    zh = QUESTION_ZH.replace("basic", "easy").replace("number: 1", "number: 3")
    found = errors({QZ: zh, QE: QUESTION_EN.replace("A minute.", "{{ nobody }}")})
    assert found == [
        f"{QE}:5: # one minute: live number only in the English text: nobody",
        f"{QE}:11: live number: column 1: the name 'nobody' is not known in {{{{ nobody }}}}",
        f"{QZ}:2: number is 3 but the file's name says 1",
        f"{QZ}:4: difficulty is 'easy'; it must be one of basic, middle, advanced",
    ]


def test_empty_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(ContentErrors) as caught:
        parse_bank(tmp_path, families=FAMILIES, whole=True)
    assert [error.message for error in caught.value.errors] == ["the folder holds no content"] * 2
