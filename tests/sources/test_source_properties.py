"""Whatever the table, what is written is read as the same table."""

import io
import tempfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
from hypothesis import given, settings
from hypothesis import strategies as st

from sosie.errors import InputError
from sosie.sources import (
    ColumnStyle,
    CsvDialect,
    Dialect,
    NumberStyle,
    Source,
    read_source,
    suffix,
    write_table,
)
from sosie.sources.csv_records import records

HARD_NAMES = st.text(
    st.sampled_from([*"abé東 \"'<>&;,|\t\n\r._-0#=%{}", "\u00a0", "\U0001f600", "\u0301"]), max_size=12
)
# a letter in front: a column of texts must not look like numbers, booleans or missing values
TEXTS = st.text(st.sampled_from([*'ab é,;|\t"\n.1-']), max_size=10).map(lambda text: f"x{text}")
COLUMNS: list[tuple[str, st.SearchStrategy[object]]] = [
    ("int64", st.integers(-(2**63), 2**63 - 1)),
    ("Int64", st.none() | st.integers(-(2**63), 2**63 - 1)),
    ("float64", st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0)),
    ("bool", st.booleans()),
    ("boolean", st.none() | st.booleans()),
    ("str", TEXTS),
    ("str", st.none() | TEXTS),
]


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    """Frames of 1 to 6 columns and 2 to 8 rows, whose first row is whole so that each type shows."""
    rows = draw(st.integers(2, 8))
    names = draw(st.lists(HARD_NAMES, min_size=1, max_size=6, unique=True))
    columns = {}
    for name in names:
        dtype, values = draw(st.sampled_from(COLUMNS))
        cells = draw(st.lists(values, min_size=rows, max_size=rows))
        cells[0] = draw(values.filter(lambda value: value is not None))
        if dtype == "float64":
            cells[0] = 0.5
        if dtype in ("Int64", "boolean"):
            cells[-1] = None
        columns[name] = pd.Series(cells, dtype=dtype)
    return pd.DataFrame(columns)


def round_trip(frame: pd.DataFrame, dialect: Dialect) -> Source:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix(dialect)}"
        write_table(frame, dialect, path)
        first = read_source(path)
        again = path.with_name(f"again{suffix(first.dialect)}")
        write_table(first.frame, first.dialect, again)
        assert again.read_bytes() == path.read_bytes()
        return first


def dialect_of(frame: pd.DataFrame, mark: str, **options: object) -> CsvDialect:
    """A dialect in which the frame's columns are quoted throughout, so that the delimiter leaves no doubt."""
    numbers = NumberStyle(decimal="." if mark == "," else ",", point_zero=True)
    columns = tuple(
        ColumnStyle(
            str(name),
            name_quoted=True,
            quoted=bool(frame[name].dtype == "str"),
            missing="NA",
            numbers=numbers,
        )
        for name in frame.columns
    )
    return CsvDialect(extension=".csv", delimiter=mark, columns=columns, **options)  # type: ignore[arg-type]


@settings(max_examples=150, deadline=None)
@given(frames(), st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_delimited_table_is_read_as_it_was_written(
    frame: pd.DataFrame, mark: str, line_end: str, gzipped: bool
) -> None:
    dialect = dialect_of(frame, mark, line_end=line_end, gzipped=gzipped)
    pd.testing.assert_frame_equal(round_trip(frame, dialect).frame, frame, check_exact=True)


@settings(max_examples=60, deadline=None)
@given(frames(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"]))
def test_the_encoding_of_a_delimited_table_is_found(frame: pd.DataFrame, encoding: str) -> None:
    pd.testing.assert_frame_equal(round_trip(frame, dialect_of(frame, ";", encoding=encoding)).frame, frame)


@settings(max_examples=60, deadline=None)
@given(frames())
def test_a_parquet_table_is_read_as_it_was_written(frame: pd.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        frame.to_parquet(path)
        source = read_source(path)
        pd.testing.assert_frame_equal(source.frame, frame, check_exact=True)
        write_table(source.frame, source.dialect, path.with_name("again.parquet"))
        pd.testing.assert_frame_equal(read_source(path.with_name("again.parquet")).frame, frame)


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from('ab,"\n\r'), max_size=30))
def test_records_read_one_by_one_are_those_of_the_bulk_parser(text: str) -> None:
    found = [record for record in records(text, ",") if not record.is_blank]
    if not found or not all(field.closed for record in found for field in record.fields):
        return
    width = len(found[0].fields)
    skipped: list[int] = []

    def note(row: pa_csv.InvalidRow) -> str:
        skipped.append(row.actual_columns)
        return "skip"

    table = pa_csv.read_csv(
        io.BytesIO(text.encode()),
        pa_csv.ReadOptions(column_names=[str(i) for i in range(width)]),
        pa_csv.ParseOptions(newlines_in_values=True, invalid_row_handler=note),
        pa_csv.ConvertOptions(column_types={str(i): pa.string() for i in range(width)}),
    )
    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    assert rows == [tuple(f.value for f in r.fields) for r in found if len(r.fields) == width]
    assert sorted(skipped) == sorted(len(r.fields) for r in found if len(r.fields) != width)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60) | st.text(st.sampled_from('a1.,;"\n\r\tNA-e '), max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused_with_a_code(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_bytes(content)
        try:
            source = read_source(path)
        except InputError as refusal:
            code = refusal.code
        else:
            assert len(source.frame) > 0
            write_table(source.frame, source.dialect, path)
            assert len(read_source(path).frame) == len(source.frame)
            code = "RAGGED_CSV"
        assert code in {"UNREADABLE_SOURCE", "EMPTY_TABLE", "DUPLICATE_COLUMNS", "RAGGED_CSV"}
