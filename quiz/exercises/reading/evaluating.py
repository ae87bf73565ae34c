"""What an expression is worth: recursive descent over tokens, nothing else than arithmetic.

    expression  [sign] term ((+ | -) term)*
    term        factor ((× | ÷) factor)*
    factor      [sign] power [power]: the second only as a root, π or a function right after a number (2√2)
    power       suffixed [(^ | **) [sign] suffixed]
    suffixed    atom [% | ‰]
    atom        number [½] | ½ | e | π | (expression) | function(expression) | √ atom

Where textbooks, calculators and programming languages disagree (2^3^2, 1/2√2, 2e^0.5, log), it refuses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from quiz.exercises.reading import arithmetic
from quiz.exercises.reading.arithmetic import Number
from quiz.exercises.reading.literals import Comma, literal
from quiz.exercises.reading.reasons import Unreadable
from quiz.exercises.reading.tokens import END, FRACTION, NAME, NUMBER, SYMBOL, Token, tokens, vulgar

DEEPEST = 30

_LIBRARIES = ("math.", "np.", "numpy.", "torch.", "jnp.", "cmath.")
_CONSTANTS: dict[str, float] = {"e": math.e, "pi": math.pi, "π": math.pi}
_FUNCTIONS: dict[str, Callable[[Number], Number]] = {
    "sqrt": arithmetic.root,
    "exp": arithmetic.exponential,
    "ln": arithmetic.logarithm(math.e),
    "log2": arithmetic.logarithm(2.0),
    "log10": arithmetic.logarithm(10.0),
}
_NOT_NUMBERS = {"nan", "na", "null", "none", "undefined"}
_INFINITIES = {"inf", "infinity", "infty", "无穷", "正无穷", "负无穷", "无穷大", "正无穷大", "负无穷大"}


def evaluate(text: str, comma: Comma) -> Number:
    """The value of a folded expression, commas inside its numbers read as `comma` says."""
    return _Descent(text, comma).whole()


class _Descent:
    def __init__(self, text: str, comma: Comma) -> None:
        self.text = text
        self.comma = comma
        self.tokens = tokens(text)
        self.position = 0
        self.depth = 0
        self.raised = False  # whether the power read last had an exponent

    @property
    def next(self) -> Token:
        return self.tokens[self.position]

    def take(self, *symbols: str) -> str:
        """Step over one of `symbols` and return it, or "" when something else comes."""
        token = self.next
        if token.kind == SYMBOL and token.text in symbols:
            self.position += 1
            return token.text
        return ""

    def whole(self) -> Number:
        value = self.expression()
        token = self.next
        if token.kind != END:
            self.refuse_rest(token)
        return value

    def expression(self) -> Number:
        negative = self.sign() == "-"
        value = self.term()
        value = -value if negative else value
        while operator := self.take("+", "-"):
            right = self.term()
            value = (arithmetic.add if operator == "+" else arithmetic.subtract)(value, right)
        return value

    def sign(self) -> str:
        sign = self.take("+", "-")
        if sign and self.next.kind == SYMBOL and self.next.text in "+-":
            raise Unreadable("signs", sign + self.next.text)
        return sign

    def term(self) -> Number:
        if self.next.text in ("+", "-"):
            raise Unreadable("signs", self.text[max(0, self.next.start - 1) : self.next.start + 1])
        value = self.factor(after_division=False)
        while operator := self.take("*", "·", "/"):
            right = self.factor(after_division=operator == "/")
            value = (arithmetic.divide if operator == "/" else arithmetic.multiply)(value, right)
        return value

    def factor(self, *, after_division: bool) -> Number:
        negative = self.sign() == "-"
        first = self.position
        value = self.power()
        if self.product_without_sign(first):
            if after_division:
                raise Unreadable("implicit_product", self.text[self.tokens[first].start :])
            value = arithmetic.multiply(value, self.power())
        return -value if negative else value

    def product_without_sign(self, first: int) -> bool:
        """Does a root, π or a function follow directly on one number, or on one pair of brackets?"""
        follows = self.next
        if follows.text != "√" and _constant_or_function(follows) in ("", "e"):
            return False
        read = self.tokens[first : self.position]
        one_number = len(read) == 1 and read[0].kind == NUMBER
        return one_number or (read[0].text == "(" and read[-1].text == ")" and not self.raised)

    def power(self) -> Number:
        start = self.next.start
        base = self.suffixed()
        self.raised = bool(self.take("^", "**"))
        if not self.raised:
            return base
        negative = self.sign() == "-"
        exponent = self.suffixed()
        self.raised = True  # brackets inside the exponent may have cleared it
        if self.take("^", "**"):
            raise Unreadable("power_chain", self.text[start:])
        return arithmetic.power(base, -exponent if negative else exponent)

    def suffixed(self) -> Number:
        value = self.atom()
        suffix = self.take("%", "‰")
        if suffix:
            return arithmetic.divide(value, 100 if suffix == "%" else 1000)
        return value

    def atom(self) -> Number:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Unreadable("too_deep", str(DEEPEST))
        value = self.unguarded_atom()
        self.depth -= 1
        return value

    def unguarded_atom(self) -> Number:
        token = self.next
        if token.kind == NUMBER:
            return self.number()
        if token.kind == FRACTION:
            self.position += 1
            return _quotient(vulgar(token.text) or Fraction(0))
        if token.kind == NAME:
            return self.named()
        if self.take("("):
            return self.bracketed()
        if self.take("√"):
            return arithmetic.root(self.atom())
        if token.kind == END:
            raise Unreadable("incomplete", self.text[-8:])
        raise Unreadable("incomplete", self.text[: token.start + len(token.text)][-8:])

    def bracketed(self) -> Number:
        value = self.expression()
        if not self.take(")"):
            if self.next.kind == END:
                raise Unreadable("unbalanced", "(")
            self.refuse_rest(self.next)
        return value

    def number(self) -> Number:
        token = self.next
        self.position += 1
        value = literal(token.text, self.comma)
        follows = self.next
        if follows.kind == FRACTION:
            if not isinstance(value, int):
                raise Unreadable("adjacent", token.text, follows.text)
            self.position += 1
            return _quotient(value + (vulgar(follows.text) or Fraction(0)))
        return value

    def named(self) -> Number:
        token = self.next
        name = _constant_or_function(token)
        if name in _CONSTANTS:
            self.position += 1
            return _CONSTANTS[name]
        if not name:
            _refuse_name(token.text, after_number=self.follows_number())
        self.position += 1
        if not self.take("("):
            raise Unreadable("function", token.text)
        return _FUNCTIONS[name](self.bracketed())

    def follows_number(self) -> bool:
        return any(token.kind in (NUMBER, FRACTION) for token in self.tokens[: self.position])

    def refuse_rest(self, token: Token) -> None:
        """Say why `token` cannot follow what was read."""
        before = self.tokens[self.position - 1]
        if token.text == ")":
            raise Unreadable("unbalanced", ")")
        if token.kind == NAME and not _constant_or_function(token):
            _refuse_name(token.text, after_number=self.follows_number())
        if token.kind == NAME and token.text == "e" and before.kind == NUMBER:
            raise Unreadable("implicit_e", self.text[before.start :])
        if token.kind == NUMBER and "e" in before.text.lower() and token.text.startswith("."):
            raise Unreadable("exponent", before.text + token.text)
        if before.kind == NUMBER and token.kind == NUMBER:
            raise Unreadable("adjacent", before.text, token.text)
        raise Unreadable("implicit_product", self.text[before.start :])


def _constant_or_function(token: Token) -> str:
    """The plain name of a known constant or function, or "". A library's `log` is the natural one."""
    if token.kind != NAME:
        return ""
    for library in _LIBRARIES:
        if token.text.startswith(library):
            name = token.text.removeprefix(library)
            name = "ln" if name == "log" else name
            return name if name in _CONSTANTS or name in _FUNCTIONS else ""
    return token.text if token.text in _CONSTANTS or token.text in _FUNCTIONS else ""


def _refuse_name(name: str, *, after_number: bool) -> None:
    last = name.rpartition(".")[2].lower()
    if last in _NOT_NUMBERS:
        raise Unreadable("nan", name)
    if last in _INFINITIES:
        raise Unreadable("infinite", name)
    if last in ("log", "lg"):
        raise Unreadable("log", name)
    raise Unreadable("unit" if after_number else "letter", name)


def _quotient(value: Fraction) -> Number:
    return value.numerator / value.denominator if value.denominator > 1 else value.numerator
