"""A streamed table gives the very bytes of one in memory."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.errors import InputError
from sosie.tasks.job import MEASURED

SCALES = {
    "age": {"transform": "sqrt"},
    "kg": {"transform": "log"},
    "seen": {"transform": "quantile"},
    "most_kg": {"transform": "sqrt"},
}
DERIVED = {
    "ratio": {"derived": "round(kg / age, 3)"},
    "stay": {"derived": "days(seen, left)"},
    "old": {"derived": "age > 50"},
}
RELATED: dict[str, Any] = {
    "columns": {**SCALES, **DERIVED},
    "constraints": ["seen <= left", "kg <= most_kg"],
    "method": {"imputation": "median"},
}


@pytest.mark.parametrize("case", [(3_000, ".parquet"), (3_000, ".csv"), (140_001, ".parquet")], indirect=True)
def test_one_batch_gives_the_avatars_made_in_memory(case: Any) -> None:
    assert case.streamed() == case.in_memory()


@pytest.mark.parametrize("by", ["local", "random"])
def test_several_batches_give_the_avatars_of_as_many_in_memory(case: Any, by: str) -> None:
    batches = {"rows": 700, "by": by}
    assert case.streamed(batches=batches) == case.in_memory(batches=batches)


@pytest.mark.parametrize("case", [(140_001, ".parquet")], indirect=True)
@pytest.mark.parametrize("asked", [{}, RELATED], ids=str)
def test_so_do_batches_cut_from_several_blocks(case: Any, asked: dict[str, Any]) -> None:
    asked = {**asked, "batches": {"rows": 40_000}}
    assert case.streamed(**asked) == case.in_memory(**asked)


@pytest.mark.parametrize("asked", [{}, RELATED], ids=str)
def test_the_working_half_is_the_same_half(case: Any, asked: dict[str, Any]) -> None:
    assert case.streamed(part=MEASURED, **asked) == case.in_memory(part=MEASURED, **asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"method": {"weights": "gaussian", "categories": "mode", "integers": "truncate"}},
        {"method": {"imputation": "mean", "zero_distance": "limit"}},
        {"method": {"imputation": "mode"}},
        {"columns": {"ward": {"weight": 3.0}, "score": {"missing_codes": [4]}, "grade": {"role": "drop"}}},
        {"rare_values": {"min_count": 1000, "label": "other"}},
        RELATED,
        {"constraints": RELATED["constraints"], "method": {"integers": "truncate"}},
        {"columns": DERIVED},
        {**RELATED, "method": {"imputation": "mode", "weights": "gaussian"}},
    ],
)
@pytest.mark.parametrize("batches", [{}, {"rows": 700}], ids=str)
def test_whatever_is_asked(case: Any, asked: dict[str, Any], batches: dict[str, Any]) -> None:
    assert case.streamed(**asked, batches=batches) == case.in_memory(**asked, batches=batches)


@pytest.mark.parametrize(
    ("expression", "told"), [("b / a", "nothing"), ("a == 0", "a value that no row has")]
)
def test_what_derived_columns_cannot_hold_is_counted_over_all_batches(
    case: Any, expression: str, told: str
) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice([-1, 1], 2_000), "b": rng.normal(size=2_000).round(2)})
    frame["c"] = frame.eval(expression)
    frame.to_parquet(case.source)
    columns = {"a": {"weight": 1e-9}, "c": {"derived": expression}}  # neighbours are those in b: -1 and 1 mix
    asked = {"columns": columns, "batches": {"rows": 300}}
    told_whole = refusal(lambda: case.in_memory(**asked))
    assert re.search(rf'"c" gives \d+ avatar\(s\) {told}', told_whole)
    for _ in ("at first", "resumed"):
        assert refusal(lambda: case.streamed(**asked)) == told_whole


def refusal(made: Callable[[], object]) -> str:
    try:
        made()
    except InputError as error:
        return str(error)
    return "no refusal"


def test_a_share_elsewhere_gives_the_same_bytes(case: Any) -> None:
    """A folder, and a place that is no folder of this machine: fsspec's own memory stands for an object store."""
    asked = {**RELATED, "batches": {"rows": 700}}
    here = case.streamed("here", **asked)
    for share in (f"file://{case.folder}/share", "memory://share-of-tests"):
        name = share.partition(":")[0]
        assert case.streamed(name, **asked, runner={"share": share}) == here
