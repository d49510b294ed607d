"""A format whose library is not installed."""

import sys
from pathlib import Path

import pytest

from sosie.errors import InputError
from sosie.sources import read_source

FORMATS = [
    ("a.xlsx", "openpyxl", "excel"),
    ("a.sav", "pyreadstat", "spss"),
    ("a.dta", "pyreadstat", "stata"),
    ("a.xpt", "pyreadstat", "sas"),
    ("postgresql://host/db?table=t", "psycopg", "postgresql"),
    ("memory://a.csv", "fsspec", "s3"),
]


@pytest.mark.parametrize(("name", "module", "extra"), FORMATS)
def test_the_extra_to_install_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    address = name if ":" in name else str(tmp_path / name)
    if ":" not in name:
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(InputError, match=rf"pip install 'sosie\[{extra}\]'") as refusal:
        read_source(address)
    assert refusal.value.code == "UNSUPPORTED_FORMAT"
