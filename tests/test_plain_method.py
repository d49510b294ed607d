"""Whole tables of avatars against the method written plainly: one individual after the other, one cell after the other.

What is written here is docs/en/method.md and docs/en/method/weights.md, without search trees, threads or compiled code.
Only the individuals' places come from the library: tests/test_famd.py holds those against a full decomposition.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import sosie
from sosie.columns import Floats
from sosie.streams import child_seed, stream

SEED = 20
DECIMALS = {"age": 0, "kg": 3, "cost": 2, "score": 4}

Near = Sequence[tuple[int, float]]  # the rows of the neighbours, nearest first, and how far they are
Cells = Sequence[Any]  # of one column, None where there is none


def people(n: int) -> pd.DataFrame:
    """Numbers and categories that hang together, gaps, zeros that very many have, and every eighth row twice."""
    rng = np.random.default_rng(n)
    age = rng.integers(20, 90, n)
    ill = rng.random(n) < age / 120
    frame = pd.DataFrame(
        {
            "stage": np.where(ill, rng.choice(["I", "II", "III"], n), "none"),
            "age": age,
            "ward": np.where(rng.random(n) < 0.8, np.where(ill, "north", "south"), "east"),
            "kg": (60 + 15 * ill + rng.normal(0, 4, n)).round(3),
            "cost": np.where(ill, rng.lognormal(4, 1, n).round(2), 0.0),
            "smoker": rng.random(n) < 0.3,
            "score": (age / 10 + rng.normal(0, 1, n)).round(4),
        }
    )
    frame.loc[rng.random(n) < 0.1, ["kg", "stage"]] = None
    frame.loc[rng.random(n) < 0.05, "kg"] = np.nan
    frame.iloc[n // 2 : n // 2 + n // 8] = frame.iloc[: n // 8].to_numpy()
    return frame.astype({"age": int, "kg": float, "cost": float, "score": float, "smoker": bool})


def released(law: str, n: int, k: int, zero_distance: str = "floor") -> sosie.Release:
    """What the library makes of them, all rows in one batch."""
    holdout, few = {"mode": "approximate"}, {"attempts": 10}
    asked = {"weights": law, "zero_distance": zero_distance, "holdout": holdout, "attacks": few}
    return sosie.anonymize(people(n), k=k, ncp=3, seed=SEED, **asked)


def neighbourhoods(places: Floats, k: int) -> list[Near]:
    """The k nearest others of everybody. Among rows of one place each begins after its own rank, in turn."""
    by_place: dict[tuple[float, ...], list[int]] = {}
    for row, place in enumerate(places.tolist()):
        by_place.setdefault(tuple(place), []).append(row)
    points, members = np.array(list(by_place)), list(by_place.values())
    near: list[Near] = [[]] * len(places)
    for here, point in enumerate(points):
        away = np.sqrt(sum((components - own) ** 2 for components, own in zip(points.T, point, strict=True)))
        nearest = np.argsort(away)[: k + 2]
        assert len(set(away[nearest])) == len(nearest)  # else which comes first is not said
        for rank, own in enumerate(members[here]):
            found = []
            for there in nearest:
                rows = members[there]
                turn = rank + 1 if there == here else rank % len(rows)
                found += [(row, float(away[there])) for row in rows[turn:] + rows[:turn] if row != own]
            near[own] = found[:k]
    return near


def drawn(masses: Sequence[float], share: float) -> int:
    """The first position where the running sum of the masses passes this share of all of it."""
    running, limit = 0.0, share * sum(masses)
    for position, mass in enumerate(masses):
        running += mass
        if running > limit:
            return position
    return len(masses) - 1


def settled(name: str, values: Cells, column: Cells) -> Cells:
    """Numbers with the column's decimals, inside its range."""
    present = [cell for cell in column if cell is not None]
    least, most = min(present), max(present)
    return [
        None if value is None else min(max(round(value, DECIMALS[name]), least), most) for value in values
    ]


