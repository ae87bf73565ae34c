"""The whole chapter and bank as one file that needs nothing else: styles and font inside, no script."""

from __future__ import annotations

import base64
import re
from functools import cache
from html import escape
from pathlib import Path

from django.utils.translation import gettext as _
from django.utils.translation import override

from quiz.bank.models import Language
from quiz.bank.volume import volume

_STATIC = Path(__file__).resolve().parent.parent.parent / "static"
_STYLES = ("tokens", "base", "math", "code", "figures", "bank", "search", "reading", "volume", "carried")
_URL = re.compile(r'url\("\.\./fonts/([^"]+)"\)')
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; base-uri 'none'; form-action 'none'"
CHOICES = {
    "zh-hans": (Language.ZH.value,),
    "en": (Language.EN.value,),
    "both": (Language.ZH.value, Language.EN.value),
}
_TAGS = {"zh-hans": "zh-Hans", "en": "en"}


def exported(choice: str) -> str:
    """The file as text; `choice` is one of CHOICES."""
    languages = CHOICES[choice]
    bodies = "\n".join(
        f'<div class="volume" lang="{_TAGS[language]}">\n{volume(language, folded=True)}\n</div>'
        for language in languages
    )
    with override(languages[0]):
        title = escape(f"QKV · {_('The whole chapter and bank')}")
    return (
        f'<!doctype html>\n<html lang="{_TAGS[languages[0]]}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{title}</title>\n'
        f"<style>\n{styles()}\n</style>\n</head>\n<body>\n<main>\n{_switch(languages)}{bodies}\n</main>\n</body>\n</html>\n"
    )


def _switch(languages: tuple[str, ...]) -> str:
    """Where both languages are inside: a line that leads to each."""
    if len(languages) == 1:
        return ""
    links = '<a href="#zh-front" lang="zh-Hans">简体中文</a> <a href="#en-front" lang="en">English</a>'
    return f'<nav class="carried-languages" aria-label="Language · 语言">{links}</nav>\n'


@cache
def styles() -> str:
    """The site's stylesheets in one, their font as data."""
    text = "\n".join((_STATIC / "css" / f"{name}.css").read_text(encoding="utf-8") for name in _STYLES)
    return _URL.sub(lambda match: f'url("{_data(match[1])}")', text)


def _data(name: str) -> str:
    content = base64.b64encode((_STATIC / "fonts" / name).read_bytes()).decode()
    return f"data:font/woff2;base64,{content}"
