"""Whoever makes avatars of a working half: sosie, other synthesizers, and two that are known to be bad and good."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from judged_tables import Halves, RealTable, halves

import sosie
from sosie.estimates import Metric

HERE = Path(__file__).parent
K = 20


@dataclass(frozen=True, eq=False)
class Made:
    """A table of avatars, and the real rows that it is judged against."""

    avatars: pd.DataFrame
    linked: bool
    holdout: pd.DataFrame


Maker = Callable[[RealTable, Halves, int], Made]


def makers(synthesizers: Path) -> Mapping[str, Maker]:
    """All of them by name; `synthesizers` is the Python of their environment."""
    return {
        "copy": copy,
        "real rows": real_rows,
        "sosie": sosie_published,
        "sosie gaussian": sosie_gaussian,
        "SDV copula": lambda table, split, seed: _other(synthesizers, "sdv", table, split, seed),
        "ARF": lambda table, split, seed: _other(synthesizers, "arf", table, split, seed),
    }


def copy(_table: RealTable, split: Halves, _seed: int) -> Made:
    """The originals themselves, released as they are."""
    return Made(split.working, True, split.holdout)


def real_rows(_table: RealTable, split: Halves, seed: int) -> Made:
    """Real rows of other people: half of the holdout, the other half being what they are judged against."""
    released, holdout = halves(split.holdout, seed)
    return Made(released, False, holdout)


def sosie_published(table: RealTable, split: Halves, seed: int) -> Made:
    """The published law of the weights, all else as by default."""
    return Made(linked_avatars(table, split.working, seed), True, split.holdout)


def sosie_gaussian(table: RealTable, split: Halves, seed: int) -> Made:
    """Gaussian weights, all else as by default."""
    return Made(linked_avatars(table, split.working, seed, weights="gaussian"), True, split.holdout)


def linked_avatars(table: RealTable, rows: pd.DataFrame, seed: int, **method: Any) -> pd.DataFrame:
    """Avatars of these rows, in their order; the rows are not split, their evidence is measured elsewhere."""
    return sosie.anonymize(
        rows,
        k=K,
        ncp=table.ncp,
        seed=seed,
        columns=_categories(table.made_as_categories),
        holdout={"mode": "approximate"},
        attacks={"attempts": 10},
        **method,
    ).linked


def judge(table: RealTable, working: pd.DataFrame, made: Made, seed: int) -> Mapping[str, Metric]:
    """Every figure of these avatars, on the real holdout."""
    return sosie.evaluate(
        working,
        made.avatars,
        linked=made.linked,
        holdout=made.holdout,
        ncp=table.ncp,
        seed=seed,
        columns=_categories(table.categories),
        utility={"target": table.target},
    ).metrics


def judge_links(table: RealTable, avatars: pd.DataFrame, seed: int) -> Mapping[str, Metric]:
    """The figures of avatars of the whole table, row i from row i; no row is left for a real holdout."""
    return sosie.evaluate(
        table.frame,
        avatars,
        linked=True,
        ncp=table.ncp,
        seed=seed,
        columns=_categories(table.categories),
        attacks={"attempts": 10},
    ).metrics


def install_synthesizers(folder: Path) -> Path:
    """The Python of a new environment in this folder with the synthesizers in it."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    requirements = HERE / "requirements-synthesizers.txt"
    subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "-r", str(requirements)], check=True
    )
    return python


def _other(python: Path, which: str, table: RealTable, split: Halves, seed: int) -> Made:
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "working.parquet", Path(folder) / "avatars.parquet"
        split.working.to_parquet(given, index=False)
        words = [which, str(given), str(out), "--categories", ",".join(table.categories), "--seed", str(seed)]
        command = [str(python), "-W", "ignore", str(HERE / "synthesizers.py"), *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return Made(pd.read_parquet(out), False, split.holdout)


def _categories(names: tuple[str, ...]) -> dict[str, dict[str, str]]:
    return {name: {"type": "category"} for name in names}
