"""Inference: guessing a person's secret column from known ones, with the avatars as a reference book.

The guess is the secret of the avatar nearest in the known columns (Gower). main: targets of the working half;
control: of the holdout, on whom the same guess works as far as the columns explain each other; baseline: the secret
of an avatar drawn at random. WP29 Opinion 05/2014; Giomi et al. 2023.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from sosie.attacks.cells import Cells, cells_of
from sosie.attacks.gower import affordable_targets, gower_space, targets_in
from sosie.attacks.gower_search import nearest_without
from sosie.attacks.rates import Attack, NotMeasurableError, Rate, excess_p_value
from sosie.columns import PRESENT, Category, Column, Table, quoted
from sosie.estimates import NotComputed

_TOLERANCE = 0.05  # relative, as anonymeter's
_SHARE_OF_RANGE = 0.01  # where a relative error means nothing


@dataclass(frozen=True)
class Inference:
    """The attack on each secret in turn, and the one that gives most away: the largest lower end of a gain's interval.

    Among those that fail on too few holdout rows only where there is no other. The `p_value` of `worst` is that of the
    surest secret, and counts how many there are; those in `by_secret` stand alone.
    """

    worst: Attack
    by_secret: tuple[tuple[str, Attack | NotComputed], ...]


def inference(
    working: Table,
    avatars: Table,
    holdout: Table,
    known: Sequence[Hashable],
    secrets: Sequence[Hashable],
    attempts: int,
    rng: np.random.Generator,
    workers: int = -1,
) -> Inference:
    """The attack on every secret (all columns if none is named) from the known columns (all others if none is named).

    The same targets, at most `attempts` a side, serve for every secret; fewer on very large tables. A category is
    guessed when equal, a number within 5 % of its true value, any other quantity (an instant) within 1 % of the
    avatars' range; a gap when guessed as a gap. Among equally near avatars one is taken at random.
    NotMeasurableError when a name is not a column, nothing is known of a secret, or no secret can be computed.
    """
    base = cells_of(avatars.take(rng.permutation(len(avatars))))
    book, wanted = (base.positions(_checked(named, base.names)) for named in (known, secrets))
    space = gower_space(base)
    most = min(attempts, affordable_targets(space, 2 * len(base.names)))
    truths = [cells_of(side.take(np.sort(rng.permutation(len(side))[:most]))) for side in (working, holdout)]
    nearest = nearest_without(space, targets_in(space, *truths), book, wanted, workers)
    guesses = np.split(nearest, [len(truths[0])], axis=1)
    columns = {column.name: column for column in avatars.columns}
    found: list[tuple[str, Attack | NotComputed]] = []
    for place, secret in enumerate(wanted):
        column, span = columns[base.names[secret]], float(space.span[secret])
        main, control = (
            _rate(base.take(guessed[place]), truth, secret, column, span)
            for guessed, truth in zip(guesses, truths, strict=True)
        )
        by_chance = base.take(rng.integers(len(base), size=main.attempts))
        baseline = _rate(by_chance, truths[0], secret, column, span)
        found.append((str(column.name), _attack(main, control, baseline, str(column.name))))
    return Inference(_worst(found), tuple(found))


def _rate(guesses: Cells, truths: Cells, position: int, column: Column, span: float) -> Rate:
    guess, truth, state = guesses.columns[position], truths.columns[position], truths.states[position]
    right = (state != PRESENT) & (guesses.states[position] == state)
    if isinstance(column, Category):
        right |= guess == truth
    elif column.kind in ("integer", "float"):
        right |= np.abs(guess - truth) <= _TOLERANCE * np.abs(truth + column.origin)
    else:
        right |= np.abs(guess - truth) <= _SHARE_OF_RANGE * span
    return Rate(int(right.sum()), len(truths))


def _attack(main: Rate, control: Rate, baseline: Rate, name: str) -> Attack | NotComputed:
    try:
        return Attack(main, control, baseline, name, excess_p_value(main, control))
    except NotMeasurableError as refused:
        return NotComputed(str(refused))


def _worst(found: list[tuple[str, Attack | NotComputed]]) -> Attack:
    computed = [attack for _, attack in found if isinstance(attack, Attack)]
    if not computed:
        raise NotMeasurableError(
            f"none of {len(found)} secret(s) can be measured: each is guessed on the whole holdout too"
        )
    measurable = [attack for attack in computed if attack.measurable] or computed
    worst = max(measurable, key=lambda attack: (attack.risk.low, -attack.p_value, attack.worst))
    surest = min(attack.p_value for attack in computed)
    return Attack(worst.main, worst.control, worst.baseline, worst.worst, min(1.0, len(computed) * surest))


def _checked(named: Sequence[Hashable], names: tuple[Hashable, ...]) -> Sequence[Hashable]:
    unknown = [name for name in named if name not in names]
    if unknown:
        raise ValueError(f"not among the {len(names)} columns: {quoted(unknown)}")
    return named or names
