"""What every part of a configuration is: frozen, unknown keys refused, values never quoted in errors."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A part of the configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def named_by_text(columns: object) -> object:
    """Columns by the text of their names: YAML reads an unquoted `2019:` as a number."""
    return (
        {str(name): declared for name, declared in columns.items()}
        if isinstance(columns, Mapping)
        else columns
    )
