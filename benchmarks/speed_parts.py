"""One part of sosie, measured in a process of its own: `speed.py` starts it and reads the line of JSON it prints.

    python speed_parts.py anonymise|run|searches|files|engines TABLE.parquet FOLDER [--method '{k: 200}']

`anonymise`: Parquet in, avatars out, nothing measured. `run`: the whole job as `sosie anonymize --direct` does it,
with all evidence and the report. `searches`: the two neighbour searches of that run, on a half and on all rows, and
nothing else. `files`: reading and writing the table. `engines`: our trees, scipy's and every distance, in microseconds
a query, on tables of its own. Seconds are of wall time, `processor` of all threads, from after the imports; memory is
the most that the process held.
"""

import argparse
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from speed_tables import generated

from sosie.columns import encode
from sosie.decoding import Decoding, invert
from sosie.flows.runs import run_request
from sosie.generation import draw_barycentres
from sosie.neighbours import nearest_others
from sosie.projection import fit_projection
from sosie.recognition import recognise
from sosie.schemas.request import Request
from sosie.streams import stream
from sosie.tasks.calls import DirectCalls, silent
from sosie.tasks.memory import give_back
from sosie.tasks.run import new_run_id
from sosie.trees import Tree, leaf_order

K, NCP = 20, 5


@dataclass(frozen=True)
class Cost:
    """Wall and processor seconds, and the wall seconds of what it consists of."""

    seconds: float
    processor: float
    steps: Mapping[str, float]


def cost_of(work: Callable[[], Mapping[str, float]]) -> Cost:
    """The cost of a call that gives the seconds of its steps."""
    before, started = time.process_time(), time.perf_counter()
    steps = work()
    return Cost(time.perf_counter() - started, time.process_time() - before, dict(steps))


def anonymise(table: Path, folder: Path) -> Mapping[str, float]:
    """Parquet in, avatars out."""
    frame = pd.read_parquet(table)
    encoded = encode(frame, recognise(frame, {}).columns)
    del frame
    give_back()  # as a run does between its steps
    coordinates = fit_projection(encoded, NCP).coordinates(encoded)
    drawn = draw_barycentres(coordinates, [np.arange(len(encoded))], K, "published", "floor", 1)
    made = invert(encoded, drawn, Decoding(), 1)
    del encoded, coordinates, drawn
    give_back()
    made = made.take(stream(1, "shuffle").permutation(len(made)))
    made.to_frame().to_parquet(folder / "avatars.parquet", index=False)
    return {}


def run(table: Path, folder: Path, method: str) -> Mapping[str, float]:
    """The whole job; seconds by step."""
    configuration = folder / "sosie.yaml"
    asked = f"targets: {{mode: report}}\nstore: {{keep: false}}\nmethod: {method}\n"
    configuration.write_text(asked, encoding="utf-8")
    request = Request(source=str(table), config=str(configuration), out=str(folder / "runs"))
    call = DirectCalls(silent)
    manifest = run_request(request, folder / "runs" / new_run_id(), call)
    if manifest.status != "released":
        raise SystemExit(f"not released: {manifest.code}")
    return call.seconds


def searches(table: Path) -> Cost:
    """Only the neighbour searches: what comes before them is not counted."""
    frame = pd.read_parquet(table)
    encoded = encode(frame, recognise(frame, {}).columns)
    coordinates = fit_projection(encoded, NCP).coordinates(encoded)

    def search(rows: NDArray[np.float64]) -> Mapping[str, float]:
        nearest_others(rows, K)
        return {}

    half, whole = (cost_of(partial(search, rows)) for rows in (coordinates[::2], coordinates))
    return Cost(
        half.seconds + whole.seconds,
        half.processor + whole.processor,
        {"working half": half.seconds, "all rows": whole.seconds},
    )


def files(table: Path, folder: Path) -> Mapping[str, float]:
    """Reading and writing, as every run must."""
    pd.read_parquet(table).to_parquet(folder / "copy.parquet", index=False)
    return {}


def engines() -> Mapping[str, float]:
    """Processor microseconds a query by rows, components and what searches."""
    from sklearn.neighbors import NearestNeighbors  # which no other part needs, and whose memory would count

    found = {}
    for rows in (5_000, 20_000, 100_000):
        frame = generated(rows)
        encoded = encode(frame, recognise(frame, {}).columns)
        for components in (5, 8, 12, 16, 20):
            points = fit_projection(encoded, components).coordinates(encoded)
            points = points[leaf_order(points)]
            asked = points[rows // 2 : rows // 2 + 4_096]
            brute = NearestNeighbors(algorithm="brute").fit(points)
            searches = {
                "sosie": partial(Tree(points).nearest, asked, K + 1),
                "scipy": partial(cKDTree(points, leafsize=32).query, asked, K + 1),
                "brute": partial(brute.kneighbors, asked, K + 1),
            }
            for name, search in searches.items():
                found[f"{rows} {components} {name}"] = microseconds(search, len(asked))
    return found


def microseconds(search: Callable[[], object], queries: int) -> float:
    """Processor time of a search, a query."""
    before = time.process_time()
    search()
    return 1e6 * (time.process_time() - before) / queries


def main() -> None:
    """Measure one part and print it."""
    arguments = argparse.ArgumentParser(description="one part of sosie, measured")
    arguments.add_argument("part", choices=["anonymise", "run", "searches", "files", "engines"])
    arguments.add_argument("table", type=Path)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--method", default="{}", help="of `run`: the configuration's method, as YAML")
    asked = arguments.parse_args()
    imports = mebibytes()
    parts: Mapping[str, Callable[[], Mapping[str, float]]] = {
        "anonymise": lambda: anonymise(asked.table, asked.folder),
        "run": lambda: run(asked.table, asked.folder, asked.method),
        "files": lambda: files(asked.table, asked.folder),
        "engines": engines,
    }
    cost = searches(asked.table) if asked.part == "searches" else cost_of(parts[asked.part])
    print(json.dumps({**asdict(cost), "mebibytes": mebibytes(), "imports": imports}))


def mebibytes() -> float:
    """The most memory that this process has held; `getrusage` would count what its parent held before it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


if __name__ == "__main__":
    main()
