"""Speed and memory on one machine, written to docs/benchmarks.md.

    python benchmarks/speed.py [--rows 100000 1000000 4000000] [--times 2] [--others FOLDER] [--write PAGE.md]

A generated table of 14 mixed columns (6 numbers, 8 categories of 5 to 40 levels) for each number of rows, k = 20,
ncp = 5, Parquet in and out. Each part runs in a process of its own (`speed_parts.py`, `speed_run.py`), as often as
`--times` says. On the first number of rows, a straightforward implementation (`straightforward.py`) and SDV's Gaussian
copula (`synthesizers.py`) run too, in environments that are made in `--others`, or in a temporary folder. Then the
tables of `speed_tables.py`, and searches as components grow (`speed_engines.py`). It takes half an hour; nothing else
should run.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import environments
from speed_page import Cost, Measured, page_of
from speed_tables import HARD, LEVELS

HERE = Path(__file__).parent
PARTS = ("files", "searches", "scipy", "anonymise", "run")
CATEGORIES = [f"c{place}" for place in range(len(LEVELS))]


def main() -> int:
    """Measure everything, print the page and write it."""
    arguments = argparse.ArgumentParser(description="speed and memory on one machine")
    arguments.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000, 4_000_000])
    arguments.add_argument("--times", type=int, default=2, help="how often each part is measured")
    arguments.add_argument(
        "--others", type=Path, help="folder of the others' environments, kept for next time"
    )
    arguments.add_argument("--write", type=Path, default=HERE.parent / "docs" / "benchmarks.md")
    asked = arguments.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        others = asked.others or folder / "others"
        costs = {
            (rows, part): costs_of(rows, part, asked.times, folder) for rows in asked.rows for part in PARTS
        }
        for name, (command, told) in others_at_work(
            others, folder / f"{asked.rows[0]}.parquet", folder
        ).items():
            costs[asked.rows[0], name] = [measured(command, told) for _ in range(asked.times)]
        hard = {name: cost_of_hard(name, folder) for name in HARD}
        engines = measured([sys.executable, HERE / "speed_engines.py"]).steps
    page = page_of(Measured(tuple(asked.rows), costs, hard, engines, (load, os.getloadavg()[0])))
    print(page)
    asked.write.write_text(page, encoding="utf-8")
    return 0


def costs_of(rows: int, part: str, times: int, folder: Path) -> list[Cost]:
    """What one part took, each time, with a table of so many rows."""
    table = folder / f"{rows}.parquet"
    if not table.exists():
        write_table(str(rows), table)
    words = ["speed_run.py"] if part == "run" else ["speed_parts.py", part]
    command = [sys.executable, HERE / words[0], *words[1:], table, folder]
    return [measured(command) for _ in range(times)]


def write_table(asked: str, table: Path) -> None:
    """A table of `speed_tables.py`, made in a process of its own: the system counts a parent's memory as a child's."""
    subprocess.run([sys.executable, HERE / "speed_tables.py", asked, table], check=True)


def others_at_work(
    environments_in: Path, table: Path, folder: Path
) -> Mapping[str, tuple[Sequence[str | Path], str]]:
    """What sosie is held against, by name: a command in an environment of its own, and what it is told."""
    plain = python_of(environments_in / "straightforward", environments.straightforward)
    synthesizers = python_of(environments_in / "synthesizers", environments.synthesizers)
    made = folder / "made.parquet"
    copula = {"which": "sdv", "working": str(table), "out": str(made), "categories": CATEGORIES, "seed": 0}
    return {
        "straightforward": ([plain, "-W", "ignore", HERE / "straightforward.py", table, made], ""),
        "straightforward, own values": (
            [plain, "-W", "ignore", HERE / "straightforward.py", table, made, "--own-values"],
            "",
        ),
        "SDV Gaussian copula": (
            [synthesizers, "-W", "ignore", HERE / "synthesizers.py", "serve"],
            json.dumps(copula),
        ),
    }


def python_of(folder: Path, make: Callable[[Path], Path]) -> Path:
    """The Python of an environment in a folder, which is made where it is not there."""
    python = folder / "bin" / "python"
    return python if python.exists() else make(folder)


def cost_of_hard(name: str, folder: Path) -> Cost:
    """What a whole run of a hard table takes."""
    table = folder / "hard.parquet"
    write_table(name, table)
    return measured([sys.executable, HERE / "speed_run.py", table, folder, "--method", HARD[name].method])


def measured(command: Sequence[str | Path], told: str = "") -> Cost:
    """The cost that a process prints of itself; of one that prints none, imports included."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin:
        process.stdin.write(f"{told}\n" if told else "")
    said = process.stdout.read().splitlines()
    _, status, usage = os.wait4(process.pid, 0)
    process.stdout.close()
    if status:
        raise SystemExit(f"{command} failed")
    if said and said[-1].startswith("{"):
        cost = Cost(**json.loads(said[-1]))
    else:
        seconds = time.perf_counter() - started
        cost = Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, {})
    print(*map(str, command[1:]), cost, file=sys.stderr, flush=True)
    return cost


if __name__ == "__main__":
    sys.exit(main())
