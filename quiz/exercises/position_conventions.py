"""The conventions of prompts about positions, each worded once."""

from __future__ import annotations

from quiz.exercises.types import Text

RADIANS = Text(
    "角度用弧度；中间的角度和三角函数值至少保留 3 位小数。",
    "Angles are in radians; keep at least 3 decimals of angles, sines and cosines along the way.",
)
POSITIONS_FROM_ZERO = Text("位置从 0 数。", "Positions count from 0.")
INTERLEAVED = Text(
    "正弦和余弦交错排列：$\\mathrm{PE}(p, 2i) = \\sin(p / 10000^{2i/d})$，$\\mathrm{PE}(p, 2i+1) = \\cos(p "
    "/ 10000^{2i/d})$，位置 $p$、维度都从 0 数。",
    "Sines and cosines alternate: $\\mathrm{PE}(p, 2i) = \\sin(p / 10000^{2i/d})$, $\\mathrm{PE}(p, 2i+1) "
    "= \\cos(p / 10000^{2i/d})$; positions $p$ and dimensions count from 0.",
)
