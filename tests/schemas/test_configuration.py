"""The configuration: what is accepted, what is refused, and that no refusal quotes a value."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from sosie.errors import InputError
from sosie.schemas.configuration import Configuration, parse_configuration, read_configuration
from sosie.schemas.request import Request


def refusal(content: Mapping[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        parse_configuration(content)
    assert caught.value.code == "BAD_CONFIG"
    assert caught.value.__cause__ is None
    return caught.value.message


def test_nothing_at_all_is_the_published_method_with_20_neighbours_on_5_components() -> None:
    method = parse_configuration({}).method
    assert (method.k, method.ncp, method.seed) == (20, 5, None)
    assert (method.weights, method.zero_distance, method.categories) == ("published", "floor", "draw")
    assert (method.integers, method.imputation) == ("round", "fast_knn")


def test_a_configuration_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        parse_configuration({}).release = "working"


@pytest.mark.parametrize("section", ["method", "holdout", "rare_values", "batches", "report"])
def test_a_key_that_no_section_knows_is_named(section: str) -> None:
    assert f"{section}.surprise" in refusal({section: {"surprise": 1}})


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ({"method": {"k": "CANARY"}}, "method.k"),
        ({"method": {"seed": "CANARY"}}, "method.seed"),
        ({"columns": {"age": {"type": "CANARY"}}}, "columns.age.type"),
        ({"holdout": "CANARY"}, "holdout"),
        ({"targets": {"hidden_rate": "CANARY"}}, "targets.hidden_rate"),
        ({"release": "CANARY"}, "release"),
    ],
)
def test_a_refusal_names_the_key_and_not_the_value(content: Mapping[str, Any], named: str) -> None:
    message = refusal(content)
    assert named in message
    assert "CANARY" not in message


def test_all_that_is_wrong_is_told_at_once() -> None:
    message = refusal({"method": {"k": 0}, "metod": {}, "release": "half"})
    assert "3 problem(s)" in message
    assert all(name in message for name in ("method.k", "metod", "release"))


def test_a_seed_does_not_show_when_a_configuration_is_printed() -> None:
    assert "8765309123" not in repr(parse_configuration({"method": {"seed": 8765309123}}))


def test_an_empty_file_is_an_empty_configuration(tmp_path: Path) -> None:
    path = tmp_path / "sosie.yaml"
    path.write_text("# nothing yet\n")
    assert parse_configuration(read_configuration(path)) == Configuration()


@pytest.mark.parametrize(
    ("text", "why"),
    [("a: [1\n", "not valid YAML at line"), ("- a\n", "must be a mapping"), ("a: \x00", "YAML")],
)
def test_a_file_that_is_no_mapping_is_refused(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "sosie.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=why) as caught:
        read_configuration(path)
    assert caught.value.code == "BAD_CONFIG"


def test_yaml_builds_no_objects(tmp_path: Path) -> None:
    path = tmp_path / "sosie.yaml"
    path.write_text("source: !!python/object/apply:os.getcwd []\n")
    with pytest.raises(InputError, match="not valid YAML"):
        read_configuration(path)


def test_a_request_overrides_the_file_one_value_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "sosie.yaml"
    path.write_text("source: a.csv\nmethod: {k: 7, ncp: 3}\nholdout: {min_rows: 100}\n")
    configuration = Request(config=str(path), k=9, holdout="real").configuration()
    assert configuration.source == "a.csv"
    assert (configuration.method.k, configuration.method.ncp) == (9, 3)
    assert (configuration.holdout.mode, configuration.holdout.min_rows) == ("real", 100)


def test_a_request_has_no_place_for_a_seed() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        Request.model_validate({"source": "a.csv", "seed": 1})


def test_an_unquoted_year_names_a_column(tmp_path: Path) -> None:
    path = tmp_path / "sosie.yaml"
    path.write_text("columns: {2019: {role: drop}}\n")
    assert list(parse_configuration(read_configuration(path)).columns) == ["2019"]


@pytest.mark.parametrize("workers", [0, -2])
def test_a_number_of_workers_that_nobody_has_is_refused(workers: int) -> None:
    assert "workers" in refusal({"workers": workers})
