"""Objects in stores, against a server that speaks S3, and files as destinations: whole or not at all."""

import socket
import traceback
import tracemalloc
from pathlib import Path
from typing import Any

import fsspec
import pandas as pd
import pytest

from sosie.errors import InputError
from sosie.sources import (
    Source,
    check_destination,
    prepare,
    read_source,
    suffix,
    was_delivered,
    write_table,
)

PASSWORD = "Slartibartfast"  # as the fixture sets it


@pytest.fixture
def patients(tmp_path: Path) -> Source:
    (tmp_path / "patients.csv").write_bytes(b"name;kg\r\n\xc3\xa9;60,5\r\nx;NA\r\n")
    return read_source(tmp_path / "patients.csv")


def refusal(address: str) -> InputError:
    with pytest.raises(InputError) as caught:
        read_source(address)
    shown = "".join(traceback.format_exception(caught.value))
    assert PASSWORD not in shown
    assert "Zaphod" not in shown
    return caught.value


def names(bucket: Any) -> list[str]:
    return sorted(entry.key for entry in bucket.objects.all())


def test_an_object_is_read_as_the_file_it_is(bucket: Any, patients: Source, tmp_path: Path) -> None:
    bucket.upload_file(str(tmp_path / "patients.csv"), "a b/patients.csv")
    source = read_source("s3://clinic/a b/patients.csv")
    pd.testing.assert_frame_equal(source.frame, patients.frame)
    assert (source.dialect, source.sha256, source.name) == (patients.dialect, patients.sha256, "patients.csv")


