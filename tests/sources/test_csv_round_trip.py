"""A file that is read and written again is the same file, byte for byte."""

import gzip
import json
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import pytest

from sosie.sources import CsvDialect, read_source, suffix, write_table

FILES = {
    "plain": b"a,b\n1,x\n2,y\n",
    "no final line end": b"a,b\n1,x\n2,y",
    "lines ending in CR LF": b"a,b\r\n1,x\r\n2,y\r\n",
    "lines ending in CR": b"a,b\r1,x\r2,y\r",
    "tabs": b"a\tb\n1\tx, y\n2\tz\n",
    "bars": b"a|b\n1|x\n2|y\n",
    "French hospital export": '"id";"poids";"vu lé"\r\n7;61,4;03/02/2021\r\n8;70,0;04/02/2021\r\n'.encode(
        "cp1252"
    ),
    "latin-1 with bytes that cp1252 leaves undefined": b"a,b\n1,\x81\xe9\n2,y\n",
    "UTF-8": "âge,ville\n1,Besançon\n2,東京\n".encode(),
    "UTF-8 with byte order mark": "âge,ville\n1,Besançon\n".encode("utf-8-sig"),
    "UTF-16 little end first": b"\xff\xfe" + "âge\tville\r\n1\t東京\r\n".encode("utf-16-le"),
    "UTF-16 big end first": b"\xfe\xff" + "âge\tville\r\n1\t東京\r\n".encode("utf-16-be"),
    "quoted header and bare numbers": b'"a";"b"\n1;2\n',
    "R: quoted header and texts, bare NA": b'"a","b"\n"x",1\n"NA",NA\nNA,3\n',
    "R with row names": b'"","b"\n"1",5\n"2",6\n',
    "everything quoted": b'"a","b","c"\r\n"1","x","1.50"\r\n"2","","2.25"\r\n"","y",""\r\n',
    "only the names quoted that need it": b'a,"b,c","d ""e"""\n1,2,3\n',
    "names over two lines": b'a,"b\nc"\n1,2\n',
    "names with spaces, accents and markup": "a b,é̀,<b>\n1,2,3\n".encode(),
    "texts with delimiters, quotes and line ends": b'a,b\n1,"x, y"\n2,"say ""ah"""\n3,"two\nlines"\n4,z\n',
    "one column": b"a\n1\n2\n",
    "one column of texts": b"name\nAnn Lee\nBo\n",
    "one column of decimal commas": b"a\n1,5\n2,25\n",
    "one column with a missing text": b'a\nx\n""\ny\n',
    "one quoted name": b'"a"\n1\n',
    "missing as nothing": b"a,b,c\n1,,x\n,2.5,\n3,1.5,y\n",
    "missing as NA and as nothing": b"a,b\n1,\nNA,x\n3,y\n",
    "missing as a full stop": b"a,b\n1,1.5\n.,.\n",
    "missing as a question mark": b"a,b\n1,2\n?,3\n",
    "missing in quotes": b'a,b\n"x",1\n"",2\n',
    "an empty text beside a missing one": b'a,b\nx,1\n"",2\n,3\n',
    "a column without any value": b"a,b\n1,\n2,\n",
    "a delimiter at the end of each line": b"a;b;\n1;2;\n3;4;\n",
    "booleans": b"a,b,c\nTrue,TRUE,true\nFalse,,false\n",
    "fixed decimals": b"a,b\n1.50,1.000\n2.25,2.125\n",
    "whole numbers with a decimal": b"a\n7.0\n12.25\n",
    "whole numbers without a decimal": b"a\n7\n12.25\n",
    "many digits": b"a,b\n944343.1221,0.1234567890123456\n944120.5,1.1\n",
    "small and large numbers in full": b"a,b\n0.00001,123456789012345680000\n0.5,0.25\n",
    "exponents": b"a,b\n1e-05,1.50e+03\n2.5,2.25e-10\n",
    "exponents of Excel and of one digit": b"a,b\n1E-05,1e-7\n2.5,3.5\n",
    "infinities beside fixed decimals": b"a\n1.50\ninf\n-inf\n",
    "no zero before the point": b"a,b\n.5,-.25\n.75,1.5\n",
    "negative numbers": b"a,b\n-1,-0.5\n2,0.25\n",
    "spaces between thousands": b"a;b\n1 234,5;999\n12,0;1 000\n",
    "no-break spaces between thousands": b"a;b\n1 234,5;1\n12,0;2\n",
    "points between thousands": b"a;b\n1.234,56;1.234.567\n12,00;999\n",
    "commas between thousands": b'a,b\n"1,234.50",1\n12.00,2\n',
    "points in a file of decimal commas": b"a;b\n1,5;1.234\n2,5;999\n",
    "texts that look like numbers": b"a,b,c\n007,+33612345678,2021-02-03\n012,+33712345678,2022-03-04\n",
    "whole numbers beyond 64 bits": b"a,b\n123456789012345678901,1\n5,2\n",
    "the line that tells Excel the delimiter": b"sep=;\r\na;b\r\n1;2\r\n",
    "commas in the texts of a file of semicolons": b"name;town\nDoe, John;Paris\nRoe, Jane;Lyon\n",
    "a space after each delimiter": b"age, job, pay\n39, State gov, 1.50\n50, ?, 2.25\n",
    "a column whose first cells are missing, among quoted texts": b'a,"b"\n'
    + b'"x",NA\n' * 600
    + b'"x","y"\n',
    "a column whose first cells are missing, among bare texts": b"a,b\n" + b"x,NA\n" * 600 + b"x,y\n",
    "another delimiter and quotes in the names": b'"";",0"\n0,5;False\n0,0;False\n',
    "dates with decimal commas": b"a;b\n61,4;3\n70,5;4\n",
}


