"""sosie as a judge: its own avatars, those of other synthesizers and the published runs, on two real tables.

    python benchmarks/judge.py wbcd.csv aids.csv [--runs wbcd_avatars_25_runs.csv] [--splits 5]
        [--synthesizers PYTHON] [--write docs/benchmarks/judge.md]

The working half of each split is anonymised, the other half judges. Without `--synthesizers`, the others are
installed into a temporary environment. Exit code 1 when the judge finds more members of anything else than of a copy,
or takes real rows of other people for a leak.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from judge_page import LINKS, PRIVACY, UTILITY, Draws, mean, section
from judged_tables import RealTable, aids, halves, wbcd
from makers import HERE, install_synthesizers, judge, judge_links, linked_avatars, makers

AREA = "membership_raw_auc"
CLOSE = 0.05  # how far real rows of other people may be from an area of 0.5, on the mean


def main() -> int:
    """Make, judge, print and write; 1 when the two anchors are misjudged."""
    arguments = argparse.ArgumentParser(description="sosie as a judge of avatars made by anything")
    arguments.add_argument("wbcd", type=Path, help="wbcd.csv")
    arguments.add_argument("aids", type=Path, help="aids.csv")
    arguments.add_argument("--runs", type=Path, help="wbcd_avatars_25_runs.csv: the published avatars too")
    arguments.add_argument("--splits", type=int, default=5, help="random halves of each table (default 5)")
    arguments.add_argument("--synthesizers", type=Path, help="Python of requirements-synthesizers.txt")
    arguments.add_argument("--write", type=Path, help="write the page here")
    asked = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        python = asked.synthesizers or install_synthesizers(Path(folder))
        breast, trial = wbcd(asked.wbcd), aids(asked.aids)
        judged = {table.name: judge_table(table, asked.splits, python) for table in (breast, trial)}
        machine = machine_of(python)
    links = judge_runs(breast, asked.runs, asked.splits) if asked.runs else {}
    page = page_of(asked, judged, links, machine)
    print(page)
    if asked.write:
        asked.write.parent.mkdir(parents=True, exist_ok=True)
        asked.write.write_text(page, encoding="utf-8")
    misjudged = [name for name, found in judged.items() if not anchors_hold(found)]
    for name in misjudged:
        print(f"{name}: the anchors are misjudged", file=sys.stderr)
    return 1 if misjudged else 0


def judge_table(table: RealTable, splits: int, python: Path) -> dict[str, Draws]:
    """Every maker's figures, one mapping a split."""
    found: dict[str, Draws] = {}
    for name, make in makers(python).items():
        draws = []
        for seed in range(splits):
            print(f"{table.name}: {name}, split {seed + 1}", file=sys.stderr, flush=True)
            split = halves(table.frame, seed)
            draws.append(judge(table, split.working, make(table, split, seed), seed))
        found[name] = draws
    return found


def judge_runs(table: RealTable, runs: Path, splits: int) -> dict[str, Draws]:
    """The published runs beside our avatars of the same rows: with the published rule for twins, and as by default."""
    published = [
        run.drop(columns="iter").reset_index(drop=True) for _, run in pd.read_csv(runs).groupby("iter")
    ]
    seeds = range(splits)
    made = {
        f"published ({len(published)} runs)": published,
        f"sosie, zero_distance: limit ({splits})": [
            linked_avatars(table, table.frame, seed, zero_distance="limit") for seed in seeds
        ],
        f"sosie ({splits})": [linked_avatars(table, table.frame, seed) for seed in seeds],
        f"sosie gaussian ({splits})": [
            linked_avatars(table, table.frame, seed, weights="gaussian") for seed in seeds
        ],
    }
    return {
        name: [judge_links(table, avatars, seed) for seed, avatars in enumerate(tables)]
        for name, tables in made.items()
    }


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
    command = [str(python), str(HERE / "synthesizers.py"), "versions"]
    theirs = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}, Python {platform.python_version()}; "
        f"{ours}; {theirs}"
    )


def page_of(
    asked: argparse.Namespace,
    judged: Mapping[str, Mapping[str, Draws]],
    links: Mapping[str, Draws],
    machine: str,
) -> str:
    """The whole page, with the command that makes it."""
    words = [asked.wbcd.name, asked.aids.name, *(["--runs", asked.runs.name] if asked.runs else [])]
    words += ["--splits", str(asked.splits), "--write", "docs/benchmarks/judge.md"]
    text = (HERE / "judge_page.md").read_text(encoding="utf-8")
    parts = [
        text.format(
            command=f"python benchmarks/judge.py {' '.join(words)}", splits=asked.splits, machine=machine
        )
    ]
    for name, found in judged.items():
        parts += [
            f"## `{name}`: privacy",
            section(PRIVACY, found),
            f"## `{name}`: utility",
            section(UTILITY, found),
        ]
    if links:
        parts += [(HERE / "judge_runs.md").read_text(encoding="utf-8"), section(LINKS, links)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())
