"""Numbers as text: which texts are numbers, what they are worth, how they were spelled, and back."""

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sosie.sources.csv_dialect import Notation, NumberStyle

_HEAD = 200
INFINITIES = ("inf", "Inf", "INF", "Infinity", "-inf", "-Inf", "-INF", "-Infinity")
_SPACES = (" ", "\u00a0", "\u202f")  # plain, no-break and narrow no-break, as French and SI write it
_THOUSANDS = {".": (",", *_SPACES, "'", "’"), ",": (".", *_SPACES, "'", "’")}


@dataclass(frozen=True)
class Numbers:
    """Distinct numbers (int64 or float64, in the order of their texts) and how they were spelled."""

    values: pa.Array
    style: NumberStyle


def integers(texts: pa.Array) -> Numbers | None:
    """The texts as int64, or None unless each is how its integer is written back (no 007, +7, 7.0, 1e3)."""
    if not len(texts) or not pc.all(_matches(texts[:_HEAD], r"^-?[0-9]+$")).as_py():
        return None
    try:
        values = pc.cast(texts, pa.int64())
    except pa.ArrowInvalid:
        return None
    return Numbers(values, NumberStyle()) if pc.cast(values, pa.string()).equals(texts) else None


def decimals(texts: pa.Array, mark: str) -> Numbers | None:
    """The texts as float64 with the decimal mark `mark`, or None if one is not such a number or an infinity.

    None too for whole numbers that int64 cannot hold: as floats they would lose digits.
    """
    point = re.escape(mark)
    pattern = rf"^-?(?:(?:0|[1-9][0-9]*)(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?$"
    finite = _finite(texts, pattern)
    if finite is None or _overflows(finite):
        return None
    plain = pc.replace_substring(texts, mark, ".")
    return Numbers(_floats(plain), _float_style(pc.replace_substring(finite, mark, "."), mark))


def grouped(texts: pa.Array, mark: str) -> Numbers | None:
    """The texts as numbers whose thousands are set apart, or None unless that is beyond doubt.

    Beyond doubt means: every number of four digits or more is grouped, at least one is, and either one has
    decimals or the number of groups varies (732 829 320 everywhere is an identifier, 1,234 alone may have
    three decimals).
    """
    for thousands in _THOUSANDS[mark]:
        group, point = re.escape(thousands), re.escape(mark)
        finite = _finite(texts, rf"^-?(?:0|[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})*)(?:{point}[0-9]+)?$")
        if finite is None:
            continue
        groups, points = pc.count_substring(finite, thousands), pc.count_substring(finite, mark)
        fewest, most = (pc.min_max(groups)[end].as_py() for end in ("min", "max"))
        if most == 0 or (fewest == most and not pc.any(pc.greater(points, 0)).as_py()):
            continue
        return _ungrouped(texts, finite, thousands, mark)
    return None


def as_spelled(texts: pa.Array, type_: pa.DataType, style: NumberStyle) -> pa.Array:
    """The numbers of this type that texts are which were found to be spelled so; missing stays missing."""
    plain = pc.replace_substring(texts, style.thousands, "") if style.thousands else texts
    if pa.types.is_floating(type_) and style.decimal != ".":
        plain = pc.replace_substring(plain, style.decimal, ".")
    return pc.cast(plain, type_)


def _ungrouped(texts: pa.Array, finite: pa.Array, thousands: str, mark: str) -> Numbers | None:
    together = pc.replace_substring(texts, thousands, "")
    whole = integers(together)
    if whole is not None:
        return Numbers(whole.values, NumberStyle(decimal=mark, thousands=thousands))
    if _overflows(pc.replace_substring(finite, thousands, "")):
        return None
    plain = pc.replace_substring(pc.replace_substring(finite, thousands, ""), mark, ".")
    style = replace(_float_style(plain, mark), thousands=thousands)
    return Numbers(_floats(pc.replace_substring(together, mark, ".")), style)


def _matches(texts: pa.Array, pattern: str) -> pa.Array:
    return pc.match_substring_regex(texts, pattern)


def _finite(texts: pa.Array, pattern: str) -> pa.Array | None:
    """The texts that match the pattern, or None if there is none or another is not an infinity."""
    infinities = pa.array(INFINITIES, pa.string())
    for part in (texts[:_HEAD], texts):  # most columns are told by their first values
        found = _matches(part, pattern)
        if not pc.all(pc.or_(found, pc.is_in(part, infinities))).as_py():
            return None
    finite = texts.filter(found)
    return finite if len(finite) else None


def _overflows(finite: pa.Array) -> bool:
    whole = _matches(finite, r"^-?[0-9]+$")
    return bool(pc.all(whole).as_py() and pc.any(_matches(finite, r"^-?[0-9]{19,}$")).as_py())


def _floats(plain: pa.Array) -> pa.Array:
    return pc.cast(plain, pa.float64())