def columns_of(frame: pd.DataFrame) -> dict[str, Cells]:
    return {str(name): [None if pd.isna(cell) else cell for cell in cells] for name, cells in frame.items()}


def published_weights(near: Sequence[Near], zero_distance: str, seed: int) -> list[list[float]]:
    """P_j = R_j·C_j/D_j over its sum."""
    k, rng = len(near[0]), stream(seed, "weights", 0, 0)
    exponentials = [rng.standard_exponential(k).tolist() for _ in near]
    halvings = [rng.permuted(0.5 ** np.arange(1, k + 1)).tolist() for _ in near]
    weights = []
    for neighbourhood, r, c in zip(near, exponentials, halvings, strict=True):
        distances = [distance for _, distance in neighbourhood]
        least = min((distance for distance in distances if distance > 0), default=1.0)
        nearness = [1 / (distance or least) for distance in distances]
        if zero_distance == "limit" and 0 in distances:
            nearness = [1.0 if distance == 0 else 0.0 for distance in distances]
        masses = [nearness[j] * r[j] * c[j] for j in range(k)]
        weights.append([mass / sum(masses) for mass in masses])
    return weights


def published(
    originals: Mapping[str, Cells], places: Floats, k: int, zero_distance: str, seed: int
) -> dict[str, Cells]:
    """The avatars of the published law, column by column, row i from individual i."""
    near = neighbourhoods(places, k)
    weights = published_weights(near, zero_distance, seed)
    rng = stream(seed, "donors", 0, 0)
    donors = [of[drawn(w, rng.random())][0] for of, w in zip(near, weights, strict=True)]
    avatars: dict[str, Cells] = {}
    cells: list[Any]
    # draws are taken category after category; numbers draw nothing
    for name in sorted(originals, key=lambda name: name in DECIMALS):
        held, cells = originals[name], []
        for donor, of, w in zip(donors, near, weights, strict=True):
            values = [held[row] for row, _ in of]
            masses = [0.0 if value is None else mass for value, mass in zip(values, w, strict=True)]
            if held[donor] is None:
                cells.append(None)
            elif name in DECIMALS:
                shares = [mass * (value or 0) for value, mass in zip(values, masses, strict=True)]
                cells.append(sum(shares) / sum(masses))
            else:
                cells.append(values[drawn(masses, rng.random())])
        avatars[name] = settled(name, cells, held) if name in DECIMALS else cells
    return avatars


def cramer(here: Cells, there: Cells) -> float:
    """Cramér's V corrected for chance (Bergsma, 2013); 0 where a column has one level or none."""
    pairs = [pair for pair in zip(here, there, strict=True) if None not in pair]
    n, met = len(pairs), {pair: pairs.count(pair) for pair in set(pairs)}
    rows, columns = (
        {level: side.count(level) for level in side} for side in map(list, zip(*pairs, strict=True))
    )
    r, c = len(rows), len(columns)
    if r == 1 or c == 1:
        return 0.0
    phi = sum(count**2 / (rows[one] * columns[other]) for (one, other), count in met.items()) - 1
    phi = max(0.0, phi - (r - 1) * (c - 1) / (n - 1))
    return float(min(1.0, phi / min(side - 1 - (side - 1) ** 2 / (n - 1) for side in (r, c))) ** 0.5)


def tree(levels: Mapping[str, Cells]) -> list[tuple[str, str | None]]:
    """Columns in the order they are drawn, each with the one it is drawn given: the pattern of gaps first."""
    strength = {(a, b): cramer(levels[a], levels[b]) for a in levels for b in levels}
    first, *left = levels
    links: list[tuple[str, str | None]] = [(first, None)]
    while left:
        reach = {(new, old): strength[new, old] for new in left for old, _ in links}
        new, old = max(reach, key=reach.__getitem__)
        if reach[new, old] >= 0.1:
            links.append((new, old))
        else:
            new = max(left, key=lambda one: sum(strength[one, other] for other in left))
            links.append((new, None))
        left.remove(new)
    return links


