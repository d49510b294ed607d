"""Expressions over columns, such as `weight_kg / (height_cm / 100) ** 2`: read from text, computed on whole columns.

Python's own parser reads the text; what it finds is copied into three kinds of node or refused. Nothing is ever run
by Python, so an expression reaches columns and the functions listed here, and nothing else. A value is missing where
any value that it needs is missing, and where the result is no finite number (a division by 0, the root of −1).
"""

import ast
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sosie.columns import Floats, quoted
from sosie.errors import InputError

Dates = NDArray[np.datetime64]


@dataclass(frozen=True, eq=False)
class Moments:
    """A date column of n cells, NaT where missing: `elapsed` on one clock for all, `local` by the cell's calendar."""

    elapsed: Dates
    local: Dates


_MOST_CHARACTERS = 1_000
_DEEPEST = 40
_MICROSECONDS_IN_A_DAY = 86_400 * 10**6


@dataclass(frozen=True)
class Literal:
    """A number written in the expression."""

    value: float


@dataclass(frozen=True)
class Reference:
    """A column."""

    name: str


@dataclass(frozen=True)
class Applied:
    """An operation or a function, and what it is applied to."""

    operation: str
    arguments: "tuple[Node, ...]"


Node = Literal | Reference | Applied


@dataclass(frozen=True)
class Expression:
    """A parsed expression: its text, and the columns it reads as numbers and as dates, in order of appearance.

    `spans` are the pairs of dates that `days` counts between.
    """

    text: str
    root: Node
    numbers: tuple[str, ...]
    dates: tuple[str, ...]
    spans: tuple[tuple[str, ...], ...]

    def evaluate(self, numbers: Mapping[str, Floats], dates: Mapping[str, Moments]) -> Floats:
        """(n,) results for columns of n cells, NaN where missing (NaN or NaT in)."""
        with np.errstate(all="ignore"):
            return _evaluated(self.root, numbers, dates)


def parse_expression(text: str, of: Hashable) -> Expression:
    """The expression in a text, that of the derived column `of`.

    Numbers, columns (an identifier, or `col("any name")`), + - * / // % **, < <= > >= == != (1 where true, else 0),
    `round(x)` and `round(x, digits)` (half to even), `floor`, `ceil`, `abs`, `min` and `max` of two or more, `sqrt`,
    `log`, `exp`, `where(condition, a, b)`, and of two date columns `days(a, b)` (from a to b, with fractions) and
    `years(a, b)` (anniversaries of a passed by b: an age). Raises InputError `BAD_CONFIG` naming the position of
    anything else.
    """
    source = text.strip().replace("\n", " ")
    try:
        return _parsed(text, source)
    except _Refused as refused:
        place = "" if refused.at is None else f" at character {_character(source, refused.at)}"
        raise InputError("BAD_CONFIG", f"derived of {quoted([of])}{place}: {refused.reason}", (of,)) from None


class _Refused(Exception):  # noqa: N818 (becomes an InputError before anyone sees it)
    """Why a text is no expression, and where: a position in its line in bytes, as `ast` counts."""

    def __init__(self, at: int | None, reason: str) -> None:
        super().__init__(reason)
        self.at = at
        self.reason = reason


def _parsed(text: str, source: str) -> Expression:
    if len(source) > _MOST_CHARACTERS:
        raise _Refused(None, f"an expression has at most {_MOST_CHARACTERS} characters")
    root = _node(_tree(source).body, _DEEPEST)
    dates = tuple(dict.fromkeys(name for _, names in _date_calls(root) for name in names))
    numbers = tuple(dict.fromkeys(_number_references(root)))
    if not (numbers or dates):
        raise _Refused(None, "it names no column")
    both = [name for name in numbers if name in dates]
    if both:
        raise _Refused(None, f'"{both[0]}" is read as a date and as a number')
    spans = tuple(dict.fromkeys(names for function, names in _date_calls(root) if function == "days"))
    return Expression(text, root, numbers, dates, spans)


def _tree(source: str) -> ast.Expression:
    try:
        return ast.parse(source, mode="eval")
    except SyntaxError as error:
        # its offset counts characters from 1; a position in bytes is what every other refusal has
        at = None if error.offset is None else len(source[: max(0, error.offset - 1)].encode())
        raise _Refused(at, "not an expression") from None
    except (ValueError, RecursionError, MemoryError):  # NUL characters, brackets without end
        raise _Refused(None, "not an expression") from None


def _character(source: str, at: int) -> int:
    return len(source.encode()[:at].decode(errors="ignore")) + 1


_BINARY: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_ARGUMENTS = {  # fewest and most
    "round": (1, 2),
    "floor": (1, 1),
    "ceil": (1, 1),
    "abs": (1, 1),
    "sqrt": (1, 1),
    "log": (1, 1),
    "exp": (1, 1),
    "min": (2, 20),
    "max": (2, 20),
    "where": (3, 3),
    "days": (2, 2),
    "years": (2, 2),
}
_OF_DATES = ("days", "years")


