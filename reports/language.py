"""The language of a page: its sentences from a gettext catalogue, its numbers and dates as its readers write them.

English sentences are the message ids, so English needs no catalogue. A catalogue is compiled when it is loaded: what is
committed is what is shown. There are two: `sosie` for reports, `reference` for what codes and keys stand for.
"""

import gettext
import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files
from io import BytesIO
from typing import Literal, cast, get_args

from babel import Locale
from babel.dates import format_date, format_datetime
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent
from babel.units import format_unit

from sosie.errors import InputError

Code = Literal["en", "fr"]
Domain = Literal["sosie", "reference"]

DECIMALS = 1
_MOST_DECIMALS = 6
_LARGE, _POWER = 10**15, "0.######E0"
_PLACE = re.compile(r"%\(\d+\)s")


@dataclass(frozen=True, eq=False)
class Pattern:
    """A sentence from elsewhere with places %(1)s, %(2)s … for what it names, and how it is recognised."""

    message: str
    expression: re.Pattern[str]


@dataclass(frozen=True, eq=False)
class Language:
    """How a page speaks and counts."""

    code: Code
    locale: Locale
    translations: gettext.NullTranslations
    patterns: tuple[Pattern, ...]

    def say(self, message: str, **values: object) -> str:
        """The sentence in this language with its values filled in; a literal percent sign is written %%."""
        return self.translations.gettext(message) % values

    def say_count(self, one: str, many: str, count: int, **values: object) -> str:
        """The sentence that fits a count, which it may name as %(count)s."""
        sentence = self.translations.ngettext(one, many, count)
        return sentence % {"count": self.number(count), **values}

    def quote(self, message: str) -> str:
        """A finished English sentence from elsewhere, translated where it or its pattern is known, else as it is."""
        said = self.translations.gettext(message) if message else ""
        if said != message:
            return said
        for pattern in self.patterns:
            found = pattern.expression.fullmatch(message)
            if found:
                values = {str(place): self._value(text) for place, text in enumerate(found.groups(), 1)}
                return self.translations.gettext(pattern.message) % values
        return said

    def _value(self, text: str) -> str:
        """What a sentence names: a number as the language writes it, another sentence, or a name as it is."""
        if re.fullmatch(r"\d+(\.\d+)?%", text):
            return self.exact_percent(float(text[:-1]))
        return self.exact(float(text)) if re.fullmatch(r"\d+(\.\d+)?", text) else self.quote(text)

    def number(self, value: float, decimals: int = DECIMALS) -> str:
        """A number with at most this many decimals, rounded half to even."""
        return self._written(_rounded(value, decimals), "#,##0." + "#" * _MOST_DECIMALS)

    def score(self, value: float, decimals: int = DECIMALS) -> str:
        """A number with exactly this many decimals."""
        return self._written(_decimal(value), "#,##0" + _places(decimals))

    def percent(self, value: float, decimals: int = DECIMALS) -> str:
        """A percentage given as 0–100."""
        pattern = self.locale.percent_formats[None].pattern.replace("#,##0", "#,##0" + _places(decimals))
        return str(format_percent(_decimal(value) / 100, pattern, locale=self.locale))

    def exact(self, value: float) -> str:
        """A number with the decimals that it has, for what somebody chose."""
        return self.number(value, _MOST_DECIMALS)

    def exact_percent(self, value: float) -> str:
        """A percentage given as 0–100 with the decimals that it has."""
        pattern = self.locale.percent_formats[None].pattern.replace("#,##0", "#,##0." + "#" * _MOST_DECIMALS)
        return str(format_percent(_decimal(value) / 100, pattern, locale=self.locale))

    def share(self, value: float, decimals: int = DECIMALS) -> str:
        """A share given as 0–1, as a percentage."""
        return self.percent(100 * value, decimals)

    def compact(self, value: float) -> str:
        """A number of any size with at most four significant digits, for the end of an axis."""
        return self._written(_decimal(float(f"{value:.4g}")), "#,##0.######")

    def _written(self, value: Decimal, pattern: str) -> str:
        """By the pattern, or as a power of ten where a float holds no more digits."""
        return str(format_decimal(value, _POWER if abs(value) >= _LARGE else pattern, locale=self.locale))

    def seconds(self, value: float) -> str:
        """A duration."""
        return str(format_unit(_rounded(value, 2), "duration-second", length="short", locale=self.locale))

    def day(self, day: date) -> str:
        """A date."""
        return str(format_date(day, "medium", locale=self.locale))

    def minute(self, moment: datetime) -> str:
        """A moment to the minute, without a zone."""
        return str(format_datetime(moment, "short", locale=self.locale))

    def quantity(self, value: float, unit: str) -> str:
        """A number of days, hours, minutes or seconds."""
        number = _decimal(float(f"{value:.4g}"))
        return str(format_unit(number, f"duration-{unit}", length="short", locale=self.locale))

    def moment(self, stamp: str) -> str:
        """An ISO 8601 moment, in UTC."""
        moment = format_datetime(datetime.fromisoformat(stamp), "long", locale=self.locale)
        return str(moment)


@lru_cache
def load_language(code: Code, domain: Domain = "sosie") -> Language:
    """The language of this code, the catalogue of this domain compiled."""
    if code == "en":
        return Language(code, Locale(code), gettext.NullTranslations(), ())
    source = files("sosie.reports").joinpath("texts", code, "LC_MESSAGES", f"{domain}.po")
    catalogue = read_po(BytesIO(source.read_bytes()), locale=code, abort_invalid=True)
    return Language(code, Locale(code), _compiled(catalogue), _patterns(catalogue))


def language_named(name: str) -> Code:
    """The code of a language, or InputError `BAD_CONFIG` when there is none of this name."""
    if name not in get_args(Code):
        raise InputError("BAD_CONFIG", f"the language must be one of {', '.join(get_args(Code))}")
    return cast(Code, name)


def marked(message: str) -> str:
    """A sentence that is kept here and said elsewhere: marks it for the catalogues."""
    return message


def _compiled(catalogue: Catalog) -> gettext.GNUTranslations:
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def _patterns(catalogue: Catalog) -> tuple[Pattern, ...]:
    messages = [message.id for message in catalogue if isinstance(message.id, str) and "%(1)s" in message.id]
    # the most literal first: a pattern that is all places would take any sentence
    messages.sort(key=lambda message: -len(_PLACE.sub("", message)))
    return tuple(
        Pattern(message, re.compile("(.+?)".join(map(re.escape, _PLACE.split(message)))))
        for message in messages
    )


def _places(decimals: int) -> str:
    return "." + "0" * decimals if decimals else ""


def _decimal(value: float) -> Decimal:
    return Decimal(str(value))  # the digits that metrics.json prints, not the binary fraction behind them


def _rounded(value: float, decimals: int) -> Decimal:
    number = _decimal(value)
    return number if abs(number) >= _LARGE else round(number, decimals)
