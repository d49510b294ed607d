"""What the configuration may say of a column."""

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar, Literal

import numpy as np

from sosie.columns.date_texts import DIRECTIVES

Type = Literal["integer", "float", "category", "boolean", "date", "datetime", "duration"]
Role = Literal["keep", "drop", "regenerate"]


@dataclass(frozen=True)
class Declaration:
    """What the configuration says of a column: only what differs from what would be found."""

    # read by pydantic when a configuration file is checked; nothing of pydantic is needed here
    __pydantic_config__: ClassVar[dict[str, object]] = {
        "extra": "forbid",
        "use_attribute_docstrings": True,
        "hide_input_in_errors": True,
    }

    type: Type | None = None
    """what the column is, when it should not be inferred"""
    format: str | None = None
    """how dates are written as text, in the directives of strptime: %d/%m/%Y"""
    role: Role = "keep"
    """drop: absent from the output; regenerate: fresh unique identifiers, none equal to an input value"""
    weight: float = 1.0
    """multiplies the column's squared contribution to the projection; above 0"""
    transform: Literal["log", "sqrt", "yeo-johnson", "quantile"] | None = None
    """scale on which the column is compared and combined; of the difference where a constraint makes it one"""
    derived: str | None = None
    """the expression that the column is computed by, from other columns: weight_kg / (height_cm / 100) ** 2"""
    round_to: float | None = None
    """decoded numbers are multiples of this; above 0"""
    missing_codes: tuple[int | float | date | str, ...] = ()
    """numbers or dates that stand for a reason why there is none: levels of their own, never averaged"""

    def __post_init__(self) -> None:
        if not (self.weight > 0 and np.isfinite(self.weight)):
            raise ValueError("weight must be above 0")
        if self.round_to is not None and not (self.round_to > 0 and np.isfinite(self.round_to)):
            raise ValueError("round_to must be above 0")
        if not all(abs(code) < np.inf for code in self.missing_codes if isinstance(code, int | float)):
            raise ValueError("missing_codes must be finite: an empty cell needs no code")
        if self.format is not None:
            _refuse_format(self.format)
            if self.type not in (None, "date", "datetime"):
                raise ValueError("format is for the types date and datetime")


def declared_of(declarations: Mapping[Any, Declaration], name: Hashable) -> Declaration:
    """What is declared of a column, by its name or by the name's text: a YAML key may be the text of a number."""
    return declarations.get(name) or declarations.get(str(name)) or Declaration()


def _refuse_format(format_: str) -> None:
    directives = re.findall(r"%(.?)", format_)
    unknown = [f"%{letter}" for letter in directives if letter not in DIRECTIVES or not letter]
    if unknown:
        raise ValueError(
            f"format holds {', '.join(unknown)}: use {', '.join(f'%{letter}' for letter in DIRECTIVES)}"
        )
    if not {"Y", "y"} & set(directives):
        raise ValueError("format has no year: %Y or %y")
    twice = sorted({letter for letter in directives if letter != "%" and directives.count(letter) > 1})
    if twice:
        raise ValueError(f"format repeats {', '.join(f'%{letter}' for letter in twice)}")
