"""Columns that can be computed from others, found in a table: sums, products, ratios, copies, spans between dates.

Candidates come from a few rows spread over the table, are held against more of them, and then against every row by the
same rule that a declared expression has to meet. So what is found is exactly true, and what takes long is bounded by
the number of columns, not of rows.
"""

import keyword
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

import numpy as np

from sosie.columns import Column, Fixed, Floats, Instant, Number, Numeric, Table
from sosie.derivations import read_derivations
from sosie.errors import InputError
from sosie.expressions import parse_expression
from sosie.natural import amounts, reading_of
from sosie.recomputation import computed, margins_of, untrue_rows

_FEWEST_ROWS = 20
_SCREENED, _CHECKED = 400, 4_000  # rows that a candidate comes from, and that it is then held against
_MOST_NUMBERS, _MOST_DATES = 120, 12
_MOST_TERMS = 6
_WHOLE = 1e15
_SMALLEST = 1e-100
_FEWEST_DISTINCT = 3
_SPANS = (
    "days({a}, {b})",
    "days({a}, {b}) + 1",
    "floor(days({a}, {b}))",
    "years({a}, {b})",
    "floor(days({a}, {b}) / 365.25)",
    "days({a}, {b}) / 365.25",
    "days({a}, {b}) / 7",
    "floor(days({a}, {b}) / 7)",
    "24 * days({a}, {b})",
    "1440 * days({a}, {b})",
    "86400 * days({a}, {b})",
)
_EXPONENTS = (1, -1, 2, -2)
_DIGITS = (0, 2, 3, 4, 5, 6, 7)  # how long a coefficient is written; 0: as a fraction


@dataclass(frozen=True)
class Computable:
    """A column, and an expression that is exactly what it holds in every row."""

    name: Hashable
    expression: str


def find_computable(table: Table) -> tuple[Computable, ...]:
    """The columns found computable from others; none of them is a source of another, so that all may be declared."""
    screened = _spread(table, _SCREENED)
    if len(table) < _FEWEST_ROWS:
        return ()
    found: dict[Hashable, Computable] = {}
    sources: set[str] = set()
    for target, text, names in _candidates(screened, found):
        taken = {str(name) for name in found}
        if target.name in found or str(target.name) in sources or taken & set(names):
            continue
        if all(_holds(target, text, rows) for rows in (screened, _spread(table, _CHECKED), table)):
            found[target.name] = Computable(target.name, text)
            sources |= set(names)
    return tuple(found.values())


def reference(name: Hashable) -> str:
    """The name as an expression refers to it."""
    text = str(name)
    plain = text.isidentifier() and text.isascii() and not keyword.iskeyword(text)
    return text if plain else f"col({text!r})"


Candidate = tuple[Numeric, str, tuple[str, ...]]


def _candidates(table: Table, found: dict[Hashable, Computable]) -> Iterator[Candidate]:
    """Columns with an expression that may be theirs and the names in it, likeliest first; `found` grows meanwhile."""
    numbers = [
        (column, values)
        for column, cells in zip(table.number_columns, table.numbers.T, strict=True)
        if reading_of(column) == "number"
        and not column.missing_codes
        and not (isinstance(column, Number | Fixed) and column.origin)
        and _varied(values := amounts(column, cells))
    ][:_MOST_NUMBERS]
    # what is computed from a column is missing wherever that is
    numbers.sort(key=lambda pair: int(np.isnan(pair[1]).sum()))
    yield from _spans(table, numbers)
    yield from _linear([pair for pair in numbers if pair[0].name not in found])
    yield from _products([pair for pair in numbers if pair[0].name not in found])


Values = tuple[Numeric, Floats]


def _varied(values: Floats) -> bool:
    """Whether there is enough to tell one rule from another, of a size whose square is still a number."""
    sizes = np.unique(np.abs(values[~np.isnan(values) & (values != 0)]))
    distinct = len(np.unique(values[~np.isnan(values)]))
    return distinct >= _FEWEST_DISTINCT and bool(sizes[0] > _SMALLEST and sizes[-1] < 1 / _SMALLEST)


def _spread(table: Table, rows: int) -> Table:
    """At most so many rows, evenly spread."""
    if len(table) <= rows:
        return table
    return table.take(np.unique(np.linspace(0, len(table) - 1, rows).astype(np.int64)))


