"""Tables as what scikit-learn's models take: one array of numbers, without gaps.

A missing number becomes the mean and sets an indicator; a missing category is one level more. Categories keep their
commonest levels only: gradient boosting takes 255 at most.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sosie.columns import Codes, Floats, Mask, Table

MOST_ROWS, MOST_CELLS, FEWEST_MOST = 10_000, 2_000_000, 1_000
_MOST_LEVELS = 100


def most_rows(columns: int) -> int:
    """How many rows a model of so many columns is given: 10,000, fewer beyond 200 columns, at least 1,000."""
    return min(MOST_ROWS, max(FEWEST_MOST, MOST_CELLS // max(1, columns)))


@dataclass(frozen=True, eq=False)
class Features:
    """Which columns of a table are used, and how.

    `numbers` and `codes` are positions. `means` fill the numbers' gaps; `gaps` are the numbers that have an indicator
    of them. `level_codes` maps each category's levels to 0, 1, …, all rare ones to one, its last entry being for a gap.
    """

    numbers: tuple[int, ...]
    means: tuple[float, ...]
    gaps: tuple[int, ...]
    codes: tuple[int, ...]
    level_codes: tuple[NDArray[np.int64], ...]

    @property
    def categorical(self) -> Mask:
        """Which of the array's columns are categories."""
        numeric = len(self.numbers) + len(self.gaps)
        return np.arange(numeric + len(self.codes)) >= numeric

    def array(self, table: Table) -> Floats:
        """(n, features) floats: numbers, indicators of their gaps, then codes."""
        numbers = table.numbers[:, self.numbers]
        codes = [
            level_codes[np.maximum(table.codes[:, j], -1)]
            for j, level_codes in zip(self.codes, self.level_codes, strict=True)
        ]
        filled = np.where(np.isnan(numbers), np.array(self.means), numbers)
        return np.column_stack([filled, np.isnan(table.numbers[:, self.gaps]), *codes]).astype(np.float64)

    def linear(self, model: Any) -> Any:
        """The model behind standardised numbers and indicators of levels: a pipeline of scikit-learn."""
        # long to import: only where used
        from sklearn.compose import make_column_transformer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler

        return make_pipeline(
            make_column_transformer(
                (StandardScaler(), ~self.categorical),
                (OneHotEncoder(handle_unknown="ignore"), self.categorical),
            ),
            model,
        )


def features_of(tables: tuple[Table, ...], without: Hashable | None = None) -> Features:
    """The features of tables of the same columns, levels ranked by their rows in all of them.

    `without` names a column to leave out, the one that is predicted.
    """
    numbers = [j for j, column in enumerate(tables[0].number_columns) if column.name != without]
    codes = [j for j, column in enumerate(tables[0].category_columns) if column.name != without]
    cells = [np.concatenate([table.numbers[:, j] for table in tables]) for j in numbers]
    gaps = [j for j, held in zip(numbers, cells, strict=True) if np.isnan(held).any()]
    held_codes = [np.concatenate([table.codes[:, j] for table in tables]) for j in codes]
    sizes = [len(tables[0].category_columns[j].levels) for j in codes]
    return Features(
        numbers=tuple(numbers),
        means=tuple(_mean(held) for held in cells),
        gaps=tuple(gaps),
        codes=tuple(codes),
        level_codes=tuple(_level_codes(held, size) for held, size in zip(held_codes, sizes, strict=True)),
    )


def _mean(cells: Floats) -> float:
    present = cells[~np.isnan(cells)]
    return float(present.mean()) if len(present) else 0.0


def _level_codes(codes: Codes, size: int) -> NDArray[np.int64]:
    counts = np.bincount(codes[codes >= 0], minlength=size)
    ranks = np.empty(size, dtype=np.int64)
    ranks[np.argsort(-counts, kind="stable")] = np.arange(size)
    return np.append(np.minimum(ranks, _MOST_LEVELS - 1), _MOST_LEVELS)
