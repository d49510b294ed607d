"""What each column is taken for, shown and written as a configuration to start from."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table as Grid

from sosie.columns import Column, encode, quoted
from sosie.errors import InputError
from sosie.identifiers import FEWEST
from sosie.proposals import Proposals, propose
from sosie.recognition import Recognised, recognise
from sosie.relations import relations_of
from sosie.schemas.configuration import parse_configuration, read_configuration
from sosie.sources import Source, read_source
from sosie.tasks.commented import commented_configuration
from sosie.tasks.secrets import password_in
from sosie.untrue import refuse_untrue

_FEW_CODES = 10


def inspect_source(source: str, config: Path | None, write: Path | None) -> None:
    """Print the columns with their types, reasons and warnings; write a commented configuration when asked.

    Raises InputError as a run would; an identifier column is shown, not refused.
    """
    content = read_configuration(config) if config else {}
    configuration = parse_configuration({**content, "source": source})
    read = read_source(source, password_in(configuration.secrets.source))
    recognised = recognise(read.frame, configuration.columns)
    console = Console(highlight=False, markup=False)  # names of columns and files are shown as they are
    console.print(_grid(read, recognised))
    for notice in read.notices:
        where = "" if notice.column is None else f" {quoted([notice.column])}"
        console.print(f"warning[{notice.code}]{where}: {notice.message}", soft_wrap=True)
    refuse_untrue(
        relations_of(recognised.columns, configuration.columns, configuration.constraints),
        encode(read.frame, recognised.columns),
    )
    proposals = _proposals(read.frame, recognised)
    for found in proposals.computable:
        console.print(f"could be derived: {found.name} = {found.expression}", soft_wrap=True)
    for constraint in proposals.constraints:
        console.print(f"could be a constraint: {constraint}", soft_wrap=True)
    if write is not None:
        write_configuration(write, commented_configuration(source, recognised, proposals, content))
        console.print(f"Configuration written to {write}", soft_wrap=True)


def _grid(read: Source, recognised: Recognised) -> Grid:
    """A row a column: its type, why, how many values differ and are missing, and what to know of it."""
    frame = read.frame
    grid = Grid(title=f"{read.name}: {len(frame)} rows, {frame.shape[1]} columns", title_justify="left")
    for heading in ("column", "taken for", "because", "distinct", "missing", "note"):
        grid.add_column(
            heading, justify="right" if heading in ("distinct", "missing") else "left", overflow="fold"
        )
    notes: dict[Hashable, list[str]] = {}
    for notice in recognised.notices:
        notes.setdefault(notice.column, []).append(notice.message)
    for name, why in recognised.identifiers.items():
        told = f"holds {why}: an identifier, which a run refuses unless role: drop or regenerate"
        notes.setdefault(name, []).append(told)
    for column in recognised.columns:
        series = frame[column.name]
        grid.add_row(
            str(column.name),
            column.kind,
            column.reason,
            str(series.nunique()),
            f"{100 * series.isna().mean():.1f} %",
            "; ".join([*notes.get(column.name, []), *_hints(series, column)]),
        )
    for identifier in recognised.regenerated:
        grid.add_row(str(identifier.name), "identifier", "declared", "", "", "written anew, none of the old")
    for name in recognised.dropped:
        grid.add_row(str(name), "dropped", "declared", "", "", "absent from the output")
    return grid


def _hints(series: "pd.Series[Any]", column: Column) -> list[str]:
    """What whole numbers may really be, which only a person can know."""
    if column.kind != "integer" or column.reason == "declared":
        return []
    present, distinct = int(series.count()), int(series.nunique())
    if present >= FEWEST and distinct == present:
        return ["no two alike: if it numbers people, role: drop"]
    if 1 < distinct <= _FEW_CODES and present >= FEWEST:
        return ["few whole numbers: if they are codes, type: category"]
    return []


def _proposals(frame: pd.DataFrame, recognised: Recognised) -> Proposals:
    """Relations that every row keeps, identifiers left aside."""
    columns = tuple(column for column in recognised.columns if column.name not in recognised.identifiers)
    return propose(encode(frame, columns))


def write_configuration(path: Path, text: str) -> None:
    """Write where `--write` says; InputError `BAD_CONFIG` where nothing can be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError:
        raise InputError(
            "BAD_CONFIG",
            f"the configuration {path.name} cannot be written: check --write and its permissions",
        ) from None
