"""What type a column of text is read as, and which cells are missing."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sosie.sources import read_source


def column(tmp_path: Path, *cells: str, delimiter: str = ";") -> pd.Series:
    """The column of these cells, beside a column of texts that settles the delimiter."""
    path = tmp_path / "table.csv"
    path.write_text("\n".join([f"a{delimiter}b", *(f"{cell}{delimiter}x" for cell in cells)]) + "\n", "utf-8")
    return read_source(path).frame["a"]


@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        (["1", "-2", "0"], "int64"),
        (["1", "", "3"], "Int64"),
        (["0", "1", "1"], "int64"),
        (["1.5", "2", ""], "float64"),
        (["7.0", "7.0"], "float64"),
        (["1e5", "2"], "float64"),
        (["1,5", "2"], "float64"),
        (["True", "False"], "bool"),
        (["TRUE", "", "FALSE"], "boolean"),
        (["true", "True"], "str"),
        (["T", "F"], "str"),
        (["x", "", "y"], "str"),
        (["007", "012"], "str"),
        (["1", "012"], "str"),
        (["+33612", "+33712"], "str"),
        (["2021-02-03", "2021-02-04"], "str"),
        (["192.168.10.1", "10.0.0.1"], "str"),
        (["732 829 320", "552 100 554"], "str"),
        (["9223372036854775807", "1"], "int64"),
        (["9223372036854775808", "1"], "str"),
        (["", ""], "float64"),
        (["None", "mild"], "str"),
    ],
)
def test_a_column_has_the_type_that_all_its_cells_allow(tmp_path: Path, cells: list[str], dtype: str) -> None:
    assert str(column(tmp_path, *cells).dtype) == dtype


def test_numbers_are_worth_exactly_what_they_say(tmp_path: Path) -> None:
    spelled = ["0.1", "944343.1221", "1.1234567890123456", "2.2250738585072014e-308", "123456789.123456789"]
    assert column(tmp_path, *spelled).tolist() == [float(text) for text in spelled]


def test_large_integers_beside_missing_ones_keep_every_digit(tmp_path: Path) -> None:
    assert column(tmp_path, "9007199254740993", "").iloc[0] == 9007199254740993


def test_grouped_numbers_are_numbers_when_the_groups_leave_no_doubt(tmp_path: Path) -> None:
    assert column(tmp_path, "1 234,5", "999,0").tolist() == [1234.5, 999.0]
    assert column(tmp_path, "1.234,5", "999").tolist() == [1234.5, 999.0]
    assert column(tmp_path, "1.234.567", "1.234").tolist() == [1234567, 1234]
    assert column(tmp_path, "1.234", "2.345").tolist() == [1.234, 2.345]


def test_one_group_is_read_by_the_decimal_mark_that_the_file_shows(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a;b\n1.234;1,5\n999;2,5\n", "utf-8")
    assert read_source(path).frame["a"].tolist() == [1234, 999]


def test_infinities_among_numbers_are_floats(tmp_path: Path) -> None:
    assert column(tmp_path, "1.5", "inf", "-Infinity").tolist() == [1.5, np.inf, -np.inf]
    assert column(tmp_path, "1", "-inf").tolist() == [1.0, -np.inf]
    assert str(column(tmp_path, "inf", "inf").dtype) == "str"


@pytest.mark.parametrize(
    "spelling", ["", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "<NA>", "None", ".", "?"]
)
def test_every_spelling_is_missing_among_numbers(tmp_path: Path, spelling: str) -> None:
    assert column(tmp_path, "1", spelling, "3").isna().tolist() == [False, True, False]


@pytest.mark.parametrize("spelling", ["None", ".", "-", "?"])
def test_words_that_may_be_levels_are_texts_among_texts(tmp_path: Path, spelling: str) -> None:
    assert column(tmp_path, "mild", spelling, "severe").notna().all()


def test_several_spellings_in_one_column_are_all_missing(tmp_path: Path) -> None:
    assert column(tmp_path, "mild", "", "NA", "null").isna().tolist() == [False, True, True, True]


def test_the_code_of_namibia_is_not_missing_among_countries(tmp_path: Path) -> None:
    assert column(tmp_path, "FR", "DE", "NA", "ZA", "").isna().tolist() == [False] * 4 + [True]


def test_a_quoted_spelling_beside_a_bare_one_is_a_text(tmp_path: Path) -> None:
    assert column(tmp_path, '"NA"', "NA", '"x"').isna().tolist() == [False, True, False]


def test_a_quoted_spelling_alone_is_missing(tmp_path: Path) -> None:
    assert column(tmp_path, '"NA"', '""', '"x"').isna().tolist() == [True, True, False]


def test_missing_text_is_nan_in_the_default_text_type(tmp_path: Path) -> None:
    assert column(tmp_path, "x", "").iloc[1] is np.nan


def test_blank_lines_are_skipped_between_several_columns_and_missing_in_a_single_one(tmp_path: Path) -> None:
    several, single = tmp_path / "several.csv", tmp_path / "single.csv"
    several.write_bytes(b"a,b\n1,2\n\n3,4\n\n")
    single.write_bytes(b"a\n1\n\n3\n\n")
    assert len(read_source(several).frame) == 2
    assert read_source(single).frame["a"].isna().tolist() == [False, True, False]


def test_a_single_column_without_name_is_kept_under_the_empty_name(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b",b\n1,2\n")
    assert list(read_source(path).frame.columns) == ["", "b"]


def test_records_longer_than_a_block_of_the_parser_are_read(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    long = "x" * ((1 << 24) + 10)
    path.write_text(f"a,b\n1,{long}\n2,y\n", "utf-8")
    assert read_source(path).frame["b"].str.len().tolist() == [len(long), 1]


def test_a_source_tells_its_bare_name_and_the_hash_of_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,b\n1,2\n")
    source = read_source(str(path))
    assert source.name == "table.csv"
    # printf 'a,b\n1,2\n' | sha256sum
    assert source.sha256 == "492d5ea496056f1a6a6592241032fab764c321596317930b4fa0e1e8bc3b7470"
