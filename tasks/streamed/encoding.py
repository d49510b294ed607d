"""From a source to rows on a shelf: each column recognised and encoded by itself, then all of them row by row."""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from sosie.blocks import BLOCK, blocks
from sosie.columns import Category, Column, Table, encode, quoted
from sosie.declarations import declared_of
from sosie.errors import InputError, Notice
from sosie.holdout import draw_halves
from sosie.identifiers import why_identifier
from sosie.kinds import alike_of, is_thinned
from sosie.recognition import (
    Recognised,
    notices_of,
    recognise_column,
    refuse_identifiers,
    refuse_shape,
)
from sosie.relations import Relations, relations_of
from sosie.row_hashes import number_hashes
from sosie.schemas.tables import check_table, input_schema
from sosie.seen import seen_in_pieces
from sosie.sentinels import Ends
from sosie.sources import shown_name
from sosie.sources.streamed import Columns, open_source
from sosie.tasks.job import Declared
from sosie.tasks.manifests import Origin
from sosie.tasks.outside import patiently
from sosie.tasks.secrets import password_in
from sosie.tasks.streamed.records import StoredRows, layout_of, put, records_of
from sosie.tasks.streamed.shelf import Shelf
from sosie.tasks.streamed.standing import HASHES, Standing, different_hashes, repeated_rows
from sosie.untrue import refuse_untrue_in_blocks


@dataclass(frozen=True, eq=False)
class Encoded:
    """A source whose columns lie encoded on a shelf, one file each."""

    origin: Origin
    shelf: Shelf
    columns: tuple[Column, ...]
    relations: Relations
    notices: tuple[Notice, ...]

    def tables(self) -> Iterator[Table]:
        """The rows as tables of a block each."""
        numeric = [not isinstance(column, Category) for column in self.columns]
        files = [(self.shelf.reading(f"columns/{j}"), is_number) for j, is_number in enumerate(numeric)]
        opened = [(place.__enter__(), is_number) for place, is_number in files]
        try:
            for block in blocks(self.origin.rows):
                yield self._table(opened, block.stop - block.start)
        finally:
            for place, _ in files:
                place.__exit__(None, None, None)

    def _table(self, opened: list[tuple[IO[bytes], bool]], rows: int) -> Table:
        numbers, codes = [], []
        for file, is_number in opened:
            if is_number:
                numbers.append(np.frombuffer(file.read(rows * _NUMBER.itemsize), _NUMBER))
            else:
                codes.append(np.frombuffer(file.read(rows * 4), "<i4"))
        return Table(
            self.columns,
            _side_by_side([cells["number"] for cells in numbers], rows, np.float64),
            _side_by_side([cells["state"] for cells in numbers], rows, np.int8),
            _side_by_side(codes, rows, np.int32),
            (),
            np.empty((rows, 0), dtype=object),
        )


_NUMBER = np.dtype([("number", "<f8"), ("state", "i1")])


def encode_source(
    address: str, declared: Declared, shelf: Shelf, aside: Path, block: str | None = None
) -> Encoded:
    """Recognise every column, refuse what cannot be anonymised, and encode it; a piece of a column is in memory.

    `aside` is a private folder of this machine for what has to be laid aside, `block` the Prefect Secret block with the
    database's password. Raises InputError as when the table is read whole, and `BAD_CONFIG` for what needs it whole:
    the transform yeo-johnson and regenerated columns.
    """
    _refuse_what_needs_memory(declared)
    shown = shown_name(address) or ""
    with tempfile.TemporaryDirectory(dir=aside) as private:
        source, sha256 = patiently(open_source, address, Path(private), password_in(block))
        found = _encode_columns(source, declared, shelf)
        origin = Origin(shown, sha256, source.rows, source.dialect, ())
    identifiers = {key: why for one in found for key, why in one.identifiers.items()}
    refuse_identifiers(replace(found[0], identifiers=identifiers))
    columns = tuple(column for one in found for column in one.columns)
    relations = relations_of(columns, declared.columns, declared.constraints)
    encoded = Encoded(
        origin, shelf, columns, relations, tuple(notice for one in found for notice in one.notices)
    )
    refuse_untrue_in_blocks(relations, encoded.tables)
    return encoded


def _encode_columns(source: Columns, declared: Declared, shelf: Shelf) -> list[Recognised]:
    refuse_shape(source.names, source.rows, declared.columns)
    kept = [name for name in source.names if declared_of(declared.columns, name).role == "keep"]
    if not kept:
        raise InputError("EMPTY_TABLE", "every column is dropped or regenerated: keep at least one")
    return [
        _encode_column(source, name, declared, shelf, f"columns/{place}") for place, name in enumerate(kept)
    ]


