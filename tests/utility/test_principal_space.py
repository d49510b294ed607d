"""Principal-space agreement: angles checked by hand and by scipy, and both ends of the figure."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy import linalg

from sosie.columns import Table
from sosie.estimates import NotComputed
from sosie.projection import fit_projection
from sosie.utility.principal_space import (
    FEW_ROWS,
    NOTHING_VARIES,
    PrincipalAgreement,
    agreement_of,
    principal_agreement,
    principal_cosines,
)

Tables = Callable[..., tuple[Table, Table, Table]]


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def people(seed: int, n: int = 400, turned: bool = False) -> pd.DataFrame:
    """Two pairs of columns that hang together; `turned`: the pairs are other ones."""
    draw = np.random.default_rng(seed)
    first, second = draw.normal(size=(2, n)) * [[1.5], [1.0]]
    columns = [first, first, second, second] if not turned else [first, second, second * 0.3, first * 0.3]
    frame = pd.DataFrame({f"x{j}": column + draw.normal(size=n) * 0.3 for j, column in enumerate(columns)})
    return frame.assign(c=np.where(first + draw.normal(size=n) > 0, "a", "b"))


def agreement(tables: Tables, *frames: pd.DataFrame, ncp: int = 2) -> PrincipalAgreement | NotComputed:
    working, avatars, holdout = tables(*frames)
    return principal_agreement(working, avatars, holdout, fit_projection(working, ncp), rng())


def test_two_planes_that_share_one_line_have_one_cosine_of_1() -> None:
    points = linalg.hadamard(8)[:, 1:4].astype(float)  # three orthogonal columns of mean 0
    cosines = principal_cosines(points[:, :2], points[:, 1:])
    np.testing.assert_allclose(cosines, [1, 0], atol=1e-12)
    assert agreement_of(cosines) == pytest.approx(0.5)


def test_cosines_are_those_of_scipys_subspace_angles() -> None:
    here, there = rng().normal(size=(2, 50, 3))
    angles = linalg.subspace_angles(here - here.mean(axis=0), there - there.mean(axis=0))
    np.testing.assert_allclose(principal_cosines(here, there), np.sort(np.cos(angles))[::-1], atol=1e-12)


def test_rotation_scale_and_order_of_rows_change_no_cosine() -> None:
    here, there = rng().normal(size=(2, 50, 3))
    turn = np.linalg.qr(rng().normal(size=(3, 3)))[0]
    found = principal_cosines(here[::-1] @ turn * 7 + 2, there[::-1])
    np.testing.assert_allclose(found, principal_cosines(here, there), atol=1e-12)


def test_a_space_of_fewer_dimensions_misses_what_it_lacks() -> None:
    points = linalg.hadamard(8)[:, 1:3].astype(float)
    np.testing.assert_allclose(principal_cosines(points, points[:, [0, 0]]), [1, 0], atol=1e-7)


def test_identical_tables_agree_entirely(tables: Tables) -> None:
    found = agreement(tables, people(0), people(0), people(1))
    assert isinstance(found, PrincipalAgreement)
    assert found.agreement.value == pytest.approx(1)
    assert found.agreement.reference is not None
    assert 0.9 < found.agreement.reference < 1


def test_avatars_of_another_structure_agree_less_than_the_holdout(tables: Tables) -> None:
    found = agreement(tables, people(0), people(1, turned=True), people(2))
    assert isinstance(found, PrincipalAgreement)
    assert found.agreement.value is not None
    assert found.agreement.reference is not None
    assert found.agreement.value < found.agreement.reference - 0.1


def test_a_table_that_varies_nowhere_or_hardly_has_rows_gives_a_reason(tables: Tables) -> None:
    flat = people(0).assign(x0=1.0, x1=1.0, x2=1.0, x3=1.0, c="a")
    assert agreement(tables, people(0), flat, people(1)) == NotComputed(NOTHING_VARIES)
    assert agreement(tables, people(0), people(0).head(4), people(1)) == NotComputed(FEW_ROWS)
