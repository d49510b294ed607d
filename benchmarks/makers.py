"""Whoever makes avatars of a working half: sosie, other synthesizers, and two that are known to be bad and good."""

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from judged_tables import Halves, RealTable, halves

from sosie.decoding import Decoding
from sosie.schemas.configuration import parse_configuration
from sosie.tasks import steps
from sosie.tasks.job import job_of, weights_of

HERE = Path(__file__).parent
K, LARGER_K = 20, 40
MOST_ROWS = {"sdv": 20_000, "arf": 2_000}  # what a synthesizer learns from; drawn at random of a larger half
THREADS = 1


@dataclass(frozen=True, eq=False)
class Made:
    """A table of avatars, the rows that it was made of, and the real rows that it is judged against."""

    avatars: pd.DataFrame
    linked: bool
    working: pd.DataFrame
    holdout: pd.DataFrame


Maker = Callable[[RealTable, Halves, int], Made]
Synthesize = Callable[[str, pd.DataFrame, tuple[str, ...], int], pd.DataFrame]


def makers(synthesize: Synthesize) -> Mapping[str, Maker]:
    """All of them by name; `synthesize` is of `served`."""
    return {
        "copy": copy,
        "real rows": real_rows,
        "published": lambda table, split, seed: ours(table, split, seed, weights="published"),
        "gaussian": lambda table, split, seed: ours(table, split, seed, weights="gaussian"),
        "gaussian, k = 40": lambda table, split, seed: ours(
            table, split, seed, weights="gaussian", k=LARGER_K
        ),
        "SDV copula": lambda table, split, seed: _other(synthesize, "sdv", table, split, seed),
        "ARF": lambda table, split, seed: _other(synthesize, "arf", table, split, seed),
    }


def copy(_table: RealTable, split: Halves, _seed: int) -> Made:
    """The originals themselves, released as they are."""
    return Made(split.working, True, split.working, split.holdout)


def real_rows(_table: RealTable, split: Halves, seed: int) -> Made:
    """Real rows of other people: half of the holdout, the other half being what they are judged against."""
    released, holdout = halves(split.holdout, seed)
    return Made(released, False, split.working, holdout)


def ours(table: RealTable, split: Halves, seed: int, **method: Any) -> Made:
    """Avatars of sosie, all that `method` does not name as by default."""
    return Made(linked_avatars(table, split.working, seed, **method), True, split.working, split.holdout)


def linked_avatars(table: RealTable, rows: pd.DataFrame, seed: int, **method: Any) -> pd.DataFrame:
    """Avatars of these rows, in their order: the steps of a run without its own split and evidence."""
    asked = {"k": K, "ncp": table.ncp, "seed": seed} | method
    columns = declared(table.made_as_categories)
    job = job_of(parse_configuration({"method": asked, "columns": columns, "workers": THREADS}))
    rule = job.configuration.method
    checked = steps.check(rows, job.declared.unweighted(), job.identifier_seed)
    weights = weights_of(job.configuration.columns)
    projected = steps.project(checked, weights, rule.ncp, rule.imputation)
    drawn = steps.draw(projected, rule.k, rule.weights, rule.zero_distance, None, "local", job.seed, THREADS)
    decoding = Decoding(rule.categories, rule.integers)
    linked = steps.transform_back(checked, projected, drawn, decoding, job.seed, THREADS)
    return steps.release_frame(checked, linked.table)


def declared(names: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """The configuration's section that makes categories of these columns."""
    return {name: {"type": "category"} for name in names}


def versions(python: Path) -> str:
    """The synthesizers that are installed."""
    command = [str(python), str(HERE / "synthesizers.py"), "versions"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@contextmanager
def served(python: Path) -> Iterator[Synthesize]:
    """Synthesizers in a process of their own, which ends with the context."""
    command = [str(python), "-W", "ignore", str(HERE / "synthesizers.py"), "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield partial(_synthesize, process)


def _synthesize(
    process: subprocess.Popen[str], which: str, working: pd.DataFrame, categories: tuple[str, ...], seed: int
) -> pd.DataFrame:
    """As many synthetic rows as working ones; RuntimeError where the process has ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "working.parquet", Path(folder) / "avatars.parquet"
        working.to_parquet(given, index=False)
        asked = {"which": which, "working": str(given), "out": str(out)}
        line = json.dumps(asked | {"categories": list(categories), "seed": seed})
        process.stdin.write(line + "\n")
        process.stdin.flush()
        if process.stdout.readline() != "made\n":
            raise RuntimeError(f"{which} made no table: what it printed says why")
        return pd.read_parquet(out)


def _other(synthesize: Synthesize, which: str, table: RealTable, split: Halves, seed: int) -> Made:
    """Synthetic rows, as many as were learnt from: the working half, or its first rows, which are random ones."""
    working, holdout = (half.head(MOST_ROWS[which]) for half in split)
    return Made(synthesize(which, working, table.categories, seed), False, working, holdout)
