"""The method written as it is described, from the parts that come to mind: what the speed of sosie is held against.

    python straightforward.py TABLE.parquet AVATARS.parquet [--k 20] [--ncp 5]

saiph fits, projects and transforms back, scikit-learn finds neighbours, and a loop draws each individual's weights and
combines its neighbours. Nothing of sosie is imported; `requirements-straightforward.txt` is its environment.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
import saiph
from sklearn.neighbors import NearestNeighbors


def avatars(table: pd.DataFrame, k: int, ncp: int, rng: np.random.Generator) -> pd.DataFrame:
    """One avatar for each row, in another order."""
    model = saiph.fit(
        table
    )  # every dimension: some alone are found by random sampling, and cannot be brought back
    coordinates = saiph.transform(table, model).to_numpy()
    near = coordinates[:, :ncp]
    distances, neighbours = NearestNeighbors(n_neighbors=k + 1).fit(near).kneighbors(near)
    drawn = np.empty_like(coordinates)
    for i in range(len(table)):
        away = np.maximum(distances[i, 1:], 1e-12)
        weights = rng.exponential(size=k) * 0.5 ** rng.permutation(np.arange(1, k + 1)) / away
        drawn[i] = weights @ coordinates[neighbours[i, 1:]] / weights.sum()
    made = saiph.inverse_transform(pd.DataFrame(drawn), model)
    return made.sample(frac=1, random_state=0).reset_index(drop=True)


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
    asked = arguments.parse_args()
    imports = mebibytes()
    before, started = time.process_time(), time.perf_counter()
    made = avatars(pd.read_parquet(asked.table), asked.k, asked.ncp, np.random.default_rng(0))
    made.to_parquet(asked.avatars, index=False)
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
