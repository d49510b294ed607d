"""A PostgreSQL table or query read in pieces gives the table, the types and the sha256 that it gives whole."""

import socket
import stat
import traceback
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sosie.errors import AwayError, InputError
from sosie.sources import read_source, write_table
from sosie.sources.postgresql_types import parsed_rows
from sosie.sources.streamed import open_source, rows_about, write_pieces, written_suffix

PASSWORD = "Slartibartfast"  # as the fixture sets it
SMALL = 5  # rows of a piece
TYPES = """
CREATE TYPE stage AS ENUM ('late', 'early', 'unused');
CREATE DOMAIN kilograms AS double precision CHECK (value > 0);
CREATE TABLE every_type AS SELECT
    i::smallint AS small, i AS whole, 9007199254740993 + i AS large, i / 8::real AS single, i / 3.0::float8 AS double,
    (i / 4.0)::numeric(10, 2) AS price, i::numeric(12, 0) AS count, (i / 7.0)::numeric AS any_number, i % 2 = 0 AS flag,
    CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN 'a"b,' || chr(10) || 'c' WHEN 2 THEN 'NA' ELSE 'é' END AS name,
    chr(97 + i % 3)::char(4) AS code, ('w' || i)::varchar(10) AS word, lpad(i::text, 32, '0')::uuid AS key,
    (ARRAY['early', 'late'])[1 + i % 2]::stage AS stage, (i + 0.5)::kilograms AS kg,
    '1950-02-03'::date + i * 999 AS born, '2020-01-31 10:00:00.5'::timestamp + i * interval '1 day' AS seen,
    to_timestamp(i * 1e7) AS stamp, time '10:11:12' + i * interval '1 minute' AS at,
    (i - 20) * interval '25 hours' AS lasted, ('10.0.0.' || i)::inet AS address, i::oid AS number, i AS "Größe ""x"".y"
FROM generate_series(1, 60) AS i;
CREATE TABLE gaps AS SELECT * FROM every_type;
"""


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    monkeypatch.setattr("sosie.blocks.BLOCK", SMALL)
    monkeypatch.setattr("sosie.sources.streamed_postgresql.PIECE", 4000)  # bytes


@pytest.fixture
def server(postgresql: Any) -> Any:
    """The server with a table of every type, and one with a gap in each column, late in it."""
    postgresql.run(
        "DROP SCHEMA IF EXISTS public CASCADE", "CREATE SCHEMA public", *TYPES.strip().split(";\n")
    )
    names = postgresql.run(
        "SELECT string_agg(quote_ident(attname) || ' = NULL', ', ' ORDER BY attnum)"
        " FROM pg_attribute WHERE attrelid = 'gaps'::regclass AND attnum > 0"
    )[0][0]
    postgresql.run(f"UPDATE gaps SET {names} WHERE whole = 58")
    return postgresql


def pieces_of(address: str, aside: Path) -> dict[str, list["pd.Series[Any]"]]:
    """Every column in pieces, which are, together, what the column is in the table read whole; so is all else."""
    whole, (streamed, sha256) = read_source(address), open_source(address, aside)
    assert (streamed.names, streamed.rows) == (tuple(whole.frame.columns), len(whole.frame))
    assert (streamed.dialect, sha256) == (whole.dialect, whole.sha256)
    found = {name: list(streamed.pieces(name)) for name in streamed.names}
    for name, pieces in found.items():
        assert max(map(len, pieces)) <= SMALL
        assert {str(piece.dtype) for piece in pieces} == {str(whole.frame[name].dtype)}
        pd.testing.assert_series_equal(pd.concat(pieces, ignore_index=True), whole.frame[name])
    return found


@pytest.mark.parametrize("table", ["every_type", "gaps"])
def test_a_column_of_any_type_reads_in_pieces_as_it_reads_whole(
    server: Any, table: str, tmp_path: Path
) -> None:
    found = pieces_of(f"{server.url}?table={table}", tmp_path)
    assert len(found["whole"]) >= 12
    assert str(found["whole"][0].dtype) == {"every_type": "int32", "gaps": "Int32"}[table]
    assert list(found["stage"][0].cat.categories) == ["late", "early", "unused"]


@pytest.mark.parametrize(
    ("last", "dtype"),
    [
        ("7", "int64"),
        ("123456789012345678", "int64"),
        ("1234567890123456789", "float64"),
        ("'NaN'", "float64"),
    ],
)
def test_one_late_cell_decides_whether_a_column_of_no_decimals_is_of_integers(
    server: Any, last: str, dtype: str, tmp_path: Path
) -> None:
    cell = f"CASE WHEN i < 3000 THEN i::numeric ELSE {last} END::numeric(20, 0)"
    found = pieces_of(f"{server.url}?query=SELECT {cell} AS x FROM generate_series(1, 3000) AS i", tmp_path)
    assert {str(piece.dtype) for piece in found["x"]} == {dtype}


