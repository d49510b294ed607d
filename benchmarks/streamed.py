"""How a streamed run grows with its rows: processor and wall time by step, memory, fitted exponents.

    python benchmarks/streamed.py 1e5 1e6 4e6 2e7

Each size is a run of its own, in a process of its own, from a Parquet file of 15 mixed columns (6 numbers,
8 categories of 5 to 40 levels, a date; some cells missing) to its release, evaluation included. Writes
docs/benchmarks/streamed.md.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sosie.flows.runs import run_request
from sosie.schemas.request import Request
from sosie.tasks.calls import DirectCalls

_PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "streamed.md"
_PIECE = 1_000_000
_FIXED = ("attack the avatars", "measure utility")  # rest on the sample: do not grow


def write_source(rows: int, path: Path) -> None:
    """A made-up table, a million rows at a time."""
    rng = np.random.default_rng(0)
    writer: pq.ParquetWriter | None = None
    for start in range(0, rows, _PIECE):
        table = _piece(min(_PIECE, rows - start), rng)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _piece(rows: int, rng: np.random.Generator) -> pa.Table:
    hidden, columns = rng.normal(size=(rows, 3)), {}
    for j in range(6):
        cells = np.round(hidden[:, j % 3] * (j + 1) + rng.normal(size=rows), 2)
        columns[f"x{j}"] = pa.array(cells, mask=rng.random(rows) < 0.03 if j < 3 else None)
    for j in range(8):
        levels = 5 + 5 * j
        codes = np.clip(hidden[:, j % 3] * levels / 6 + levels / 2 + rng.normal(size=rows), 0, levels - 1)
        mask = rng.random(rows) < 0.02 if j < 2 else None
        found = pa.array(codes.astype(np.int32), mask=mask)
        names = pa.array([f"level {level}" for level in range(levels)])
        columns[f"c{j}"] = pa.DictionaryArray.from_arrays(found, names).cast(pa.string())
    days = np.datetime64("2020-01-01") + rng.integers(0, 900, rows).astype("m8[D]")
    columns["day"] = pa.array(days.astype("M8[s]"))
    return pa.table(columns)


def measure(source: Path, folder: Path) -> dict[str, Any]:
    """One run, in this process: what the whole took, and each step (processor seconds, peak so far in MiB)."""
    (folder / "sosie.yaml").write_text(
        json.dumps(
            {
                "targets": {"mode": "report"},
                "batches": {"streamed": "always"},
                "store": {"directory": str(folder / "store")},
            }
        )
    )
    begun: dict[str, float] = {}
    steps: dict[str, tuple[float, float]] = {}

    def told(title: str, done: bool, seconds: float = 0.0) -> None:
        if done:
            steps[title] = time.process_time() - begun[title], _peak()
        elif not seconds:  # else a sign of life
            begun[title] = time.process_time()

    started = time.time()
    request = Request(source=str(source), config=str(folder / "sosie.yaml"), out=str(folder))
    manifest = run_request(request, folder / "run", DirectCalls(told))
    assert manifest.status == "released", manifest.message
    return {
        "rows": manifest.rows,
        "batches": manifest.batches,
        "wall": time.time() - started,
        "cpu": time.process_time(),
        "peak": _peak(),
        "steps": steps,
        "load": os.getloadavg()[0],
    }


def _peak() -> float:
    """In MiB; `getrusage` would count what the process held that started this one."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def page(runs: Sequence[dict[str, Any]]) -> str:
    """The figures as a page."""
    sizes = np.log([run["rows"] for run in runs])
    exponents = {
        name: float(np.polyfit(sizes, np.log([run[name] for run in runs]), 1)[0]) for name in ("cpu", "wall")
    }
    growing = [sum(cpu for title, (cpu, _) in run["steps"].items() if title not in _FIXED) for run in runs]
    exponents["growing"] = float(np.polyfit(sizes, np.log(growing), 1)[0])
    shown = [
        "rows",
        "batches",
        "processor s",
        "of which grow with rows",
        "wall s",
        "peak MiB",
        "load at the end",
    ]
    lines = [
        "# A streamed run, by its rows",
        "",
        "    python benchmarks/streamed.py "
        + " ".join(f"{run['rows']:.0e}".replace("+0", "") for run in runs),
        "",
        "From a Parquet file of 15 mixed columns (6 numbers, 8 categories of 5 to 40 levels, a date; some cells",
        "missing) to its release, evaluation included, batches of at most 500,000 rows, one process. Attacks and",
        "utility rest on at most 50,000 individuals of each half and do not grow with the rows.",
        "",
        f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}; "
        + ", ".join(f"{name} {version(name)}" for name in ("numpy", "pandas", "pyarrow", "scipy"))
        + ".",
        "",
        "| " + " | ".join(shown) + " |",
        "| " + " | ".join("---" for _ in shown) + " |",
        *(
            f"| {run['rows']:,} | {run['batches']} | {run['cpu']:.0f} | {grown:.0f} | {run['wall']:.0f} "
            f"| {run['peak']:.0f} | {run['load']:.1f} |"
            for run, grown in zip(runs, growing, strict=True)
        ),
        "",
        f"Fitted exponents: processor time {exponents['cpu']:.2f}, that of the steps that grow "
        f"{exponents['growing']:.2f}, wall time {exponents['wall']:.2f}. Where the load is above the cores, others",
        "used the machine too, and wall times are longer than on an idle one.",
        "",
        "## By step",
        "",
        "Processor seconds, and the peak memory reached by the end of the step (MiB).",
        "",
        "| step | " + " | ".join(f"{run['rows']:,} rows" for run in runs) + " |",
        "| --- | " + " | ".join("---" for _ in runs) + " |",
    ]
    for title in runs[-1]["steps"]:
        cells = [f"{run['steps'][title][0]:.1f} s, {run['steps'][title][1]:.0f}" for run in runs]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run every size and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", default=["1e5", "1e6", "4e6"])
    parser.add_argument("--folder", type=Path, help="where tables and runs go; default: a temporary folder")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(measure(Path(asked.one[0]), Path(asked.one[1]))))
        return
    with tempfile.TemporaryDirectory() as temporary:
        runs = []
        for rows in asked.rows:
            folder = (asked.folder or Path(temporary)) / rows
            folder.mkdir(parents=True)
            write_source(int(float(rows)), folder / "table.parquet")
            command = [sys.executable, __file__, "--one", str(folder / "table.parquet"), str(folder)]
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            runs.append(json.loads(told.splitlines()[-1]))
        _PAGE.write_text(page(runs), encoding="utf-8")


if __name__ == "__main__":
    main()