def decides(scores: Floats, levels: Mapping[str, Cells]) -> str | None:
    """The column that scores depend on most: the largest correlation ratio (Kelley, 1935), if beyond 0.5."""
    strongest, deciding = 0.5, None
    having = ~np.isnan(scores)
    for name, cells in levels.items():
        groups = pd.Series(scores[having]).groupby(pd.Series(map(repr, cells))[having].to_numpy())
        n, count = int(having.sum()), groups.ngroups
        if 1 < count < n:
            within = (
                sum(((group - group.mean()) ** 2).sum() for _, group in groups) / scores[having].var() / n
            )
            ratio = max(0.0, 1 - within * (n - 1) / (n - count)) ** 0.5
            if ratio > strongest:
                strongest, deciding = ratio, name
    return deciding


def at_share(ordered: Sequence[float], least: int, share: float) -> float:
    """The value at this share of a distribution that is known in runs of at least so many individuals."""
    groups = [list(equal) for _, equal in groupby(ordered)]
    stretches = [list(some) for _, some in groupby(groups, lambda g: g[0] if len(g) >= least else None)]
    runs: list[list[float]] = []
    for stretch in stretches:
        runs.append([])
        left = sum(map(len, stretch))
        for group in stretch:
            if len(runs[-1]) >= least and left >= least:
                runs.append([])
            runs[-1] += group
            left -= len(group)
    ranks = np.cumsum([0, *map(len, runs)])
    at = int(np.searchsorted(ranks, share * len(ordered), side="right")) - 1
    run = runs[at]
    low, high = run[0], run[-1]
    if low == high and len(run) >= least:
        return low
    low = (runs[at - 1][-1] + low) / 2 if at > 0 else low
    high = (high + runs[at + 1][0]) / 2 if at + 1 < len(runs) else high
    inside = (share * len(ordered) - ranks[at]) / len(run)
    power = min(max((high - low) / (np.mean(run) - low) - 1, 0.05), 20.0)
    return float(low + (high - low) * inside**power)


def combined(held: Floats, weights: Floats) -> float:
    """Σ a·z over the neighbours that have a score, the weights moved and stretched to keep mean and covariance."""
    having = ~np.isnan(held)
    count = having.sum()
    stretched = np.sqrt((len(weights) - 1) / max(count - 1, 1))
    among = np.where(having, weights - np.where(having, weights, 0.0).sum() / count, 0.0) * stretched
    return float(((np.where(having, 1 / count, 0.0) + among) * np.where(having, held, 0.0)).sum())


def without_piles(held: Cells) -> list[float]:
    """The numbers of a column in order, but for those that a fifth of the individuals hold."""
    present = [cell for cell in held if cell is not None]
    return sorted(cell for cell in present if present.count(cell) < max(0.2 * len(present), 10))


def normal_scores(held: Cells) -> Floats:
    """Of each number off the piles Φ⁻¹ of its middle rank."""
    values = without_piles(held)
    middle = {value: (values.index(value) + values.count(value) / 2) / len(values) for value in set(values)}
    return np.asarray(norm.ppf([middle.get(cell, np.nan) for cell in held]))


def levels_of(originals: Mapping[str, Cells]) -> dict[str, Cells]:
    """What is drawn of each column, the pattern of gaps first, then numbers: any number off the piles is one level."""
    numbers = {name: held for name, held in originals.items() if name in DECIMALS}
    levels: dict[str, Cells] = {
        "gaps": [tuple(cell is None for cell in row) for row in zip(*originals.values(), strict=True)]
    }
    for name, held in numbers.items():
        values = set(without_piles(held))
        levels[name] = ["a number" if cell in values else cell for cell in held]
    return levels | {name: held for name, held in originals.items() if name not in DECIMALS}


