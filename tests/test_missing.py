"""Temporary imputation: each rule against values worked by hand or by brute force."""

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import KNNImputer

from sosie.columns import MISSING, UNSEEN, Category, Floats, Table, encode
from sosie.missing import ImputationRule, fit_imputation, masks
from sosie.recognition import recognise

RULES: list[ImputationRule] = ["fast_knn", "knn", "mean", "median", "mode"]


def table_of(frame: pd.DataFrame) -> Table:
    return encode(frame, recognise(frame, {}).columns)


def gappy(n: int = 120, seed: int = 0, numbers_only: bool = False) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "a": size + rng.normal(size=n) / 3,
            "b": 2 * size + rng.normal(size=n),
            "c": np.where(size + rng.normal(size=n) / 2 > 0, "big", "small"),
            "d": rng.choice(["u", "v", "w"], n),
        }
    )
    for name in ("a", "c", "d"):
        frame.loc[rng.random(n) < 0.2, name] = None
    return frame[["a", "b"]] if numbers_only else frame


def test_masks_say_what_is_missing() -> None:
    numbers, codes = masks(table_of(pd.DataFrame({"x": [1.0, np.nan], "y": [None, "a"], "z": [1, 2]})))
    assert numbers.tolist() == [[False, False], [True, False]]
    assert codes.tolist() == [[True], [False]]


@pytest.mark.parametrize(("rule", "expected"), [("mean", 4.0), ("median", 2.0), ("mode", 1.0)])
def test_a_constant_rule_fills_its_own_summary(rule: ImputationRule, expected: float) -> None:
    frame = pd.DataFrame({"x": [1.0, 1.0, 2.0, 5.0, 11.0, np.nan], "y": ["b", "b", "a", None, "a", "b"]})
    table = table_of(frame)
    numbers, codes = fit_imputation(table, rule, ncp=2).complete(table)
    assert numbers[5, 0] == expected
    assert codes[3, 0] == 1  # "b", the most frequent level
    assert numbers[:5].tolist() == table.numbers[:5].tolist()


def test_the_smallest_of_equally_frequent_values_is_the_mode() -> None:
    table = table_of(pd.DataFrame({"x": [3.0, 3.0, 1.0, 1.0, 9.0, np.nan]}))
    assert fit_imputation(table, "mode", ncp=1).complete(table)[0][5, 0] == 1.0


@pytest.mark.parametrize("rule", ["fast_knn", "knn"])
def test_a_number_is_the_mean_of_the_five_nearest_that_have_it(rule: ImputationRule) -> None:
    near = [0.0, 0.1, 0.2, 0.3, 0.4]
    frame = pd.DataFrame(
        {
            "place": [*near, *(value + 100 for value in near), 0.15, 0.05],
            "value": [1.0, 2.0, 3.0, 4.0, 5.0, 50.0, 50.0, 50.0, 50.0, 50.0, np.nan, np.nan],
        }
    )
    table = table_of(frame)
    numbers, _ = fit_imputation(table, rule, ncp=2).complete(table)
    assert numbers[10:, 1].tolist() == [3.0, 3.0]


@pytest.mark.parametrize("rule", ["fast_knn", "knn"])
def test_a_category_is_the_most_frequent_of_the_five_nearest(rule: ImputationRule) -> None:
    frame = pd.DataFrame(
        {
            **{f"place {i}": [0.0, 0.1, 0.2, 0.3, 0.4, *np.linspace(90, 99, 10), 0.15] for i in range(9)},
            "group": ["a", "a", "b", "a", "b", *["b"] * 10, None],
        }
    )
    table = table_of(frame)
    _, codes = fit_imputation(table, rule, ncp=1).complete(table)
    assert codes[-1, 0] == 0


def test_fast_knn_is_a_brute_force_search_in_the_mean_imputed_projection() -> None:
    frame = gappy(numbers_only=True)
    table = table_of(frame)
    numbers, _ = fit_imputation(table, "fast_knn", ncp=2).complete(table)
    rough = frame.fillna(frame.mean())
    # with every axis kept, distances are those of the standardised table
    place = ((rough - rough.mean()) / rough.std(ddof=0)).to_numpy()
    having = np.flatnonzero(frame["a"].notna())
    for row in np.flatnonzero(frame["a"].isna()):
        nearest = having[np.argsort(np.linalg.norm(place[having] - place[row], axis=1))[:5]]
        assert numbers[row, 0] == pytest.approx(frame["a"].to_numpy()[nearest].mean(), abs=1e-12)


def literal_encoding(table: Table) -> tuple[Floats, Floats, Floats]:
    filled = np.where(np.isnan(table.numbers), np.nanmean(table.numbers, axis=0), table.numbers)
    means, sds = filled.mean(axis=0), filled.std(axis=0)
    blocks = [(table.numbers - means) / sds]
    for j, column in enumerate(table.category_columns):
        codes = table.codes[:, j]
        shares = np.bincount(codes[codes >= 0], minlength=len(column.levels)) / (codes >= 0).sum()
        indicators = (codes[:, None] == np.arange(len(shares))) / np.sqrt(shares)
        indicators[codes == MISSING] = np.nan
        blocks.append(indicators)
    return np.hstack(blocks), means, sds


