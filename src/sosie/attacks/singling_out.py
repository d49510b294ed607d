"""Singling out: conditions that fit one avatar alone, and fit exactly one individual.

Read off the avatars, asked of the working half (main) and of the holdout (control), both of one size; baseline:
conditions drawn without looking at rows, asked of the working half. WP29 Opinion 05/2014; Giomi et al. 2023. Unlike
anonymeter, equal rows count as the several individuals they are, the number of attempts is that of the conditions
found, and sizes are made equal by drawing instead of by a fitted correction.
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sosie.attacks.cells import Cells, cells_of, distinct, median
from sosie.attacks.predicates import (
    Predicate,
    describing_rows,
    extreme_and_rare,
    is_unique,
    matching_rows_of_each,
    random_predicate,
)
from sosie.attacks.rates import Attack, NotMeasurableError, Rate
from sosie.columns import Table

Integers = NDArray[np.int64]

_COLUMNS_AT_ONCE = 3
_TRIES = 40  # draws per condition wanted: where few avatars are alone, fewer conditions are found
_DRAWS_AT_ONCE = 1_000
_SHUFFLES = 999
_CROWD = 40  # a half-split leaves exactly one of so many in one half less than once in 10^10


@dataclass(frozen=True, eq=False)
class _Hits:
    """Who satisfies each condition: row numbers in the working half and in the holdout."""

    working: list[Integers]
    holdout: list[Integers]

    def singled_out(self) -> tuple[list[bool], list[bool]]:
        return [len(rows) == 1 for rows in self.working], [len(rows) == 1 for rows in self.holdout]


def singling_out_univariate(
    working: Table, avatars: Table, holdout: Table, attempts: int, rng: np.random.Generator
) -> Attack:
    """Conditions on one column: avatars' extremes, values held once, the one gap; `attempts` of them drawn, or all.

    `worst` is the column with the largest excess over the control, None where none has any. NotMeasurableError when
    no condition fits one avatar alone, or a table is empty.
    """
    seen, here, there = _prepared(working, avatars, holdout, rng)
    found = list(extreme_and_rare(seen))
    if len(found) > attempts:
        found = [found[i] for i in rng.choice(len(found), attempts, replace=False)]
    if not found:
        raise NotMeasurableError(
            "no value stands alone among the avatars, so there is no condition on one column to try"
        )
    return _attack(found, seen, here, there, 1, rng)


def singling_out_multivariate(
    working: Table, avatars: Table, holdout: Table, attempts: int, rng: np.random.Generator
) -> Attack:
    """Conditions on three columns (two in a table of two) that describe an avatar drawn at random and no other.

    At most `attempts` different ones, from 40 times as many draws. `worst` as above, counting each condition for all
    its columns. NotMeasurableError when none is found, or for a table of one column.
    """
    if len(avatars.columns) < 2:
        raise NotMeasurableError("conditions on several columns need at least two columns: 1 column")
    seen, here, there = _prepared(working, avatars, holdout, rng)
    count = min(_COLUMNS_AT_ONCE, len(seen.columns))
    medians = np.array([median(*distinct(column)) for column in seen.columns])
    found: dict[Predicate, None] = {}
    for rows, columns in _draws(seen, count, _TRIES * attempts, rng):
        before = rng.bit_generator.state
        described = describing_rows(seen, medians, rows, columns, rng)
        for place in np.flatnonzero(described.rare(seen)).tolist():
            if described.fits_once(place, seen):
                found[described.predicate(place)] = None
            if len(found) == attempts:
                # what comes next does not depend on how many are described at once
                rng.bit_generator.state = before
                rng.random(described.ties[: place + 1].sum())
                break
        if len(found) == attempts:
            break
    if not found:
        raise NotMeasurableError(
            f"no combination of {count} columns fits one avatar alone ({_TRIES * attempts} were tried)"
        )
    return _attack(list(found), seen, here, there, count, rng)


def _draws(
    seen: Cells, count: int, draws: int, rng: np.random.Generator
) -> Iterator[tuple[Integers, Integers]]:
    """Rows with `count` different columns each, some at a time."""
    for start in range(0, draws, _DRAWS_AT_ONCE):
        size = min(_DRAWS_AT_ONCE, draws - start)
        columns = np.argsort(rng.random((size, len(seen.columns))), axis=1)[:, :count]
        yield rng.integers(len(seen), size=size), columns


def _prepared(
    working: Table, avatars: Table, holdout: Table, rng: np.random.Generator
) -> tuple[Cells, Cells, Cells]:
    size = min(len(working), len(holdout))
    if size == 0 or len(avatars) == 0:
        raise NotMeasurableError(
            "singling out needs rows on every side: "
            f"{len(working)} working, {len(avatars)} avatars, {len(holdout)} holdout"
        )
    # more rows are harder to stand out from: both sides must be as many
    here, there = (
        table if len(table) == size else table.take(np.sort(rng.choice(len(table), size, replace=False)))
        for table in (working, holdout)
    )
    return cells_of(avatars.take(rng.permutation(len(avatars)))), cells_of(here), cells_of(there)


def _attack(
    found: list[Predicate], seen: Cells, here: Cells, there: Cells, count: int, rng: np.random.Generator
) -> Attack:
    hits = _Hits(matching_rows_of_each(found, here), matching_rows_of_each(found, there))
    main, control = hits.singled_out()
    values = tuple(
        np.append(distinct(column)[0], [np.nan] * bool(np.isnan(column).any())) for column in seen.columns
    )
    guesses = [
        random_predicate(seen, values, rng.choice(len(seen.columns), count, replace=False), rng)
        for _ in found
    ]
    baseline = sum(is_unique(predicate, here) for predicate in guesses)
    return Attack(
        main=Rate(sum(main), len(found)),
        control=Rate(sum(control), len(found)),
        baseline=Rate(baseline, len(found)),
        worst=_worst(found, main, control, seen.names),
        p_value=_p_value(hits, rng),
    )


def _worst(
    found: list[Predicate], main: list[bool], control: list[bool], names: tuple[Hashable, ...]
) -> str | None:
    excess: Counter[int] = Counter()
    for predicate, here, there in zip(found, main, control, strict=True):
        for clause in predicate:
            excess[clause.column] += here - there
    worst = max(excess, key=lambda column: (excess[column], -column))
    return str(names[worst]) if excess[worst] > 0 else None


def _p_value(hits: _Hits, rng: np.random.Generator) -> float:
    """The chance of so large an excess if it were a coin's choice who is in the working half and who in the holdout.

    Conditions hit the same few individuals again and again, so they are not independent attempts and a binomial test
    would cry wolf; re-dealing the individuals keeps that dependence. 999 deals: at least 0.001.
    """
    sides = len(max(hits.working, key=len)) + len(max(hits.holdout, key=len))
    if sides == 0:
        return 1.0
    offset = 1 + max(int(rows.max(initial=0)) for rows in hits.working)
    pairs = [
        np.concatenate([here, there + offset])
        for here, there in zip(hits.working, hits.holdout, strict=True)
        if 1 <= len(here) + len(there) <= _CROWD
    ]
    if not pairs:
        return 1.0
    members, columns = np.unique(np.concatenate(pairs), return_inverse=True)
    starts = np.cumsum([0, *map(len, pairs)])
    matrix = sparse.csr_array(
        (np.ones(len(columns), dtype=np.int32), columns, starts), shape=(len(pairs), len(members))
    )
    sizes = matrix.sum(axis=1)
    dealt = np.column_stack([members < offset, rng.random((len(members), _SHUFFLES)) < 0.5]).astype(np.int32)
    inside = matrix @ dealt
    excess = (inside == 1).sum(axis=0) - (sizes[:, None] - inside == 1).sum(axis=0)
    return float((1 + np.count_nonzero(excess[1:] >= excess[0])) / (1 + _SHUFFLES))
