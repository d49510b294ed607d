"""`sosie.anonymize` and `sosie.evaluate`: what comes back, what is told, and what is refused."""

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sosie

Check = Callable[[pd.DataFrame, pd.DataFrame], None]


@pytest.fixture(scope="module")
def some(patients: pd.DataFrame) -> pd.DataFrame:
    return patients[:200].assign(kg=lambda frame: frame["kg"].mask(frame.index % 7 == 0))


def rows(frame: pd.DataFrame) -> list[tuple[object, ...]]:
    return sorted(frame.astype(str).itertuples(index=False, name=None))


def test_the_shuffled_and_the_linked_table_hold_the_same_rows_in_another_order(
    patients: pd.DataFrame, keeps_contract: Check
) -> None:
    release = sosie.anonymize(patients, k=5, ncp=4, seed=0)
    keeps_contract(patients, release.avatars)
    keeps_contract(patients, release.linked)
    assert rows(release.avatars) == rows(release.linked)
    assert not release.avatars.equals(release.linked)


def test_the_projection_places_rows_alone_where_it_places_them_among_others(some: pd.DataFrame) -> None:
    projection = sosie.anonymize(some, k=5, ncp=3, seed=0).projection
    coordinates = projection.project(some)
    assert coordinates.shape == (200, 3)
    np.testing.assert_allclose(projection.project(some[:1]), coordinates[:1], atol=1e-12)
    assert len(projection.explained_variance_ratio) == 3
    assert 0 < sum(projection.explained_variance_ratio) <= 1


@pytest.mark.parametrize(
    "options",
    [
        {"weights": "gaussian"},
        {"zero_distance": "limit"},
        {"categories": "mode"},
        {"integers": "truncate"},
        {"imputation": "knn"},
        {"imputation": "mean"},
        {"imputation": "median"},
        {"imputation": "mode"},
        {"batches": {"rows": 50}},
        {"batches": {"rows": 50, "by": "random"}},
        {"holdout": {"mode": "real"}},
        {"release": "full", "holdout": {"mode": "approximate"}},
        {"columns": {"ward": {"weight": 3.0}, "age": {"type": "category"}, "kg": {"round_to": 0.5}}},
        {"workers": 2},
    ],
    ids=str,
)
def test_every_option_keeps_the_contract(
    options: dict[str, object], some: pd.DataFrame, keeps_contract: Check
) -> None:
    keeps_contract(
        some, sosie.anonymize(some, k=5, ncp=3, seed=0, attacks={"attempts": 20}, **options).avatars
    )


@pytest.mark.parametrize(
    ("rows", "mode"), [(4, "approximate"), (499, "approximate"), (500, "real"), (501, "real")]
)
def test_the_holdout_is_real_from_500_rows_on(rows: int, mode: str, patients: pd.DataFrame) -> None:
    release = sosie.anonymize(patients[:rows], k=3, ncp=2, seed=0)
    assert release.evaluation.holdout == mode
    told = "APPROXIMATE_HOLDOUT" in {warning.code for warning in release.warnings}
    assert told == (mode == "approximate")


def test_a_released_working_half_has_half_the_rows(patients: pd.DataFrame) -> None:
    release = sosie.anonymize(patients, k=5, ncp=4, seed=0, release="working")
    assert len(release.avatars) == release.evaluation.rows.working == 300


def test_a_real_holdout_too_small_for_k_is_refused(patients: pd.DataFrame) -> None:
    with pytest.raises(sosie.InputError, match=r"working half of 30 rows.*largest usable k is 14") as caught:
        sosie.anonymize(patients[:30], k=20, holdout={"mode": "real"})
    assert caught.value.code == "TOO_FEW_ROWS"


def test_more_components_than_there_are_come_down_to_the_rank(keeps_contract: Check) -> None:
    frame = pd.DataFrame({"a": np.arange(50.0), "b": np.arange(50.0) * 2, "c": np.arange(50.0)[::-1]})
    release = sosie.anonymize(frame, k=5, ncp=10, seed=0)
    keeps_contract(frame, release.avatars)
    assert release.projection.project(frame).shape == (50, 1)


def test_a_chosen_seed_is_told_and_does_not_show(patients: pd.DataFrame) -> None:
    release = sosie.anonymize(patients, k=5, ncp=2, seed=8_765_309_123)
    assert "FIXED_SEED" in {warning.code for warning in release.warnings}
    assert "8765309123" not in repr(release)
    assert "FIXED_SEED" not in {warning.code for warning in sosie.anonymize(patients, k=5, ncp=2).warnings}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"surprise": 1}, "method.surprise"),
        ({"weights": "CANARY"}, "method.weights"),
        ({"k": 1}, "method.k"),
        ({"ncp": 0}, "method.ncp"),
        ({"seed": -1}, "method.seed"),
        ({"columns": {"age": {"type": "CANARY"}}}, "columns.age.type"),
        ({"method": {"k": 5}}, "options of their own"),
    ],
)
def test_an_option_that_is_not_understood_is_named(
    options: dict[str, Any], named: str, patients: pd.DataFrame
) -> None:
    with pytest.raises(sosie.InputError, match=named) as caught:
        sosie.anonymize(patients, **options)
    assert caught.value.code == "BAD_CONFIG"
    assert "CANARY" not in caught.value.message


