"""One part of sosie, measured in a process of its own: `speed.py` starts it and reads the line of JSON it prints.

    python speed_parts.py anonymise|run|searches|files TABLE.parquet FOLDER

`anonymise`: Parquet in, avatars out, nothing measured. `run`: the whole job as `sosie anonymize --direct` does it,
with all evidence and the report. `searches`: the two neighbour searches of that run, on a half and on all rows, and
nothing else. `files`: reading and writing the table. Seconds are of wall time, `processor` of all threads, from after
the imports; memory is the most that the process held.
"""

import json
import resource
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
from sosie.tasks.run import new_run_id

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
    projection = fit_projection(encoded, NCP)
    coordinates = projection.coordinates(encoded)
    drawn = draw_barycentres(coordinates, [np.arange(len(encoded))], K, "published", "floor", 1)
    made = invert(encoded, drawn, Decoding(), 1)
    made.take(stream(1, "shuffle").permutation(len(made))).to_frame().to_parquet(
        folder / "avatars.parquet", index=False
    )
    return {}


def run(table: Path, folder: Path) -> Mapping[str, float]:
    """The whole job; seconds by step."""
    configuration = folder / "sosie.yaml"
    configuration.write_text("targets: {mode: report}\nstore: {keep: false}\n", encoding="utf-8")
    request = Request(source=str(table), config=str(configuration), out=str(folder / "runs"))
    call = DirectCalls(silent)
    manifest = run_request(request, folder / "runs" / new_run_id(), call)
    if manifest.status != "released":
        raise SystemExit(f"not released: {manifest.code}")
    return call.seconds


def searches(table: Path, _folder: Path) -> Cost:
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


PARTS: Mapping[str, Callable[[Path, Path], Mapping[str, float]]] = {
    "anonymise": anonymise,
    "run": run,
    "files": files,
}


def main() -> None:
    """Measure one part and print it."""
    part, table, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    cost = searches(table, folder) if part == "searches" else cost_of(lambda: PARTS[part](table, folder))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**asdict(cost), "mebibytes": peak}))


if __name__ == "__main__":
    main()
