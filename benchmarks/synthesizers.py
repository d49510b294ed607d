"""Other synthesizers, run in their own environment: a Parquet table in, a synthetic one of as many rows out.

    python synthesizers.py serve     reads {"which": "sdv" or "arf", "working": PATH, "out": PATH, "categories": […],
                                     "seed": 0}, one a line, and answers "made" to each
    python synthesizers.py versions  prints what is installed

`requirements-synthesizers.txt` is that environment. Nothing of sosie is imported.
"""

import argparse
import contextlib
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

GAP = "gap in "


def sdv(table: pd.DataFrame, categories: list[str], seed: int) -> pd.DataFrame:
    """SDV's Gaussian copula with its default settings; it draws from a fixed seed of its own."""
    from sdv.metadata import Metadata
    from sdv.single_table import GaussianCopulaSynthesizer

    # these libraries draw from numpy's global state and take no generator
    np.random.seed(seed)  # noqa: NPY002
    kinds = {name: {"sdtype": "categorical" if name in categories else "numerical"} for name in table.columns}
    metadata = Metadata.load_from_dict({"tables": {"table": {"columns": kinds}}})
    synthesizer = GaussianCopulaSynthesizer(metadata)
    synthesizer.fit({"table": table})
    return synthesizer.sample(len(table))["table"]


def arf(table: pd.DataFrame, categories: list[str], seed: int) -> pd.DataFrame:
    """Adversarial random forests with their default settings.

    They know no gaps and no whole numbers: a gap is a level of one more column, a number is rounded as the originals
    are written and kept within their range.
    """
    from arfpy.arf import arf as forests

    # these libraries draw from numpy's global state and take no generator
    np.random.seed(seed)  # noqa: NPY002
    filled = table.copy()
    gaps = [name for name in table.columns if table[name].isna().any()]
    for name in gaps:
        middle = table[name].median() if _is_number(table[name]) else table[name].mode()[0]
        filled[name] = table[name].fillna(middle)
        filled[GAP + name] = table[name].isna().astype(str)
    filled[categories] = filled[categories].astype(str)
    model = forests(filled, verbose=False, random_state=seed)
    model.forde()
    drawn = model.forge(n=len(table))
    made = {name: _as_written(drawn[name], table[name]) for name in table.columns}
    for name in gaps:
        made[name] = made[name].mask(drawn[GAP + name].astype(str) == "True")
    return pd.DataFrame(made)


def _as_written(drawn: pd.Series, originals: pd.Series) -> pd.Series:
    if not _is_number(originals):
        return drawn.astype(originals.dtype)
    numbers = drawn.astype(float).clip(originals.min(), originals.max())
    return numbers.round(_decimals(originals)).astype(originals.dtype)


def _is_number(column: pd.Series) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column))


def _decimals(numbers: pd.Series) -> int:
    present = numbers.dropna().astype(float)
    return next((places for places in range(16) if np.array_equal(present.round(places), present)), 15)


def serve() -> None:
    """One request a line, as JSON, answered by a line once the table is written: libraries are imported once."""
    for line in sys.stdin:
        asked = json.loads(line)
        with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
            table = pd.read_parquet(asked["working"])
            made = {"sdv": sdv, "arf": arf}[asked["which"]](table, asked["categories"], asked["seed"])
            made.to_parquet(asked["out"], index=False)
        print("made", flush=True)


def main() -> None:
    """Serve, or say what is installed."""
    arguments = argparse.ArgumentParser(description="synthetic tables by SDV's Gaussian copula or arfpy")
    arguments.add_argument("what", choices=["serve", "versions"])
    if arguments.parse_args().what == "versions":
        print(f"sdv {version('sdv')}, arfpy {version('arfpy')}")
    else:
        serve()


if __name__ == "__main__":
    main()
