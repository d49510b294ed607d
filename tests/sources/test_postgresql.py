"""PostgreSQL, against a real server: types, refusals, and tables written whole or not at all."""

import datetime
import socket
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.errors import InputError
from sosie.sources import Source, check_destination, prepare, read_source, suffix, write_table

PASSWORD = "Slartibartfast"  # as the fixture sets it
TYPES = """
CREATE TYPE stage AS ENUM ('late', 'early', 'unused');
CREATE DOMAIN kilograms AS double precision CHECK (value > 0);
CREATE TABLE every_type (
    small smallint, whole integer, large bigint NOT NULL, gaps bigint, single real, double double precision,
    price numeric(10, 2), count numeric(12, 0), flag boolean, name text, code char(4), word varchar(10), key uuid,
    stage stage, kg kilograms, born date, seen timestamp, stamp timestamptz, at time, lasted interval,
    "Größe ""x"" y" integer
);
INSERT INTO every_type VALUES
    (1, 2, 9007199254740993, NULL, 0.1, 0.1, 12.50, 7, true, '', 'ab', 'x', '00000000-0000-0000-0000-000000000001',
     'early', 60.5, '2020-01-31', '2020-01-31 10:00:00.5', '2020-01-31 10:00:00+02', '10:11:12', '1 day 02:00:00', 1),
    (-1, -2, 1, 5, NULL, 1e300, NULL, NULL, NULL, NULL, NULL, 'a"b,' || chr(10) || 'c', NULL,
     NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (3, 3, 3, 5, 2.5, 3, 1, 3, false, 'é', 'abcd', 'NA', '00000000-0000-0000-0000-000000000003',
     'late', 1, '1950-02-03', '1950-02-03', '1950-02-03 00:00:00+00', '23:59:59.000001', '-01:00:00', 2);
"""


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)


@pytest.fixture
def server(postgresql: Any) -> Any:
    """The server with a fresh schema `public`."""
    postgresql.run(
        "DROP SCHEMA IF EXISTS public CASCADE", "CREATE SCHEMA public", *TYPES.strip().split(";\n")
    )
    return postgresql


def refusal(address: str, password: str | None = None) -> InputError:
    with pytest.raises(InputError) as caught:
        read_source(address, password)
    shown = "".join(traceback.format_exception(caught.value))
    assert PASSWORD not in shown
    assert "Zaphod" not in shown
    return caught.value


def read(server: Any, rest: str = "table=every_type") -> Source:
    return read_source(f"{server.url}?{rest}")


def test_each_column_has_its_type(server: Any) -> None:
    frame = read(server).frame
    assert frame.dtypes.astype(str).to_dict() == {
        "small": "int16",
        "whole": "int32",
        "large": "int64",
        "gaps": "Int64",
        "single": "float32",
        "double": "float64",
        "price": "float64",
        "count": "Int64",
        "flag": "boolean",
        "name": "str",
        "code": "str",
        "word": "str",
        "key": "str",
        "stage": "category",
        "kg": "float64",
        "born": "datetime64[s]",
        "seen": "datetime64[us]",
        "stamp": "datetime64[us, UTC]",
        "at": "timedelta64[us]",
        "lasted": "timedelta64[us]",
        'Größe "x" y': "Int32",
    }


def test_each_cell_is_read_as_it_is(server: Any) -> None:
    frame = read(server).frame
    assert frame["large"].to_list() == [9007199254740993, 1, 3]
    assert frame["double"].to_list() == [0.1, 1e300, 3.0]
    assert frame["name"].to_list()[::2] == ["", "é"]
    assert frame["name"].isna().to_list() == [False, True, False]
    assert frame["code"].to_list()[::2] == ["ab", "abcd"]
    assert frame["word"].to_list() == ["x", 'a"b,\nc', "NA"]
    assert frame["born"].to_list()[::2] == [pd.Timestamp("2020-01-31"), pd.Timestamp("1950-02-03")]
    assert frame["stamp"].iloc[0] == pd.Timestamp("2020-01-31 08:00", tz="UTC")
    assert frame["at"].iloc[2] == pd.Timedelta("23:59:59.000001")
    assert frame["lasted"].to_list()[::2] == [pd.Timedelta(hours=26), -pd.Timedelta(hours=1)]
    assert list(frame["stage"].cat.categories) == ["late", "early", "unused"]
    assert frame["stage"].cat.ordered


