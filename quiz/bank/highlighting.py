"""Fenced code to HTML: highlighted by classes alone (their colours are in static/css/code.css)."""

from __future__ import annotations

from html import escape

from pygments import highlight as pygments_highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

FRAGMENT = "python fragment"  # code that is only a part, and does not run by itself
PREFIX = "hl-"
LANGUAGES = ("python", "pycon", "bash", "console", "json", "yaml", "latex", "c++", "cuda", "text")


def highlighted_line(line: str) -> str:
    """One line of Python by itself, without a frame; its indentation is kept."""
    lexer = get_lexer_by_name("python", stripnl=False, ensurenl=False)
    marked: str = pygments_highlight(line, lexer, HtmlFormatter(nowrap=True, classprefix=PREFIX))
    return marked.rstrip("\n")


def highlighted(code: str, language: str) -> str:
    """`<pre class="code">` with a span for each token; a language that is not in the list stays plain."""
    if language not in LANGUAGES[:-1]:
        inside = escape(code, quote=False)
    else:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
        inside = pygments_highlight(code, lexer, HtmlFormatter(nowrap=True, classprefix=PREFIX)).rstrip("\n")
    # A keyboard can scroll what a phone cuts off.
    return f'<pre class="code" tabindex="0"><code>{inside}</code></pre>'