def test_columns_without_any_value_are_streamed(server: Any, tmp_path: Path) -> None:
    query = "SELECT NULL::integer AS a FROM generate_series(1, 20)"
    assert str(pieces_of(f"{server.url}?query={query}", tmp_path)["a"][0].dtype) == "Int32"
    every = "SELECT NULL::text AS a, NULL::date AS b, NULL::bool AS c FROM generate_series(1, 20)"
    pieces_of(f"{server.url}?query={every}", tmp_path)


def test_no_more_than_a_piece_is_held_of_what_the_server_sends(
    server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []

    def noted(content: bytes, *rest: Any) -> Any:
        sizes.append(len(content))
        return parsed_rows(content, *rest)

    monkeypatch.setattr("sosie.sources.streamed_postgresql.parsed_rows", noted)
    open_source(f"{server.url}?query=SELECT i AS x FROM generate_series(1, 3000) AS i", tmp_path)
    assert sum(sizes) == sum(len(f"{place}\n") for place in range(1, 3001))
    assert max(sizes) < 4000 + len("3000\n")


def test_what_is_laid_aside_is_for_its_owner_alone(server: Any, tmp_path: Path) -> None:
    open_source(f"{server.url}?table=every_type", tmp_path)
    assert [stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()] == [0o600]


def test_pieces_make_the_very_bytes_of_the_whole(server: Any, tmp_path: Path) -> None:
    address = f"{server.url}?table=gaps"
    whole, (streamed, _) = read_source(address), open_source(address, tmp_path)
    assert written_suffix(address) == ".parquet"
    columns = [pd.concat(streamed.pieces(name), ignore_index=True) for name in streamed.names]
    table = pd.concat(columns, axis="columns")
    pieces = (table.iloc[start : start + 7].reset_index(drop=True) for start in range(0, 60, 7))
    write_pieces(pieces, 60, streamed.dialect, tmp_path / "pieces.parquet")
    write_table(whole.frame, whole.dialect, tmp_path / "whole.parquet")
    assert (tmp_path / "pieces.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def test_rows_are_counted_where_they_lie(server: Any) -> None:
    assert rows_about(f"{server.url}?table=every_type") == 60
    assert rows_about(f"{server.url}?query=SELECT 1 AS a, 2 AS a FROM every_type WHERE whole < 8;") == 7
    assert rows_about(f"{server.url}?table=nothing") == 0
    assert rows_about(server.url) == 0


def test_a_password_may_be_handed_over(server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPASSWORD")
    address = f"{server.url}?table=every_type"
    assert rows_about(address, PASSWORD) == open_source(address, tmp_path, PASSWORD)[0].rows == 60
    assert rows_about(address, "Zaphod") == 0


def test_a_server_that_is_away_is_not_taken_for_a_small_table(tmp_path: Path) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        address = f"postgresql://someone@127.0.0.1:{held.getsockname()[1]}/x?table=a"
        for asked in (rows_about, lambda address: open_source(address, tmp_path)):
            with pytest.raises(AwayError, match="cannot be reached"):
                asked(address)


LATE = "FROM generate_series(1, 3000) AS i"


@pytest.mark.parametrize(
    "rest",
    [
        "table=nothing",
        f"query=SELECT i AS a, CASE WHEN i < 3000 THEN date '2020-01-01' ELSE 'infinity' END AS b {LATE}",
        f"query=SELECT CASE WHEN i < 900 THEN date '2020-01-01' ELSE 'infinity' END AS a {LATE}",
        f"query=SELECT CASE WHEN i < 3000 THEN '1' ELSE 'Zaphod' END::integer AS a {LATE}",
        "query=SELECT whole FROM every_type WHERE false",
        "query=SELECT ARRAY[1] AS a, 'Zaphod'::bytea AS b",
        "query=SELECT 1 AS a, 2 AS a",
        "query=DELETE FROM every_type",
        "query=SELECT 1; DROP TABLE every_type",
    ],
)
def test_refusals_are_those_of_the_whole_without_a_cell_or_a_password(
    server: Any, rest: str, tmp_path: Path
) -> None:
    address = f"{server.url}?{rest}"
    with pytest.raises(InputError) as whole:
        read_source(address)
    with pytest.raises(InputError) as streamed:
        open_source(address, tmp_path)
    assert (streamed.value.code, streamed.value.message) == (whole.value.code, whole.value.message)
    assert streamed.value.columns == whole.value.columns
    shown = "".join(traceback.format_exception(streamed.value))
    assert "Zaphod" not in shown
    assert PASSWORD not in shown
    assert server.run("SELECT count(*) FROM every_type") == [(60,)]
