"""A grid that somebody names: values for some keys of a configuration, every combination of which is measured."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from sosie.design import combinations
from sosie.errors import InputError
from sosie.schemas.configuration import Method, read_configuration
from sosie.search import Scalar, Setting, key_text

MOST_SETTINGS = 200

Grid = dict[tuple[str, ...], list[Scalar]]

_SECTIONS = ("method", "rare_values", "columns", "batches")


def settings_of(path: str | None, assignments: Sequence[str]) -> tuple[Setting, ...]:
    """Every combination of a grid file and of assignments such as `k=5,10,20`, which come after and in its place.

    Raises InputError `BAD_CONFIG` for a grid without a value, of too many settings, or with a key that changes no
    avatar.
    """
    grid = _flat(read_configuration(Path(path)) if path else {})
    for assignment in assignments:
        name, equals, values = assignment.partition("=")
        if not equals or not values:
            raise InputError("BAD_CONFIG", "--set takes a key and its values: --set k=5,10,20")
        grid[_path(tuple(name.split(".")))] = [_scalar(value) for value in values.split(",")]
    if not grid:
        raise InputError("BAD_CONFIG", "a sweep needs values to try: --grid grid.yaml, or --set k=5,10,20")
    count = 1
    for values_of_key in grid.values():
        count *= len(values_of_key)
    if not 1 <= count <= MOST_SETTINGS:
        raise InputError(
            "BAD_CONFIG",
            f"the grid names {count} settings, 1 to {MOST_SETTINGS} can be measured: leave out values",
        )
    return combinations(grid)


def _flat(content: Mapping[Any, Any], above: tuple[str, ...] = ()) -> Grid:
    """The lists in a nested mapping by their paths; a single value is a list of one."""
    grid: Grid = {}
    for name, value in content.items():
        here = (*above, str(name))
        if isinstance(value, Mapping):
            grid |= _flat(value, here)
            continue
        values = value if isinstance(value, list) else [value]
        if any(isinstance(item, list | dict) for item in values):
            raise InputError("BAD_CONFIG", f"the grid's {'.'.join(here)} must be a list of single values")
        grid[_path(here)] = values
    return grid


def _path(named: tuple[str, ...]) -> tuple[str, ...]:
    """The key of a configuration that is meant: those of `method` may be named alone."""
    path = ("method", *named) if len(named) == 1 and named[0] in Method.model_fields else named
    if path == ("method", "seed") or path[0] not in _SECTIONS or len(path) < 2:
        raise InputError(
            "BAD_CONFIG",
            f"{key_text(path)} cannot be swept: name keys of {', '.join(_SECTIONS)}, the seed excepted",
        )
    return path


def _scalar(text: str) -> Scalar:
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        value = text
    return value if value is None or isinstance(value, int | float | str | bool) else text
