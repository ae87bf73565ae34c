"""H9: how many tiles FlashAttention computes under a causal mask."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from attention_core.tiling import tile_count
from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

SIZES = (16, 32, 48, 64, 96, 128, 192)
ROW_BLOCKS = range(4, 11)


@register
class FlashTiles(Family):
    """Drawn: rows B_r and columns B_c, different; length, a multiple of both."""

    slug = "flash_tiles"
    code = "H9"
    title = Text(
        "FlashAttention 在因果掩码下要算几块", "The tiles FlashAttention computes under a causal mask"
    )
    sections = ("7.15",)
    questions = (37,)
    minutes = 3
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="all_tiles",
            title=Text("把所有块都算上了", "all tiles counted"),
            told=Text(
                "算的是 $T_r \\times T_c$：对角线右上方整块被遮住的，根本不用算。",
                "The count is $T_r \\times T_c$, but tiles wholly above the diagonal are skipped.",
            ),
            question=Text(
                "一块里的 key 全都在 query 后面，还需要算它吗？",
                "If every key of a tile comes after its queries, does it have to be computed?",
            ),
            caption=Text("全部都算会得到", "All tiles"),
        ),
        Misconception(
            slug="half",
            title=Text("直接取了一半", "half of all tiles"),
            told=Text(
                "算成了 $T_r T_c / 2$：压在对角线上的块有一部分看得见，要整块算。",
                "The count is $T_r T_c / 2$, but tiles that cross the diagonal are partly visible "
                "and computed whole.",
            ),
            question=Text(
                "对角线穿过的块，算还是不算？", "Is a tile that the diagonal crosses computed or not?"
            ),
            caption=Text("取一半会得到", "Half of them"),
        ),
        Misconception(
            slug="square_tiles",
            title=Text("当成了正方形的块", "square tiles assumed"),
            told=Text(
                "算成了 $T_r(T_r+1)/2$，只有 $B_r = B_c$ 时才对。",
                "The count is $T_r(T_r+1)/2$, which holds only for $B_r = B_c$.",
            ),
            question=Text(
                "下移一个 query 块，对角线往右移了几个 key 块？",
                "One block of queries further down, how many blocks of keys does the diagonal move right?",
            ),
            caption=Text("按正方形算会得到", "With square tiles"),
        ),
        Misconception(
            slug="diagonal_skipped",
            title=Text("漏了对角线穿过的块", "the tiles on the diagonal left out"),
            told=Text(
                "只数了整块都看得见的；对角线穿过的块里也有看得见的 key。",
                "Only wholly visible tiles were counted; those that the diagonal crosses hold "
                "visible keys too.",
            ),
            question=Text(
                "每个 query 至少看得见自己。它自己在哪一块里？",
                "Every query sees itself: in which tile does that happen?",
            ),
            caption=Text("漏掉对角线上的块会得到", "Without the diagonal"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="tiles", kind="integer", label=Text("要算的块数", "tiles computed"), tolerance=EXACT),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        rows, columns = (int(size) for size in rng.choice(SIZES, 2, replace=False))
        return {"rows": rows, "columns": columns, "length": rows * int(rng.choice(ROW_BLOCKS))}

    def accepts(self, drawn: Drawn) -> bool:
        """Both sizes divide the length, there are several blocks of each, and half of all is whole."""
        row_blocks, rest = divmod(drawn["length"], drawn["rows"])
        column_blocks, odd = divmod(drawn["length"], drawn["columns"])
        return not rest and not odd and column_blocks >= 3 and row_blocks * column_blocks % 2 == 0

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        n = drawn["length"]
        return {
            "tiles": tile_count(n, keys=n, rows=drawn["rows"], columns=drawn["columns"], causal="top_left")
        }

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        n, rows, columns = drawn["length"], drawn["rows"], drawn["columns"]
        everything = tile_count(n, keys=n, rows=rows, columns=columns)
        row_blocks = n // rows
        counts = {
            "all_tiles": everything,
            "half": everything // 2,
            "square_tiles": row_blocks * (row_blocks + 1) // 2,
            "diagonal_skipped": sum((i * rows + 1) // columns for i in range(row_blocks)),
        }
        return {"tiles": counts[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        given = (
            ("n", drawn["length"], Text("序列长度", "sequence length")),
            ("B_r", drawn["rows"], Text("一块有几个 query", "queries in a tile")),
            ("B_c", drawn["columns"], Text("一块有几个 key", "keys in a tile")),
        )
        return Prompt(
            task=Text(
                "FlashAttention 把 $n \\times n$ 的分数分成 $B_r \\times B_c$ 的块逐块计算。做因果自"
                "注意力时，一个头要算几块？",
                "FlashAttention works through the $n \\times n$ scores in tiles of $B_r \\times "
                "B_c$. How many tiles does one head compute for causal self-attention?",
            ),
            givens=tuple(Given(name=name, value=value, note=note) for name, value, note in given),
            conventions=(
                Text(
                    "因果掩码：每个 token 看得见自己和前面的。query 和 key 一样多，从同一个位置数起。",
                    "Causal mask: a token sees itself and those before it. As many queries as keys, "
                    "counted from the same position.",
                ),
                Text(
                    "整块被遮住的跳过；只要有一个看得见的分数，就整块计算，算 1 块。",
                    "A tile that is hidden whole is skipped; with even one visible score it is "
                    "computed whole, as 1 tile.",
                ),
                Text("要整数，必须准确；也可以写算式。", "A whole number, exact; an expression is fine."),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        rows, columns, tiles = drawn["rows"], drawn["columns"], self.right(drawn)["tiles"]
        needed = _needed(drawn)
        return (
            SolutionStep(
                text=told(
                    "第 $i$ 个 query 块（从 0 数）最后一个 query 看得见前 $(i+1)B_r$ 个 key，所以要"
                    "算的块数是：",
                    "The last query of row block $i$ (from 0) sees the first $(i+1)B_r$ keys, so "
                    "this block needs:",
                    rf"\left\lceil \frac{{(i+1) \times {rows}}}{{{columns}}} \right\rceil",
                )
            ),
            SolutionStep(
                text=told(
                    f"共有 $T_r = {drawn['length']} / {rows} = {len(needed)}$ 个 query 块，逐块相加：",
                    f"There are $T_r = {drawn['length']} / {rows} = {len(needed)}$ row blocks; add them up:",
                    rf"{' + '.join(map(str, needed))} = {tiles}",
                ),
                part="tiles",
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        needed = _needed(drawn)
        return (
            Text(
                "一行一行地数：每个 query 块要算几个 key 块？",
                "Row by row: how many blocks of keys does each block of queries need?",
            ),
            Text(
                "看这一块里最后一个 query：它看得最远；除以 $B_c$ 后向上取整。",
                "Look at the last query of the block, which sees furthest; divide by $B_c$ and round up.",
            ),
            Text(
                f"前三个 query 块分别要算 {needed[0]}、{needed[1]}、{needed[2]} 块，共有 "
                f"{len(needed)} 个 query 块。",
                f"The first three row blocks need {needed[0]}, {needed[1]} and {needed[2]} tiles; "
                f"there are {len(needed)} row blocks.",
            ),
        )


def _needed(drawn: Drawn) -> list[int]:
    """The tiles of each block of queries."""
    blocks = range(1, drawn["length"] // drawn["rows"] + 1)
    return [-(-i * drawn["rows"] // drawn["columns"]) for i in blocks]
