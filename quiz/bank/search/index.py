"""An inverted index in memory, ranked by BM25 with weighted passages.

Source of the ranking: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009).
"""

from __future__ import annotations

import bisect
import difflib
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from quiz.bank.search.words import fold, tokens

K1, B = 1.2, 0.75  # how soon repetition stops to help, how much length is held against a document
LEAST_SHARE = 0.3  # of a query's weight that a document must have
LEAST_PREFIX = 3
NEAR = 0.75  # likeness of a word that is taken for a slip of the pen


@dataclass(frozen=True)
class Passage:
    """A stretch of a document: its heading, its text, how much it counts, and its anchor on the page."""

    heading: str
    text: str
    weight: float = 1.0
    anchor: str = ""

    @cached_property
    def folded(self) -> str:
        """The text as it is searched, of the same length."""
        return fold(self.text)


@dataclass(frozen=True)
class Document:
    """A question, section or term in one language; `address` without the anchor."""

    kind: str
    key: str
    language: str
    title: str
    address: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True)
class Hit:
    """A document that answers a query; `wanted` are the tokens found in it, with their weights."""

    document: Document
    score: float
    wanted: dict[str, float] = field(default_factory=dict)


class Index:
    """Built once over all documents; `search` takes about a millisecond for the whole bank."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self._postings: dict[str, dict[int, float]] = defaultdict(dict)
        lengths = []
        for number, document in enumerate(documents):
            counts = _weighted(document)
            lengths.append(sum(counts.values()))
            for token, count in counts.items():
                self._postings[token][number] = count
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        self._length_factors = [K1 * (1 - B + B * length / mean) for length in lengths]
        self._words = sorted(token for token in self._postings if token.isascii())

    def search(self, query: str, *, limit: int = 50) -> list[Hit]:
        """The best documents first: those whose number or title is the query, then by score.

        Each has at least `LEAST_SHARE` of what the query weighs, words that stand nowhere left aside.
        """
        asked = list(dict.fromkeys(token.text for token in tokens(query)))
        choices = [choice for token in asked if (choice := self._alike(token))]
        full = sum(self._rarity(choice) for choice in choices)
        scores: Counter[int] = Counter()
        shares: Counter[int] = Counter()
        wanted: dict[int, dict[str, float]] = defaultdict(dict)
        for choice in choices:
            rarity = self._rarity(choice)
            for number, count, token in self._best(choice):
                scores[number] += rarity * count * (K1 + 1) / (count + self._length_factors[number])  # type: ignore[assignment]
                shares[number] += rarity  # type: ignore[assignment]
                wanted[number].update(dict.fromkeys(token, rarity))
        enough = [number for number, share in shares.items() if share >= LEAST_SHARE * full]
        hits = [Hit(self.documents[n], scores[n] * shares[n] / full, wanted[n]) for n in enough]
        named = fold(" ".join(query.split()))
        return sorted(hits, key=lambda hit: (not _is_named(hit.document, named), -hit.score))[:limit]

    def suggestion(self, query: str) -> str:
        """The query with its unknown Latin words replaced by near ones; "" when there is nothing to say."""
        replaced = query
        for token in reversed(list(tokens(query))):
            if token.text.isascii() and token.text not in self._postings and (near := self._near(token.text)):
                replaced = replaced[: token.start] + near[0] + replaced[token.end :]
        return replaced if replaced != query else ""

    def _alike(self, token: str) -> dict[str, float]:
        """The tokens of the index that a token of the query stands for, each with how sure that is."""
        found = {token: 1.0} if token in self._postings else {}
        if not token.isascii():
            return found
        if len(token) >= LEAST_PREFIX:
            found |= {word: 0.8 for word in self._beginning_with(token) if word != token}
        return found or dict.fromkeys(self._near(token), 0.6)

    def _beginning_with(self, start: str) -> list[str]:
        at = bisect.bisect_left(self._words, start)
        end = bisect.bisect_left(self._words, start + "\uffff")
        return self._words[at:end][:20]

    def _near(self, word: str) -> list[str]:
        if len(word) < 4 or not word.isalpha():
            return []
        alike = [other for other in self._words if abs(len(other) - len(word)) <= 2]
        return difflib.get_close_matches(word, alike, n=3, cutoff=NEAR)

    def _rarity(self, choice: dict[str, float]) -> float:
        """ln(1 + (N − n + ½)/(n + ½)), n the number of documents with the commonest of these tokens."""
        count = max(len(self._postings[token]) for token in choice)
        return math.log(1 + (len(self.documents) - count + 0.5) / (count + 0.5))

    def _best(self, choice: dict[str, float]) -> list[tuple[int, float, list[str]]]:
        """For each document with any of these tokens: the most that one of them counts, and all of them."""
        found: dict[int, tuple[float, list[str]]] = {}
        for token, sureness in choice.items():
            for number, count in self._postings[token].items():
                most, words = found.get(number, (0.0, []))
                found[number] = (max(most, sureness * count), [*words, token])
        return [(number, count, words) for number, (count, words) in found.items()]


def _is_named(document: Document, folded: str) -> bool:
    return folded in (document.key, fold(document.title))


def _weighted(document: Document) -> Counter[str]:
    counts: Counter[str] = Counter()
    for passage in document.passages:
        for token in (*tokens(passage.heading), *tokens(passage.text)):
            counts[token.text] += passage.weight  # type: ignore[assignment]
    return counts


__all__ = ["Document", "Hit", "Index", "Passage"]
