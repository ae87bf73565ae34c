"""How pages are looked at: any two of width, language and theme together once; half of it in the proofs."""

import pytest

NAMES = ("kind", "language", "theme")
LOOKS = (
    ("wide", "zh-hans", "light"),
    ("phone", "zh-hans", "dark"),
    pytest.param("wide", "en", "dark", marks=pytest.mark.prove),
    pytest.param("phone", "en", "light", marks=pytest.mark.prove),
)

every_look = pytest.mark.parametrize(NAMES, LOOKS)
