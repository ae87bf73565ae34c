"""The files of a small whole bank: one question and two sections with every part, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from quiz.bank.glossary import read_glossary
from quiz.bank.listings import digest

QUESTION_ZH = """---
number: 1
sections: ["7.1", "7.10"]
difficulty: basic
families: [kv_cache]
abilities: [principle, tensors]
asked: 18
next: [2]
title: "为什么除以 $\\\\sqrt{d_k}$？"
examines: 方差
---
# short answer

因为 $\\operatorname{Var}(q\\cdot k)=d_k$。

# one minute

一分钟。

# full answer

```let
n = 4
```

先看 {{ 2 * n }}。

### 代码

```python
# short answer
print(1)
```

# passing points

- 甲
- 乙
- 丙

# bonus points

- 丁

# common mistakes

## 错一

因为。

## 错二

因为。

# follow-ups

## 问一？

答。

## 问二？

答。

# sources

- [文](https://example.org/)
"""
QUESTION_EN = """---
title: Why divide?
examines: Variance
---
# short answer

Because.

# one minute

A minute.

# full answer

```let
n = 4
```

First {{ 2 * n }}.

### Code

```python
# short answer
print(1)
```

# passing points

- One
- Two
- Three

# bonus points

- Four

# common mistakes

## Wrong one

Because.

## Wrong two

Because.

# follow-ups

## Asked one?

Answer.

## Asked two?

Answer.

# sources

- [Text](https://example.org/)
"""
QUESTION_2_ZH = QUESTION_ZH.replace("number: 1", "number: 2").replace("next: [2]", "next: []")
PARTS_ZH = ("直觉", "公式", "逐项拆解", "矩阵形状", "最小数值例", "代码", "常见误区")
PARTS_EN = (
    "Intuition", "Formula", "Term by term", "Shapes", "Smallest example", "Code", "Common misconceptions",
)  # fmt: skip
BODY_ZH = "开头 $x$。\n\n" + "\n".join(f"## {heading}\n\n正文。\n" for heading in PARTS_ZH)
BODY_EN = "Beginning.\n\n" + "\n".join(f"## {heading}\n\nText.\n" for heading in PARTS_EN)
GLOSSARY = """- slug: query
  zh: 查询
  en: query
  definition:
    zh: 拿去比较的向量 $q$。
    en: The vector that is compared, $q$.
"""
FILES = {
    "sections/7.01.zh-hans.md": f'---\nnumber: "7.1"\ntitle: 甲\n---\n{BODY_ZH}',
    "sections/7.01.en.md": f"---\ntitle: One\n---\n{BODY_EN}",
    "sections/7.10.zh-hans.md": f'---\nnumber: "7.10"\ntitle: 乙\n---\n{BODY_ZH}',
    "sections/7.10.en.md": f"---\ntitle: Ten\n---\n{BODY_EN}",
    "questions/01.zh-hans.md": QUESTION_ZH,
    "questions/01.en.md": QUESTION_EN,
    "questions/02.zh-hans.md": QUESTION_2_ZH,
    "questions/02.en.md": QUESTION_EN,
    "glossary.yaml": GLOSSARY,
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def stand_beside_the_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The listing of these files has its output, and the glossary is theirs."""
    monkeypatch.setattr("quiz.bank.rules.outputs", lambda: {digest("# short answer\nprint(1)"): "1"})
    terms, _ = read_glossary(GLOSSARY)
    monkeypatch.setattr("quiz.bank.checking.glossary", lambda: {term.slug: term for term in terms})