def _float_style(plain: pa.Array, mark: str) -> NumberStyle:
    """How finite numbers with a decimal point were spelled."""
    with_exponent = _matches(plain, "[eE]")
    exponents, others = plain.filter(with_exponent), plain.filter(pc.invert(with_exponent))
    if not len(others):
        mantissas = pc.replace_substring_regex(exponents, "[eE].*$", "")
        fixed = _fixed_decimals(mantissas)
        notation: Notation = "mixed" if fixed is None else "exponent"
    else:
        mantissas, fixed, notation = others, None, "mixed"
        if not len(exponents):
            fixed, notation = _fixed_decimals(others), "plain"
    style = NumberStyle(
        decimal=mark,
        decimals=fixed,
        point_zero=pc.min(_decimals(mantissas)).as_py() > 0,
        leading_zero=not pc.any(_matches(plain, r"^-?\.")).as_py(),
        notation=notation,
    )
    if not len(exponents):
        return style
    digits = pc.utf8_length(pc.replace_substring_regex(exponents, "^.*[eE][+-]?", ""))
    letter = "E" if pc.any(_matches(exponents, "E")).as_py() else "e"
    return replace(style, exponent_letter=letter, exponent_digits=int(pc.min(digits).as_py()))


def _decimals(plain: pa.Array) -> pa.Array:
    points = pc.find_substring(plain, ".")
    return pc.if_else(pc.equal(points, -1), 0, pc.subtract(pc.utf8_length(plain), pc.add(points, 1)))


def _fixed_decimals(plain: pa.Array) -> int | None:
    ends = pc.min_max(_decimals(plain)).as_py()
    return int(ends["min"]) if ends["min"] == ends["max"] else None


def integer_texts(values: pa.Array, style: NumberStyle) -> pa.Array:
    """The integers as they are written in this column; missing stays missing."""
    texts = pc.cast(values, pa.string())
    return _grouped_texts(texts, style) if style.thousands else texts


def float_texts(values: npt.NDArray[np.float64], style: NumberStyle) -> pa.Array:
    """The floats as they are written in this column, NaN as missing.

    Each text is worth exactly its number: one that the column's fixed decimals cannot hold gets the decimals
    it needs.
    """
    missing = np.isnan(values)
    spelled = _quick_texts(values, style)
    for row in np.flatnonzero(_are_doubtful(values, spelled, style) & ~missing):
        spelled[row] = _float_text(float(values[row]), style)
    texts = pa.array(spelled, pa.string(), mask=missing)
    if style.decimals is None and not style.point_zero:
        texts = pc.replace_substring_regex(texts, r"\.0$", "")
    if style.thousands:
        return _grouped_texts(texts, style)
    if not style.leading_zero:
        texts = pc.replace_substring_regex(texts, r"^(-?)0\.", r"\1.")
    return texts if style.decimal == "." else pc.replace_substring(texts, ".", style.decimal)


def _quick_texts(values: npt.NDArray[np.float64], style: NumberStyle) -> list[str]:
    """The texts at the speed of a million values, right for ordinary numbers."""
    if style.decimals is None or style.notation == "exponent":
        return list(map(repr, values.tolist()))
    return list(map(f"%.{style.decimals}f".__mod__, values.tolist()))


def _are_doubtful(
    values: npt.NDArray[np.float64], spelled: list[str], style: NumberStyle
) -> npt.NDArray[np.bool_]:
    """Which quick texts may be wrong: with an exponent, too many digits or too few."""
    sizes = np.abs(values)
    doubtful: npt.NDArray[np.bool_] = (sizes >= 2**53) | ((sizes < 1e-4) & (values != 0))
    if style.notation == "exponent":
        return np.ones(len(values), dtype=bool)
    if style.decimals is not None:
        doubtful |= pc.cast(pa.array(spelled, pa.string()), pa.float64()).to_numpy() != values
    return doubtful


def _float_text(value: float, style: NumberStyle) -> str:
    """The text of one number, exact whatever its size."""
    # beyond 2^53 a fixed number of decimals would print digits that nobody wrote: 69049702573119712 for …710
    if style.decimals is not None and abs(value) < 2**53:
        kind = "e" if style.notation == "exponent" else "f"
        text = f"{value:.{style.decimals}{kind}}"
        if float(text) == value:
            return _exponent(text, style) if kind == "e" else text
    text = repr(value)
    if math.isinf(value):
        return text
    if "e" in text:
        if style.notation != "plain":
            return _exponent(text, style)
        text = format(Decimal(text), "f")
        text = text if "." in text else f"{text}.0"
    if not style.point_zero:
        return text.removesuffix(".0")
    return text + "0" * ((style.decimals or 0) - len(text.partition(".")[2]))


def _exponent(text: str, style: NumberStyle) -> str:
    mantissa, _, power = text.partition("e")
    return f"{mantissa}{style.exponent_letter}{power[0]}{power[1:].lstrip('0').zfill(style.exponent_digits)}"


def _grouped_texts(texts: pa.Array, style: NumberStyle) -> pa.Array:
    return pa.array([text and _grouped_text(text, style) for text in texts.to_pylist()], pa.string())


def _grouped_text(text: str, style: NumberStyle) -> str:
    whole, point, fraction = text.partition(".")
    groups = re.sub(r"(?<=[0-9])(?=(?:[0-9]{3})+$)", style.thousands, whole)
    return f"{groups}{style.decimal}{fraction}" if point else groups