def _holds(target: Column, text: str, table: Table) -> bool:
    try:
        (derivation,) = read_derivations({target.name: text}, table.columns)
    except InputError:  # a coefficient too long, a type that cannot be derived: nothing to propose
        return False
    (margin,) = margins_of((derivation,), lambda: (table,))
    return not untrue_rows(derivation, table, margin).any()


def _spans(table: Table, numbers: list[Values]) -> Iterator[Candidate]:
    dates = [c for c in table.number_columns if isinstance(c, Instant) and reading_of(c) == "date"]
    cells = np.stack([values for _, values in numbers], axis=1) if numbers else np.empty((len(table), 0))
    halves = np.array([_half_place(column, values) for column, values in numbers])
    for first, last in permutations(dates[:_MOST_DATES], 2):
        for form in _SPANS:
            text = form.format(a=reference(first.name), b=reference(last.name))
            passed = computed(parse_expression(text, "span"), table)[:, None]
            near = np.abs(passed - cells) <= halves + 1e-6
            for j in np.flatnonzero((near | np.isnan(cells)).all(axis=0)):
                yield numbers[j][0], text, (str(first.name), str(last.name))


def _half_place(column: Numeric, values: Floats) -> float:
    """Half of the last place that the values show."""
    if isinstance(column, Number):
        return float(10.0 ** -column.decimals(values[~np.isnan(values)])) / 2
    return 0.5 * 10.0**-column.places if isinstance(column, Fixed) else 0.0