def _node(tree: ast.expr, depth: int) -> Node:
    """The node that a piece of Python's tree stands for; `_Refused` for anything that is not on the list."""
    if depth == 0:
        raise _Refused(tree.col_offset, f"nested more than {_DEEPEST} deep")
    match tree:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return Literal(_literal(value, tree.col_offset))
        case ast.Name(id=name):
            return Reference(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Applied("-", (Literal(0.0), _node(operand, depth - 1)))
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _BINARY:
            return Applied(_BINARY[type(operator)], (_node(left, depth - 1), _node(right, depth - 1)))
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in _BINARY:
            return Applied(_BINARY[type(operator)], (_node(left, depth - 1), _node(right, depth - 1)))
        case ast.Call(func=ast.Name(id="col"), args=[ast.Constant(value=str(name))], keywords=[]):
            return Reference(name)
        case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]) if function in _ARGUMENTS:
            return _call(
                function, tuple(_node(argument, depth - 1) for argument in arguments), tree.col_offset
            )
        case ast.Call(func=ast.Name(id=function)):
            known = ", ".join(["col", *_ARGUMENTS])
            raise _Refused(tree.col_offset, f"{function}(…) is not available so; functions are {known}")
    raise _Refused(tree.col_offset, f"{_kind(tree)} is not allowed")


def _literal(value: float, at: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise _Refused(at, "the number is too large") from None


def _kind(tree: ast.expr) -> str:
    match tree:
        case ast.Constant():
            return "text or a constant that is no number"
        case ast.Attribute():
            return "a dot after a name"
        case ast.Compare():
            return "a chain of comparisons, or one by other than < <= > >= == !=,"
        case ast.Call():
            return "calling what is no function name"
    return f"what Python calls {type(tree).__name__}"


def _call(function: str, arguments: tuple[Node, ...], at: int) -> Node:
    fewest, most = _ARGUMENTS[function]
    if not fewest <= len(arguments) <= most:
        number = str(fewest) if fewest == most else f"{fewest} to {most}"
        raise _Refused(at, f"{function} takes {number} argument(s)")
    if function in _OF_DATES and not all(isinstance(argument, Reference) for argument in arguments):
        raise _Refused(at, f"{function} takes the names of two date columns")
    if function == "round" and len(arguments) == 2:
        digits = arguments[1]
        if not (isinstance(digits, Literal) and digits.value in range(16)):
            raise _Refused(at, "round takes a number of decimals from 0 to 15")
    return Applied(function, arguments)


def _number_references(node: Node) -> list[str]:
    if isinstance(node, Reference):
        return [node.name]
    if isinstance(node, Applied) and node.operation not in _OF_DATES:
        return [name for argument in node.arguments for name in _number_references(argument)]
    return []


def _date_calls(node: Node) -> list[tuple[str, tuple[str, ...]]]:
    """Each `days` and `years` with the columns it is applied to."""
    if not isinstance(node, Applied):
        return []
    if node.operation in _OF_DATES:
        names = tuple(argument.name for argument in node.arguments if isinstance(argument, Reference))
        return [(node.operation, names)]
    return [call for argument in node.arguments for call in _date_calls(argument)]


def _evaluated(node: Node, numbers: Mapping[str, Floats], dates: Mapping[str, Moments]) -> Floats:
    if isinstance(node, Literal):
        return np.asarray(node.value)
    if isinstance(node, Reference):
        return numbers[node.name]
    if node.operation in _OF_DATES:
        first, last = (dates[argument.name] for argument in node.arguments if isinstance(argument, Reference))
        if node.operation == "days":
            return days(first.elapsed, last.elapsed)
        return years(first.local, last.local)
    arguments = [_evaluated(argument, numbers, dates) for argument in node.arguments]
    result = np.asarray(_OPERATIONS[node.operation](*arguments), dtype=np.float64)
    if node.operation == "where":  # the branch that is not taken may be missing
        arguments = arguments[:1]
    # numpy holds that nan ** 0 is 1, and that a comparison with nan is false
    missing = np.logical_or.reduce([np.isnan(argument) for argument in np.broadcast_arrays(*arguments)])
    return np.where(missing | ~np.isfinite(result), np.nan, result)


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": np.floor_divide,
    "%": np.mod,
    "**": np.power,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
    "round": lambda values, digits=0: np.round(values, int(digits)) + 0.0,
    "floor": np.floor,
    "ceil": np.ceil,
    "abs": np.abs,
    "sqrt": np.sqrt,
    "log": np.log,
    "exp": np.exp,
    "min": lambda *values: np.minimum.reduce(np.broadcast_arrays(*values)),
    "max": lambda *values: np.maximum.reduce(np.broadcast_arrays(*values)),
    "where": lambda condition, yes, no: np.where(condition != 0, yes, no),
}


def days(first: Dates, last: Dates) -> Floats:
    """(n,) days from the first instants to the last, with fractions, below 0 where the last come first; NaN for NaT."""
    passed = last.astype("datetime64[us]") - first.astype("datetime64[us]")
    numbers = passed.astype(np.int64) / _MICROSECONDS_IN_A_DAY
    return np.where(np.isnat(passed), np.nan, numbers)


def years(first: Dates, last: Dates) -> Floats:
    """(n,) whole years passed from the first instants to the last, by the calendar: an age; NaN for NaT.

    Who was born on 29 February is a year older on 1 March of a year without that day.
    """
    spans = [instants.astype("datetime64[Y]") for instants in (first, last)]
    months = [instants.astype("datetime64[M]") for instants in (first, last)]
    # within the year: the month, then what passed since the month began
    month = [(m - y.astype("datetime64[M]")).astype(np.int64) for m, y in zip(months, spans, strict=True)]
    rest = [
        (instants.astype("datetime64[us]") - m.astype("datetime64[us]")).astype(np.int64)
        for instants, m in zip((first, last), months, strict=True)
    ]
    early = (month[1] < month[0]) | ((month[1] == month[0]) & (rest[1] < rest[0]))
    passed = (spans[1] - spans[0]).astype(np.int64) - early
    return np.where(np.isnat(first) | np.isnat(last), np.nan, passed.astype(np.float64))
