"""SPSS, Stata and SAS: values, labels, formats, dates and widths come back."""

import ctypes
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from pandas.io.stata import StataReader
from pyreadstat import _readstat_writer

from sosie.errors import InputError
from sosie.sources import SasDialect, Source, SpssDialect, StataDialect, read_source, suffix, write_table

SINCE_1582 = 12_219_379_200.0  # seconds from SPSS's epoch to 1970


def spss(path: Path, **options: Any) -> Path:
    """30 rows of every kind of SPSS variable, with gaps."""
    n = 30
    labels: dict[str, Any] = {
        "sex": {1: "man", 2: "woman", 3: "other"},
        "stage": {1: "early", 2: "late", 3: "late"},
        "region": {"N": "north", "S": "south"},
        "income": {99: "refused"},
    }
    frame = pd.DataFrame(
        {
            "age": np.arange(20.0, 20 + n),
            "kg": np.where(np.arange(n) % 3, 60.5 + np.arange(n), np.nan),
            "income": np.where(np.arange(n) % 5, 1000.0 + np.arange(n), 99.0),
            "seen": SINCE_1582 + 86400.0 * np.arange(n),
            "stamp": SINCE_1582 + 3661.5 * np.arange(n),
            "slept": 3600.0 * np.arange(n),
            "sex": np.resize([1.0, 2.0, np.nan], n),
            "stage": np.resize([1.0, 2.0, 3.0], n),
            "job": np.resize(["nurse", "é", ""], n),
            "region": np.resize(["N", "S"], n),
        }
    )
    pyreadstat.write_sav(
        frame,
        path,
        file_label="a survey",
        column_labels={"age": "Âge en années"},
        variable_value_labels=labels,
        variable_format={
            "age": "F3.0",
            "kg": "F8.2",
            "income": "F8.0",
            "seen": "EDATE10",
            "stamp": "DATETIME22.1",
            "slept": "TIME8",
        },
        missing_ranges={"income": [99, {"lo": 900, "hi": 910}]},
        variable_measure={"stage": "ordinal", "sex": "nominal"},
        note="a note",
        **options,
    )
    return path


def stata(path: Path, version: int = 118) -> Path:
    """Every kind of Stata variable, with gaps."""
    frame = pd.DataFrame(
        {
            "a_byte": pd.array([1, 2, None, 4], dtype="Int8"),
            "whole_byte": np.array([1, 2, 3, 4], "int8"),
            "a_int": np.array([1, 2, 3, 32000], "int16"),
            "a_long": np.array([1, 2, 3, 2_000_000], "int32"),
            "a_float": np.array([1.5, np.nan, 2.25, 0.1], "float32"),
            "a_double": [1.5, 2.5, np.nan, 0.1],
            "seen": np.array(["2020-01-01", "2021-06-01", "NaT", "1950-02-03"], "datetime64[s]"),
            "stamp": np.array(["2020-01-01T10:00:01", "2021-06-01", "NaT", "1950-02-03T23"], "datetime64[s]"),
            "month": [720.0, 721.0, 722.0, 723.0],
            "text": ["x", "é", "", "long text"],
            "sex": np.array([1, 2, 1, 2], "int8"),
            "scale": np.array([1, 2, 3, 5], "int8"),
        }
    )
    frame.to_stata(
        path,
        write_index=False,
        version=version,  # type: ignore[arg-type]
        convert_dates={"seen": "td", "stamp": "tc"},
        value_labels={"sex": {1: "man", 2: "woman"}, "scale": {1: "never", 5: "always"}},
        variable_labels={"a_double": "a double"},
        data_label="a survey",
    )
    return path


def transport(path: Path, version: Any = 8) -> Path:
    frame = pd.DataFrame(
        {
            "AGE": [20.0, 30.0, np.nan, 50.0],
            "KG": [60.5, 70.25, 80.0, np.nan],
            "SEEN": [20000.0, np.nan, 21000.0, -100.0],
            "STAMP": [1.9e9, 1.9e9 + 1, np.nan, 0.0],
            "AT": [3600.0, 7200.0, np.nan, 0.0],
            "JOB": ["nurse", "", "é", "cook"],
        }
    )
    pyreadstat.write_xport(
        frame,
        path,
        file_label="a survey",
        table_name="VISITS",
        column_labels={"AGE": "age in years"},
        variable_format={"SEEN": "DATE9", "STAMP": "DATETIME20", "AT": "TIME8", "KG": "8.2"},
        file_format_version=version,
    )
    return path