def test_knn_is_scikit_learns_imputer_on_the_encoded_table() -> None:
    table = table_of(gappy())
    encoded, means, sds = literal_encoding(table)
    expected = KNNImputer(n_neighbors=5).fit_transform(encoded)
    numbers, codes = fit_imputation(table, "knn", ncp=2).complete(table)
    np.testing.assert_allclose(numbers, expected[:, :2] * sds + means, atol=1e-10)
    masses = expected[:, 2:] / np.nanmax(encoded[:, 2:], axis=0)
    for j, levels in enumerate((slice(0, 2), slice(2, 5))):
        heaviest = masses[:, levels].max(axis=1)
        chosen = masses[np.arange(len(codes)), codes[:, j] + levels.start]
        np.testing.assert_allclose(chosen, heaviest, atol=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_what_is_present_is_never_changed_and_nothing_stays_missing(rule: ImputationRule) -> None:
    table = table_of(gappy())
    numbers, codes = fit_imputation(table, rule, ncp=3).complete(table)
    missing_numbers, missing_codes = masks(table)
    assert (numbers == table.numbers)[~missing_numbers].all()
    assert (codes == table.codes)[~missing_codes].all()
    assert np.isfinite(numbers).all()
    assert (codes >= 0).all()


@pytest.mark.parametrize("rule", RULES)
def test_imputed_values_lie_within_the_values_of_the_column(rule: ImputationRule) -> None:
    table = table_of(gappy())
    numbers, codes = fit_imputation(table, rule, ncp=3).complete(table)
    assert (numbers.min(axis=0) >= np.nanmin(table.numbers, axis=0)).all()
    assert (numbers.max(axis=0) <= np.nanmax(table.numbers, axis=0)).all()
    assert all(codes[:, j].max() < len(column.levels) for j, column in enumerate(table.category_columns))


@pytest.mark.parametrize("rule", RULES)
def test_completing_a_row_alone_equals_completing_it_among_others(rule: ImputationRule) -> None:
    frame = gappy()
    frame["a"] = frame["a"].round(0)  # ties on purpose
    frame["b"] = frame["b"].round(0)
    table = table_of(frame)
    imputation = fit_imputation(table, rule, ncp=3)
    numbers, codes = imputation.complete(table)
    for row in range(len(table)):
        alone = imputation.complete(table.take(np.array([row])))
        assert (alone[0][0] == numbers[row]).all()
        assert (alone[1][0] == codes[row]).all()


@pytest.mark.parametrize("rule", RULES)
def test_equal_rows_are_completed_equally(rule: ImputationRule) -> None:
    frame = gappy(60)
    table = table_of(pd.concat([frame, frame], ignore_index=True))
    numbers, codes = fit_imputation(table, rule, ncp=3).complete(table)
    assert (numbers[:60] == numbers[60:]).all()
    assert (codes[:60] == codes[60:]).all()


@pytest.mark.parametrize("rule", RULES)
def test_a_column_without_any_value_and_a_row_without_any_value_are_completed(rule: ImputationRule) -> None:
    frame = gappy().assign(nothing=np.nan, void=pd.Series([None] * 120, dtype=object))
    frame.loc[0] = None
    table = table_of(frame.astype({"nothing": float}))
    numbers, codes = fit_imputation(table, rule, ncp=3).complete(table)
    assert np.isfinite(numbers).all()
    void = [isinstance(column, Category) and column.name == "void" for column in table.category_columns]
    assert (codes[:, void] == UNSEEN).all()
    assert (codes[:, ~np.array(void)] >= 0).all()


@pytest.mark.parametrize("rule", RULES)
def test_fewer_than_five_that_have_the_value_are_enough(rule: ImputationRule) -> None:
    frame = pd.DataFrame({"x": [4.0, 4.0, *[np.nan] * 8], "y": np.arange(10.0)})
    table = table_of(frame)
    numbers, _ = fit_imputation(table, rule, ncp=2).complete(table)
    assert numbers[:, 0].tolist() == [4.0] * 10


@pytest.mark.parametrize("rule", RULES)
def test_rows_missing_what_nobody_missed_when_fitting_are_completed_too(rule: ImputationRule) -> None:
    frame = gappy().dropna()
    columns = recognise(frame, {}).columns
    imputation = fit_imputation(encode(frame, columns), rule, ncp=3)
    numbers, codes = imputation.complete(encode(gappy(seed=1), columns))
    assert np.isfinite(numbers).all()
    assert (codes >= 0).all()


def test_knn_does_not_depend_on_how_many_pairs_are_held_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(gappy())
    whole = fit_imputation(table, "knn", ncp=3).complete(table)
    monkeypatch.setattr("sosie.missing._PAIRS_AT_ONCE", 1)
    cut = fit_imputation(table, "knn", ncp=3).complete(table)
    assert (whole[0] == cut[0]).all()
    assert (whole[1] == cut[1]).all()


@pytest.mark.parametrize("unit", [2.0**600, 2.0**-600])
def test_knn_does_not_depend_on_the_unit_of_a_number(unit: float) -> None:
    frame = gappy()
    plain, other = (
        fit_imputation(table_of(held), "knn", ncp=3).complete(table_of(held))
        for held in (frame, frame.assign(a=frame["a"] * unit))
    )
    assert (other[0] == plain[0] * [unit, 1.0]).all()
    assert (other[1] == plain[1]).all()
