"""Association matrices: outside oracles, laws, and a reason for every pair that has none."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sosie.associations import (
    CONSTANT,
    FEWEST_ROWS,
    REASONS,
    SATURATED,
    TOO_FEW,
    AssociationMatrix,
    association_matrix,
)
from sosie.columns import encode
from sosie.recognition import recognise


def mixed(n: int = 400, seed: int = 0, gaps: float = 0.0) -> pd.DataFrame:
    """Two numbers and two categories that hang together, with gaps."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "x": x,
            "c": np.array(list("abcd"))[np.clip(x * 1.2 + rng.normal(size=n) + 2, 0, 3).astype(int)],
            "y": 100 + 5 * (x + rng.normal(size=n)),
            "d": np.array(list("uvw"))[np.clip(x + rng.normal(size=n) + 1.5, 0, 2).astype(int)],
        }
    )
    return frame.mask(rng.random(frame.shape) < gaps)


def matrix(frame: pd.DataFrame) -> AssociationMatrix:
    return association_matrix(encode(frame, recognise(frame, {}).columns))


def eta(values: "pd.Series[float]", levels: "pd.Series[str]") -> float:
    """The correlation ratio from the definition, group by group."""
    both = values.notna() & levels.notna()
    values, levels = values[both], levels[both]
    groups = [held for _, held in values.groupby(levels)]
    within = sum(((held - held.mean()) ** 2).sum() for held in groups)
    total = ((values - values.mean()) ** 2).sum()
    n = len(values)
    return float(np.sqrt(max(0.0, 1 - within / (n - len(groups)) / (total / (n - 1)))))


def cramer(first: "pd.Series[str]", second: "pd.Series[str]") -> float:
    """Bergsma's V from scipy's χ²."""
    counts = pd.crosstab(first, second).to_numpy()
    n, (k, r) = counts.sum(), counts.shape
    phi = stats.chi2_contingency(counts, correction=False).statistic / n
    corrected = max(0.0, phi - (k - 1) * (r - 1) / (n - 1))
    return float(np.sqrt(corrected / min(size - 1 - (size - 1) ** 2 / (n - 1) for size in (k, r))))


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_every_kind_of_pair_agrees_with_its_definition_over_the_rows_that_have_both(gaps: float) -> None:
    frame = mixed(gaps=gaps)
    found = matrix(frame)
    assert found.computed.all()
    expected = np.eye(4)
    expected[0, 2] = frame["x"].corr(frame["y"])
    expected[0, 1], expected[0, 3] = (eta(frame["x"], frame[name]) for name in "cd")
    expected[1, 2], expected[2, 3] = (eta(frame["y"], frame[name]) for name in "cd")
    expected[1, 3] = cramer(frame["c"], frame["d"])
    np.testing.assert_allclose(found.coefficients, np.maximum(expected, expected.T), atol=1e-10)


def test_numbers_alone_give_numpys_correlations() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 4)) @ np.tri(4), columns=list("abcd"))
    np.testing.assert_allclose(matrix(frame).coefficients, np.corrcoef(frame.T), atol=1e-12)


def test_a_correlation_survives_a_large_offset() -> None:
    frame = mixed()[["x", "y"]]
    far = frame.assign(x=frame["x"] + 1e9)
    assert matrix(far).coefficients[0, 1] == pytest.approx(frame.corr().iloc[0, 1], abs=1e-6)


def test_a_category_that_decides_another_scores_1_and_one_that_is_unrelated_0() -> None:
    rng = np.random.default_rng(3)
    levels = rng.choice(list("abc"), 900)
    frame = pd.DataFrame(
        {"c": levels, "same": [level.upper() for level in levels], "other": rng.choice(list("uvwxyz"), 900)}
    )
    found = matrix(frame).coefficients
    assert found[0, 1] == pytest.approx(1)
    assert found[0, 2] < 0.1


def test_many_unrelated_levels_do_not_look_associated() -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({name: rng.choice([f"l{i}" for i in range(80)], 400) for name in ("c", "d")})
    frame["x"] = rng.normal(size=400)
    found = matrix(frame)
    plain = np.sqrt(stats.chi2_contingency(pd.crosstab(frame["c"], frame["d"])).statistic / 400 / 79)
    assert plain > 0.4
    assert found.coefficients[0, 1] < 0.15
    assert found.coefficients[0, 2] < 0.25


@pytest.mark.parametrize(("scale", "shift"), [(3.0, 7.0), (-2.0, 0.0), (1e-6, 1.0)])
def test_affine_changes_of_a_number_change_a_sign_at_most(scale: float, shift: float) -> None:
    frame = mixed(gaps=0.2)
    plain = matrix(frame).coefficients
    other = matrix(frame.assign(x=frame["x"] * scale + shift)).coefficients
    signs = np.ones((4, 4))
    signs[0, 2] = signs[2, 0] = np.sign(scale)
    np.testing.assert_allclose(other, plain * signs, atol=1e-8)


def test_row_order_column_order_and_level_names_change_nothing() -> None:
    frame = mixed(gaps=0.1)
    plain = matrix(frame).coefficients
    order = [3, 0, 2, 1]
    other = frame.iloc[::-1, order].assign(c=frame["c"].map({"a": "z", "b": "k", "c": "m", "d": "a"}))
    np.testing.assert_allclose(matrix(other).coefficients, plain[np.ix_(order, order)], atol=1e-10)


def test_pairs_without_enough_common_rows_say_so() -> None:
    frame = mixed(100)
    frame.loc[frame.index[: 50 + FEWEST_ROWS // 2], "x"] = np.nan
    frame.loc[frame.index[50 + FEWEST_ROWS :], ["y", "c"]] = np.nan
    found = matrix(frame)
    assert found.reasons[0, 2] == found.reasons[0, 1] == TOO_FEW
    assert found.computed[0, 3]


def test_a_constant_is_a_reason_also_where_it_is_constant_among_the_common_rows_only() -> None:
    frame = mixed(100)
    frame["one"] = 5.0
    frame["only"] = "yes"
    frame.loc[frame.index[:50], "y"] = np.nan
    frame.loc[frame.index[50:], "x"] = 0.3
    found = matrix(frame)
    assert (found.reasons[4] == CONSTANT).all()
    assert (found.reasons[5] == CONSTANT).all()
    assert found.reasons[0, 2] == CONSTANT
    assert np.isfinite(found.coefficients).all()


def test_a_category_with_a_level_for_every_row_is_a_reason() -> None:
    frame = pd.DataFrame(
        {"c": [f"l{i}" for i in range(19)], "d": list("ab") * 9 + ["a"], "x": np.arange(19.0) % 7}
    )
    found = matrix(frame)
    assert found.reasons[0, 1] == found.reasons[0, 2] == SATURATED
    assert REASONS[SATURATED]
