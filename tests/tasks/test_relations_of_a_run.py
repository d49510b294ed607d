"""Relations through the steps and the library: holdout rows influence nothing, batches and measures keep them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import sosie
from sosie.schemas.configuration import parse_configuration
from sosie.tasks import steps
from sosie.tasks.job import job_of


def incomes(n: int = 600, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    net = rng.lognormal(7.5, 0.8, n).round(2)
    tax = (net * rng.uniform(0.05, 0.6, n)).round(2)
    frame = pd.DataFrame({"net": net, "gross": (net + tax).round(2), "tax": tax})
    return frame.assign(age=rng.integers(18, 90, n), sex=rng.choice(["f", "m"], n))


OPTIONS: dict[str, Any] = {
    "columns": {
        "net": {"transform": "quantile"},
        "tax": {"derived": "gross - net"},
        "gross": {"transform": "yeo-johnson"},
        "age": {"transform": "log"},
    },
    "constraints": ["net < gross"],
}


def test_no_row_of_the_holdout_influences_a_transform_or_a_difference() -> None:
    job = job_of(parse_configuration({**OPTIONS, "method": {"seed": 3}}), None)
    frame = incomes()
    halves = steps.split_rows(steps.check(frame, job.declared, None), "auto", 500, job.seed)
    other = incomes(seed=1) * {"net": 7, "gross": 7, "tax": 7, "age": 1, "sex": 1}
    other = other.round({"net": 2, "gross": 2, "tax": 2})
    other.iloc[halves.anonymised] = frame.iloc[halves.anonymised]
    assert halves.mode == "real"
    working = [steps.working_rows(steps.check(table, job.declared, None), halves) for table in (frame, other)]
    spaces = [steps.project(rows, {}, 5, "fast_knn", 1).projection.space for rows in working]
    rows = frame[["net", "gross", "tax", "age"]].to_numpy()
    np.testing.assert_array_equal(spaces[0].inside(rows), spaces[1].inside(rows))
    assert spaces[0].ends == spaces[1].ends


@pytest.mark.parametrize("batches", [None, 100])
def test_the_library_keeps_what_is_declared_in_released_and_linked_rows(batches: int | None) -> None:
    release = sosie.anonymize(incomes(), seed=1, batches={"rows": batches}, **OPTIONS)
    for frame in (release.avatars, release.linked):
        assert (frame["net"] < frame["gross"]).all()
        np.testing.assert_array_equal(frame["tax"], (frame["gross"] - frame["net"]).round(2))
    assert release.evaluation.metrics["hellinger_mean"].value is not None
    assert [variable.name for variable in release.evaluation.variables] == list(incomes().columns)


def test_a_transform_keeps_the_long_tail_that_barycentres_shorten() -> None:
    frame = incomes(1000)[["net", "age", "sex"]]
    plain = sosie.anonymize(frame, seed=1).avatars["net"]
    scaled = sosie.anonymize(frame, seed=1, columns={"net": {"transform": "log"}}).avatars["net"]
    median = frame["net"].median()
    assert abs(scaled.median() - median) < abs(plain.median() - median)


def test_avatars_made_by_anything_are_measured_in_the_space_of_the_relations() -> None:
    frame = incomes()
    broken = frame.sample(frac=1, random_state=0, ignore_index=True).assign(gross=1.0, net=1e9)
    assert sosie.evaluate(frame, frame, **OPTIONS).metrics["hidden_rate"].value == 0
    assert sosie.evaluate(frame, broken, **OPTIONS).metrics["distance_to_closest_median"].value is not None


def test_relations_that_the_table_does_not_keep_are_refused() -> None:
    with pytest.raises(sosie.InputError, match='derived of "tax" is not what the column holds in') as refused:
        sosie.anonymize(incomes(), columns={"tax": {"derived": "net / 2"}})
    assert (refused.value.code, refused.value.columns) == ("BAD_CONFIG", ("tax",))
    with pytest.raises(
        sosie.InputError, match='constraint "gross <= net" does not hold in 600 row'
    ) as refused:
        sosie.anonymize(incomes(), constraints=["net >= gross"])
    assert refused.value.columns == ("gross", "net")
