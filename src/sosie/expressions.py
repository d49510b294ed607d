"""Expressions over columns, such as `weight_kg / (height_cm / 100) ** 2`: read from text, computed on whole columns.

Python's own parser reads the text; what it finds is copied into three kinds of node or refused. Nothing is ever run
by Python, so an expression reaches columns and the functions listed here, and nothing else. A value is missing where
any value that it needs is missing, and where the result is no finite number (a division by 0, the root of −1).
"""

import ast
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np

from sosie.arithmetic import OF_DATES, Applied, Literal, Moments, Node, Reference, evaluated
from sosie.columns import Floats, quoted
from sosie.errors import InputError

_MOST_CHARACTERS = 1_000
_DEEPEST = 40


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
            return evaluated(self.root, numbers, dates)


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
    if function in OF_DATES and not all(isinstance(argument, Reference) for argument in arguments):
        raise _Refused(at, f"{function} takes the names of two date columns")
    if function == "round" and len(arguments) == 2:
        digits = arguments[1]
        if not (isinstance(digits, Literal) and digits.value in range(16)):
            raise _Refused(at, "round takes a number of decimals from 0 to 15")
    return Applied(function, arguments)


def _number_references(node: Node) -> list[str]:
    if isinstance(node, Reference):
        return [node.name]
    if isinstance(node, Applied) and node.operation not in OF_DATES:
        return [name for argument in node.arguments for name in _number_references(argument)]
    return []


def _date_calls(node: Node) -> list[tuple[str, tuple[str, ...]]]:
    """Each `days` and `years` with the columns it is applied to."""
    if not isinstance(node, Applied):
        return []
    if node.operation in OF_DATES:
        names = tuple(argument.name for argument in node.arguments if isinstance(argument, Reference))
        return [(node.operation, names)]
    return [call for argument in node.arguments for call in _date_calls(argument)]