def sas7bdat(path: Path) -> Path:
    """A .sas7bdat table, by ReadStat's own writer, which pyreadstat compiles in but does not offer."""
    library = ctypes.CDLL(str(_readstat_writer.__file__))
    for name in ("readstat_writer_init", "readstat_add_variable"):
        getattr(library, name).restype = ctypes.c_void_p
    content = bytearray()

    def take(start: int, length: int, _: object) -> int:
        content.extend(ctypes.string_at(start, length))
        return length

    taken = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)(take)

    writer = ctypes.c_void_p(library.readstat_writer_init())
    library.readstat_set_data_writer(writer, taken)
    text, number = 0, 5  # readstat_type_t
    variables = {}
    for name, kind, width, shown in (
        ("JOB", text, 8, b""),
        ("KG", number, 8, b""),
        ("SEEN", number, 8, b"DATE9"),
    ):
        variables[name] = ctypes.c_void_p(
            library.readstat_add_variable(writer, name.encode(), kind, ctypes.c_size_t(width))
        )
        library.readstat_variable_set_format(variables[name], shown)
    library.readstat_begin_writing_sas7bdat(writer, None, ctypes.c_long(3))
    for job, kg, day in ((b"nurse", 60.5, 20000.0), (b"", None, 20001.0), ("é".encode(), 70.25, None)):
        library.readstat_begin_row(writer)
        library.readstat_insert_string_value(writer, variables["JOB"], job)
        for name, value in (("KG", kg), ("SEEN", day)):
            if value is None:
                library.readstat_insert_missing_value(writer, variables[name])
            else:
                library.readstat_insert_double_value(writer, variables[name], ctypes.c_double(value))
        library.readstat_end_row(writer)
    assert library.readstat_end_writing(writer) == 0
    library.readstat_writer_free(writer)
    path.write_bytes(content)
    return path


def again(source: Source, folder: Path) -> Source:
    path = folder / f"copy{suffix(source.dialect)}"
    write_table(source.frame, source.dialect, path)
    return read_source(path)


