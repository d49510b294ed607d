"""What is refused, with which code, and without showing a cell."""

import gzip
import traceback
from pathlib import Path

import pytest

from sosie.errors import InputError
from sosie.sources import read_source

SECRET = "Zaphod"


def refusal(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read_source(path)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert str(path.parent) not in caught.value.message
    return caught.value


def written(tmp_path: Path, content: bytes, name: str = "table.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def test_a_missing_file_is_unreadable(tmp_path: Path) -> None:
    error = refusal(tmp_path / "absent.csv")
    assert (error.code, error.message) == ("UNREADABLE_SOURCE", "absent.csv does not exist; check the path")


def test_a_folder_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    error = refusal(tmp_path / "folder.csv")
    assert error.code == "UNREADABLE_SOURCE"
    assert "is a folder" in error.message


@pytest.mark.parametrize(
    "name", ["a.csv", "a.xlsx", "a.sav", "a.dta", "a.xpt", "a.arrow", "a.parquet", "a.db"]
)
def test_a_file_that_may_not_be_read_is_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = written(tmp_path, b"Zaphod", name)

    def forbid(*arguments: object, **options: object) -> bytes:
        raise PermissionError(SECRET)  # root, who may run the tests, may read everything

    monkeypatch.setattr(Path, "open", forbid)
    monkeypatch.setattr(Path, "read_bytes", forbid)
    error = refusal(path)
    assert (error.code, "ask for the right to read it" in error.message) == ("UNREADABLE_SOURCE", True)


@pytest.mark.parametrize("name", ["a.xlsx", "a.sav", "a.dta", "a.xpt", "a.sas7bdat", "a.arrow", "a.feather"])
def test_a_missing_file_and_a_folder_are_unreadable_in_every_format(tmp_path: Path, name: str) -> None:
    assert "does not exist" in refusal(tmp_path / name).message
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / name).mkdir()
    assert "is a folder" in refusal(tmp_path / "folder" / name).message


def test_a_path_that_goes_through_a_file_is_unreadable(tmp_path: Path) -> None:
    assert refusal(written(tmp_path, b"a\n1\n") / "table.csv").code == "UNREADABLE_SOURCE"


@pytest.mark.parametrize("content", [b"a,b\n1,Zap\x00hod\n", "a,b\n1,Zaphod\n".encode("utf-16-le")])
def test_nul_bytes_are_unreadable(tmp_path: Path, content: bytes) -> None:
    error = refusal(written(tmp_path, content))
    assert error.code == "UNREADABLE_SOURCE"
    assert "NUL" in error.message


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfa,b\n1,Zaphod\xe9\n",
        b"\xff\xfea\x00,\x00b\x00\n\x001",
        b"\xff\xfea\x00\n\x00\x00\xd8\x00\xd8",
    ],
)
def test_bytes_that_contradict_the_byte_order_mark_are_unreadable(tmp_path: Path, content: bytes) -> None:
    error = refusal(written(tmp_path, content))
    assert error.code == "UNREADABLE_SOURCE"
    assert "cannot be decoded" in error.message


def test_a_truncated_gzip_file_is_unreadable(tmp_path: Path) -> None:
    whole = gzip.compress(b"a,b\n" + b"1,Zaphod\n" * 100)
    for content in (whole[:-4], whole[:20], whole[:12] + b"\xff" * 9 + whole[21:]):
        error = refusal(written(tmp_path, content, "table.csv.gz"))
        assert error.code == "UNREADABLE_SOURCE"
        assert "gzip" in error.message


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0), b"a,b", b"a,b\n", b"a\n\n"]
)
def test_a_table_without_rows_is_empty(tmp_path: Path, content: bytes) -> None:
    assert refusal(written(tmp_path, content)).code == "EMPTY_TABLE"


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        (b"a,b\n1,2\n1,Zaphod,3\n", 3, 3),
        (b"a,b\n1,2\nZaphod\n1,2\n", 3, 1),
        (b'a,b\r\n1,"x\r\ny"\r\n\r\n1,2,Zaphod\r\n', 5, 3),
        (b'a,"b\nc"\n1,"x\ny"\n1,2,3\n1,2,3,4\n', 5, 3),
        (b"a,b\r1,2\r1,2,3\r", 3, 3),
        (b"sep=,\na,b\n1,2\n1,2,3\n", 4, 3),
    ],
)
def test_a_ragged_line_is_refused_with_its_number(
    tmp_path: Path, content: bytes, line: int, found: int
) -> None:
    error = refusal(written(tmp_path, content))
    assert error.code == "RAGGED_CSV"
    assert f"line {line} of table.csv has {found} fields, the header 2;" in error.message


def test_the_first_ragged_line_of_a_long_file_is_named(tmp_path: Path) -> None:
    lines = [b"1,2"] * 60_000
    lines[54_321] = lines[55_555] = b"1,2,3"
    error = refusal(written(tmp_path, b"a,b\n" + b"\n".join(lines)))
    assert "line 54323 of" in error.message


def test_a_quote_that_is_never_closed_is_refused_with_its_line(tmp_path: Path) -> None:
    error = refusal(written(tmp_path, b'a,b\n1,2\n3,"Zaphod\n5,6\n7,8\n'))
    assert error.code == "RAGGED_CSV"
    assert "line 3 of table.csv opens a quote that is never closed" in error.message


def test_duplicate_names_are_refused_with_their_positions(tmp_path: Path) -> None:
    error = refusal(written(tmp_path, b"age,bmi,age\n1,2,3\n"))
    assert (error.code, error.columns) == ("DUPLICATE_COLUMNS", ("age",))
    assert "'age' at positions 1 and 3" in error.message


def test_two_columns_without_name_are_duplicates(tmp_path: Path) -> None:
    error = refusal(written(tmp_path, b"a,,\n1,2,3\n"))
    assert (error.code, error.columns) == ("DUPLICATE_COLUMNS", ("",))


@pytest.mark.parametrize("name", ["table.json", "table", "table.gz", "table.parquet.gz"])
def test_only_the_suffix_decides_what_is_supported(tmp_path: Path, name: str) -> None:
    error = refusal(written(tmp_path, b"a,b\n1,2\n", name))
    assert error.code == "UNSUPPORTED_FORMAT"
    assert ".csv" in error.message
    assert ".parquet" in error.message


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "arrow", "feather", "xlsx", "dta", "sav", "xpt"])
def test_a_file_of_no_bytes_is_an_empty_table_whatever_its_format(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"table.{suffix}"
    path.write_bytes(b"")
    with pytest.raises(InputError, match="0 bytes") as refused:
        read_source(path)
    assert refused.value.code == "EMPTY_TABLE"
