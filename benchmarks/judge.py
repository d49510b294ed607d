"""sosie as a judge: its own avatars, those of other synthesizers, a copy and real rows, on eight real tables.

    python benchmarks/judge.py --wbcd wbcd.csv --aids aids.csv [--runs wbcd_avatars_25_runs.csv]
        [--splits 10] [--flights-splits 10] [--synthesizers PYTHON] [--kept FOLDER] [--only TABLE …]
        [--write docs/benchmarks/judge.md]

The working half of each split is anonymised, the other half judges. Without `--synthesizers`, the others are
installed into a temporary environment. What is measured is kept in a folder, and not measured again: empty it when
sosie has changed. `--write` writes the page, and the picture beside it. Exit code 1 when the judge finds more
members of anything else than of a copy, or takes real rows of other people for a leak.
"""

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path

import environments
import pandas as pd
from judge_figures import Figures, judge, judge_links
from judge_kept import kept
from judge_page import Draws, mean, page
from judge_plot import plot
from judged_tables import RealTable, all_tables, halves, wbcd
from makers import Maker, linked_avatars, makers, served, versions

AREA = "membership_raw_auc"
CLOSE = 0.05  # how far real rows of other people may be from an area of 0.5, on the mean
RUN_SPLITS = 5  # our draws of the published runs' table
OURS: Mapping[str, Mapping[str, str]] = {
    "published law, zero_distance: limit": {"zero_distance": "limit"},
    "published law": {},
    "gaussian": {"weights": "gaussian"},
}


def main() -> int:
    """Make, judge, print and write; 1 when the two anchors are misjudged."""
    asked = _arguments().parse_args()
    asked.kept.mkdir(parents=True, exist_ok=True)
    tables = [
        table for table in all_tables(asked.wbcd, asked.aids) if not asked.only or table.name in asked.only
    ]
    with tempfile.TemporaryDirectory() as folder:
        python = asked.synthesizers or environments.synthesizers(Path(folder))
        with served(python) as synthesize:
            judged = judge_tables(tables, splits_of(asked), makers(synthesize), asked.kept)
        machine = machine_of(python)
    links = judge_runs(wbcd(asked.wbcd), asked.runs, asked.kept) if asked.runs else {}
    text = page(judged, links, {table.name: table for table in tables}, command_of(asked), machine)
    print(text)
    if asked.write:
        asked.write.parent.mkdir(parents=True, exist_ok=True)
        asked.write.write_text(text, encoding="utf-8")
        asked.write.with_suffix(".svg").write_text(plot(judged), encoding="utf-8")
    misjudged = [name for name, found in judged.items() if not anchors_hold(found)]
    for name in misjudged:
        print(f"{name}: the anchors are misjudged", file=sys.stderr)
    return 1 if misjudged else 0


def judge_tables(
    tables: Sequence[RealTable], splits: Callable[[str], int], by_name: Mapping[str, Maker], folder: Path
) -> dict[str, dict[str, Draws]]:
    """The figures of every table and maker, a mapping a split; all tables of one split before the next split."""
    found: dict[str, dict[str, list[Figures]]] = {}
    for seed in range(max(splits(table.name) for table in tables)):
        for table in (table for table in tables if seed < splits(table.name)):
            for name, make in by_name.items():
                print(f"{table.name}: {name}, split {seed + 1}", file=sys.stderr, flush=True)
                figures = kept(folder, (table.name, name, seed), partial(judge_split, table, make, seed))
                found.setdefault(table.name, {}).setdefault(name, []).append(figures)
    return {table: dict(draws) for table, draws in found.items()}


def splits_of(asked: argparse.Namespace) -> Callable[[str], int]:
    """How often a table, by its name, is cut."""
    return lambda name: (asked.flights_splits or asked.splits) if name == "flights" else asked.splits


def judge_split(table: RealTable, make: Maker, seed: int) -> Figures:
    """One maker's figures on one split."""
    return judge(table, make(table, halves(table.frame, seed), seed), seed)


def judge_runs(table: RealTable, runs: Path, folder: Path) -> dict[str, Draws]:
    """The published runs beside our avatars of the same rows: with the published rule for twins, and as by default."""
    published = [
        run.drop(columns="iter").reset_index(drop=True) for _, run in pd.read_csv(runs).groupby("iter")
    ]
    found = {
        f"published ({len(published)} runs)": [
            kept(folder, ("runs", "published", seed), partial(judge_links, table, run, seed))
            for seed, run in enumerate(published)
        ]
    }
    for name, method in OURS.items():
        found[f"{name} ({RUN_SPLITS})"] = [
            kept(folder, ("runs", name, seed), partial(judge_own_links, table, seed, method))
            for seed in range(RUN_SPLITS)
        ]
    return found


def judge_own_links(table: RealTable, seed: int, method: Mapping[str, str]) -> Figures:
    """The figures of links of one draw of our avatars of the whole table."""
    return judge_links(table, linked_avatars(table, table.frame, seed, **method), seed)


def anchors_hold(found: Mapping[str, Draws]) -> bool:
    """Whether a copy leaks more than anything else, and real rows of other people nothing."""
    areas = {name: mean(draws, AREA) for name, draws in found.items()}
    copied, safe = areas["copy"], areas["real rows"]
    if copied is None or safe is None:
        return False
    return abs(safe - 0.5) <= CLOSE and copied == max(area for area in areas.values() if area is not None)


def machine_of(python: Path) -> str:
    """The machine and the versions, in general terms."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    ours = ", ".join(
        f"{name} {version(name)}" for name in ("sosie", "numpy", "pandas", "scipy", "scikit-learn")
    )
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}, Python {platform.python_version()}; "
        f"{ours}; {versions(python)}"
    )


def command_of(asked: argparse.Namespace) -> str:
    """The command that makes the page."""
    words = ["--wbcd", asked.wbcd.name, "--aids", asked.aids.name]
    words += ["--runs", asked.runs.name] if asked.runs else []
    words += ["--splits", str(asked.splits)]
    words += ["--flights-splits", str(asked.flights_splits)] if asked.flights_splits else []
    words += ["--write", "docs/benchmarks/judge.md"]
    return f"python benchmarks/judge.py {' '.join(words)}"


def _arguments() -> argparse.ArgumentParser:
    arguments = argparse.ArgumentParser(description="sosie as a judge of avatars made by anything")
    arguments.add_argument("--wbcd", type=Path, required=True, help="wbcd.csv")
    arguments.add_argument("--aids", type=Path, required=True, help="aids.csv")
    arguments.add_argument("--runs", type=Path, help="wbcd_avatars_25_runs.csv: the published avatars too")
    arguments.add_argument("--splits", type=int, default=10, help="random halves of each table (default 10)")
    arguments.add_argument(
        "--flights-splits", type=int, help="of flights, which takes minutes each (default as --splits)"
    )
    arguments.add_argument("--synthesizers", type=Path, help="Python of requirements-synthesizers.txt")
    arguments.add_argument(
        "--kept", type=Path, default=Path("judge-figures"), help="folder of what was measured already"
    )
    arguments.add_argument("--only", nargs="+", default=[], help="these tables")
    arguments.add_argument("--write", type=Path, help="write the page here, and its picture beside it")
    return arguments


if __name__ == "__main__":
    sys.exit(main())
