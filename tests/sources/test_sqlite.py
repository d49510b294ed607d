"""SQLite: a table or a query in, a table out, whole or not at all."""

import sqlite3
import traceback
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sosie.errors import InputError
from sosie.sources import check_destination, prepare, read_source, suffix, write_table

VISITS = """
CREATE TABLE visits (
    id INTEGER, kg REAL, price NUMERIC, ok BOOLEAN, maybe BOOLEAN, name TEXT, born DATE, seen TIMESTAMP, sent DATETIME,
    gone, flag INTEGER, "a ""b" TEXT
);
INSERT INTO visits VALUES
    (1, 60.5, 2, 1, 1, 'x', '2020-01-31', '2020-01-31 10:00:00', '2020-01-31T10:00:00.250000', NULL, 0, 'p'),
    (2, NULL, 2.5, 0, NULL, '', '1950-02-03', NULL, '1950-02-03T00:00:00.000000', NULL, 1, 'q'),
    (9007199254740993, 1, 3, 1, 0, NULL, NULL, '1950-02-03 00:00:00', NULL, NULL, NULL, 'NA')
"""


def run(path: Path, *statements: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            rows = connection.execute(statement).fetchall()
        connection.commit()
        return rows


@pytest.fixture
def database(tmp_path: Path) -> Path:
    run(tmp_path / "clinic.db", *VISITS.strip().split(";\n"))
    return tmp_path / "clinic.db"


def refusal(address: Path | str) -> InputError:
    with pytest.raises(InputError) as caught:
        read_source(address)
    assert "Zaphod" not in "".join(traceback.format_exception(caught.value))
    return caught.value


def test_each_column_has_its_type(database: Path) -> None:
    source = read_source(database)
    assert source.name == "clinic.db"
    assert source.frame.dtypes.astype(str).to_dict() == {
        "id": "int64",
        "kg": "float64",
        "price": "float64",
        "ok": "bool",
        "maybe": "boolean",
        "name": "str",
        "born": "datetime64[s]",
        "seen": "datetime64[s]",
        "sent": "datetime64[us]",
        "gone": "float64",
        "flag": "Int64",
        'a "b': "str",
    }
    assert source.frame["id"].iloc[2] == 9007199254740993
    assert source.frame["name"].to_list()[:2] == ["x", ""]


@pytest.mark.parametrize(
    "form", ["{}?table=visits", "sqlite:///{}?table=visits", "{}?query=SELECT * FROM visits"]
)
def test_an_address_names_a_table_or_a_query(database: Path, form: str) -> None:
    run(database, "CREATE TABLE other (a)")
    assert len(read_source(form.format(database)).frame) == 3


def test_a_relative_address_is_understood(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(database.parent)
    assert len(read_source("sqlite:///clinic.db?table=visits").frame) == 3


def test_a_table_must_be_named_when_there_are_several(database: Path) -> None:
    run(database, "CREATE TABLE other (a)")
    error = refusal(database)
    assert (error.code, "several tables: other, visits" in error.message) == ("UNREADABLE_SOURCE", True)


def test_the_release_of_a_table_is_a_parquet_file(database: Path, tmp_path: Path) -> None:
    source = read_source(database)
    assert suffix(source.dialect) == ".parquet"
    write_table(source.frame, source.dialect, tmp_path / "a.parquet")
    assert read_source(tmp_path / "a.parquet").frame.shape == source.frame.shape


def test_a_table_is_written_as_it_was(database: Path, tmp_path: Path) -> None:
    source = read_source(database)
    to = f"sqlite:///{tmp_path / 'out.sqlite'}?table=avatars"
    for _ in range(2):
        check_destination(to, str(database), suffix(source.dialect))
        prepare(source.frame, source.dialect, tmp_path, to).commit()
    out = tmp_path / "out.sqlite"
    assert run(out, "SELECT * FROM avatars") == run(database, "SELECT * FROM visits")
    types = "SELECT name, type FROM pragma_table_info('{}')"
    assert run(out, types.format("avatars")) == run(database, types.format("visits"))
    assert read_source(out).frame.equals(source.frame)


def test_any_frame_is_written_as_a_table(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b,c\n1.5,x,True\n,,False\n")
    source = read_source(tmp_path / "a.csv")
    stamps = pd.to_datetime(["2020-01-01 10:00:00.5", "2021-01-01"], format="ISO8601")
    frame = source.frame.assign(d=stamps, e=pd.Categorical(["x", None]))
    prepare(frame, source.dialect, tmp_path, f"{tmp_path / 'out.db'}?table=t").commit()
    assert run(tmp_path / "out.db", "SELECT * FROM t") == [
        (1.5, "x", 1, "2020-01-01 10:00:00.500000", "x"),
        (None, None, 0, "2021-01-01 00:00:00.000000", None),
    ]


def test_rows_that_sosie_did_not_write_are_never_replaced(database: Path, tmp_path: Path) -> None:
    source = read_source(database)
    run(database, "CREATE TABLE precious AS SELECT * FROM visits")
    with pytest.raises(InputError, match="rows that sosie did not write") as caught:
        check_destination(f"{database}?table=precious", f"{database}?table=visits", suffix(source.dialect))
    assert caught.value.code == "BAD_CONFIG"
    with pytest.raises(InputError, match="rows that sosie did not write"):
        prepare(source.frame, source.dialect, tmp_path, f"{database}?table=precious").commit()
    with pytest.raises(InputError, match="is the source itself"):
        check_destination(
            f"{database}?table=visits", f"sqlite:///{database}?table=visits", suffix(source.dialect)
        )


def test_a_failing_write_leaves_nothing(database: Path, tmp_path: Path) -> None:
    source = read_source(database)
    run(tmp_path / "out.db", "CREATE TABLE avatars (id INTEGER CHECK (id < 3), name TEXT)")
    some = source.frame[["id", "name"]]
    with pytest.raises(InputError, match=r"cannot be written \(IntegrityError\); nothing was changed"):
        prepare(some, source.dialect, tmp_path, f"{tmp_path / 'out.db'}?table=avatars").commit()
    assert run(tmp_path / "out.db", "SELECT count(*) FROM avatars") == [(0,)]
    with pytest.raises(InputError, match="lacks column") as caught:
        prepare(source.frame, source.dialect, tmp_path, f"{tmp_path / 'out.db'}?table=avatars").commit()
    assert caught.value.code == "SCHEMA_MISMATCH"


def test_a_destination_that_is_no_database_is_a_configuration_error(database: Path, tmp_path: Path) -> None:
    (tmp_path / "out.db").write_text("Zaphod" * 100)
    for to, words in (
        (f"{tmp_path / 'out.db'}?table=a", "no SQLite database"),
        (f"{tmp_path / 'nowhere' / 'out.db'}?table=a", "folder of the destination out.db does not exist"),
        (str(tmp_path / "new.db"), "needs .table="),
    ):
        with pytest.raises(InputError, match=words) as caught:
            check_destination(to, str(database), suffix(read_source(database).dialect))
        assert caught.value.code == "BAD_CONFIG"
    assert not (tmp_path / "new.db").exists()


def test_what_cannot_be_read_is_unreadable(database: Path, tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "absent.db").message
    (tmp_path / "folder.db").mkdir()
    assert "is a folder" in refusal(tmp_path / "folder.db").message
    assert "has no table absent" in refusal(f"{database}?table=absent").message
    for query in ("SELEC 1", "SELECT Zaphod FROM visits", "DELETE FROM visits", "SELECT 1; SELECT 2"):
        error = refusal(f"{database}?query={query}")
        assert (error.code, "sqlite3 shell" in error.message) == ("UNREADABLE_SOURCE", True)
    whole = database.read_bytes()
    for content in (b"Zaphod" * 300, whole[: len(whole) // 2], whole[:100] + bytes(len(whole) - 100)):
        (tmp_path / "broken.db").write_bytes(content)
        assert refusal(f"{tmp_path / 'broken.db'}?table=visits").code == "UNREADABLE_SOURCE"


def test_a_database_without_rows_is_empty(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"")
    assert refusal(tmp_path / "a.db").code == "EMPTY_TABLE"
    run(tmp_path / "a.db", "CREATE TABLE t (a)")
    assert refusal(tmp_path / "a.db").code == "EMPTY_TABLE"


def test_duplicate_names_and_bytes_are_refused_by_name(database: Path) -> None:
    error = refusal(f"{database}?query=SELECT 1 AS a, 2 AS b, 3 AS a")
    assert (error.code, error.columns) == ("DUPLICATE_COLUMNS", ("a",))
    error = refusal(f"{database}?query=SELECT 1 AS a, x'00' AS b")
    assert (error.code, error.columns) == ("UNSUPPORTED_FORMAT", ("b",))