def test_a_query_is_a_source(server: Any) -> None:
    source = read(
        server, "query=SELECT small AS a, name FROM every_type WHERE name = 'é' AND 1 > 0 OR false;"
    )
    assert source.frame.to_dict("list") == {"a": [3], "name": ["é"]}
    assert source.name == "a query"


def test_a_table_of_another_schema_is_named_with_it(server: Any) -> None:
    server.run('CREATE SCHEMA "A b"', 'CREATE TABLE "A b"."T" AS SELECT 1 AS x')
    assert read(server, "table=A%20b.T").frame["x"].to_list() == [1]
    server.run('DROP SCHEMA "A b" CASCADE')


def test_the_release_of_a_table_is_a_parquet_file(server: Any, tmp_path: Path) -> None:
    source = read(server)
    assert suffix(source.dialect) == ".parquet"
    write_table(source.frame, source.dialect, tmp_path / "a.parquet")
    written = read_source(tmp_path / "a.parquet").frame
    # Parquet has no whole seconds
    pd.testing.assert_frame_equal(written.astype({"born": "datetime64[s]"}), source.frame)


def test_a_table_is_written_with_the_types_of_its_source(server: Any, tmp_path: Path) -> None:
    source = read(server)
    to = f"{server.url}?table=public.avatars"
    check_destination(to, f"{server.url}?table=every_type", suffix(source.dialect))
    prepare(source.frame, source.dialect, tmp_path / "none", to).commit()
    pd.testing.assert_frame_equal(read(server, "table=avatars").frame, source.frame)
    types = """SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
        WHERE attrelid = '{}'::regclass AND attnum > 0 AND attname <> 'kg' ORDER BY attnum"""
    assert server.run(types.format("avatars")) == server.run(types.format("every_type"))
    assert server.run("SELECT count(*) FROM avatars a JOIN every_type e ON a IS NOT DISTINCT FROM a") == [
        (9,)
    ]


