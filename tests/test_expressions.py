"""Expressions over columns: worked values, what is missing, and that nothing but arithmetic is reachable."""

import math
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sosie.arithmetic import Moments
from sosie.columns import Floats
from sosie.errors import InputError
from sosie.expressions import parse_expression


def evaluated(text: str, **columns: list[float | None]) -> Floats:
    numbers = {name: np.array(cells, dtype=np.float64) for name, cells in columns.items()}
    return parse_expression(text, "y").evaluate(numbers, {})


def between_dates(text: str, first: str, last: str) -> float:
    cells = {"a": np.array([first], "datetime64[us]"), "b": np.array([last], "datetime64[us]")}
    dates = {name: Moments(dates, dates) for name, dates in cells.items()}
    return float(parse_expression(text, "y").evaluate({}, dates)[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("weight / (height / 90) ** 2", 25.0),
        ("weight + height - 1", 279.0),
        ("-weight ** 2", -10_000.0),
        ("-2 ** -1 * weight", -50.0),
        ("height // 30 + height % 30", 6.0),
        ("-height // 100", -2.0),
        ("-height % 100", 20.0),
        ("height / 8", 22.5),
        ("weight >= 100", 1.0),
        ("weight < 100", 0.0),
        ("(weight == 100) + (weight != 100) * 10", 1.0),
        ("round(weight / 8)", 12.0),  # half to even
        ("round(weight / 7, 2)", 14.29),
        ("floor(weight / 7) + ceil(weight / 7)", 29.0),
        ("abs(weight - height)", 80.0),
        ("min(weight, height, 7) + max(weight, height, 7)", 187.0),
        ("sqrt(weight) + log(exp(weight / 100))", 11.0),
        ("where(weight >= 100, height, 0)", 180.0),
        ('col("weight") + 1e-1', 100.1),
    ],
)
def test_an_expression_is_arithmetic_on_columns(text: str, expected: float) -> None:
    assert evaluated(text, weight=[100], height=[180])[0] == pytest.approx(expected, abs=1e-12)


def test_any_column_can_be_named_in_quotes() -> None:
    expression = parse_expression('col("a b, (c)\'s \\"é\\"") * 2', "y")
    assert expression.numbers == ('a b, (c)\'s "é"',)
    assert parse_expression('col("3") + col("3") + x', "y").numbers == ("3", "x")


@pytest.mark.parametrize(
    "text", ["a + b", "a ** b", "b ** a", "a < b", "min(a, b)", "where(a, b, b)", "a == b"]
)
def test_what_needs_a_missing_value_is_missing(text: str) -> None:
    found = evaluated(text, a=[0, 0, None, None, 1], b=[1, None, 0, None, 1])
    assert np.isnan(found).tolist() == [False, True, True, True, False]


def test_a_branch_that_is_not_taken_may_be_missing() -> None:
    found = evaluated("where(a == 0, 0, 1 / a)", a=[0, 4, None])
    np.testing.assert_array_equal(found, [0, 0.25, np.nan])
    np.testing.assert_array_equal(evaluated("where(a > 1, a, b)", a=[2, 0], b=[None, 5]), [2, 5])


@pytest.mark.parametrize(
    "text", ["1 / a", "a % 0", "a // 0", "log(a)", "sqrt(a - 1)", "exp(a + 1000)", "1 / exp(a + 1000)"]
)
def test_what_is_no_finite_number_is_missing(text: str) -> None:
    assert np.isnan(evaluated(text, a=[0])).all()


def test_huge_powers_end_at_once_and_are_missing() -> None:
    assert np.isnan(evaluated("a + 9 ** 9 ** 9 ** 9 ** 9", a=[1.0])).all()
    assert evaluated("a + 2 ** 1000", a=[0.0])[0] == 2.0**1000


