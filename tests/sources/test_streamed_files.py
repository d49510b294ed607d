"""What a streamed text lays aside is its user's alone."""

import os
import stat
from pathlib import Path

import pytest

from sosie.sources.streamed_csv import open_csv


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_files_laid_aside_are_for_their_owner_alone_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    (tmp_path / "aside").mkdir()
    source = tmp_path / "latin.csv"
    source.write_bytes("name,age\nJos\xe9,31\nAnna,40\n".encode("latin-1"))
    before = os.umask(umask)
    try:
        open_csv(source, source.name, ".csv", tmp_path / "aside")
    finally:
        os.umask(before)
    modes = {path.suffix: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "aside").iterdir()}
    assert modes == {".parquet": 0o600, ".txt": 0o600}
