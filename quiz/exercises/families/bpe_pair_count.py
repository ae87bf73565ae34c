"""I7: how often a pair of letters occurs in a corpus, as BPE counts it."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

import numpy as np

from quiz.exercises.attention_steps import told
from quiz.exercises.family import Family
from quiz.exercises.registry import register
from quiz.exercises.types import EXACT, Drawn, Given, Misconception, Part, Prompt, SolutionStep, Text, Values

# For each pair: words that hold it twice, once, and not at all. No pair doubles a letter, so none overlaps.
WORDS = {
    "an": (("banana", "cancan"), ("ban", "can", "plan", "hand", "want"), ("sit", "boat", "nap")),
    "in": (("mining", "lining"), ("pin", "win", "king", "mint", "find"), ("nib", "late", "fig")),
    "er": (("server", "terser"), ("her", "term", "over", "fern", "wider"), ("red", "tree", "ran")),
    "on": (("onion", "monsoon"), ("son", "long", "bond", "front", "iron"), ("no", "foot", "note")),
    "at": (("satiate", "fatality"), ("cat", "hat", "late", "data", "water"), ("tap", "tea", "ten")),
}
ONCE, LARGEST = 2, 9


@register
class BpePairCount(Family):
    """Drawn: pair; words, the first holding it twice, the last not at all; frequencies."""

    slug = "bpe_pair_count"
    code = "I7"
    title = Text("数出 BPE 里一对字母出现了几次", "How often BPE counts a pair of letters")
    sections = ("7.23",)
    questions = (34,)
    minutes = 2
    one_handed = True
    misconceptions: ClassVar[tuple[Misconception, ...]] = (
        Misconception(
            slug="once_per_word",
            title=Text("一个词里的两次只算了一次", "a pair that occurs twice in a word counted once"),
            told=Text(
                "每个含有这一对的词都只按词频加了一次，没有看它在词里出现几次。",
                "Every word that holds the pair added its frequency once, however often the pair "
                "occurs in it.",
            ),
            question=Text(
                "第一个词里，这一对字母出现了几次？", "How often does the pair occur in the first word?"
            ),
            caption=Text("每词只算一次会得到", "Once per word"),
        ),
        Misconception(
            slug="types",
            title=Text("没有乘词频", "the words' frequencies left out"),
            told=Text(
                "只在词表里数了一遍；出现得多的词应当算多次。",
                "The pair was counted in the list of words only; a frequent word counts as often as "
                "it occurs.",
            ),
            question=Text(
                "语料里这个词出现了几次？它的每一次都算吗？",
                "How often does the word occur in the corpus, and does each time count?",
            ),
            caption=Text("不乘词频会得到", "Without frequencies"),
        ),
        Misconception(
            slug="one_word",
            title=Text("只数了第一个词", "the first word only"),
            told=Text(
                "别的词里也有这一对，没有加进来。", "Other words hold the pair too, and they were left out."
            ),
            question=Text("还有哪些词含有这一对？", "Which other words hold the pair?"),
            caption=Text("只数第一个词会得到", "The first word only"),
        ),
        Misconception(
            slug="all_words",
            title=Text("把所有词的词频都加上了", "the frequencies of all words added up"),
            told=Text(
                "加的是全部词频，没有看词里有没有这一对。",
                "All frequencies were added, whether a word holds the pair or not.",
            ),
            question=Text("每个词里都有这一对吗？", "Does every word hold the pair?"),
            caption=Text("加上所有词会得到", "All words"),
        ),
    )

    _PARTS: ClassVar[tuple[Part, ...]] = (
        Part(name="count", kind="integer", label=Text("出现次数", "occurrences"), tolerance=EXACT),
    )

    def draw(self, rng: np.random.Generator) -> Drawn:
        pair = str(rng.choice(list(WORDS)))
        twice, once, never = WORDS[pair]
        words = [rng.choice(twice), *rng.choice(once, ONCE, replace=False), rng.choice(never)]
        frequencies = rng.integers(2, LARGEST + 1, len(words)).tolist()
        return {"pair": pair, "words": [str(word) for word in words], "frequencies": frequencies}

    def parts(self, drawn: Drawn) -> tuple[Part, ...]:
        return self._PARTS

    def right(self, drawn: Drawn) -> Values:
        return {"count": sum(f * _occurrences(drawn, word) for word, f in _corpus(drawn))}

    def mistaken(self, drawn: Drawn, slug: str) -> Values:
        corpus = _corpus(drawn)
        first, frequency = corpus[0]
        counts = {
            "once_per_word": sum(f for word, f in corpus if _occurrences(drawn, word)),
            "types": sum(_occurrences(drawn, word) for word, _ in corpus),
            "one_word": frequency * _occurrences(drawn, first),
            "all_words": sum(f for _, f in corpus),
        }
        return {"count": counts[slug]}

    def prompt(self, drawn: Drawn) -> Prompt:
        pair, words = drawn["pair"], drawn["words"]
        return Prompt(
            task=Text(
                f"训练 BPE 的语料里只有这 {len(words)} 个词：{'、'.join(words)}。第一次合并之前，相"
                f"邻的一对「{' '.join(pair)}」一共出现几次？",
                f"A corpus for BPE holds only these {len(words)} words: {', '.join(words)}. Before "
                f"the first merge, how often does the adjacent pair “{' '.join(pair)}” occur?",
            ),
            givens=(
                Given(
                    name="f",
                    value=drawn["frequencies"],
                    note=Text("各词在语料里的次数，次序同上", "times each word occurs, in this order"),
                ),
            ),
            conventions=(
                Text(
                    "每个词先拆成单个字母；只数词内相邻的两个字母，次序要一致，不跨词。",
                    "Every word is split into single letters first; only letters next to each other "
                    "within a word count, in this order, never across words.",
                ),
                Text(
                    "一个词在语料里出现几次，它里面的每一对就算几次；同一个词里出现两次，也都算。",
                    "Each pair counts as often as its word occurs in the corpus, and every "
                    "occurrence within a word counts.",
                ),
                Text("要整数，必须准确。", "A whole number, exact."),
            ),
        )

    def solution(self, drawn: Drawn) -> tuple[SolutionStep, ...]:
        inside = [(word, f, _occurrences(drawn, word)) for word, f in _corpus(drawn)]
        listed = [f"{word}: {count}" for word, _, count in inside]
        terms = " + ".join(rf"{f} \times {count}" for _, f, count in inside)
        return (
            SolutionStep(
                text=Text(
                    f"先数每个词里出现几次：{'，'.join(listed)}。",
                    f"First count within each word: {', '.join(listed)}.",
                )
            ),
            SolutionStep(
                text=told(
                    "再乘各词的次数，相加：",
                    "Then times the words' frequencies, added up:",
                    rf"{terms} = {self.right(drawn)['count']}",
                ),
                part="count",
            ),
            SolutionStep(
                text=Text(
                    "BPE 对每一对相邻符号都这样数，合并次数最多的那一对，再重新数。",
                    "BPE counts every adjacent pair like this, merges the most frequent one, and "
                    "counts again.",
                )
            ),
        )

    def hints(self, drawn: Drawn) -> tuple[Text, ...]:
        first, frequency = _corpus(drawn)[0]
        return (
            Text(
                "一个词一个词地数：词里有几次，语料里有几个这样的词？",
                "Word by word: how often in the word, and how often the word?",
            ),
            Text(
                "每个词贡献「词内次数 × 词频」。", "A word contributes its inner count times its frequency."
            ),
            Text(
                f"{first} 里有 {_occurrences(drawn, first)} 次，这个词出现了 {frequency} 次；其余各词照样。",
                f"{first} holds it {_occurrences(drawn, first)} times and occurs {frequency} times; "
                "the other words likewise.",
            ),
        )


def _corpus(drawn: Drawn) -> list[tuple[str, int]]:
    return list(zip(drawn["words"], drawn["frequencies"], strict=True))


def _occurrences(drawn: Drawn, word: str) -> int:
    """How often the pair's letters stand next to each other in the word."""
    return sum(one + other == drawn["pair"] for one, other in pairwise(word))