def refusal(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read_source(path)
    assert "Zaphod" not in "".join(traceback.format_exception(caught.value))
    return caught.value


def test_spss_variables_have_their_types(tmp_path: Path) -> None:
    source = read_source(spss(tmp_path / "a.sav"))
    assert source.frame.dtypes.astype(str).to_dict() == {
        "age": "int64",
        "kg": "float64",
        "income": "Int64",
        "seen": "datetime64[s]",
        "stamp": "datetime64[ms]",
        "slept": "timedelta64[s]",
        "sex": "category",
        "stage": "category",
        "job": "str",
        "region": "category",
    }
    assert source.frame["seen"].iloc[1] == pd.Timestamp("1970-01-02")
    assert source.frame["job"].isna().sum() == 10
    assert list(source.frame["sex"].cat.categories) == ["man", "woman", "other"]
    assert list(source.frame["stage"].cat.categories) == ["early", "late (2)", "late (3)"]
    assert source.frame["stage"].cat.ordered
    assert not source.frame["sex"].cat.ordered


@pytest.mark.parametrize("options", [{}, {"row_compress": True}, {"compress": True}])
def test_spss_files_come_back(tmp_path: Path, options: dict[str, bool]) -> None:
    extension = ".zsav" if "compress" in options else ".sav"
    source = read_source(spss(tmp_path / f"a{extension}", **options))
    assert suffix(source.dialect) == extension
    copy = again(source, tmp_path)
    pd.testing.assert_frame_equal(copy.frame, source.frame)
    assert copy.dialect == source.dialect


def test_spss_metadata_come_back(tmp_path: Path) -> None:
    source = read_source(spss(tmp_path / "a.sav"))
    again(source, tmp_path)
    metas = [
        pyreadstat.read_sav(tmp_path / name, user_missing=True, metadataonly=True)[1]
        for name in ("a.sav", "copy.sav")
    ]
    for name in (
        "variable_value_labels",
        "column_names_to_labels",
        "original_variable_types",
        "missing_ranges",
        "variable_measure",
        "variable_display_width",
        "file_label",
        "notes",
    ):
        assert getattr(metas[0], name) == getattr(metas[1], name), name


def test_values_that_spss_declares_missing_are_missing_and_said_to_be_merged(tmp_path: Path) -> None:
    source = read_source(spss(tmp_path / "a.sav"))
    assert source.frame["income"].isna().sum() == 6
    assert [(notice.code, notice.column) for notice in source.notices] == [("MISSING_CODES_MERGED", "income")]


@pytest.mark.parametrize("version", [114, 117, 118])
def test_stata_files_come_back(tmp_path: Path, version: Any) -> None:
    if version == 118:
        stata(tmp_path / "a.dta")
    else:
        frame = pd.DataFrame(
            {"a": [1.5, None, 3], "b": ["x", "é", "y"], "c": pd.array([1, None, 3], "Int16")}
        )
        frame.to_stata(tmp_path / "a.dta", write_index=False, version=version)
    source = read_source(tmp_path / "a.dta")
    copy = again(source, tmp_path)
    pd.testing.assert_frame_equal(copy.frame, source.frame)
    assert copy.dialect == source.dialect
    assert isinstance(source.dialect, StataDialect)
    assert source.dialect.version == version


def test_stata_variables_have_their_types(tmp_path: Path) -> None:
    source = read_source(stata(tmp_path / "a.dta"))
    assert source.frame.dtypes.astype(str).to_dict() == {
        "a_byte": "Int8",
        "whole_byte": "int8",
        "a_int": "int16",
        "a_long": "int32",
        "a_float": "float32",
        "a_double": "float64",
        "seen": "datetime64[s]",
        "stamp": "datetime64[s]",
        "month": "float64",
        "text": "str",
        "sex": "category",
        "scale": "int8",
    }
    assert source.notices == ()


def test_stata_storage_formats_and_labels_come_back(tmp_path: Path) -> None:
    again(read_source(stata(tmp_path / "a.dta")), tmp_path)
    found = []
    for name in ("a.dta", "copy.dta"):
        with StataReader(tmp_path / name, convert_dates=False, convert_categoricals=False) as reader:
            opened: Any = reader
            cells = opened.read()
            labels = (reader.value_labels(), reader.variable_labels(), reader.data_label)
        meta = pyreadstat.read_dta(tmp_path / name)[1]
        found.append((cells, labels, meta.original_variable_types))
    pd.testing.assert_frame_equal(found[0][0], found[1][0])
    assert found[0][1:] == found[1][1:]


def test_months_of_stata_stay_numbers_with_their_format(tmp_path: Path) -> None:
    frame = pd.DataFrame({"month": [720.0, 721.0], "day": [20000.0, np.nan]})
    pyreadstat.write_dta(frame, tmp_path / "a.dta", variable_format={"month": "%tm", "day": "%tdDD/NN/CCYY"})
    source = read_source(tmp_path / "a.dta")
    assert source.frame["month"].to_list() == [720.0, 721.0]
    again(source, tmp_path)
    formats = pyreadstat.read_dta(tmp_path / "copy.dta")[1].original_variable_types
    assert formats == {"month": "%tm", "day": "%tdDD/NN/CCYY"}


def test_names_that_stata_itself_does_not_allow_come_back(tmp_path: Path) -> None:
    frame = pd.DataFrame({"xxxb": [1, 2], "yyyy": [1, 2]})
    labels: dict[str, Any] = {"xxxb": {1: "one", 2: "two"}, "yyyy": {1: "a", 2: "b"}}
    pyreadstat.write_dta(frame, tmp_path / "a.dta", variable_value_labels=labels)
    raw = (tmp_path / "a.dta").read_bytes().replace(b"xxxb", "é.b".encode()).replace(b"yyyy", b"byte")
    (tmp_path / "a.dta").write_bytes(raw)
    source = read_source(tmp_path / "a.dta")
    assert list(source.frame) == ["é.b", "byte"]
    pd.testing.assert_frame_equal(again(source, tmp_path).frame, source.frame)


def test_extended_missing_values_of_stata_are_merged_and_said_to_be(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": pd.Series([1.5, "a", "b", np.nan], dtype=object), "b": [1, 2, 3, 4]})
    pyreadstat.write_dta(frame, tmp_path / "a.dta", missing_user_values={"a": ["a", "b"]})
    source = read_source(tmp_path / "a.dta")
    assert source.frame["a"].isna().to_list() == [False, True, True, True]
    assert [(notice.code, notice.column) for notice in source.notices] == [("MISSING_CODES_MERGED", "a")]


def test_texts_that_an_old_version_of_stata_cannot_hold_are_refused(tmp_path: Path) -> None:
    pd.DataFrame({"a": ["x", "y"]}).to_stata(tmp_path / "a.dta", write_index=False, version=117)
    source = read_source(tmp_path / "a.dta")
    with pytest.raises(InputError, match="as version 118 or later") as caught:
        write_table(pd.DataFrame({"a": ["Zap" + "hod 東"]}), source.dialect, tmp_path / "copy.dta")
    assert caught.value.code == "UNSUPPORTED_FORMAT"
    assert "Zaphod" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("version", [5, 8])
def test_sas_transport_files_come_back(tmp_path: Path, version: int) -> None:
    source = read_source(transport(tmp_path / "a.xpt", version))
    assert source.frame.dtypes.astype(str).to_dict() == {
        "AGE": "Int64",
        "KG": "float64",
        "SEEN": "datetime64[s]",
        "STAMP": "datetime64[s]",
        "AT": "timedelta64[s]",
        "JOB": "str",
    }
    assert source.frame["SEEN"].iloc[0] == pd.Timestamp("2014-10-04")
    assert isinstance(source.dialect, SasDialect)
    assert (source.dialect.version, source.dialect.table, source.dialect.label) == (
        version,
        "VISITS",
        "a survey",
    )
    copy = again(source, tmp_path)
    pd.testing.assert_frame_equal(copy.frame, source.frame)
    assert copy.dialect == source.dialect


def test_sas_tables_come_back_as_transport_files_and_this_is_said(tmp_path: Path) -> None:
    source = read_source(sas7bdat(tmp_path / "a.sas7bdat"))
    assert source.frame["KG"].to_list()[::2] == [60.5, 70.25]
    assert source.frame["SEEN"].dt.strftime("%F").to_list()[:2] == ["2014-10-04", "2014-10-05"]
    assert source.frame.isna().sum().to_dict() == {"JOB": 1, "KG": 1, "SEEN": 1}
    assert suffix(source.dialect) == ".xpt"
    assert [notice.code for notice in source.notices] == ["FORMAT_CHANGED"]
    pd.testing.assert_frame_equal(again(source, tmp_path).frame, source.frame)


@pytest.mark.parametrize(("write", "name"), [(spss, "a.sav"), (stata, "a.dta"), (transport, "a.xpt")])
def test_the_same_table_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Any, name: str
) -> None:
    source = read_source(write(tmp_path / name))
    write_table(source.frame, source.dialect, tmp_path / f"1{name}")
    first = (tmp_path / f"1{name}").read_bytes()
    monkeypatch.setenv("TZ", "Asia/Tokyo")  # another time of day, at once
    write_table(source.frame, source.dialect, tmp_path / f"1{name}")
    assert (tmp_path / f"1{name}").read_bytes() == first
    assert pd.Timestamp.now().strftime("%y") not in first[80:110].decode("latin-1")


@pytest.mark.parametrize(("write", "name"), [(spss, "a.sav"), (stata, "a.dta"), (transport, "a.xpt")])
def test_some_of_the_columns_can_be_written(tmp_path: Path, write: Any, name: str) -> None:
    source = read_source(write(tmp_path / name))
    some = source.frame.iloc[:, ::-2]
    write_table(some, source.dialect, tmp_path / name)
    pd.testing.assert_frame_equal(read_source(tmp_path / name).frame, some)
    with pytest.raises(ValueError, match="columns that the source does not have: new"):
        write_table(some.assign(new=1), source.dialect, tmp_path / name)


def test_a_level_without_a_code_is_an_error_that_shows_no_cell(tmp_path: Path) -> None:
    source = read_source(spss(tmp_path / "a.sav"))
    with pytest.raises(ValueError, match=r"column 'sex' has 1 level\(s\) without a code"):
        write_table(pd.DataFrame({"sex": ["man", "Zaphod"]}), source.dialect, tmp_path / "copy.sav")


@pytest.mark.parametrize("name", ["a.sav", "a.dta", "a.xpt"])
def test_a_file_without_rows_is_empty(tmp_path: Path, name: str) -> None:
    empty = pd.DataFrame({"a": pd.Series([], dtype="float64")})
    writers: dict[str, Any] = {
        "a.sav": pyreadstat.write_sav,
        "a.dta": pyreadstat.write_dta,
        "a.xpt": pyreadstat.write_xport,
    }
    writers[name](empty, tmp_path / name)
    assert refusal(tmp_path / name).code == "EMPTY_TABLE"


@pytest.mark.parametrize(
    ("write", "name"),
    [(spss, "a.sav"), (stata, "a.dta"), (transport, "a.xpt"), (sas7bdat, "a.sas7bdat")],
)
def test_damaged_files_are_unreadable(tmp_path: Path, write: Any, name: str) -> None:
    whole = write(tmp_path / name).read_bytes()
    for content in (b"a,b\n1,Zaphod\n", whole[:50], whole[: len(whole) // 4], b"Zaphod" * 500):
        (tmp_path / name).write_bytes(content)
        assert refusal(tmp_path / name).code == "UNREADABLE_SOURCE"


def test_dialects_of_another_kind_are_told_apart(tmp_path: Path) -> None:
    assert isinstance(read_source(spss(tmp_path / "a.sav")).dialect, SpssDialect)
