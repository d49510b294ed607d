"""One part of making avatars, measured in a process of its own: `speed.py` starts it and reads the line it prints.

    python speed_parts.py files|searches|scipy|anonymise TABLE.parquet FOLDER

`files`: reading and writing the table. `searches`: the two neighbour searches of a run, on a half and on all rows, and
nothing else; `scipy`: the same two by scipy's trees, asked in the order of their leaves. `anonymise`: Parquet in,
avatars out, nothing measured. Seconds are of wall time, `processor` of all threads, from after the imports; memory is
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

from sosie.columns import encode
from sosie.decoding import Decoding, invert
from sosie.generation import draw_barycentres
from sosie.neighbours import nearest_others
from sosie.projection import fit_projection
from sosie.recognition import recognise
from sosie.sources.parquet_files import read_parquet, write_parquet
from sosie.streams import stream
from sosie.tasks.memory import give_back

K, NCP = 20, 5


@dataclass(frozen=True)
class Cost:
    """Wall and processor seconds, and the wall seconds of what it consists of."""

    seconds: float
    processor: float
    steps: Mapping[str, float]


def cost_of(work: Callable[[], object]) -> Cost:
    """The cost of a call."""
    before, started = time.process_time(), time.perf_counter()
    work()
    return Cost(time.perf_counter() - started, time.process_time() - before, {})


def anonymise(table: Path, folder: Path) -> None:
    """Parquet in, avatars out."""
    frame, dialect = read_parquet(table.read_bytes(), table.name)
    recognised = recognise(frame, {})
    encoded = encode(frame, recognised.columns, recognised.told)
    del frame, recognised
    give_back()  # as a run does between its steps
    coordinates = fit_projection(encoded, NCP).coordinates(encoded)
    drawn = draw_barycentres(coordinates, [np.arange(len(encoded))], K, "published", "floor", 1)
    made = invert(encoded, drawn, Decoding(), 1)
    del encoded, coordinates, drawn
    give_back()
    made = made.take(stream(1, "shuffle").permutation(len(made)))
    write_parquet(made.to_frame(), dialect, folder / "avatars.parquet")


def both_searches(table: Path, search: Callable[[NDArray[np.float64]], object]) -> Cost:
    """Only the neighbour searches: what comes before them is not counted."""
    frame = pd.read_parquet(table)
    encoded = encode(frame, recognise(frame, {}).columns)
    coordinates = fit_projection(encoded, NCP).coordinates(encoded)
    half, whole = (cost_of(partial(search, rows)) for rows in (coordinates[::2], coordinates))
    return Cost(
        half.seconds + whole.seconds,
        half.processor + whole.processor,
        {"working half": half.seconds, "all rows": whole.seconds},
    )


def searches(table: Path) -> Cost:
    """Those of a run."""
    return both_searches(table, partial(nearest_others, k=K))


def scipy_searches(table: Path) -> Cost:
    """The same two by an outside library at its best."""
    from scipy.spatial import cKDTree  # whose memory would count in the other parts

    def search(rows: NDArray[np.float64]) -> None:
        tree = cKDTree(rows, leafsize=32)
        tree.query(rows[tree.indices], K + 1, workers=-1)

    return both_searches(table, search)


def files(table: Path, folder: Path) -> None:
    """Reading and writing, as every run must."""
    pd.read_parquet(table).to_parquet(folder / "copy.parquet", index=False)


def main() -> None:
    """Measure one part and print it."""
    arguments = argparse.ArgumentParser(description="one part of making avatars, measured")
    arguments.add_argument("part", choices=["files", "searches", "scipy", "anonymise"])
    arguments.add_argument("table", type=Path)
    arguments.add_argument("folder", type=Path)
    asked = arguments.parse_args()
    imports = mebibytes()
    parts: Mapping[str, Callable[[], Cost]] = {
        "files": lambda: cost_of(partial(files, asked.table, asked.folder)),
        "searches": lambda: searches(asked.table),
        "scipy": lambda: scipy_searches(asked.table),
        "anonymise": lambda: cost_of(partial(anonymise, asked.table, asked.folder)),
    }
    tell(parts[asked.part](), imports)


def tell(cost: Cost, imports: float) -> None:
    """Print what was measured, with the memory that the imports took before."""
    print(json.dumps({**asdict(cost), "mebibytes": mebibytes(), "imports": imports}))


def mebibytes() -> float:
    """The most memory that this process has held; `getrusage` would count what its parent held before it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


if __name__ == "__main__":
    main()
