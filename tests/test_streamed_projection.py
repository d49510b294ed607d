"""A projection fitted block by block is the one fitted in memory, to the last bit."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
import pytest

from sosie import missing
from sosie.blocks import Rows, blocks
from sosie.columns import Floats, Table, encode
from sosie.errors import InputError
from sosie.missing import ImputationRule
from sosie.ordered import Pieces, whole
from sosie.projection import Projection, fit_projection
from sosie.recognition import recognise
from sosie.relations import NO_RELATIONS
from sosie.streamed_projection import fit_streamed


def mixed(n: int, gaps: float) -> Table:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "kg": rng.normal(70, 12, n).round(1),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
            "ward": rng.choice(["north", "south", "east"], n),
            "grade": pd.Series(["a", "b", None]).take(rng.choice(3, n, p=[0.6, 0.4 - gaps, gaps])).to_numpy(),
        }
    )
    frame.loc[rng.random(n) < gaps, "kg"] = np.nan
    return encode(frame, recognise(frame, {}).columns)


def held(blocks: Iterable[Sequence[Floats]]) -> list[Pieces]:
    """Columns laid aside in memory."""
    return [whole(np.concatenate(pieces)) for pieces in zip(*blocks, strict=True)]


def streamed(table: Table, rule: ImputationRule) -> Projection:
    def tables() -> Iterator[Table]:
        return (table.take(np.arange(rows.start, rows.stop)) for rows in blocks(len(table)))

    def take(rows: Rows) -> Table:
        return table.take(rows)

    return fit_streamed(tables, take, table.columns, 4, rule, NO_RELATIONS, held)


@pytest.mark.parametrize("rule", ["fast_knn", "mean", "median", "mode"])
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_coordinates_are_the_same_bytes_as_in_memory(rule: ImputationRule, gaps: float) -> None:
    table = mixed(140_000, gaps)
    whole, blocks = fit_projection(table, 4, rule), streamed(table, rule)
    assert blocks.axes.eigenvalues.tobytes() == whole.axes.eigenvalues.tobytes()
    assert blocks.coordinates(table).tobytes() == whole.coordinates(table).tobytes()


def test_a_sample_that_imputes_is_the_same_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing, "_BASE", 5_000)
    table = mixed(70_000, 0.2)
    whole, blocks = fit_projection(table, 4), streamed(table, "fast_knn")
    assert blocks.coordinates(table).tobytes() == whole.coordinates(table).tobytes()


def test_an_imputation_that_needs_all_rows_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"knn needs the whole table in memory.*fast_knn, mean, median or mode"
    ):
        streamed(mixed(1_000, 0.1), "knn")
