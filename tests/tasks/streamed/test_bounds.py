"""What a killed run leaves is used again; memory stays well below what the table in memory takes."""

import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow.csv import write_csv

from sosie.errors import InputError
from sosie.tasks.store import open_store
from sosie.tasks.store.streamed_runs import Occupied

HERE = Path(__file__).parent
START = f"""
import importlib.util, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("ways", {str(HERE / "conftest.py")!r})
ways = importlib.util.module_from_spec(spec)
sys.modules["ways"] = ways
spec.loader.exec_module(ways)
case = ways.Case(Path(sys.argv[1]), Path(sys.argv[2]))
"""


# not ru_maxrss, which starts at what the process that started this one had
PEAK = """
def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
def forgotten():
    Path("/proc/self/clear_refs").write_text("5")  # the peak so far; what there is now is left
    return peak()
from sosie.tasks.memory import hold_no_large_blocks
hold_no_large_blocks()  # as every run does
"""


def python(script: str, case: Any) -> list[str]:
    return [sys.executable, "-c", START + script, str(case.source), str(case.folder)]


def finished(case: Any) -> dict[str, int]:
    """The batches that are done, with the time their file was written."""
    folder = case.folder / "store" / "streamed" / "run" / "part" / "avatars"
    marks = folder.glob("*.mark") if folder.is_dir() else []
    return {mark.stem: (folder / mark.stem).stat().st_mtime_ns for mark in marks}


DIES = """
import os, signal
from sosie.tasks.streamed import batch
avatars = batch._avatars
def dying(work, number, *rest):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return avatars(work, number, *rest)
batch._avatars = dying
"""


@pytest.mark.parametrize(
    "asked", [{}, {"columns": {"kg": {"transform": "quantile"}}, "constraints": ["seen <= left"]}], ids=str
)
def test_after_a_kill_finished_batches_are_not_done_again_and_the_bytes_are_the_same(
    case: Any, asked: dict[str, Any]
) -> None:
    asked = {**asked, "batches": {"rows": 500}}
    killed = subprocess.run(python(DIES + f"case.streamed(**{asked})", case), check=False)
    assert killed.returncode == -signal.SIGKILL
    before = finished(case)
    assert sorted(before) == ["0", "1", "2"]
    resumed = case.streamed(**asked)
    after = finished(case)
    assert len(after) == 6
    assert {batch: after[batch] for batch in before} == before
    assert resumed == case.in_memory(**asked)


def test_a_damaged_batch_is_done_again(case: Any) -> None:
    first = case.streamed(batches={"rows": 700})
    damaged = case.folder / "store" / "streamed" / "run" / "part" / "avatars" / "1"
    damaged.write_bytes(damaged.read_bytes()[:-8] + b"damaged!")
    assert case.streamed(batches={"rows": 700}) == first


def test_nobody_else_may_read_what_lies_on_the_shelf(case: Any) -> None:
    case.streamed(batches={"rows": 700})
    places = [case.folder / "store", *(case.folder / "store").rglob("*")]
    assert {place.stat().st_mode & 0o077 for place in places if place.is_dir()} == {0}
    files = [place for place in places if place.is_file()]
    assert len(files) > 10
    assert {file.stat().st_mode & 0o077 for file in files} == {0}


def test_what_a_run_left_is_purged_unless_it_is_at_work(case: Any) -> None:
    store = open_store(case.folder / "store")
    case.streamed(batches={"rows": 700})
    streamed = case.folder / "store" / "streamed"
    assert store.purge(timedelta(hours=1)).removed == 0
    at_work = Occupied(streamed, "run")
    with pytest.raises(InputError, match="run is at work already"):
        Occupied(streamed, "run")
    assert store.purge(timedelta(0)).removed == 0
    del at_work
    assert store.purge(timedelta(0)).removed > 10
    assert not any(streamed.iterdir())


ENCODES = """
import sosie.sources.streamed_csv
sosie.sources.streamed_csv.BLOCK = 1 << 20  # the file is not large: text is read in small pieces
run = case.run(str(case.source.stat().st_size))
place = ways.place_of(run)
idle = forgotten()
ways.encoding.encode_source(str(case.source), run.job.declared, place.shelf, place.aside)
print(peak() - idle)
place.clear()
"""