def _encode_column(source: Columns, name: str, declared: Declared, shelf: Shelf, file: str) -> Recognised:
    """A column read twice in pieces: to tell what it is, and to encode it."""
    asked = declared_of(declared.columns, name)
    alike, outermost = partial(alike_of, declared=asked), len(asked.missing_codes) + 1
    seen = seen_in_pieces(source.pieces(name), alike, outermost)
    column, noticed = recognise_column(seen, asked, declared.rare)
    if isinstance(column, Category) and is_thinned(seen, asked):  # the first reads as a date, but not all do
        seen = seen_in_pieces(source.pieces(name), lambda _: None, outermost)
        column, noticed = recognise_column(seen, asked, declared.rare)
    schema, ends = input_schema((column,)), Ends(column)
    with shelf.writing(file, "", {}) as sink:
        for piece in source.pieces(name):
            frame = piece.to_frame(name)
            check_table(frame, schema)
            table = encode(frame, (column,))
            ends.add(table)
            put(sink, _stored(table))
    notices = [*notices_of(seen, column, ends.suspected()), *noticed]
    different = partial(_different_numbers, source, name, shelf)
    why = why_identifier(seen, column, asked.type is not None, different)
    return Recognised((column,), (), (), {} if why is None else {name: why}, tuple(notices), {})


def _different_numbers(source: Columns, name: str, shelf: Shelf) -> int:
    """How many different numbers a column holds: another pass over it, for those that may be identifiers."""
    with shelf.writing(HASHES, "", {}) as sink:
        for piece in source.pieces(name):
            put(sink, number_hashes(piece.dropna()))
    return different_hashes(shelf, HASHES, source.rows)


def _stored(table: Table) -> NDArray[Any]:
    """The cells of a table of one column as they lie on the shelf."""
    if table.codes.shape[1]:
        return table.codes[:, 0].astype("<i4")
    cells = np.empty(len(table), dtype=_NUMBER)
    cells["number"], cells["state"] = table.numbers[:, 0], table.states[:, 0]
    return cells


def _refuse_what_needs_memory(declared: Declared) -> None:
    asked: Mapping[str, list[str]] = {
        "transform: yeo-johnson": [
            name for name, one in declared.columns.items() if one.transform == "yeo-johnson"
        ],
        "role: regenerate": [name for name, one in declared.columns.items() if one.role == "regenerate"],
    }
    for what, names in asked.items():
        if names:
            raise InputError(
                "BAD_CONFIG",
                f"{what} needs the whole table in memory: {quoted(names)}; drop it, or let the table be read whole "
                "(batches.streamed: never)",
                tuple(names),
            )


def _side_by_side(cells: list[NDArray[Any]], rows: int, dtype: Any) -> NDArray[Any]:
    return np.stack(cells, axis=1).astype(dtype, copy=False) if cells else np.empty((rows, 0), dtype=dtype)


@dataclass(frozen=True, eq=False)
class Halves:
    """All rows, the working half and the holdout, each a table of its own; `standing` is what stands out of all."""

    columns: tuple[Column, ...]
    relations: Relations
    everyone: StoredRows
    working: StoredRows
    holdout: StoredRows
    standing: Standing


def set_apart(encoded: Encoded, seed: int) -> Halves:
    """The rows written out row by row: all of them, and each half; what stands out is counted on the way."""
    parts, standing = draw_halves(encoded.origin.rows, seed), Standing(encoded.columns)
    layout, shelf = layout_of(encoded.columns), encoded.shelf
    names, written = ("everyone", "working", "holdout"), [0, 0, 0]
    with (
        shelf.writing(names[0], "", {}) as all_file,
        shelf.writing(names[1], "", {}) as working_file,
        shelf.writing(names[2], "", {}) as holdout_file,
        shelf.writing(HASHES, "", {}) as hashes,
    ):
        for number, table in enumerate(encoded.tables()):
            put(hashes, standing.add(table))
            records = records_of(table, layout, np.arange(len(table)) + number * BLOCK)
            chosen = (np.arange(len(table)), *parts.of_block(number))
            for place, (sink, rows) in enumerate(
                zip((all_file, working_file, holdout_file), chosen, strict=True)
            ):
                part = records[rows]
                part["row"] = np.arange(len(rows)) + written[place]  # each numbers its own rows
                put(sink, part)
                written[place] += len(rows)
    standing.repeated = repeated_rows(shelf, encoded.origin.rows)
    shelf.remove("columns")
    everyone, working, holdout = (
        StoredRows(shelf, name, layout, rows) for name, rows in zip(names, written, strict=True)
    )
    return Halves(encoded.columns, encoded.relations, everyone, working, holdout, standing)
