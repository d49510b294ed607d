"""Cells of the projected space: cuts along its components, found on a sample, that any row can be held against."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sosie.columns import Floats

_HALVINGS = (
    4  # a batch's own space is cut into 16 cells, so that only its outermost ones are shared with others
)


@dataclass(frozen=True, eq=False)
class Cuts:
    """A binary tree of cuts, one entry a node: rows with `component` below `value` go to `low`, others to `high`.

    A leaf leads to itself. `cell` numbers the leaves from one end of the space to the other.
    """

    component: NDArray[np.int64]
    value: Floats
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    cell: NDArray[np.int64]
    depth: int

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return int(self.cell.max()) + 1

    def cells_of(self, coordinates: Floats) -> NDArray[np.int64]:
        """(m,) the cell of each of (m, ncp) coordinates."""
        node = np.zeros(len(coordinates), dtype=np.int64)
        if not coordinates.shape[1]:
            return node
        rows = np.arange(len(coordinates))
        for _ in range(self.depth):
            below = coordinates[rows, self.component[node]] < self.value[node]
            node = np.where(below, self.low[node], self.high[node])
        return self.cell[node]


@dataclass
class _Growing:
    component: list[int]
    value: list[float]
    low: list[int]
    high: list[int]
    cell: list[int]
    depth: int = 0
    cells: int = 0


def find_cuts(sample: Floats, batches: int) -> Cuts:
    """Cuts for so many batches of equal size, each into 16 cells.

    The (m, ncp) sample's widest component is cut where it leaves each side its share of the batches, again and again.
    """
    tree = _Growing([], [], [], [], [])
    _grow(tree, sample, batches, _HALVINGS, 0)
    return Cuts(
        np.array(tree.component),
        np.array(tree.value),
        np.array(tree.low),
        np.array(tree.high),
        np.array(tree.cell),
        tree.depth,
    )


def _grow(tree: _Growing, cloud: Floats, batches: int, halvings: int, depth: int) -> int:
    """Add a node and all below it; its number."""
    node = len(tree.value)
    for entries, first in ((tree.component, 0), (tree.low, node), (tree.high, node), (tree.cell, 0)):
        entries.append(first)
    tree.value.append(np.inf)
    if len(cloud) < 2 or not cloud.shape[1] or (batches == 1 and halvings == 0):
        tree.cell[node], tree.cells = tree.cells, tree.cells + 1
        tree.depth = max(tree.depth, depth)
        return node
    fewer, of = (batches // 2, batches) if batches > 1 else (1, 2)
    below = halvings if batches > 1 else halvings - 1
    widest = int(np.argmax(cloud.var(axis=0)))
    along = cloud[:, widest]
    value = float(np.sort(along)[len(along) * fewer // of])
    tree.component[node], tree.value[node] = widest, value
    tree.low[node] = _grow(tree, cloud[along < value], fewer, below, depth + 1)
    tree.high[node] = _grow(tree, cloud[along >= value], max(1, batches - fewer), below, depth + 1)
    return node
