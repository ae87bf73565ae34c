"""Heads: right values and mistakes by indices and sums written out."""

from __future__ import annotations

from tests.exercises.drawn import variants

COUNT = 60


def test_concat_wo_is_the_sum_of_every_component_times_its_row() -> None:
    for variant in variants("concat_wo")[:COUNT]:
        (a, b), (c, d) = variant.drawn["heads"]
        rows = zip([a, b, c, d], variant.drawn["w_o"], strict=True)
        weighed = [[component * entry for entry in row] for component, row in rows]
        assert variant.right["output"] == [sum(column) for column in zip(*weighed, strict=True)]


def test_mistakes_about_joining_heads_have_their_written_out_values() -> None:
    w_o = [[1, 0, 2, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1]]
    family = variants("concat_wo")[0].family
    values = family.mistakes({"heads": [[1, 2], [3, -1]], "w_o": w_o})
    assert {slug: value["output"] for slug, value in values.items()} == {
        "no_output_projection": [1, 2, 3, -1],
        "transposed_projection": [1 + 6, 2, 3, 1 - 1],
        "heads_averaged": [0, 1, 2.5, -0.5],
        "heads_exchanged": [3 + 2, -1, 6 + 1, 2],
        "interleaved": [1 - 1, 3, 2 + 2, -1],
    }


def test_head_slice_is_a_run_of_neighbours() -> None:
    for variant in variants("head_slice")[:COUNT]:
        row, head = variant.drawn["q"][variant.drawn["token"]], variant.drawn["head"]
        assert variant.right["slice"] == (row[2:] if head else row[:2])
    q = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    family = variants("head_slice")[0].family
    assert family.mistakes({"q": q, "token": 1, "head": 0}) == {
        "view_without_transpose": {"slice": [3, 4]},
        "interleaved": {"slice": [5, 7]},
        "other_head": {"slice": [7, 8]},
    }