def test_an_object_that_cannot_be_read_is_refused(bucket: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("s3://clinic/absent.csv", "s3://nowhere/a.csv"):
        error = refusal(address)
        assert (error.code, "does not exist" in error.message) == ("UNREADABLE_SOURCE", True)
    bucket.put_object(Key="broken.parquet", Body=b"Zaphod" * 100)
    assert refusal("s3://clinic/broken.parquet").code == "UNREADABLE_SOURCE"
    bucket.put_object(Key="empty.csv", Body=b"")
    assert refusal("s3://clinic/empty.csv").code == "EMPTY_TABLE"
    bucket.put_object(Key="odd.json", Body=b"{}")
    assert refusal("s3://clinic/odd.json").code == "UNSUPPORTED_FORMAT"


def test_a_store_that_is_away_is_unreadable(bucket: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{held.getsockname()[1]}")
        error = refusal("s3://clinic/a.csv")
    assert error.code == "UNREADABLE_SOURCE"
    assert "check the endpoint and the credentials" in error.message


def test_a_store_that_no_library_knows_is_unsupported() -> None:
    assert refusal("nonsense://x/a.csv").code == "UNSUPPORTED_FORMAT"


def test_avatars_are_put_into_a_store(bucket: Any, patients: Source, tmp_path: Path) -> None:
    to = "s3://clinic/out/avatars.csv"
    check_destination(to, "patients.csv", suffix(patients.dialect))
    for _ in range(2):
        prepare(patients.frame, patients.dialect, tmp_path / "patients.csv", to).commit()
    assert names(bucket) == ["out/avatars.csv"]
    assert bucket.Object("out/avatars.csv").get()["Body"].read() == (tmp_path / "patients.csv").read_bytes()
    prepare(
        patients.frame, patients.dialect, tmp_path / "patients.csv", "s3://clinic/out/avatars.parquet"
    ).commit()
    pd.testing.assert_frame_equal(read_source("s3://clinic/out/avatars.parquet").frame, patients.frame)


def test_a_failing_copy_leaves_the_object_as_it_was(
    bucket: Any, patients: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket.put_object(Key="avatars.csv", Body=b"before")

    def fail(*arguments: object, **options: object) -> None:
        raise RuntimeError("Zaphod")

    monkeypatch.setattr(fsspec.get_filesystem_class("s3"), "mv", fail)
    with pytest.raises(InputError, match=r"cannot be written to its store \(RuntimeError\)") as caught:
        prepare(
            patients.frame, patients.dialect, tmp_path / "patients.csv", "s3://clinic/avatars.csv"
        ).commit()
    assert caught.value.code == "BAD_CONFIG"
    assert "Zaphod" not in str(caught.value)
    assert caught.value.__suppress_context__
    assert names(bucket) == ["avatars.csv"]
    assert bucket.Object("avatars.csv").get()["Body"].read() == b"before"


def test_a_bucket_that_is_not_there_is_a_configuration_error(
    bucket: Any, patients: Source, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="cannot be written to its store") as caught:
        prepare(
            patients.frame, patients.dialect, tmp_path / "patients.csv", "s3://nowhere/avatars.csv"
        ).commit()
    assert caught.value.code == "BAD_CONFIG"


def test_avatars_are_put_into_a_file_in_place_of_an_older_one(patients: Source, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    to = tmp_path / "out" / "avatars.csv"
    to.write_text("before")
    check_destination(str(to), str(tmp_path / "patients.csv"), suffix(patients.dialect))
    prepare(patients.frame, patients.dialect, tmp_path / "patients.csv", str(to)).commit()
    assert to.read_bytes() == (tmp_path / "patients.csv").read_bytes()
    prepare(
        patients.frame, patients.dialect, tmp_path / "patients.csv", str(to.with_suffix(".parquet"))
    ).commit()
    assert sorted(path.name for path in to.parent.iterdir()) == ["avatars.csv", "avatars.parquet"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "patients.csv"]


def test_a_destination_that_cannot_be_is_refused_before_anything(patients: Source, tmp_path: Path) -> None:
    source = str(tmp_path / "patients.csv")
    (tmp_path / "folder.csv").mkdir()
    for to, words in (
        (source, "is the source itself"),
        (f"{tmp_path}/../{tmp_path.name}/patients.csv", "is the source itself"),
        (str(tmp_path / "a.xlsx"), "must end with .csv or .parquet"),
        (f"local://{tmp_path}/patients.csv", "is the source itself"),
        (str(tmp_path / "nowhere" / "a.csv"), "folder of the destination a.csv does not exist"),
        (str(tmp_path / "folder.csv"), "the destination folder.csv is a folder"),
        (str(tmp_path / f"{'a' * 300}.csv"), r"cannot be written \(OSError\)"),
        (f"{tmp_path}/a\0.csv", r"cannot be written \(ValueError\)"),
        (f"{tmp_path / 'a.xlsx'}?sheet=x", "the sheet is the source's"),
        ("s3://me:Slartibartfast@clinic/a.csv", "password"),
        ("sqlite:///a.db", "needs .table="),
    ):
        with pytest.raises(InputError, match=words) as caught:
            check_destination(to, source, suffix(patients.dialect))
        assert caught.value.code == "BAD_CONFIG"
        assert PASSWORD not in caught.value.message


def test_a_file_that_cannot_be_replaced_stays(patients: Source, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=r"folder.csv cannot be written \(IsADirectoryError\)"):
        prepare(
            patients.frame, patients.dialect, tmp_path / "patients.csv", str(tmp_path / "folder.csv")
        ).commit()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.csv", "patients.csv"]


def test_a_gzipped_table_goes_to_a_gzipped_file(patients: Source, tmp_path: Path) -> None:
    import gzip

    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a,b\n1,x\n2,y\n"))
    source = read_source(tmp_path / "a.csv.gz")
    assert suffix(source.dialect) == ".csv.gz"
    write_table(source.frame, source.dialect, tmp_path / "release.csv.gz")
    prepare(source.frame, source.dialect, tmp_path / "release.csv.gz", str(tmp_path / "b.csv.gz")).commit()
    pd.testing.assert_frame_equal(read_source(tmp_path / "b.csv.gz").frame, source.frame)


def test_a_large_file_is_delivered_without_being_held(patients: Source, tmp_path: Path) -> None:
    large, to = tmp_path / "large.csv", tmp_path / "avatars.csv"
    with large.open("wb") as file:
        file.truncate(2**26)
    tracemalloc.start()
    prepared = prepare(patients.frame, patients.dialect, large, str(to))
    prepared.commit()
    assert was_delivered(str(to), prepared.receipt)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert to.stat().st_size == 2**26
    assert peak < 2**22


def test_a_delivery_that_is_interrupted_leaves_nothing(
    patients: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: Path, temporary: Path) -> None:
        temporary.write_text("half")
        raise KeyboardInterrupt

    monkeypatch.setattr("sosie.sources.destinations.shutil.copyfile", interrupted)
    with pytest.raises(KeyboardInterrupt):
        prepare(patients.frame, patients.dialect, tmp_path / "patients.csv", str(tmp_path / "avatars.csv"))
    assert [path.name for path in tmp_path.iterdir()] == ["patients.csv"]


def test_a_store_inside_a_store_that_is_not_named_is_unsupported() -> None:
    assert refusal("dir://x/a.csv").code == "UNSUPPORTED_FORMAT"
