"""Levels from donors: what hangs together stays together, and no record is copied."""

import numpy as np
import pytest

from sosie.columns import MISSING, Codes
from sosie.donors import Link, commonest, deciding_column, draw_levels, drawn, fit_tree


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def with_mask(codes: Codes) -> tuple[Codes, Codes]:
    """The codes and their kinds, the pattern of missing ones first."""
    kinds = np.where(codes == MISSING, MISSING, 0).astype(np.int32)
    pattern = np.unique(kinds, axis=0, return_inverse=True)[1].reshape(-1, 1)
    whole, kinds = (np.hstack([pattern, own]).astype(np.int32) for own in (codes, kinds))
    return whole, kinds


def levels_of(codes: Codes, tree: tuple[Link, ...], heaviest: bool = False, n: int = 20_000) -> Codes:
    """The levels of n avatars that have all rows for neighbours."""
    everybody = np.tile(np.arange(len(codes), dtype=np.int32), (n, 1))
    return draw_levels(*with_mask(codes), everybody, tree, heaviest, rng())[1][:, 1:]


def chain(n: int = 4000) -> Codes:
    """a decides b in 9 of 10 rows, b decides c in 8 of 10; d has nothing to do with them."""
    a = rng().integers(0, 3, n)
    b = np.where(rng(1).random(n) < 0.9, a, rng(2).integers(0, 3, n))
    c = np.where(rng(3).random(n) < 0.8, b, rng(4).integers(0, 3, n))
    return np.stack([a, b, c, rng(5).integers(0, 2, n)], axis=1).astype(np.int32)


def test_the_tree_joins_what_hangs_together_most_and_leaves_the_rest_alone() -> None:
    links = fit_tree(with_mask(chain())[0])
    pairs = {frozenset((link.column, link.parent)) for link in links if link.parent is not None}
    assert pairs == {frozenset((1, 2)), frozenset((2, 3))}
    assert sorted(link.column for link in links) == [0, 1, 2, 3, 4]
    drawn_before = [link.column for link in links]
    assert all(
        drawn_before.index(link.parent) < drawn_before.index(link.column)
        for link in links
        if link.parent is not None
    )


def test_a_column_of_one_level_is_joined_to_nothing() -> None:
    links = fit_tree(np.zeros((50, 3), dtype=np.int32))
    assert [link.parent for link in links] == [None, None, None]


def test_every_pair_along_the_tree_keeps_its_frequencies() -> None:
    codes = chain(200)
    levels = levels_of(codes, fit_tree(with_mask(codes)[0]))
    for one, other in ((0, 1), (1, 2)):
        before, after = (
            np.bincount(3 * cells[:, one] + cells[:, other], minlength=9) / len(cells)
            for cells in (codes, levels)
        )
        np.testing.assert_allclose(after, before, atol=0.015)


def test_a_rule_between_two_columns_holds_in_every_avatar() -> None:
    arms = rng().integers(0, 4, 60)
    levels = levels_of(
        np.stack([arms, arms != 0], axis=1).astype(np.int32), (Link(0, None), Link(1, None), Link(2, 1))
    )
    assert ((levels[:, 0] != 0) == levels[:, 1]).all()


def test_independent_columns_meet_in_ways_that_no_neighbour_has() -> None:
    codes = np.array([[0, 0, 0], [1, 1, 1]], dtype=np.int32)
    levels = levels_of(codes, tuple(Link(column, None) for column in range(4)))
    assert len(np.unique(levels, axis=0)) == 8


def test_levels_keep_their_rates() -> None:
    codes = chain(500)
    levels = levels_of(codes, fit_tree(with_mask(codes)[0]))
    for before, after in zip(codes.T, levels.T, strict=True):
        np.testing.assert_allclose(np.bincount(after) / len(after), np.bincount(before) / 500, atol=0.015)


def test_the_mask_is_one_neighbours_and_levels_come_from_those_who_have_one() -> None:
    codes = np.array([[MISSING, 0], [1, MISSING], [2, 1]], dtype=np.int32)
    levels = levels_of(codes, (Link(0, None), Link(1, None), Link(2, 1)))
    missing = (levels == MISSING) @ [2, 1]
    np.testing.assert_allclose(
        np.bincount(missing, minlength=4) / len(missing), [1 / 3] * 3 + [0], atol=0.015
    )
    assert set(levels[:, 0].tolist()) == {MISSING, 1, 2}


def test_where_no_cell_of_the_kind_goes_with_the_parent_any_of_the_kind_will_do() -> None:
    """Level 0 of the parent is only with a missing child; under the mask of the others the child is still drawn."""
    codes = np.array([[0, MISSING], [1, 5], [1, 5]], dtype=np.int32)
    levels = levels_of(codes, (Link(0, None), Link(1, None), Link(2, 1)))
    assert set(map(tuple, levels.tolist())) == {(0, MISSING), (1, MISSING), (0, 5), (1, 5)}


def test_the_heaviest_level_is_the_commonest_given_the_parent() -> None:
    codes = np.array([[0, 0], [0, 1], [0, 1], [1, 2], [1, 2]], dtype=np.int32)
    levels = levels_of(codes, (Link(0, None), Link(1, None), Link(2, 1)), heaviest=True, n=20)
    assert set(map(tuple, levels.tolist())) == {(0, 1)}


def test_a_position_is_drawn_in_proportion_to_its_mass() -> None:
    positions = drawn(np.tile([0.2, 0.0, 0.5, 0.3], (40_000, 1)), rng())
    assert np.bincount(positions) / 40_000 == pytest.approx([0.2, 0.0, 0.5, 0.3], abs=0.01)


def test_the_commonest_level_is_that_of_the_largest_mass() -> None:
    assert commonest(np.array([[7, 8, 7]], dtype=np.int32), np.array([[0.3, 0.5, 0.3]])).tolist() == [0]


def test_the_column_that_decides_a_number_is_the_one_it_depends_on_most() -> None:
    codes = np.stack([rng().integers(0, 2, 500), rng(1).integers(0, 3, 500)], axis=1).astype(np.int32)
    scores = codes[:, 1] + 0.4 * codes[:, 0] + 0.5 * rng(2).normal(size=500)
    scores[::5] = np.nan
    assert deciding_column(scores, codes) == 1
    assert deciding_column(rng(3).normal(size=500), codes) is None
    assert deciding_column(np.full(500, np.nan), codes) is None


def test_a_column_in_which_nearly_every_row_has_a_level_of_its_own_decides_nothing() -> None:
    codes = (rng().permutation(400) // 2).reshape(-1, 1).astype(np.int32)
    assert deciding_column(rng(1).normal(size=400), codes) is None


def test_masses_are_summed_without_being_written_into() -> None:
    masses = np.array([[0.25, 0.25, 0.5]])
    drawn(masses, rng())
    np.testing.assert_array_equal(masses, [[0.25, 0.25, 0.5]])
