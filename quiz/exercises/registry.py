"""Every family of exercises by its slug. Modules of `families/` are found by themselves, at the first
question.

Families that are authored as data come from a source: `add_source` takes a function that yields them
anew each time it is asked, so that an edit in the admin is seen at once.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeVar

from quiz.exercises import families
from quiz.exercises.family import Family
from quiz.exercises.types import Group

FamilyClass = TypeVar("FamilyClass", bound=type[Family])
Source = Callable[[], Iterable[Family]]

_registered: dict[str, Family] = {}
_sources: list[Source] = []


class UnknownFamily(KeyError):
    """No family has this slug."""

    def __init__(self, slug: str) -> None:
        super().__init__(slug)
        self.slug = slug


def register(cls: FamilyClass) -> FamilyClass:
    """Class decorator: make one instance of the family known under its slug. A slug is given once."""
    family = cls()
    known = _registered.get(family.slug)
    if known is not None and type(known).__qualname__ != cls.__qualname__:
        raise ValueError(
            f"two families share the slug {family.slug!r}: {type(known).__name__}, {cls.__name__}"
        )
    _registered[family.slug] = family
    return cls


def add_source(source: Source) -> None:
    """Let `source` contribute families whenever they are asked for; shipped slugs win over its own."""
    if source not in _sources:
        _sources.append(source)


def remove_source(source: Source) -> None:
    """Undo `add_source`."""
    _sources.remove(source)


def get(slug: str) -> Family:
    """The family of this slug, or UnknownFamily."""
    _discover()
    family = _registered.get(slug)
    if family is None:
        family = next((f for source in _sources for f in source() if f.slug == slug), None)
    if family is None:
        raise UnknownFamily(slug)
    return family


def all_families() -> tuple[Family, ...]:
    """Every family, in the order of the chapter (by section, then slug)."""
    _discover()
    found = {family.slug: family for source in _sources for family in source()} | _registered
    return tuple(sorted(found.values(), key=_place))


def in_group(group: Group) -> tuple[Family, ...]:
    """The families of one group, "numeric" or "drill", in the order of the chapter."""
    return tuple(family for family in all_families() if family.group == group)


def _place(family: Family) -> tuple[tuple[int, ...], str]:
    return tuple(int(number) for number in family.sections[0].split(".")), family.slug


@cache
def _discover() -> None:
    for module in pkgutil.iter_modules(families.__path__):
        importlib.import_module(f"{families.__name__}.{module.name}")