def gaussian(originals: Mapping[str, Cells], places: Floats, k: int, seed: int) -> dict[str, Cells]:
    """The avatars of the gaussian law: levels along the tree, scores, and back by rank."""
    near = [[row for row, _ in of] for of in neighbourhoods(places, k)]
    rng = stream(seed, "weights", 0, 0)
    draws = [rng.standard_normal(k) for _ in near]
    weights = [1 / k + (g - g.mean()) / np.sqrt(k - 1) for g in draws]

    levels, rng = levels_of(originals), stream(seed, "donors", 0, 0)
    donors = [of[drawn([1] * k, rng.random())] for of in near]
    given_to: dict[str, list[Any]] = {"gaps": [levels["gaps"][donor] for donor in donors]}
    for name, given in tree(levels)[1:]:
        given_to[name] = []
        for avatar, (donor, of) in enumerate(zip(donors, near, strict=True)):
            kind = [(levels[name][row] is None) == (levels[name][donor] is None) for row in of]
            alike = [given is None or levels[given][row] == given_to[given][avatar] for row in of]
            both = [one and other for one, other in zip(kind, alike, strict=True)]
            chosen = drawn(both if any(both) else kind, rng.random())
            given_to[name].append(levels[name][of[chosen]])

    avatars: dict[str, Cells] = dict(given_to)
    for number, name in enumerate(of for of in originals if of in DECIMALS):
        scores, free, new = normal_scores(originals[name]), [], []
        deciding = decides(scores, levels)
        for avatar, of in enumerate(near):
            if given_to[name][avatar] != "a number":
                continue
            held = scores[of]
            if deciding is not None:
                alike = [levels[deciding][row] == given_to[deciding][avatar] for row in of]
                some = np.where(alike, held, np.nan)
                held = some if np.isfinite(some).sum() >= 2 else held
            free.append(avatar)
            new.append(combined(held, weights[avatar]))
        ties = stream(seed, "marginals", 0, number).random(len(free)).tolist()
        values, cells = without_piles(originals[name]), list(given_to[name])
        for rank, one in enumerate(sorted(range(len(free)), key=lambda one: (new[one], ties[one]))):
            cells[free[one]] = at_share(values, max(k, 10), (rank + 0.5) / len(free))
        avatars[name] = settled(name, cells, originals[name])
    return avatars


def assert_cell_by_cell(release: sosie.Release, avatars: Mapping[str, Cells], frame: pd.DataFrame) -> None:
    expected = pd.DataFrame({name: avatars[str(name)] for name in frame}).astype(frame.dtypes)
    pd.testing.assert_frame_equal(release.linked, expected, check_exact=True)


@pytest.mark.parametrize(
    ("n", "k"), [(300, 5), (1_100, 8)]
)  # beyond 1,024 rows chance is drawn beside the search
@pytest.mark.parametrize("zero_distance", ["floor", "limit"])
def test_every_cell_of_the_published_law_is_that_of_the_method_written_plainly(
    n: int, k: int, zero_distance: str
) -> None:
    frame, release = people(n), released("published", n, k, zero_distance)
    places = release.projection.project(frame)
    avatars = published(columns_of(frame), places, k, zero_distance, child_seed(SEED, 0))
    assert_cell_by_cell(release, avatars, frame)


@pytest.mark.parametrize(("n", "k"), [(300, 5), (400, 20)])
def test_every_cell_of_the_gaussian_law_is_that_of_the_method_written_plainly(n: int, k: int) -> None:
    frame, release = people(n), released("gaussian", n, k)
    avatars = gaussian(columns_of(frame), release.projection.project(frame), k, child_seed(SEED, 0))
    assert_cell_by_cell(release, avatars, frame)


def test_the_table_compared_has_twins_and_what_the_laws_treat_apart() -> None:
    frame = people(300)
    columns, categories = columns_of(frame), columns_of(frame[["stage", "ward", "smoker"]])
    near = neighbourhoods(released("published", 300, 5).projection.project(frame), 5)
    assert sum(away == 0 for of in near for _, away in of) > 50
    assert (frame["cost"] == 0).mean() > 0.2  # a pile
    assert 20 < sum(cell is None for cell in columns["stage"]) < sum(cell is None for cell in columns["kg"])
    assert tree(categories) == [("stage", None), ("ward", "stage"), ("smoker", None)]
    assert decides(frame["kg"].to_numpy(), categories) == "stage"
