"""Numbers as people write them, read exactly: parted thousands, a decimal comma, powers of ten, fractions, units.

What is not one number is refused with the reason, in words that say nothing of what was expected.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

from grader.inert import short

MOST_CHARACTERS: Final = 40

SIGNS: Final = str.maketrans(dict.fromkeys("\u2012\u2013\u2212\ufe63\uff0d", "-") | {"\uff0b": "+"})
RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
BETWEEN: Final = "[, _'\u2019\u00a0\u2009\u202f]"  # what people put between thousands
GROUPED: Final = rf"[1-9][0-9]{{0,2}}(?:{BETWEEN}[0-9]{{2,3}})*{BETWEEN}[0-9]{{3}}"
INTEGER: Final = re.compile(rf"([+-]?) ?([0-9]+(?:_[0-9]+)*|{GROUPED})(?:\.0*)?")
OTHER_BASE: Final = re.compile(r"[+-]?0(?:x[0-9a-fA-F]+|o[0-7]+)")
EXPONENT: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]{1,2}")

# The forms of a number without its sign. The longest that fits is taken, of two as long the first.
PLAIN: Final = r"(?:[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)"
FORMS: Final = (
    rf"(?P<comma_parts>{GROUPED}(?:\.[0-9]*)?)",  # 1,234.5
    r"(?P<dot_parts>[1-9][0-9]{0,2}(?:(?:\.[0-9]{3}){2,}(?:,[0-9]+)?|\.[0-9]{3},[0-9]+))",  # 1.234,5
    r"(?P<space_parts>[1-9][0-9]{0,2}(?:[ '\u2019\u00a0\u2009\u202f][0-9]{3})+,[0-9]+)",  # 1 234,5
    rf"(?P<plain>{PLAIN})",
    r"(?P<decimal_comma>[0-9]+,[0-9]+)",
    r"(?P<fraction>[0-9]+ ?/ ?[0-9]+)",
    r"(?P<base>0x[0-9a-fA-F]+|0o[0-7]+)",
)
POWER: Final = r"(?P<root>[0-9]{1,3}) ?(?:\^|\*\*) ?(?P<power>[+-]?[0-9]{1,3})"
SCALE: Final = rf"(?:[eE](?P<tens>[+-]?[0-9]{{1,3}})| ?[x×*·⋅] ?{POWER})"
NUMBER: Final = (*(re.compile(rf"{form}{SCALE}?(?![0-9])") for form in FORMS), re.compile(rf"{POWER}(?![0-9])"))
NOT_FINITE: Final = re.compile(r"[+-]?\.?(?:nan|inf(?:inity)?)|[+-]?∞", re.IGNORECASE)
ANOTHER: Final = re.compile(r"(?<![A-Za-z0-9_^])[0-9]")


class Unread(Exception):
    """What was written is not what was asked for. Its text is the reason, as a clause."""


@dataclass(frozen=True)
class Quantity:
    """A number, in the unit that was asked for, and the unit that it was written in."""

    value: Fraction
    unit: str = ""


def integer(written: str) -> int:
    """The integer that was written, in any of the usual ways.

    `-1234567`, `1,234,567`, `-1 234 567`, `+1_234_567`, `-1234567.0`, `-1.25e4` and `0xFF` are integers,
    whichever minus and space they have. `0.8M`, `about 5` and `0,786` are not.

    Raises:
        Unread: it is something else.
    """
    text = written.translate(SIGNS)
    if len(text) <= MOST_CHARACTERS:
        if found := INTEGER.fullmatch(text):
            return int(found[1] + re.sub("[^0-9]", "", found[2]))
        if OTHER_BASE.fullmatch(text):
            return int(text, 0)
        if EXPONENT.fullmatch(text) and (number := Decimal(text)) == number.to_integral_value():
            return int(number)
    value, rest = split(text)
    if rest:
        raise Unread(_beside(rest, "write the number alone, with all its digits"))
    if value.denominator != 1:
        raise Unread("it is no whole number")
    long = len(text) > MOST_CHARACTERS
    raise Unread(f"it is longer than {MOST_CHARACTERS} characters" if long else "write out all its digits")


def quantity(written: str, sizes: Mapping[str, Fraction]) -> Quantity:
    """The one number that was written, with its unit or without.

    All that `integer` takes, and `0.5`, `0,5`, `.5`, `1.234,5`, `1.2e-5`, `1.2 × 10^-5`, `10⁻⁵` and `1/3`. A single
    comma before three digits parts thousands: `1,234` is 1234.

    Args:
        written: as it was written.
        sizes: the units that may be written after it, each with its size in the one that was asked for. Without any
            the number has to stand alone.

    Raises:
        Unread: it is something else, or in another unit.
    """
    value, rest = split(written.translate(SIGNS))
    if not rest:
        return Quantity(value)
    name = unit(rest, sizes)
    return Quantity(value * sizes[name], name)


def unit(rest: str, sizes: Mapping[str, Fraction]) -> str:
    """The unit that stands after a number, by its name in `sizes`.

    Up to three letters count as they are, since `ms` is not `Ms`; in words neither capitals nor a plural matter.

    Raises:
        Unread: it is none of them.
    """
    plain = _normal(rest)
    for opening, closing in ("()", "[]"):
        if plain.startswith(opening) and plain.endswith(closing):
            plain = plain[1:-1].strip()
    exact = [name for name in sizes if _normal(name) == plain]
    alike = exact or [name for name in sizes if len(plain) > 3 and _singular(_normal(name)) == _singular(plain)]
    if len({sizes[name] for name in alike}) == 1:
        return alike[0]
    if not sizes:
        raise Unread(_beside(rest, "write the number alone"))
    raise Unread(_beside(rest, f"the unit may be {' or '.join(sizes)}"))


def split(text: str) -> tuple[Fraction, str]:
    """The number that a text starts with, and what stands after it.

    Raises:
        Unread: it starts with none, or is longer than any number that a person writes.
    """
    if NOT_FINITE.fullmatch(text.strip()):
        raise Unread("it is no finite number")
    if len(text) > MOST_CHARACTERS * 2:
        raise Unread(f"it is longer than {MOST_CHARACTERS * 2} characters")
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+", lambda run: f"^{run[0].translate(RAISED)}", text.strip())
    sign = re.match("[+-]? ?", text)
    body = text[sign.end() :] if sign else text
    found = max((match for form in NUMBER if (match := form.match(body))), key=lambda match: match.end(), default=None)
    if found is None:
        raise Unread(_numberless(text))
    value = _value(found)
    return -value if text.startswith("-") else value, body[found.end() :].strip()


def spelled(value: Fraction) -> str:
    """A number in digits, to 15 of them: `0.005`, `-1234567`, `1e-12`."""
    context = Context(prec=15)
    short_one = context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(context)
    return format(short_one, "f" if -7 < short_one.adjusted() < 16 else "e")


def _value(found: re.Match[str]) -> Fraction:
    parts = {name: part for name, part in found.groupdict().items() if part is not None}
    power = (parts.pop("root", "10"), parts.pop("power", parts.pop("tens", "0")))
    form, digits = next(iter(parts.items()), ("plain", "1"))
    try:
        return _mantissa(form, digits) * Fraction(int(power[0])) ** int(power[1])
    except ZeroDivisionError:
        raise Unread("it divides by zero") from None


def _mantissa(form: str, digits: str) -> Fraction:
    if form == "base":
        return Fraction(int(digits, 0))
    if form == "fraction":
        above, below = digits.split("/")
        return Fraction(int(above), int(below))
    decimal = {"comma_parts": ".", "plain": "."}.get(form, ",")
    whole, _, part = digits.partition(decimal)
    return Fraction(f"{re.sub('[^0-9]', '', whole) or '0'}.{part or '0'}")


def _beside(rest: str, hint: str) -> str:
    """Why a number with this after it is not one number."""
    if ANOTHER.search(rest):
        return "there is more than one number in it"
    what = "the unit " if re.fullmatch(r"\S{1,20}", rest) else ""
    return f"{what}'{short(rest, 30)}' stands after the number; {hint}"


def _numberless(text: str) -> str:
    """Why a text does not start with a number."""
    if any(character.isdigit() and not character.isascii() for character in text):
        return "its digits are not 0 to 9"
    if re.search("[0-9]", text):
        return "there is more than the number in it"
    return "there is no number in it"


def _normal(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).split())


def _singular(name: str) -> str:
    return name.casefold().removesuffix("s")
