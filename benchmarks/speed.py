"""Speed and memory on one machine: ratios, seconds by step, peak memory, exponents, as a page of documentation.

    python benchmarks/speed.py [--rows 100000 1000000] [--straightforward PYTHON] [--sdv PYTHON] [--write PAGE.md]

A generated table of 14 mixed columns (6 numbers, 8 categories of 5 to 40 levels) for each number of rows, k = 20,
ncp = 5, Parquet in and out. Each part runs in a process of its own (`speed_parts.py`). The straightforward
implementation (`straightforward.py`) and SDV's Gaussian copula (`synthesizers.py`) run on the first number of rows,
each in the environment whose Python is given. On a busy machine wall times are long, so ratios are of the processor's
seconds too.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from math import log
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
LEVELS = (5, 8, 10, 12, 16, 20, 30, 40)
PARTS = ("files", "searches", "anonymise", "run")


@dataclass(frozen=True)
class Cost:
    """What one process took, from after its imports: wall and processor seconds, the most memory, seconds by step."""

    seconds: float
    processor: float
    mebibytes: float
    steps: Mapping[str, float]


def main() -> int:
    """Measure everything, print the page, write it where asked."""
    arguments = argparse.ArgumentParser(description="speed and memory on one machine")
    arguments.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    arguments.add_argument(
        "--straightforward", type=Path, help="Python with requirements-straightforward.txt"
    )
    arguments.add_argument("--sdv", type=Path, help="Python with requirements-synthesizers.txt")
    arguments.add_argument("--write", type=Path, help="page to write")
    asked = arguments.parse_args()
    costs: dict[tuple[int, str], Cost] = {}
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for rows in asked.rows:
            table = folder / f"{rows}.parquet"
            generated(rows).to_parquet(table, index=False)
            for part in PARTS:
                words = [sys.executable, HERE / "speed_parts.py", part, table, folder]
                costs[rows, part] = measured(words)
                print(rows, part, costs[rows, part], file=sys.stderr, flush=True)
        first = folder / f"{asked.rows[0]}.parquet"
        others = {
            "straightforward": (asked.straightforward, HERE / "straightforward.py", []),
            "SDV Gaussian copula": (asked.sdv, HERE / "synthesizers.py", ["sdv"]),
        }
        for name, (python, script, words) in others.items():
            if python is not None:
                command = [python, "-W", "ignore", script, *words, first, folder / "other.parquet"]
                costs[asked.rows[0], name] = measured(command)
                print(name, costs[asked.rows[0], name], file=sys.stderr, flush=True)
    page = page_of(asked.rows, costs, (load, os.getloadavg()[0]))
    print(page)
    if asked.write is not None:
        asked.write.write_text(page, encoding="utf-8")
    return 0


def measured(command: Sequence[str | Path]) -> Cost:
    """The cost that a process prints of itself; of one that prints none, imports included."""
    started = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = process.stdout.read().splitlines()
    _, status, usage = os.wait4(process.pid, 0)
    process.stdout.close()
    if status:
        raise SystemExit(f"{command[1]} failed")
    if said and said[-1].startswith("{"):
        return Cost(**json.loads(said[-1]))
    seconds = time.perf_counter() - started
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, {})


def generated(rows: int) -> pd.DataFrame:
    """Four latent factors behind 14 columns, every one of them with noise of its own."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(rows, 4)) @ rng.normal(size=(4, 14)) + rng.normal(size=(rows, 14))
    columns: dict[str, object] = {f"x{place}": scores[:, place].round(3) for place in range(4)}
    columns["stay"] = np.exp(1 + scores[:, 4] / 3).round().astype(int)
    columns["age"] = np.clip(50 + 6 * scores[:, 5], 18, 99).round().astype(int)
    for place, levels in enumerate(LEVELS):
        score = scores[:, 6 + place]
        rank = 1 / (1 + np.exp(-1.7 * (score - score.mean()) / score.std()))
        labels = np.array([f"level {level}" for level in range(levels)])
        columns[f"c{place}"] = labels[np.minimum((rank**1.5 * levels).astype(int), levels - 1)]
    return pd.DataFrame(columns)