def test_any_frame_is_written_as_a_table(server: Any, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a;b;c\n1,5;x;True\n;;False\n2;'\"y;True\n")
    source = read_source(tmp_path / "a.csv")
    frame = source.frame.assign(
        day=np.array(["2020-01-01", "NaT", "2021-01-01"], "datetime64[s]"),
        zoned=pd.to_datetime(["2020-01-01 10:00"] * 3).tz_localize("Europe/Paris"),
        small=np.array([1, 2, 3], "int8"),
        level=pd.Categorical(["x", None, "y"]),
        span=pd.to_timedelta([1.5, None, -2], unit="h"),
    )
    prepare(frame, source.dialect, tmp_path / "a.csv", f"{server.url}?table=avatars").commit()
    back = read(server, "table=avatars").frame
    assert back["a"].to_list()[::2] == [1.5, 2.0]
    assert back["b"].to_list()[::2] == ["x", "'\"y"]
    assert back["c"].to_list() == [True, False, True]
    assert back["day"].iloc[2] == pd.Timestamp("2021-01-01")
    assert back["zoned"].iloc[0] == pd.Timestamp("2020-01-01 09:00", tz="UTC")
    assert back["span"].iloc[2] == -pd.Timedelta(hours=2)
    assert back.isna().sum().to_dict() == {n: int(n in ("a", "b", "day", "level", "span")) for n in back}
    assert server.run("SELECT day FROM avatars LIMIT 1") == [(datetime.date(2020, 1, 1),)]


def test_a_table_that_sosie_wrote_is_replaced_and_keeps_its_rights(server: Any, tmp_path: Path) -> None:
    source = read(server)
    to = f"{server.url}?table=avatars"
    prepare(source.frame, source.dialect, tmp_path, to).commit()
    server.run("GRANT SELECT ON avatars TO PUBLIC")
    check_destination(to, "x.csv", suffix(source.dialect))
    prepare(source.frame.head(1), source.dialect, tmp_path, to).commit()
    assert len(read(server, "table=avatars").frame) == 1
    assert "=r/" in str(server.run("SELECT relacl FROM pg_class WHERE relname = 'avatars'"))


def test_rows_that_sosie_did_not_write_are_never_replaced(server: Any, tmp_path: Path) -> None:
    source = read(server)
    server.run("CREATE TABLE precious AS SELECT * FROM every_type")
    to = f"{server.url}?table=precious"
    with pytest.raises(InputError, match="rows that sosie did not write") as early:
        check_destination(to, "x.csv", suffix(source.dialect))
    with pytest.raises(InputError, match="rows that sosie did not write") as late:
        prepare(source.frame.head(1), source.dialect, tmp_path, to).commit()
    assert early.value.code == late.value.code == "BAD_CONFIG"
    assert server.run("SELECT count(*) FROM precious") == [(3,)]


def test_the_source_is_no_destination(server: Any) -> None:
    address = f"{server.url}?table=every_type"
    with pytest.raises(InputError, match="the destination is the source itself"):
        check_destination(address, address, suffix(read(server).dialect))


def test_an_empty_table_is_filled_if_it_has_the_columns(server: Any, tmp_path: Path) -> None:
    source = read(server, "query=SELECT small, name FROM every_type")
    server.run("CREATE TABLE ready (id serial, name text, small integer)", "CREATE TABLE narrow (name text)")
    prepare(source.frame, source.dialect, tmp_path, f"{server.url}?table=ready").commit()
    assert server.run("SELECT small, name FROM ready ORDER BY id") == [(1, ""), (-1, None), (3, "é")]
    with pytest.raises(InputError, match=r"lacks column.*'small'"):
        check_destination(
            f"{server.url}?table=narrow", "x", suffix(source.dialect), columns=("small", "name")
        )
    with pytest.raises(InputError, match=r"lacks column.*'small'") as caught:
        prepare(source.frame, source.dialect, tmp_path, f"{server.url}?table=narrow").commit()
    assert (caught.value.code, caught.value.columns) == ("SCHEMA_MISMATCH", ("small",))


def test_a_failing_write_leaves_the_table_as_it_was(server: Any, tmp_path: Path) -> None:
    source = read(server, "query=SELECT small, name FROM every_type")
    to = f"{server.url}?table=avatars"
    prepare(source.frame, source.dialect, tmp_path, to).commit()
    server.run("ALTER TABLE avatars ADD CONSTRAINT short CHECK (length(name) < 5)")
    worse = source.frame.assign(name=["a", "Zap" + "hod", "c"])
    with pytest.raises(InputError, match=r"cannot be written \(CheckViolation\); nothing") as caught:
        prepare(worse, source.dialect, tmp_path, to).commit()
    assert "Zaphod" not in "".join(traceback.format_exception(caught.value))
    assert server.run("SELECT small FROM avatars ORDER BY small") == [(-1,), (1,), (3,)]
    with pytest.raises(InputError, match="InvalidSchemaName"):
        prepare(source.frame, source.dialect, tmp_path, f"{server.url}?table=nowhere.avatars").commit()


def test_an_absent_table_is_unreadable(server: Any) -> None:
    error = refusal(f"{server.url}?table=Nothing")
    assert error.code == "UNREADABLE_SOURCE"
    assert "table Nothing has no such table" in error.message


@pytest.mark.parametrize(
    "query",
    [
        "SELEC 1",
        "SELECT 1/0",
        "DELETE FROM every_type",
        "SELECT 'Zaphod'::integer",
        "SELECT 1; DROP TABLE every_type",
    ],
)
def test_a_failing_query_is_unreadable_and_changes_nothing(server: Any, query: str) -> None:
    assert refusal(f"{server.url}?query={query}").code == "UNREADABLE_SOURCE"
    assert server.run("SELECT count(*) FROM every_type") == [(3,)]


def test_a_query_cannot_write(server: Any) -> None:
    server.run("CREATE FUNCTION lose() RETURNS integer LANGUAGE sql AS 'DELETE FROM every_type RETURNING 1'")
    assert refusal(f"{server.url}?query=SELECT lose() AS a").code == "UNREADABLE_SOURCE"
    assert server.run("SELECT count(*) FROM every_type") == [(3,)]


def test_a_source_without_table_or_query_is_a_configuration_error(server: Any) -> None:
    assert refusal(server.url).code == "BAD_CONFIG"


def test_a_table_without_rows_is_empty(server: Any) -> None:
    assert refusal(f"{server.url}?query=SELECT small FROM every_type WHERE false").code == "EMPTY_TABLE"


def test_duplicate_names_are_refused(server: Any) -> None:
    error = refusal(f"{server.url}?query=SELECT 1 AS a, 2 AS b, 3 AS a")
    assert (error.code, error.columns) == ("DUPLICATE_COLUMNS", ("a",))


def test_columns_that_are_no_single_values_are_refused_by_name(server: Any) -> None:
    error = refusal(f"{server.url}?query=SELECT 1 AS a, ARRAY[1] AS b, '{{}}'::jsonb AS c, 'x'::bytea AS d")
    assert (error.code, error.columns) == ("UNSUPPORTED_FORMAT", ("b", "c", "d"))
    assert "b (integer[]), c (jsonb), d (bytea)" in error.message


def test_instants_beyond_calendars_are_refused_by_name(server: Any) -> None:
    error = refusal(f"{server.url}?query=SELECT 1 AS a, 'infinity'::date AS b")
    assert (error.code, error.columns) == ("UNSUPPORTED_FORMAT", ("b",))


def test_a_table_that_may_not_be_read_is_unreadable(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server.run("DROP ROLE IF EXISTS stranger", f"CREATE ROLE stranger LOGIN PASSWORD '{PASSWORD}'")
    server.run("GRANT USAGE ON SCHEMA public TO stranger")
    error = refusal(f"{server.url.replace('postgres@', 'stranger@')}?table=every_type")
    assert error.code == "UNREADABLE_SOURCE"
    assert "may not be read by this user" in error.message


def test_a_wrong_password_is_unreadable_and_not_shown(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "Zaphod")
    error = refusal(f"{server.url}?table=every_type")
    assert error.code == "UNREADABLE_SOURCE"
    assert "PGPASSWORD" in error.message
    assert "refuses the user or the password" in refusal(f"{server.url}?table=every_type", "Zaphod").message
    monkeypatch.delenv("PGPASSWORD")
    assert "refuses the user or the password" in refusal(f"{server.url}?table=every_type").message


def test_a_password_may_be_handed_over(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPASSWORD")
    assert len(read_source(f"{server.url}?table=every_type", PASSWORD).frame) == 3


def test_a_password_file_is_read(server: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PGPASSWORD")
    (tmp_path / "pgpass").write_text(f"*:*:*:*:{PASSWORD}\n")
    (tmp_path / "pgpass").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pgpass"))
    assert len(read(server).frame) == 3


def test_an_absent_database_is_unreadable(server: Any) -> None:
    address = f"{server.url.removesuffix('postgres')}nowhere?table=a"
    assert "no database of that name" in refusal(address).message


def test_a_server_that_is_away_is_unreadable() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        address = f"postgresql://someone@127.0.0.1:{held.getsockname()[1]}/x"
        error = refusal(f"{address}?table=a")
        assert (error.code, "cannot be reached" in error.message) == ("UNREADABLE_SOURCE", True)
        with pytest.raises(InputError, match="the destination cannot be opened") as caught:
            check_destination(f"{address}?table=a", "x.csv", ".parquet")
        assert caught.value.code == "BAD_CONFIG"


@pytest.mark.parametrize("rest", ["://:x", "://host:port/x", "://host/x?nonsense=1"])
def test_a_url_that_cannot_be_understood_is_unreadable(rest: str) -> None:
    address = f"postgresql{rest}"
    assert refusal(address + ("&" if "?" in address else "?") + "table=a").code in {
        "UNREADABLE_SOURCE",
        "BAD_CONFIG",
    }