@pytest.mark.parametrize("case", [(10, ".parquet"), (10, ".csv")], indirect=True)
def test_columns_of_eight_times_the_rows_take_no_more_memory_to_recognise_and_encode(case: Any) -> None:
    rng, peaks = np.random.default_rng(0), []
    for rows in (150_000, 1_200_000):
        moments = np.datetime64("1990-01-01", "s") + rng.integers(0, 10**9, rows)
        numbers = {"x": rng.normal(size=rows), "rank": rng.permutation(rows), "few": np.arange(rows) % 7 / 3}
        texts = {"c": np.array(["a", "b", "c"])[rng.integers(0, 3, rows)], "when": moments.astype(str)}
        frame = pd.DataFrame({**numbers, **texts})
        if case.source.suffix == ".csv":
            write_csv(pa.Table.from_pandas(frame), case.source)
        else:
            frame.assign(seen=moments).to_parquet(case.source, row_group_size=100_000)
        told = subprocess.run(python(PEAK + ENCODES, case), capture_output=True, text=True, check=True)
        peaks.append(int(told.stdout))
    assert peaks[1] - peaks[0] < 96 * 1024  # a column of moments that is held takes 380


FITS = """
import sosie.ordered
sosie.ordered.MANY = 2**15  # the table is not large: few numbers are held in order at once
quantiles = {name: {"transform": "quantile"} for name in ("x", "y")}
run = case.run(str(case.source.stat().st_size), columns=quantiles)
place, _, halves = case.halves_of(run)
idle = forgotten()
ways.fitting.fit(halves, "everyone", {}, 3, "median")
print(peak() - idle)
place.clear()
"""


def test_sixteen_times_the_rows_take_no_more_memory_to_fit_scales_on(case: Any) -> None:
    rng, peaks = np.random.default_rng(0), []
    for rows in (70_000, 1_120_000):
        frame = pd.DataFrame({name: rng.normal(size=rows) for name in ("x", "y", "z")})
        frame.to_parquet(case.source, row_group_size=70_000)
        told = subprocess.run(python(PEAK + FITS, case), capture_output=True, text=True, check=True)
        peaks.append(int(told.stdout))
    assert peaks[1] - peaks[0] < 16 * 1024


MEASURES = """
from sosie.flows import streamed
from sosie.tasks.calls import DirectCalls, silent
from sosie.tasks.job import MEASURED
from sosie.tasks.memory import give_back
from sosie.tasks.streamed import measuring
measuring.SAMPLE_ROWS, measuring._CHUNK_ROWS = 2_000, 25_000  # the table is not large
asked = {"method": {"k": 5}, "batches": {"rows": 25_000}, "attacks": {"attempts": 10}, "workers": 1}
run, call = case.run(str(case.source.stat().st_size), **asked), DirectCalls(silent)
place, _, halves = case.halves_of(run)
fitted = streamed._fitted(halves, "working", run, call)
linked = streamed._drawn(fitted, "working rows", MEASURED, place, run, call)
give_back()
idle = forgotten()
streamed._evaluated(halves, fitted, linked, run, call)
print(peak() - idle)
place.clear()
"""


def test_eight_times_the_rows_take_no_more_memory_to_sample_measure_and_attack(case: Any) -> None:
    rng, peaks = np.random.default_rng(0), []
    for rows in (60_000, 480_000):
        numbers = {f"x{j}": rng.normal(size=rows).round(2) for j in range(20)}
        levels = {f"c{j}": np.array(["a", "b", "c", "d", "e"])[rng.integers(0, 5, rows)] for j in range(4)}
        pd.DataFrame({**numbers, **levels}).to_parquet(case.source, row_group_size=60_000)
        told = subprocess.run(python(PEAK + MEASURES, case), capture_output=True, text=True, check=True)
        peaks.append(int(told.stdout))
    # measured: 3 to 5 MiB; avatars that are held take 43, a search among all of them at once 143
    assert peaks[1] - peaks[0] < 32 * 1024


def test_memory_stays_below_that_of_the_table_in_memory_and_hardly_grows(case: Any) -> None:
    rng, peaks = np.random.default_rng(0), {}
    for rows, ways in ((1_200_000, ["streamed"]), (600_000, ["streamed", "in_memory"])):
        numbers = {f"x{j}": rng.normal(size=rows).round(2) for j in range(6)}
        levels = {f"c{j}": np.array(["a", "b", "c", "d", "e"])[rng.integers(0, 5, rows)] for j in range(8)}
        pd.DataFrame({**numbers, **levels}).to_parquet(case.source)
        for way in ways:
            asked = f"'run of {rows}', batches={{'rows': 25_000}}" if way == "streamed" else ""
            script = f"{PEAK}idle = forgotten()\ncase.{way}({asked})\nprint(peak() - idle)"
            told = subprocess.run(python(script, case), capture_output=True, text=True, check=True)
            peaks[way, rows] = int(told.stdout)
    assert peaks["streamed", 600_000] < 0.6 * peaks["in_memory", 600_000]
    assert peaks["streamed", 600_000] < 280 * 1024
    assert peaks["streamed", 1_200_000] < peaks["streamed", 600_000] + 96 * 1024
