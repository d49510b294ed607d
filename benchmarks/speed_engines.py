"""What finds neighbours, measured in a process of its own: `speed.py` starts it and reads the line it prints.

    python speed_engines.py

Processor microseconds a query by rows, components and what searches: our trees, scipy's, and every distance.
"""

import time
from collections.abc import Callable
from functools import partial

from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors
from speed_parts import Cost, K, mebibytes, tell
from speed_tables import generated

from sosie.columns import encode
from sosie.projection import fit_projection
from sosie.recognition import recognise
from sosie.trees import Tree, leaf_order


def microseconds(search: Callable[[], object], queries: int) -> float:
    """Processor time of a search, a query."""
    before = time.process_time()
    search()
    return 1e6 * (time.process_time() - before) / queries


def main() -> None:
    """Measure them and print it."""
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
    tell(Cost(sum(found.values()) / 1e6, sum(found.values()) / 1e6, found), mebibytes())


if __name__ == "__main__":
    main()
