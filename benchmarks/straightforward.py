"""The method written as it is described, from the parts that come to mind: what the speed of sosie is held against.

    python straightforward.py TABLE.parquet AVATARS.parquet [--k 20] [--ncp 5] [--own-values]

saiph fits and projects, scikit-learn finds neighbours, and a loop draws each individual's weights and combines its
neighbours: their coordinates in all dimensions, which saiph transforms back; or, with `--own-values`, their own values,
a number by its mean and a level by a draw, as sosie does by default. Nothing of sosie is imported;
`requirements-straightforward.txt` is its environment.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
import saiph
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

Floats = NDArray[np.float64]


def avatars(table: pd.DataFrame, k: int, ncp: int, rng: np.random.Generator) -> pd.DataFrame:
    """One avatar for each row, in their order, transformed back by saiph."""
    model = saiph.fit(table)  # every dimension: some alone cannot be brought back
    coordinates = saiph.transform(table, model).to_numpy()
    distances, neighbours = neighbours_of(coordinates[:, :ncp], k)
    drawn = np.empty_like(coordinates)
    for i in range(len(table)):
        drawn[i] = weights_of(distances[i], rng) @ coordinates[neighbours[i]]
    made: pd.DataFrame = saiph.inverse_transform(pd.DataFrame(drawn), model)
    return made


def avatars_of_values(table: pd.DataFrame, k: int, ncp: int, rng: np.random.Generator) -> pd.DataFrame:
    """The same from the neighbours' own values."""
    coordinates = saiph.transform(table, saiph.fit(table, nf=ncp)).to_numpy()
    distances, neighbours = neighbours_of(coordinates, k)
    numeric = [name for name in table.columns if pd.api.types.is_numeric_dtype(table[name])]
    others = [name for name in table.columns if name not in numeric]
    numbers, levels = table[numeric].to_numpy(dtype=float), table[others].to_numpy(dtype=object)
    combined, drawn = np.empty_like(numbers), np.empty_like(levels)
    for i in range(len(table)):
        near, weights = neighbours[i], weights_of(distances[i], rng)
        combined[i] = weights @ numbers[near]
        for j in range(len(others)):
            drawn[i, j] = levels[rng.choice(near, p=weights), j]
    made = pd.DataFrame(combined, columns=numeric).assign(
        **{name: drawn[:, j] for j, name in enumerate(others)}
    )
    for name in numeric:
        if pd.api.types.is_integer_dtype(table[name]):
            made[name] = made[name].round().astype(table[name].dtype)
    return made[list(table.columns)]


def neighbours_of(near: Floats, k: int) -> tuple[Floats, NDArray[np.int64]]:
    """(n, k) distances and rows of the nearest others."""
    distances, neighbours = NearestNeighbors(n_neighbors=k + 1).fit(near).kneighbors(near)
    return distances[:, 1:], neighbours[:, 1:]


def weights_of(distances: Floats, rng: np.random.Generator) -> Floats:
    """(k,) weights of one individual's neighbours, adding up to 1."""
    k = len(distances)
    weights = (
        rng.exponential(size=k) * 0.5 ** rng.permutation(np.arange(1, k + 1)) / np.maximum(distances, 1e-12)
    )
    return weights / weights.sum()


def mebibytes() -> float:
    """The most memory that this process has held; `getrusage` would count what its parent held before it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    """Read, anonymise, write."""
    arguments = argparse.ArgumentParser(description="the straightforward implementation")
    arguments.add_argument("table")
    arguments.add_argument("avatars")
    arguments.add_argument("--k", type=int, default=20)
    arguments.add_argument("--ncp", type=int, default=5)
    arguments.add_argument("--own-values", action="store_true", help="combine neighbours' own values")
    asked = arguments.parse_args()
    imports = mebibytes()
    before, started = time.process_time(), time.perf_counter()
    make = avatars_of_values if asked.own_values else avatars
    made = make(pd.read_parquet(asked.table), asked.k, asked.ncp, np.random.default_rng(0))
    made.sample(frac=1, random_state=0).reset_index(drop=True).to_parquet(asked.avatars, index=False)
    found = {
        "seconds": time.perf_counter() - started,
        "processor": time.process_time() - before,
        "mebibytes": mebibytes(),
        "steps": {},
        "imports": imports,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