def round_trip(path: Path) -> bytes:
    source = read_source(path)
    assert isinstance(source.frame.index, pd.RangeIndex)
    copy = path.with_name(f"copy{suffix(source.dialect)}")
    write_table(source.frame, source.dialect, copy)
    return copy.read_bytes()


@pytest.mark.parametrize("content", FILES.values(), ids=FILES.keys())
def test_an_untouched_file_comes_back_byte_for_byte(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    assert round_trip(path) == content


def test_a_gzipped_file_comes_back_gzipped_with_the_same_content(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv.gz"
    path.write_bytes(gzip.compress(b"a\tb\n1\tx\n"))
    assert gzip.decompress(round_trip(path)) == b"a\tb\n1\tx\n"
    assert suffix(read_source(path).dialect) == ".tsv.gz"


def test_compression_is_told_by_the_first_bytes_and_not_by_the_name(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(gzip.compress(b"a,b\n1,x\n"))
    assert suffix(read_source(path).dialect) == ".csv.gz"
    plain = tmp_path / "plain.csv.gz"
    plain.write_bytes(b"a,b\n1,x\n")
    assert round_trip(plain) == b"a,b\n1,x\n"


def test_writing_twice_gives_the_same_gzipped_bytes(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(gzip.compress(b"a,b\n1,x\n"))
    assert round_trip(path) == round_trip(path)


def test_columns_may_be_left_out_of_the_written_table(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b'"a";"b";"c"\n1;1,50;"x"\n2;2,25;NA\n')
    source = read_source(path)
    write_table(source.frame[["c", "b"]], source.dialect, tmp_path / "part.csv")
    assert (tmp_path / "part.csv").read_bytes() == b'"c";"b"\n"x";1,50\nNA;2,25\n'


def test_a_column_that_the_source_does_not_have_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,b\n1,2\n")
    source = read_source(path)
    with pytest.raises(ValueError, match="columns that the source does not have: c"):
        write_table(source.frame.assign(c=1), source.dialect, tmp_path / "more.csv")


def test_a_number_that_the_fixed_decimals_cannot_hold_is_written_in_full(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"a\n1.50\n2.25\n")
    source = read_source(path)
    write_table(source.frame.assign(a=[0.125, 3.0]), source.dialect, tmp_path / "more.csv")
    assert (tmp_path / "more.csv").read_bytes() == b"a\n0.125\n3.00\n"


def test_numbers_are_never_written_with_an_exponent_that_the_source_did_not_use(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"a\n1.5\n22.25\n")
    source = read_source(path)
    write_table(source.frame.assign(a=[1e-7, 1e22]), source.dialect, tmp_path / "more.csv")
    assert (tmp_path / "more.csv").read_bytes() == b"a\n0.0000001\n10000000000000000000000.0\n"


def test_a_character_that_the_encoding_lacks_is_refused_without_showing_it(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes("a\né\nx\n".encode("cp1252"))
    source = read_source(path)
    with pytest.raises(ValueError, match="cp1252, does not know") as refusal:
        write_table(source.frame.assign(a=["東京", "x"]), source.dialect, tmp_path / "more.csv")
    assert "東" not in str(refusal.value)
    assert refusal.value.__suppress_context__


def test_the_commonest_missing_spelling_of_each_column_is_written_back(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,b\n1,NA\nNA,\nnull,\nNA,x\n5,y\n")
    assert round_trip(path) == b"a,b\n1,\nNA,\nNA,\nNA,x\n5,y\n"


def test_a_table_longer_than_the_sample_and_the_pieces_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    lines = [f'{i};"text {i % 7}";{i / 4:.2f}'.replace(".", ",") for i in range(70_000)]
    path.write_bytes(("n;t;x\n" + "\n".join(lines) + "\n").encode())
    assert round_trip(path) == path.read_bytes()


def test_a_header_longer_than_the_sample_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    names = ["é" * 400 + str(i) for i in range(600)]
    path.write_bytes((",".join(names) + "\n" + ",".join("1" for _ in names) + "\n").encode())
    assert list(read_source(path).frame.columns) == names


def test_a_dialect_is_plain_enough_for_json(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,b\n1,x\n")
    dialect = read_source(path).dialect
    assert isinstance(dialect, CsvDialect)
    assert json.loads(json.dumps(asdict(dialect)))["delimiter"] == ","
