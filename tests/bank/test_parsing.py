"""Content files are read strictly: each mistake is told with its file and line, all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from quiz.bank.parsing import parse_bank
from quiz.bank.specs import ContentErrors, QuestionTextSpec, SectionTextSpec

FAMILIES = ("kv_cache", "softmax_row")
QUESTION_ZH = """---
number: 1
sections: ["7.1", "7.10"]
difficulty: basic
families: [kv_cache]
title: "为什么除以 $\\\\sqrt{d_k}$？"
examines: 方差
---
# short answer

因为 $\\operatorname{Var}(q\\cdot k)=d_k$。

```python
# short answer
```
"""
QUESTION_EN = """---
title: Why divide?
examines: Variance
---
# short answer

Because {{ 1 + 1 }}.
"""
FILES = {
    "sections/7.01.zh-hans.md": '---\nnumber: "7.1"\ntitle: 甲\n---\n正文 $x$\n',
    "sections/7.01.en.md": "---\ntitle: One\n---\n",
    "sections/7.10.zh-hans.md": '---\nnumber: "7.10"\ntitle: 乙\n---\n',
    "sections/7.10.en.md": "---\ntitle: Ten\n---\n",
    "questions/01.zh-hans.md": QUESTION_ZH,
    "questions/01.en.md": QUESTION_EN,
}
Errors = Callable[[dict[str, str]], list[str]]


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def errors(tmp_path: Path) -> Errors:
    """The errors of the good files with some changed, as `name:line: message`."""

    def found(changed: dict[str, str]) -> list[str]:
        write(tmp_path, {**FILES, **changed})
        with pytest.raises(ContentErrors) as caught:
            parse_bank(tmp_path, families=FAMILIES)
        return [str(error).removeprefix(f"{tmp_path}/") for error in caught.value.errors]

    return found


def test_good_files_become_the_bank(tmp_path: Path) -> None:
    bank = parse_bank(write(tmp_path, FILES), families=FAMILIES)
    assert [(s.number, s.position) for s in bank.sections] == [("7.1", 1), ("7.10", 2)]
    assert bank.sections[0].texts["zh-hans"] == SectionTextSpec(title="甲", body="正文 $x$")
    assert bank.sections[0].texts["en"] == SectionTextSpec(title="One", body="")
    (question,) = bank.questions
    assert (question.number, question.sections, question.difficulty, question.families) == (
        1, ("7.1", "7.10"), "basic", ("kv_cache",),
    )  # fmt: skip
    assert question.texts["en"] == QuestionTextSpec(
        title="Why divide?", examines="Variance", short_answer="Because {{ 1 + 1 }}."
    )
    # A heading inside code is code.
    assert question.texts["zh-hans"].short_answer.endswith("```python\n# short answer\n```")


QZ, QE = "questions/01.zh-hans.md", "questions/01.en.md"
CODE = "```python\n# short answer\n```"
UNKNOWN_ZH = (
    "7: 'sources' is not a field of this file; "
    "its fields: difficulty, examines, families, number, sections, title"
)
UNKNOWN_EN = "2: 'number' is not a field of this file; its fields: examines, title"
BY_ZERO = "division by zero, or no finite result in {{ 1 / 0 }}"
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
        (QZ, "examines: 方差", "examines: ''", "7: examines is empty"),
        (QZ, "examines: 方差\n", "", "1: examines is missing"),
        (QZ, "examines: 方差", "examines: [a]", "7: examines must be a text in quotes"),
        (QZ, "方差", "方" * 301, "7: examines must be one line of at most 300 characters"),
        (QZ, "examines", "sources: x\nexamines", UNKNOWN_ZH),
        (QZ, "sqrt", "nonsense", '6: formula: 0: Unknown command "\\nonsense". in $\\nonsense{d_k}$'),
        (QZ, "operatorname{Var}", "no", '11: formula: 0: Unknown command "\\no". in $\\no(q\\cdot k)=d_k$'),
        (QZ, CODE, "```python\nx", "13: the code block is not closed"),
        (QZ, CODE, "# short answer\n\nx", "13: the heading 'short answer' is there twice"),
        (QZ, "# short answer\n\n因为", "因为", "9: text before the first heading: expected # short answer"),
        (QE, "# short answer\n\nBecause {{ 1 + 1 }}.", "", "5: # short answer is missing"),
        (QE, "Because {{ 1 + 1 }}.", "", "5: nothing stands under # short answer"),
        (QE, "# short answer", "# Short", "5: the heading 'Short': expected # short answer"),
        (QE, "1 + 1", "1 / 0", "7: live number: column 1: " + BY_ZERO),
        (QE, "title: Why", "number: 1\ntitle: Why", UNKNOWN_EN),
        (QE, "title: Why divide?", "title: Why: divide?", "2: YAML: mapping values are not allowed here"),
        (QE, "---\ntitle", "title", "1: the file does not begin with a line of ---"),
        (QE, "Variance\n---", "Variance", "1: the front matter is not closed by a line of ---"),
        ("sections/7.01.zh-hans.md", '"7.1"', "7.1", "2: number must be a text in quotes"),
        ("sections/7.01.zh-hans.md", '"7.1"', '"7.2"', "2: number is '7.2' but the file's name says '7.1'"),
        ("sections/7.01.zh-hans.md", "$x$", "$x$ <b>y</b>", "5: HTML is shown as text: <b>"),
    ],
)  # fmt: skip
def test_mistake_is_told_with_its_line(errors: Errors, name: str, old: str, new: str, expected: str) -> None:
    assert old in FILES[name]
    assert f"{name}:{expected}" in errors({name: FILES[name].replace(old, new, 1)})


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        (
            "questions/02.zh-hans.md",
            f"questions/02.zh-hans.md:{MISSING}: en",
        ),
        ("questions/02.en.md", f"questions/02.en.md:{MISSING}: zh-hans"),
        ("questions/2.en.md", "questions/2.en.md:1: the file's name is not one of the bank's"),
        ("sections/notes.txt", "sections/notes.txt:1: the file's name is not one of the bank's"),
    ],
)
def test_stray_file_or_missing_twin_is_told(errors: Errors, added: str, expected: str) -> None:
    text = FILES.get(added.replace("02", "01"), "")
    assert expected in errors({added: text})


def test_file_that_is_no_utf8_is_told(errors: Errors, tmp_path: Path) -> None:
    write(tmp_path, FILES)
    (tmp_path / "sections" / "7.10.en.md").write_bytes(b"---\ntitle: \xff\n---\n")
    with pytest.raises(ContentErrors) as caught:
        parse_bank(tmp_path, families=FAMILIES)
    assert "cannot be read" in caught.value.errors[0].message


def test_all_mistakes_are_told_together_in_order(errors: Errors) -> None:
    zh = QUESTION_ZH.replace("basic", "easy").replace("number: 1", "number: 3")
    found = errors({QZ: zh, QE: QUESTION_EN.replace("1 + 1", "nobody")})
    assert found == [
        f"{QE}:7: live number: column 1: the name 'nobody' is not known in {{{{ nobody }}}}",
        f"{QZ}:2: number is 3 but the file's name says 1",
        f"{QZ}:4: difficulty is 'easy'; it must be one of basic, middle, advanced",
    ]


def test_empty_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(ContentErrors) as caught:
        parse_bank(tmp_path, families=FAMILIES)
    assert [error.message for error in caught.value.errors] == ["the folder holds no content"] * 2
