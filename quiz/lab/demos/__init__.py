"""The demonstrations: each module of this package registers one. A new demonstration is one new file."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from quiz.lab.demos.demo import Demo, register, registered

__all__ = ["Demo", "UnknownDemo", "all_demos", "get", "register"]


class UnknownDemo(KeyError):
    """No demonstration has this slug."""


@cache
def _discover() -> None:
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)


def all_demos() -> tuple[Demo, ...]:
    """Every demonstration, in the order of the list."""
    _discover()
    return tuple(sorted(registered.values(), key=lambda demo: demo.place))


def get(slug: str) -> Demo:
    """The demonstration with this slug. Raises UnknownDemo."""
    _discover()
    try:
        return registered[slug]
    except KeyError:
        raise UnknownDemo(slug) from None
