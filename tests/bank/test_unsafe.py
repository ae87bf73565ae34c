"""Nothing unsafe survives: payloads are rendered and parsed again, every tag and attribute looked at."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.bank.cleaning import BLOCK_TAGS, CLASSES, INLINE_TAGS
from quiz.bank.latex import ATTRIBUTES, ELEMENTS
from quiz.bank.markup import check, plain, render, render_inline
from quiz.bank.mathml import CLASSES as MATH_CLASSES

PAYLOADS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src=`x` onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<math href='javascript:alert(1)'>x</math>",
    "<math><maction actiontype='statusline#http://evil.example'>x</maction></math>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<object data='javascript:alert(1)'>",
    "<embed src='data:text/html,<script>alert(1)</script>'>",
    "<form action='javascript:alert(1)'><button>x</button></form>",
    "<input autofocus onfocus=alert(1)>",
    "<button formaction=javascript:alert(1)>x</button>",
    "<details open ontoggle=alert(1)>x</details>",
    "<body onload=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<base href='//evil.example/'>",
    "<link rel=stylesheet href='//evil.example/x.css'>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<style>*{background:url('javascript:alert(1)')}</style>",
    "<p style='background:url(javascript:alert(1))'>x</p>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<textarea><img title='</textarea><img src=x onerror=alert(1)>'>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<!-- --!><img src=x onerror=alert(1)> -->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version='1.0'?><script>alert(1)</script>",
    "<div\x0bonclick=alert(1)>x</div>",
    "<a href=javascript:alert(1)>x</a>",
    "<b/onmouseover=alert(1)>x</b>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](&#x6A;&#x61;vascript&colon;alert(1))",
    "[x](javascript&#58;alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](%6Aavascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](vbscript:msgbox(1))",
    "[x](file:///etc/passwd)",
    "[x](//evil.example)",
    r"[x](/\evil.example)",
    r"[x](\\evil.example)",
    "[x](https:/\\evil.example)",
    "[x](<javascript:alert(1)>)",
    "[x](http://a.b\" onmouseover=\"alert(1))",
    "[x](http://a.b 'a\" onmouseover=\"alert(1)')",
    "[x](/a/ \"</a><script>alert(1)</script>\")",
    "[<img src=x onerror=alert(1)>](/a/)",
    "[x][y]\n\n[y]: javascript:alert(1) \"z\"",
    "[y]: http://a.b/ \"\\\" onclick=alert(1)\"\n\n[y]",
    "<javascript:alert(1)>",
    "<http://a.b/\"onmouseover=\"alert(1)>",
    "<a@b.c?subject=<script>alert(1)</script>>",
    "![x](javascript:alert(1))",
    "![x\" onerror=\"alert(1)](x)",
    "![x](x \"a\" onerror=\"alert(1)\")",
    "`<script>alert(1)</script>`",
    "``</code><script>alert(1)</script>``",
    "```\n</code></pre><script>alert(1)</script>\n```",
    "```python\n'</span><script>alert(1)</script>'\n```",
    "```\"><script>alert(1)</script>\nx\n```",
    "```python onclick=alert(1)\nx\n```",
    "    <script>alert(1)</script>",
    "$<script>alert(1)</script>$",
    r"$\text{<script>alert(1)</script>}$",
    r"$\text{</mtext></math><img src=x onerror=alert(1)>}$",
    r"$\href{javascript:alert(1)}{x}$",
    r"$\url{javascript:alert(1)}$",
    r"$\eqref{x\" onclick=\"alert(1)}$",
    r"$\eqref{x}$",
    r"$\operatorname{<img src=x onerror=alert(1)>}$",
    r"$\color{red;background:url(javascript:alert(1))}x$",
    r"$\hspace{1em\" onclick=\"alert(1)}$",
    r"$\newcommand{\x}{<script>}\x alert(1)$",
    r"$\text{&lt;script&gt;}$",
    r"$$\begin{array}{c}</math><script>alert(1)</script>\end{array}$$",
    "$\\text{\x00<script>}$",
    "{{ <script>alert(1)</script> }}",
    "{{ '<script>alert(1)</script>' }}",
    "{{ \"><img src=x onerror=alert(1)> }}",
    "{{ nobody | <b> }}",
    "[x](/a/ \"$x$ {{ 1 }}\")",
    "[x](/a/$x$)",
    "[x]({{ 1 }})",
    "[$x$](javascript:$x$)",
    "[x](http://a.b/?`c`)",
    "[x](/a/ '`<img src=x onerror=alert(1)>`')",
    "| a |\n|---|\n| <script>alert(1)</script> |",
    "| <img src=x onerror=alert(1)> |\n|---|\n| x |",
    "# <script>alert(1)</script>",
    "> <script>alert(1)</script>",
    "- <svg onload=alert(1)>",
    "1. [x](javascript:alert(1))",
    "\\<script>alert(1)\\</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "＜script＞alert(1)＜/script＞",
    "\ue0000\ue001<script>",
    "\x02wzxhzdk:0\x03<script>alert(1)</script>",
    "\x02klzzwxh:0000\x03",
    "*<script>*alert(1)*</script>*",
    "**a<img src=x onerror=alert(1)>**",
    "{: onclick=alert(1)}",
    "# a {: onclick=alert(1) }",
    "<x\u2028onclick=alert(1)>",
    "<a\nhref='javascript:alert(1)'\n>x</a>",
    "[[query|<script>alert(1)</script>]]",
    "[[query|\" onclick=\"alert(1)]]",
    "[[query|'><img src=x onerror=alert(1)>]]",
    "[[javascript:alert(1)]]",
    "[[query\" onclick=\"alert(1)|x]]",
    "[a [[query]] [b](javascript:alert(1))](/c/)",
    "```matrix\nvalue: [1]\nname: <script>alert(1)</script>\n```",
    "```matrix\nvalue: [1]\nname: x\nnote: \"><img src=x onerror=alert(1)>\n```",
    "```matrix\nvalue: [1]\nname: x\nrole: q\" onclick=\"alert(1)\n```",
    "```matrix\nvalue: [1, 2]\nname: x\ncolumns: <b> </table><script>\n```",
    "```matrix\nvalue: '<script>'\nname: x_{<b>}^{<i>}\n```",
    "```matrix onclick=alert(1)\nvalue: [1]\nname: x\n```",
    (
        "```chart\ntitle: <script>alert(1)</script>\nx: [1, 2]\nx-label: </text><script>\ny-label: '\"><b>'\n"
        "series: [{name: '</svg><script>alert(1)</script>', value: '[1, 2]'}]\n"
        "look: '<img src=x onerror=alert(1)>'\n```"
    ),
    "```chart\ntitle: a\nx: &a [*a]\nx-label: b\ny-label: c\nseries: [{name: d, value: '[1]'}]\nlook: e\n```",
    "```chart\n!!python/object/apply:os.system ['id']\n```",
    "```chart\ntitle: &a [*a]\n```",
    "```diagram transformer\" onclick=\"alert(1)\n```",
    "```diagram ../../etc/passwd\n```",
    "```diagram <script>alert(1)</script>\n```",
    "```correction\n<script>alert(1)</script> [x](javascript:alert(1))\n```",
    "````correction\n```correction\n<img src=x onerror=alert(1)>\n```\n````",
    "```let\nx = '<script>alert(1)</script>'\n```\n{{ x }}",
    "```let\n<script>alert(1)</script> = 1\n```",
    "```let\ntrace.__class__ = 1\n```",
    "```python fragment onclick=alert(1)\n<script>alert(1)</script>\n```",
]  # fmt: skip

FIGURES = {
    "figure", "figcaption", "details", "summary", "button", "svg", "rect", "path", "title", "desc", "text",
    "tspan", "g", "circle", "sub", "sup", "tbody", "caption", "samp", "span",
}  # fmt: skip
TAGS = BLOCK_TAGS | FIGURES | ELEMENTS
OWN_CLASSES = CLASSES | set(MATH_CLASSES.values())
OWN_CLASSES |= {"code", "formula", "markup-error", "term", "data", "held", "low-root"}
FIGURE_CLASS = re.compile(
    r"(?:matrix|matrices|chart|diagram|correction|role|listing|output|copies)(?:-[a-z]+)*|s[1-4]|h\d{1,2}"
    r"|letter|shape|note|lit|masked"
)
FIGURE_ATTRIBUTES = {
    "role", "aria-label", "aria-labelledby", "aria-hidden", "scope", "data-copy", "hidden", "id", "type",
    "viewbox", "width", "height", "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap",
    "font-size", "font-weight", "text-anchor", "x", "y", "dy", "d", "cx", "cy", "r", "rx",
}  # fmt: skip
HIGHLIGHT = re.compile(r"hl-[a-z0-9]{1,4}")
ADDRESS = re.compile(r"https?://[^/\\\s][^\\\s]*|/|(?:/(?=[^/\\])|#|\?|[\w.-]+)[^\\:\s]*")


class Inspector(HTMLParser):
    """Collects what a page must not hold."""

    def __init__(self, tags: set[str]) -> None:
        super().__init__()
        self.tags = tags
        self.wrong: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.tags:
            self.wrong.append(f"<{tag}>")
        if tag not in ("br", "hr"):
            self.open.append(tag)
        self.wrong += [
            f"<{tag} {name}={value!r}>" for name, value in attrs if not self._fine(tag, name, value or "")
        ]

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")

    def handle_comment(self, data: str) -> None:
        self.wrong.append("a comment")

    def handle_decl(self, decl: str) -> None:
        self.wrong.append("a declaration")

    def unknown_decl(self, data: str) -> None:
        self.wrong.append("a declaration")

    def handle_pi(self, data: str) -> None:
        self.wrong.append("an instruction")

    @staticmethod
    def _fine(tag: str, name: str, value: str) -> bool:
        if name == "class":
            return all(
                one in OWN_CLASSES or HIGHLIGHT.fullmatch(one) or FIGURE_CLASS.fullmatch(one)
                for one in value.split()
            )
        if name in FIGURE_ATTRIBUTES and tag in FIGURES | {"table", "th", "div"}:
            return True
        if tag in ELEMENTS:
            return name in ATTRIBUTES or (tag == "math" and name == "data-linear")
        return {
            "href": tag == "a" and ADDRESS.fullmatch(value) is not None,
            "rel": tag == "a" and value == "noopener noreferrer",
            "tabindex": value == "0",
            "start": tag == "ol" and value.isdigit(),
        }.get(name, False)


def inspect(html: str, tags: set[str] = TAGS) -> list[str]:
    inspector = Inspector(tags)
    inspector.feed(html)
    inspector.close()
    return inspector.wrong + [f"<{tag}> is not closed" for tag in inspector.open]


def test_inspector_sees_what_it_is_for() -> None:
    assert inspect("<p>x</p>") == []
    assert inspect("<script>x</script>") == ["<script>"]
    assert inspect('<p onclick="x">y</p>') == ["<p onclick='x'>"]
    assert inspect('<a href="javascript:x">y</a>') == ["<a href='javascript:x'>"]
    assert inspect('<a href="//x.y">y</a>') == ["<a href='//x.y'>"]
    assert inspect('<span style="x">y</span>') == ["<span style='x'>"]
    assert inspect("<p>x") == ["<p> is not closed"]


def test_there_are_many_payloads() -> None:
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 100


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_payload_is_harmless(payload: str) -> None:
    contexts = (
        payload,
        f"a {payload} b",
        f"**{payload}**",
        f"> {payload}",
        f"[{payload}](/a/)",
        f"# {payload}",
    )
    for source in contexts:
        assert inspect(render(source)) == [], source
        assert inspect(render_inline(source), (INLINE_TAGS | {"span"} | ELEMENTS)) == [], source
        assert isinstance(plain(source), str)
        check(source)


def test_marks_never_stand_inside_attributes() -> None:
    html = render('[a](/b/ "$x$") [c](/d/$x$) [e](/{{ 1 }}/)')
    assert re.findall(r'="[^"]*(?:math|\ue000)[^"]*"', html) == []
    assert html.count("<math>") == 0


WORDS = [
    "<", ">", "</", "script", "img", " onerror=", "x", '"', "'", "`", "```", "\n", "\n\n", "$", "$$", "{{",
    "}}", "[", "](", ")", "javascript:", "http://", "|", "---", "# ", "> ", "- ", "*", "_", "\\", "&lt;",
    "&#x3C;", "\\text{", "}", "\\frac", "1", "\ue000", "\ue001", "0", "    ", "!", "&", "=", "\x02", "\x03",
    "~~~", "python", ":", "/", "[[", "]]", "query|", "```matrix\nvalue: [1]\nname: ", "```chart\ntitle: ",
    "```diagram ", "```correction\n", "```let\nx = ", "---\n", "\n```\n", "role: q",
]  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=30).map("".join))
def test_random_pieces_are_harmless(source: str) -> None:
    assert inspect(render(source)) == []
    assert inspect(render_inline(source)) == []
    plain(source)
    check(source)


@pytest.mark.parametrize(
    "source",
    [
        ">" * 3000,
        "- " * 500,
        "*" * 3000,
        "[" * 500,
        "`" * 3000,
        "$" * 3000,
        "{{" * 1500,
        "(" * 3000,
        "> - " * 300,
    ],
)
def test_deep_or_long_nonsense_comes_to_an_end(source: str) -> None:
    assert inspect(render(source)) == []
