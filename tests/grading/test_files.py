"""Files as they come: delimiters, marks, line ends, quotes, encodings; what is refused and where."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.grading.batches import HEADER, RESULTS, judged, judged_lines, refused, right, run

ROW = f"王五,scaled_entry,4,scaled,{right('scaled_entry', 4, 'scaled')}"
PLAIN = f"{HEADER}\n{ROW}\n"
VERDICT = ("王五", "right")


def outcome(rows: list[dict[str, str]]) -> list[tuple[str, str]]:
    return [(row["candidate"], row["verdict"]) for row in rows]


@pytest.mark.parametrize(
    ("content", "arguments"),
    [
        (PLAIN, ()),
        ("\ufeff" + PLAIN, ()),
        (PLAIN.replace("\n", "\r\n"), ()),
        (PLAIN.replace(",", ";"), ()),
        (PLAIN.replace(",", "\t"), ()),
        (PLAIN.rstrip("\n"), ()),
        (PLAIN.replace("\n", "\n\n"), ()),
        (PLAIN.replace("seed", " Seed "), ()),
        (PLAIN.replace("scaled_entry,4", "ｓｃａｌｅｄ_entry,４"), ()),
        (PLAIN.encode("utf-16"), ()),
        (PLAIN.encode("gb18030"), ("--encoding", "gb18030")),
    ],
    ids=[
        "plain",
        "bom",
        "crlf",
        "semicolons",
        "tabs",
        "no last newline",
        "blank lines",
        "header",
        "full width",
        "utf-16",
        "gb18030",
    ],
)
def test_file_is_read_in_the_form_it_comes(
    tmp_path: Path, content: str | bytes, arguments: tuple[str, ...]
) -> None:
    path = tmp_path / "batch.csv"
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(data)
    output = tmp_path / "output.csv"
    call_command("autocheck", str(path), "--output", str(output), *arguments, stderr=io.StringIO())
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else (arguments or ("", "utf-8"))[1]
    written = output.read_bytes().decode(encoding)
    lines = written.split("\r\n" if b"\r\n" in data else "\n")
    delimiter = next(mark for mark in "\t;," if mark in lines[0])
    assert lines[0].split(delimiter)[-5:] == RESULTS
    assert lines[1].split(delimiter)[0] == "王五"
    assert lines[1].split(delimiter)[5:7] == ["right", "1"]
    assert lines[2:] == [""]
    assert written.startswith("\ufeff") == (isinstance(content, str) and content.startswith("\ufeff"))
    assert ("\r\n" in written) == (b"\r\n" in data)


def test_further_columns_and_quoted_newlines_are_kept(tmp_path: Path) -> None:
    content = f'note,{HEADER},"long\nname"\n"two\nlines",{ROW},"say ""hi"", please"\nx,{ROW},\n'
    rows = judged(tmp_path, content)
    assert list(rows[0]) == ["note", *HEADER.split(","), "long\nname", *RESULTS]
    assert [row["note"] for row in rows] == ["two\nlines", "x"]
    assert [row["long\nname"] for row in rows] == ['say "hi", please', ""]
    assert outcome(rows) == [VERDICT, VERDICT]


def test_columns_come_in_any_order(tmp_path: Path) -> None:
    value = right("scaled_entry", 4, "scaled")
    assert outcome(
        judged(tmp_path, f"response,part,seed,family,candidate\n{value},scaled,4,scaled_entry,王五\n")
    ) == [VERDICT]


def test_an_earlier_runs_columns_are_made_anew(tmp_path: Path) -> None:
    first = tmp_path / "first.csv"
    first.write_text(PLAIN, "utf-8")
    once = run(first)
    second = tmp_path / "second.csv"
    second.write_text(once, "utf-8")
    assert run(second) == once


def test_every_row_has_one_result_even_where_its_cells_are_too_few_or_too_many(tmp_path: Path) -> None:
    content = f"{HEADER}\na,scaled_entry,4\n{ROW},\nb,scaled_entry,4,scaled,1,5\n,,,,x\n"
    rows = judged(tmp_path, content, "batch.csv", "--language", "en")
    assert [row["verdict"] for row in rows] == ["unknown", "right", "malformed", "unknown"]
    assert (
        rows[2]["reason"] == "this row has 6 cells, the header has 5; quote responses that hold the delimiter"
    )


def test_a_file_with_a_header_only_gives_a_header(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    path.write_text(HEADER + "\n", "utf-8")
    assert run(path) == f"{HEADER},{','.join(RESULTS)}\n"


@pytest.mark.parametrize(
    ("content", "arguments", "reason"),
    [
        ("", (), "第 1 行：文件是空的，没有表头。"),
        ("\n\n", (), "第 1 行：文件是空的，没有表头。"),
        (
            "candidate,family,seed,part\na,b,1,c\n",
            (),
            "第 1 行：缺少列 response（现有的列：candidate、family、seed、part）。",
        ),
        ("a;b\n", (), "第 1 行：缺少列 candidate、family、seed、part、response（现有的列：a;b）。"),
        (f"{HEADER},seed\n", (), "第 1 行第 6 列：列名 seed 重复了。"),
        (f'{PLAIN}a,b,1,c,"x\nmore\n', (), "第 3 行第 5 列：引号没有闭合。"),
        (f'{PLAIN}a,"b"x,1,c,d\n', (), "第 3 行第 2 列：引号后面还有别的字符。"),
        (f'{PLAIN}a,"b\nc"x,1,c,d\n', (), "第 4 行第 2 列：引号后面还有别的字符。"),
        (PLAIN.encode() + b"\xff\xff,,,,\n", (), "第 3 行（文件第 "),
        (
            PLAIN.encode("gb18030"),
            (),
            "不是 utf-8 编码。如果是中文 Excel 存的 CSV，请加 --encoding gb18030。",
        ),
        (
            "candidate\n",
            ("--language", "en"),
            "line 1: missing column family, seed, part, response (found: candidate).",
        ),
    ],
)
def test_file_whose_rows_cannot_be_told_is_refused_with_its_place(
    tmp_path: Path, content: str | bytes, arguments: tuple[str, ...], reason: str
) -> None:
    told = refused(tmp_path, content, "batch.csv", *arguments)
    assert reason == told or (len(reason) < len(told) and reason in told and isinstance(content, bytes))


def test_undecodable_byte_is_counted_over_chunks(tmp_path: Path) -> None:
    filler = f"{ROW}\n" * 2000
    data = f"{HEADER}\n{filler}".encode()
    assert len(data) > 1 << 16
    told = refused(tmp_path, data + b"x\xe4", "batch.csv")
    assert told.startswith(f"第 2002 行（文件第 {len(data) + 2} 字节）不是 utf-8 编码。")


def test_missing_file_and_unwritable_output_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"nothing\.csv") as error:
        call_command("autocheck", str(tmp_path / "nothing.csv"))
    assert error.value.returncode == 2
    path = tmp_path / "batch.csv"
    path.write_text(PLAIN, "utf-8")
    with pytest.raises(CommandError) as error:
        call_command("autocheck", str(path), "--output", str(tmp_path / "no" / "such" / "folder.csv"))
    assert error.value.returncode == 2


def test_output_may_be_the_input_and_is_replaced_only_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    path.write_text(PLAIN, "utf-8")
    call_command("autocheck", str(path), "--output", str(path), stderr=io.StringIO())
    assert path.read_text("utf-8").splitlines()[0] == f"{HEADER},{','.join(RESULTS)}"
    assert os.listdir(tmp_path) == ["batch.csv"]  # noqa: PTH208
    path.write_text(PLAIN + 'a,"b', "utf-8")
    kept = tmp_path / "kept.csv"
    kept.write_text("as it was", "utf-8")
    with pytest.raises(CommandError):
        call_command("autocheck", str(path), "--output", str(kept), stderr=io.StringIO())
    assert kept.read_text("utf-8") == "as it was"


def test_standard_output_gets_the_same_text(tmp_path: Path) -> None:
    path, stream = tmp_path / "batch.csv", io.StringIO()
    path.write_text(PLAIN, "utf-8")
    call_command("autocheck", str(path), stdout=stream, stderr=io.StringIO())
    assert stream.getvalue() == run(path)


def test_json_lines_keep_their_objects_and_add_the_results(tmp_path: Path) -> None:
    given = {
        "candidate": "王五",
        "family": "full_output",
        "seed": 3,
        "part": "q",
        "response": [[1, 2], [3, 4]],
        "extra": {"a": [1]},
    }
    text = {**given, "seed": "3", "part": "output", "response": right("full_output", 3, "output")}
    rows = judged_lines(tmp_path, f"{json.dumps(given)}\n\n{json.dumps(text, ensure_ascii=False)}\n")
    assert [list(row) for row in rows] == [[*given, *RESULTS]] * 2
    assert [{name: row[name] for name in given} for row in rows] == [given, text]
    assert [(row["verdict"], row["score"]) for row in rows] == [("wrong_shape", 0), ("right", 1)]
    assert rows[1]["expected"] == json.loads(text["response"])


def test_json_lines_that_are_no_object_are_malformed_rows(tmp_path: Path) -> None:
    good = {"candidate": "a", "family": "scaled_entry", "seed": 4, "part": "scaled", "response": 1}
    lines = [
        json.dumps(good),
        "[1]",
        '{"candidate": ',
        "NaN",
        '"x"',
        "[" * 100_000,
        json.dumps({**good, "candidate": "\ud800"}),
    ]
    rows = judged_lines(tmp_path, "\n".join(lines))
    assert [row["verdict"] for row in rows] == ["wrong", *["malformed"] * 5, "wrong"]
    assert [row["response"] for row in rows[1:6]] == lines[1:6]
    assert rows[1]["reason"] == "第 2 行不是 JSON 对象"
    assert rows[2]["reason"] == "第 3 行第 15 个字符处不是合法的 JSON"
    assert rows[1]["score"] is None
    assert rows[6]["candidate"] == "\ud800"


def test_json_lines_without_a_column_in_any_row_are_refused(tmp_path: Path) -> None:
    line = json.dumps({"candidate": "a", "family": "b", "seed": 1, "part": "c", "answer": 1})
    assert refused(tmp_path, line, "batch.jsonl") == (
        "第 1 行：缺少列 response（现有的列：candidate、family、seed、part、answer）。"
    )
    assert refused(tmp_path, "[]\n", "batch.jsonl").startswith("第 1 行：缺少列 candidate")
    one_has_it = line + "\n" + line.replace("answer", "response")
    assert [row["verdict"] for row in judged_lines(tmp_path, one_has_it)] == ["unknown", "unknown"]


def test_json_lines_are_known_by_their_first_character_too(tmp_path: Path) -> None:
    path = tmp_path / "batch.txt"
    path.write_text(json.dumps(dict.fromkeys(HEADER.split(","), "x")), "utf-8")
    assert json.loads(run(path))["verdict"] == "unknown"