def _linear(numbers: list[Values]) -> Iterator[Candidate]:
    """Each column that is a combination of those before it that are not."""
    independent: list[Values] = []
    for target, values in numbers:
        present = ~np.isnan(values)
        y = values[present]
        complete = [pair for pair in independent if not np.isnan(pair[1][present]).any()]
        complete = complete[: max(0, (len(y) - _FEWEST_ROWS) // 2)]
        terms = _terms(y, [values[present] for _, values in complete], _half_place(target, values))
        if terms is None:
            independent.append((target, values))
            continue
        columns = [(complete[j][0], coefficient) for j, coefficient in terms[0]]
        yield from _sums(target, columns, terms[1])


def _terms(y: Floats, xs: list[Floats], half: float) -> tuple[list[tuple[int, float]], float] | None:
    """The coefficients that matter of y = Σ c·x + c₀, and c₀; None where there is no such combination."""
    scale = y.std() if len(y) else 0.0
    if len(y) < _FEWEST_ROWS or not xs or scale == 0:
        return None
    # a coarse column may be hit by rounding alone: it has to fit exactly
    room = half if scale > 20 * half else 0.0
    places = [j for j, x in enumerate(xs) if x.std() > 1e-9 * (1 + np.abs(x).max())]
    for _ in range(2):  # once to see which matter, once with those alone
        if not places:
            return None
        x = np.stack([xs[j] for j in places], axis=1)
        means, sds = x.mean(axis=0), x.std(axis=0)
        coefficients = np.linalg.lstsq((x - means) / sds, y - y.mean(), rcond=1e-9)[0]
        if np.abs((x - means) / sds @ coefficients - (y - y.mean())).max() > 2 * room + 1e-7 * scale:
            return None
        matters = np.abs(coefficients) > 3 * room / np.sqrt(len(y)) + 1e-6 * scale
        places = [place for place, kept in zip(places, matters, strict=True) if kept]
    if not 0 < len(places) <= _MOST_TERMS or not matters.all():
        return None
    slopes = coefficients / sds
    constant = float(y.mean() - slopes @ means)
    if abs(constant) <= 4 * room:
        # without a constant the slopes are known to more digits
        slopes, constant = np.linalg.lstsq(x, y, rcond=None)[0], 0.0
    return list(zip(places, slopes.tolist(), strict=True)), constant


def _sums(target: Numeric, terms: list[tuple[Numeric, float]], constant: float) -> Iterator[Candidate]:
    """The combination written with short coefficients: as the total of its parts, if it is one."""
    ones = all(abs(abs(c) - 1) < 1e-6 for _, c in terms) and abs(constant) < 1e-6
    totals = [column for column, c in terms if c > 0]
    if ones and len(totals) == 1 and len(terms) > 1:
        parts = [target, *(column for column, c in terms if c < 0)]
        yield _candidate(totals[0], [(column, "1") for column in parts], "0")
    for digits in _DIGITS:
        written = [(column, _short(coefficient, digits)) for column, coefficient in terms]
        yield _candidate(target, written, _short(constant, digits))


def _short(number: float, digits: int) -> str:
    """The number as a fraction of small terms, or with so many significant digits."""
    if digits == 0:
        return str(Fraction(number).limit_denominator(12))
    short = float(f"{number:.{digits}g}")
    return str(int(short)) if short.is_integer() and abs(short) < _WHOLE else repr(short)


def _candidate(target: Numeric, terms: list[tuple[Numeric, str]], constant: str) -> Candidate:
    text = ""
    for column, coefficient in [*((reference(column.name), c) for column, c in terms), ("", constant)]:
        size = coefficient.removeprefix("-")
        if size == "0":
            continue
        top, _, bottom = size.partition("/")
        factors = " * ".join(part for part in ("" if top == "1" and column else top, column) if part)
        term = factors + (f" / {bottom}" if bottom else "")
        minus = coefficient.startswith("-")
        text = (f"{text} {'-' if minus else '+'} {term}") if text else f"{'-' if minus else ''}{term}"
    return target, text or "0", tuple(str(column.name) for column, _ in terms)


def _products(numbers: list[Values]) -> Iterator[Candidate]:
    """Each column that is a constant times two others, each multiplied or divided by, once or squared."""
    found: list[tuple[bool, bool, Candidate]] = []
    for target, values in numbers:
        size = np.abs(values)
        # the larger half, where a rounded value says most
        useful = np.flatnonzero(size >= max(np.nanmedian(size), np.finfo(float).tiny))[: 2 * _FEWEST_ROWS]
        others = [
            (column, x[useful])
            for column, x in numbers
            if column is not target and not (np.isnan(x[useful]) | (x[useful] == 0)).any()
        ]
        if len(useful) < _FEWEST_ROWS or not others:
            continue
        y = np.log(size[useful])
        half = _half_place(target, values)
        room = float(np.log1p(half / size[useful]).max()) + 1e-9
        if y.std() < 10 * room:
            continue
        for powers in _powers(y, np.log(np.abs(np.stack([x for _, x in others]))), room):
            product = np.prod([others[j][1] ** float(e) for j, e in powers], axis=0)
            factor = float(np.median(values[useful] / product))
            # what was computed and rounded leaves nothing, or fills its last place; between, it was the other way round
            left = np.abs(factor * product - values[useful]).max() / max(half, np.finfo(float).tiny)
            ratio = any(e < 0 for _, e in powers)
            for text in _written([(reference(others[j][0].name), e) for j, e in powers], factor):
                names = tuple(str(others[j][0].name) for j, _ in powers)
                found.append((0.01 < left < 0.8, ratio, (target, text, names)))
    # a total is a price times a number before the price is a total by a number
    yield from (candidate for *_, candidate in sorted(found, key=lambda each: each[:2]))


def _powers(y: Floats, logs: Floats, room: float) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Pairs of columns and exponents whose logarithms add up to y and a constant, simplest first."""
    exponents = np.repeat(_EXPONENTS, len(logs))
    columns = np.tile(np.arange(len(logs)), len(_EXPONENTS))
    centred = logs - logs.mean(axis=1, keepdims=True)
    held = exponents[:, None] * centred[columns]
    rest = (y - y.mean()) - held
    squares = (rest**2).sum(axis=1)[:, None] + (held**2).sum(axis=1) - 2 * rest @ held.T
    close = np.argwhere(np.triu(squares <= len(y) * (2 * room) ** 2 + 1e-12))
    order = np.argsort(np.abs(exponents[close]).sum(axis=1), kind="stable")
    for i, j in close[order][:20]:
        one_column = columns[i] == columns[j] and not exponents[i] == exponents[j] == 1
        if not one_column and np.abs(rest[i] - held[j]).max() <= 2 * room:
            yield (int(columns[i]), int(exponents[i])), (int(columns[j]), int(exponents[j]))


def _written(powers: list[tuple[str, int]], factor: float) -> Iterator[str]:
    tops = [name if e == 1 else f"{name} ** {e}" for name, e in powers if e > 0]
    bottoms = [name if e == -1 else f"{name} ** {-e}" for name, e in powers if e < 0]
    for digits in _DIGITS:
        short = _short(factor, digits)
        if short == "0":
            continue
        top, _, bottom = short.partition("/")
        above = " * ".join([*([top] if top != "1" or not tops else []), *tops])
        below = [*([bottom] if bottom else []), *bottoms]
        yield above + "".join(f" / {name}" for name in below)