def test_a_column_declared_but_absent_is_refused(patients: pd.DataFrame) -> None:
    with pytest.raises(sosie.InputError, match='"wrad"') as caught:
        sosie.anonymize(patients, columns={"wrad": {"type": "category"}})
    assert (caught.value.code, caught.value.columns) == ("UNKNOWN_COLUMN", ("wrad",))


def test_originals_measured_against_themselves_hide_nobody(patients: pd.DataFrame) -> None:
    metrics = sosie.evaluate(patients, patients, linked=True, seed=0).metrics
    assert metrics["local_cloaking"].value == 0
    assert metrics["row_direct_match"].value == 100
    assert metrics["row_direct_match_own"].value == 100
    assert (metrics["distance_to_closest_median"].value or 0) < 1


def test_avatars_measured_again_have_the_figures_of_the_release(patients: pd.DataFrame) -> None:
    release = sosie.anonymize(patients, k=5, ncp=4, seed=0, holdout={"mode": "approximate"})
    again = sosie.evaluate(patients, release.linked, linked=True, ncp=4)
    for name in ("local_cloaking", "hidden_rate", "hidden_rate_worst", "row_direct_match"):
        assert again.metrics[name].value == release.evaluation.metrics[name].value, name


def test_rows_that_are_not_linked_have_no_figure_that_needs_the_link(patients: pd.DataFrame) -> None:
    evaluation = sosie.evaluate(patients[:300], patients[300:500], linked=False)
    for name in ("local_cloaking", "hidden_rate", "row_direct_match_own"):
        metric = evaluation.metrics[name]
        assert (metric.value, metric.status, metric.reason) == (
            None,
            "not computed",
            "rows are not linked",
        ), name
    assert evaluation.metrics["hellinger_mean"].status == "measured"


def test_a_holdout_of_ones_own_is_real(patients: pd.DataFrame) -> None:
    evaluation = sosie.evaluate(patients[:300], patients[:300], holdout=patients[300:])
    assert evaluation.holdout == "real"
    assert (evaluation.rows.working, evaluation.rows.holdout) == (300, 300)


@pytest.mark.parametrize(
    "cell",
    [timedelta(days=3), date(2020, 1, 2), Decimal("1.5"), True, "2020-01-02"],
    ids=lambda cell: type(cell).__name__,
)
def test_avatars_whose_objects_are_all_missing_are_measured(patients: pd.DataFrame, cell: object) -> None:
    cells = pd.Series([cell, None] * (len(patients) // 2), dtype=object)
    original = patients.assign(seldom=cells)
    assert sosie.evaluate(original, original.assign(seldom=pd.Series([None] * len(patients), dtype=object)))


def test_avatars_of_other_columns_or_types_are_refused_all_at_once(patients: pd.DataFrame) -> None:
    other = patients.drop(columns="ward").assign(age="text")
    with pytest.raises(sosie.InputError, match=r'lack column\(s\) "ward".*"age"') as caught:
        sosie.evaluate(patients, other)
    assert (caught.value.code, caught.value.columns) == ("SCHEMA_MISMATCH", ("ward", "age"))


def test_linked_rows_must_be_as_many(patients: pd.DataFrame) -> None:
    with pytest.raises(sosie.InputError, match="600 originals and 599 avatars") as caught:
        sosie.evaluate(patients, patients[1:])
    assert caught.value.code == "SCHEMA_MISMATCH"


def test_a_level_that_the_originals_never_had_can_be_measured(patients: pd.DataFrame) -> None:
    avatars = patients.assign(ward="elsewhere")
    assert sosie.evaluate(patients, avatars).metrics["hellinger_mean"].status == "measured"


@pytest.mark.parametrize("delivered", [["x", "c", "ref"], ["x", "c"]])
def test_a_dropped_column_may_be_in_the_avatars_or_not(delivered: list[str]) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"x": rng.normal(size=60), "c": rng.choice(["a", "b"], 60), "ref": [f"r{row}" for row in range(60)]}
    )
    evaluation = sosie.evaluate(frame, frame[delivered], columns={"ref": {"role": "drop"}})
    assert [variable.name for variable in evaluation.variables] == ["x", "c"]


@pytest.mark.parametrize("key", [1, "1"])
def test_columns_named_by_numbers_are_declared_by_the_number_or_its_text(
    key: object, keeps_contract: Check
) -> None:
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 3, (60, 3)))
    columns = {key: {"type": "category"}}
    release = sosie.anonymize(frame, k=5, ncp=2, seed=0, columns=columns)
    keeps_contract(frame, release.avatars)
    for evaluation in (release.evaluation, sosie.evaluate(frame, release.linked, columns=columns)):
        assert [variable.kind for variable in evaluation.variables] == ["integer", "category", "integer"]