def page_of(rows: Sequence[int], costs: Mapping[tuple[int, str], Cost], load: tuple[float, float]) -> str:
    """The page: what was measured, on what, and how it compares."""
    lines = [
        "# Speed and memory on one machine",
        "",
        f"    python benchmarks/speed.py --rows {' '.join(map(str, rows))}",
    ]
    lines += ["", machine(load), "", "## What it takes", ""]
    lines += ["| rows | part | wall s | processor s | peak MiB |", "| ---: | --- | ---: | ---: | ---: |"]
    lines += [
        f"| {n:,} | {part} | {cost.seconds:.1f} | {cost.processor:.1f} | {cost.mebibytes:.0f} |"
        for (n, part), cost in costs.items()
    ]
    lines += [
        "",
        "`files`: reading and writing; `searches`: the two neighbour searches of a run; `anonymise`: a table in,",
    ]
    lines += [
        "avatars out; `run`: `sosie anonymize --direct` with all evidence. Memory has the table and Python in it."
    ]
    lines += [
        "",
        "## Ratios",
        "",
        "| rows | ratio | wall | processor |",
        "| ---: | --- | ---: | ---: |",
        *ratios(rows, costs),
    ]
    lines += ["", "## Steps of a run", "", "| step | " + " | ".join(f"{n:,} rows, s" for n in rows) + " |"]
    lines += ["| --- |" + " ---: |" * len(rows)]
    lines += [
        f"| {step} | " + " | ".join(f"{costs[n, 'run'].steps.get(step, 0.0):.2f}" for n in rows) + " |"
        for step in costs[rows[-1], "run"].steps
    ]
    if len(rows) > 1:
        lines += [
            "",
            "## Growth",
            "",
            "| part | exponent, wall | exponent, processor |",
            "| --- | ---: | ---: |",
        ]
        lines += [growth(part, rows, costs) for part in PARTS]
    return "\n".join([*lines, ""])


def machine(load: tuple[float, float]) -> str:
    """What it was measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    parts = ", ".join(f"{name} {version(name)}" for name in ("numpy", "pandas", "pyarrow", "scipy"))
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}, Python {platform.python_version()}; {parts}. "
        f"Load when it began and ended: {load[0]:.1f} and {load[1]:.1f}."
    )


def ratios(rows: Sequence[int], costs: Mapping[tuple[int, str], Cost]) -> list[str]:
    """How the parts stand to each other, and to what others do."""
    lines = []
    for n in rows:
        floor, searches, made, run = (costs[n, part] for part in PARTS)
        lines += [
            f"| {n:,} | whole run / its two neighbour searches | {_both(run, searches)} |",
            f"| {n:,} | avatars / one neighbour search of all rows | "
            f"{made.seconds / searches.steps['all rows']:.1f} | |",
            f"| {n:,} | avatars / reading and writing alone | {_both(made, floor)} |",
        ]
        for other in ("straightforward", "SDV Gaussian copula"):
            if (n, other) in costs:
                cost = costs[n, other]
                lines += [
                    f"| {n:,} | {other} / avatars, time | {_both(cost, made)} |",
                    f"| {n:,} | avatars / {other}, memory | {made.mebibytes / cost.mebibytes:.2f} | |",
                ]
    return lines


def _both(cost: Cost, other: Cost) -> str:
    return f"{cost.seconds / other.seconds:.1f} | {cost.processor / other.processor:.1f}"


def growth(part: str, rows: Sequence[int], costs: Mapping[tuple[int, str], Cost]) -> str:
    """The slope of the logarithm of time on that of rows, least squares."""
    sizes = [log(n) for n in rows]
    slopes = [
        np.polyfit(sizes, [log(value) for value in values], 1)[0]
        for values in (
            [costs[n, part].seconds for n in rows],
            [costs[n, part].processor for n in rows],
        )
    ]
    return f"| {part} | {slopes[0]:.2f} | {slopes[1]:.2f} |"


if __name__ == "__main__":
    sys.exit(main())