@pytest.mark.parametrize(
    ("first", "last", "days", "years"),
    [
        ("2000-01-01", "2000-01-01", 0.0, 0),
        ("2000-03-01", "2001-02-28", 364.0, 0),
        ("2000-03-01", "2001-03-01", 365.0, 1),
        ("2000-02-29", "2001-02-28", 365.0, 0),
        ("2000-02-29", "2001-03-01", 366.0, 1),
        ("2000-02-29", "2004-02-29", 1461.0, 4),
        ("1950-06-15T12:00", "2020-06-15T11:59", 25568 - 1 / 1440, 69),
        ("1950-06-15T12:00", "2020-06-15T12:00", 25568.0, 70),
        ("1965-12-31", "2024-01-01", 21185.0, 58),
        ("2001-03-01", "2000-03-02", -364.0, -1),
    ],
)
def test_days_and_years_between_two_dates(first: str, last: str, days: float, years: int) -> None:
    assert between_dates("days(a, b)", first, last) == pytest.approx(days, abs=1e-9)
    assert between_dates("years(a, b)", first, last) == years


def test_a_missing_date_gives_nothing() -> None:
    assert math.isnan(between_dates("days(a, b)", "NaT", "2020-01-01"))
    assert math.isnan(between_dates("years(a, b)", "2020-01-01", "NaT"))
    assert parse_expression("years(born, seen) + bonus", "y").dates == ("born", "seen")


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "x.__class__",
        "().__class__.__bases__",
        "x[0]",
        "[x for x in x]",
        "lambda: x",
        "(x := 1)",
        "x if x else x",
        "x and x",
        "not x",
        "~x",
        "x @ x",
        "x << 2",
        "x in x",
        "x is x",
        "0 < x < 1",
        "f'{x}'",
        "'text'",
        "b'x' + x",
        "1j * x",
        "True + x",
        "None",
        "...",
        "eval('x')",
        "open('f')",
        "col(x)",
        "col('x', 'y')",
        "col(name='x')",
        "min(*x)",
        "min(x)",
        "round(x, x)",
        "round(x, 99)",
        "round(x, -1)",
        "round(number=x)",
        "days(x, 1)",
        "days(x, x) + x",
        "where(x, x)",
        "(min)(x, x)()",
        "x; x",
        "x = 1",
        "import os",
        "x +",
        "1 + 2",
        "",
        "x\0",
        "(" * 300 + "x" + ")" * 300,
        "-" * 300 + "x",
        "x" + "+x" * 600,
        "x + 1" + "0" * 400,
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r'^derived of "total"') as refused:
        parse_expression(text, "total")
    assert refused.value.code == "BAD_CONFIG"
    assert refused.value.columns == ("total",)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize(
    ("text", "position"),
    [("x + y.z", 5), ("é + é + [x]", 9), ("  x + abs(1, 2)", 5), ("x + * 2", 5), ("eval(x)", 1)],
)
def test_a_refusal_names_the_position(text: str, position: int) -> None:
    with pytest.raises(InputError, match=f"at character {position}: "):
        parse_expression(text, "y")


_NUMBERS = st.floats(-50, 50).map(lambda number: round(number, 3))
_TEXTS = st.recursive(
    st.sampled_from(["x", "z"]) | _NUMBERS.map(repr),
    lambda parts: (
        st.builds("({} {} {})".format, parts, st.sampled_from(["+", "-", "*", "<", ">="]), parts)
        | st.builds("({} - -{})".format, parts, parts)
        | st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), parts, parts)
        | st.builds("abs({})".format, parts)
    ),
    max_leaves=12,
)


@given(text=_TEXTS, x=_NUMBERS, z=_NUMBERS)
def test_the_result_is_that_of_python(text: str, x: float, z: float) -> None:
    text = f"x + 0 * z + {text}"
    expected = eval(text, {"__builtins__": {}, "min": min, "max": max, "abs": abs}, {"x": x, "z": z})
    assert evaluated(text, x=[x], z=[z])[0] == pytest.approx(float(expected), rel=1e-12, abs=1e-12)


@given(st.text(max_size=60))
def test_no_text_does_anything_but_parse_or_be_refused(text: str) -> None:
    with suppress(InputError):
        assert parse_expression(text, "y").numbers
