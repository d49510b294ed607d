"""All evidence on a large table: time of every part, beside that of two nearest-neighbour searches, and peak memory.

    python benchmarks/evaluation_speed.py [--rows 100000]

A generated table of 14 columns (7 numbers, 6 categories of 2 to 30 levels, a date): as many rows are anonymised as are
asked for, and as many set apart to measure against. Seconds are of the processor, all threads added, so that they say
the same on a busy machine; the unit is one search for the two nearest avatars and one for the two nearest holdout rows
of every original. Exit code 1 when the evaluation takes a minute of the processor: on cores that do nothing else, the
wall time is less than that.
"""

import argparse
import functools
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from sosie import measure
from sosie.attacks import battery
from sosie.flows.anonymization import measured_avatars
from sosie.schemas.configuration import parse_configuration
from sosie.tasks import measuring, steps
from sosie.tasks.calls import DirectCalls, silent
from sosie.tasks.job import job_of
from sosie.utility import measurement

MOST_SECONDS = 60.0
LEVELS = (2, 3, 4, 6, 12, 30)
UNIT = "_near"
WHOLE = {"metrics": "measure_avatars", "attacks": "attack_avatars", "utility": "measure_use"}
PARTS: Mapping[str, tuple[ModuleType, tuple[str, ...]]] = {
    "metrics": (
        measure,
        (
            "_coordinates",
            "_near",
            "summary_and_counts",
            "both_hidden_rates",
            "closeness_of",
            "plane",
            "_variables",
            "_direct_matches",
        ),
    ),
    "attacks": (
        battery,
        (
            "singling_out_univariate",
            "singling_out_multivariate",
            "linkability",
            "inference",
            "isolated_rows",
            "membership_projected",
            "membership_raw",
            "membership_density",
            "copies",
        ),
    ),
    "utility": (
        measurement,
        ("summarise", "association_change", "principal_agreement", "discriminate", "train_and_test"),
    ),
}


def main() -> int:
    """Generate, anonymise, evaluate, print; 1 when it took a minute of the processor."""
    arguments = argparse.ArgumentParser(description="time and memory of all evidence on a large table")
    arguments.add_argument("--rows", type=int, default=100_000, help="rows evaluated (default 100000)")
    rows = arguments.parse_args().rows
    job = job_of(parse_configuration({"utility": {"target": "c0"}}), seed=1)
    checked = steps.check(generated(2 * rows), job.declared, None)
    halves = steps.split_rows(checked, "real", 0, job.seed)
    processor, wall = time_parts()
    before = peak_mebibytes()
    measured_avatars(checked, halves, job, DirectCalls(silent))
    print(table_of(processor))
    took, worked = (sum(seconds[name] for name in WHOLE.values()) for seconds in (wall, processor))
    print(
        f"\n{rows} rows on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}: {took:.1f} s of wall time, "
        f"{worked:.1f} s of processor time; memory {before:.0f} MiB before, {peak_mebibytes():.0f} MiB at the most"
    )
    return 0 if worked < MOST_SECONDS else 1


def time_parts() -> tuple[dict[str, float], dict[str, float]]:
    """Processor and wall seconds by function, filled as they are called: each is replaced where it is called from."""
    processor: dict[str, float] = {}
    wall: dict[str, float] = {}

    def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            worked, started = time.process_time(), time.perf_counter()
            result = function(*args, **kwargs)
            processor[name] = processor.get(name, 0.0) + time.process_time() - worked
            wall[name] = wall.get(name, 0.0) + time.perf_counter() - started
            return result

        return call

    for module, names in [*PARTS.values(), (measuring, tuple(WHOLE.values()))]:
        for name in names:
            setattr(module, name, timed(name, getattr(module, name)))
    return processor, wall


def generated(rows: int) -> pd.DataFrame:
    """Three latent factors behind 13 columns and a date that follows the last of them; 2 % gaps in one column."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(rows, 3)) @ rng.normal(size=(3, 13)) + rng.normal(size=(rows, 13))
    ranks = scores.argsort(axis=0).argsort(axis=0) / rows
    columns: dict[str, object] = {f"x{place}": scores[:, place].round(3) for place in range(4)}
    columns["gaps"] = np.where(rng.random(rows) < 0.02, np.nan, scores[:, 4].round(2))
    columns["age"] = np.clip(50 + 8 * scores[:, 5], 18, 99).round().astype(int)
    columns["stay"] = np.exp(1 + scores[:, 6] / 2).round().astype(int)
    for place, levels in enumerate(LEVELS):
        labels = np.array([f"level {level}" for level in range(levels)])
        columns[f"c{place}"] = labels[(ranks[:, 7 + place] ** 1.5 * levels).astype(int)]
    days = (ranks[:, 12] * 3000).round().astype(int)
    columns["admitted"] = pd.Timestamp("2015-01-01") + pd.to_timedelta(days, unit="D")
    return pd.DataFrame(columns)


def table_of(seconds: Mapping[str, float]) -> str:
    """A line of Markdown for each part and what it consists of: seconds, and how many times the unit."""
    lines = ["| part | processor seconds | × the searches |", "| --- | --- | --- |"]
    for part, (_, names) in PARTS.items():
        lines.append(_line(f"**{part}**", seconds[WHOLE[part]], seconds[UNIT]))
        lines += [_line(f"`{name.lstrip('_')}`", seconds[name], seconds[UNIT]) for name in names]
    return "\n".join(
        [*lines, _line("**total**", sum(seconds[name] for name in WHOLE.values()), seconds[UNIT])]
    )


def _line(said: str, seconds: float, unit: float) -> str:
    return f"| {said} | {seconds:.2f} | {seconds / unit:.1f} |"


def peak_mebibytes() -> float:
    """The most memory this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main())
