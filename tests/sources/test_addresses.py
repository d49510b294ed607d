"""Addresses: what is understood, and passwords that are refused without being shown."""

import traceback
from pathlib import Path

import pytest

from sosie.errors import InputError
from sosie.sources import parse_address, read_source, shown_name


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:Slartibartfast@host/db?table=t",
        "postgresql://me:Slarti/bartfast@host/db?table=t",
        "postgresql://me:Slarti?bartfast@host/db?table=t",
        "postgresql://me:Slarti#bartfast@host/db?table=t",
        "postgresql://host/db?user=me&password=Slartibartfast&table=t",
        "postgres://:Slartibartfast@host/db?query=SELECT 1",
        "POSTGRESQL://me:Slartibartfast@host/db?table=t",
        "s3://key:Slartibartfast@bucket/a.csv",
        "https://me:Slartibartfast@host/a.csv",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_shown(address: str) -> None:
    with pytest.raises(InputError, match=r"take it out.*PGPASSWORD.*secrets:") as refusal:
        read_source(address)
    assert refusal.value.code == "BAD_CONFIG"
    assert "artfast" not in "".join(traceback.format_exception(refusal.value)).replace(repr(address), "")
    assert shown_name(address) is None


@pytest.mark.parametrize(
    ("address", "place", "name"),
    [
        ("patients.csv", "file", "patients.csv"),
        ("/a/b.xlsx?sheet=x", "file", "b.xlsx"),
        ("file:///a/b.csv", "file", "b.csv"),
        ("C:/a/b.csv", "file", "b.csv"),
        ("a/b.db?table=t", "sqlite", "b.db"),
        ("sqlite:///a/b?table=t", "sqlite", "b"),
        ("sqlite:////a/b.db?query=SELECT 1", "sqlite", "b.db"),
        ("postgresql://me@host:5432/db?table=s.t", "postgresql", "table s.t"),
        ("postgresql://host/db?sslmode=require&query=SELECT 'x' WHERE a=1&b", "postgresql", "a query"),
        ("s3://bucket/folder/a.parquet", "object", "a.parquet"),
        ("s3://bucket/a@b:c.csv", "object", "a@b:c.csv"),
        (
            "postgresql://h:1,[::1]:2/d?query=SELECT a::text FROM t WHERE b LIKE '%@%'",
            "postgresql",
            "a query",
        ),
        ("memory://x/a%20b.csv", "object", "a b.csv"),
    ],
)
def test_an_address_is_understood(address: str, place: str, name: str) -> None:
    found = parse_address(address)
    assert (found.place, found.name) == (place, name)
    assert shown_name(address) == name


def test_options_are_parted_from_those_of_the_place() -> None:
    found = parse_address("postgresql://h/d?sslmode=require&table=s.t&application_name=x")
    assert found.location == "postgresql://h/d?sslmode=require&application_name=x"
    assert found.options == {"table": "s.t"}
    query = parse_address("a.db?query=SELECT a&1 FROM t WHERE b LIKE '%x%' AND c = '?table='").options[
        "query"
    ]
    assert query == "SELECT a&1 FROM t WHERE b LIKE '%x%' AND c = '?table='"


@pytest.mark.parametrize(
    "address", ["a.csv?table=t", "a.db?sheet=x", "postgresql://h/d?sheet=x", "s3://b/a.csv?query=x"]
)
def test_options_that_do_not_fit_are_refused(address: str) -> None:
    with pytest.raises(InputError, match="takes no option") as refusal:
        parse_address(address)
    assert refusal.value.code == "BAD_CONFIG"


def test_a_table_and_a_query_do_not_go_together() -> None:
    with pytest.raises(InputError, match="a table or a query, not both"):
        parse_address("a.db?table=t&query=SELECT 1")


def test_a_question_mark_may_stand_in_the_name_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "what?.csv").write_text("a\n1\n")
    assert read_source(tmp_path / "what?.csv").name == "what?.csv"
