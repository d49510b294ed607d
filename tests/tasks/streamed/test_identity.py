"""A streamed table gives the very bytes of one in memory."""

from typing import Any

import pytest

from sosie.tasks.job import MEASURED

SCALES = {
    "age": {"transform": "sqrt"},
    "kg": {"transform": "log"},
    "seen": {"transform": "quantile"},
    "most_kg": {"transform": "sqrt"},
}
RELATED: dict[str, Any] = {"columns": SCALES, "constraints": ["seen <= left", "kg <= most_kg"]}


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
        {"columns": {"ward": {"weight": 3.0}, "score": {"missing_codes": [4]}, "grade": {"role": "drop"}}},
        {"rare_values": {"min_count": 1000, "label": "other"}},
        RELATED,
        {"constraints": RELATED["constraints"], "method": {"integers": "truncate"}},
        {**RELATED, "method": {"weights": "gaussian"}},
    ],
)
@pytest.mark.parametrize("batches", [{}, {"rows": 700}], ids=str)
def test_whatever_is_asked(case: Any, asked: dict[str, Any], batches: dict[str, Any]) -> None:
    assert case.streamed(**asked, batches=batches) == case.in_memory(**asked, batches=batches)


def test_a_share_elsewhere_gives_the_same_bytes(case: Any) -> None:
    """A folder, and a place that is no folder of this machine: fsspec's own memory stands for an object store."""
    batches = {"rows": 700}
    here = case.streamed("here", batches=batches)
    for share in (f"file://{case.folder}/share", "memory://share-of-tests"):
        name = share.partition(":")[0]
        assert case.streamed(name, batches=batches, runner={"share": share}) == here
