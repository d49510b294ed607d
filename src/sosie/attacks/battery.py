"""Every attack on one table of avatars."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from sosie.attacks.cells import rows_by_cells
from sosie.attacks.copies import Copies, copies
from sosie.attacks.inference import Inference, inference
from sosie.attacks.linkability import column_groups, linkability
from sosie.attacks.membership import (
    Membership,
    isolated_rows,
    membership_density,
    membership_projected,
    membership_raw,
)
from sosie.attacks.rates import Attack, NotMeasurableError
from sosie.attacks.singling_out import singling_out_multivariate, singling_out_univariate
from sosie.columns import Table, quoted
from sosie.errors import InputError
from sosie.estimates import NEEDS_REAL_HOLDOUT, NotComputed
from sosie.holdout import HoldoutMode
from sosie.projection import Projection
from sosie.threads import beside, each

_Found = TypeVar("_Found")

ATTEMPTS = 1_000
FEWEST_CONDITIONS = 10


@dataclass(frozen=True)
class Attacks:
    """What each attack found, or why it could not be run; a reason is never to be read as safe.

    With an approximate holdout, whose rows did influence the avatars, the controls are too good: figures lean towards
    safe, and there is no membership.
    """

    singling_out_univariate: Attack | NotComputed
    singling_out_multivariate: Attack | NotComputed
    linkability: Attack | NotComputed
    inference: Inference | NotComputed
    membership_projected: Membership | NotComputed
    membership_raw: Membership | NotComputed
    membership_density: Membership | NotComputed
    copies: Copies | NotComputed

    @property
    def advantages(self) -> tuple[str, ...]:
        """The attacks that found an advantage which chance alone gives in at most 1 of 200 tables each."""
        judged = {
            "singling_out_univariate": self.singling_out_univariate,
            "singling_out_multivariate": self.singling_out_multivariate,
            "linkability": self.linkability,
            "inference": self.inference if isinstance(self.inference, NotComputed) else self.inference.worst,
            "membership_projected": self.membership_projected,
            "membership_raw": self.membership_raw,
            "membership_density": self.membership_density,
        }
        return tuple(
            name
            for name, found in judged.items()
            if not isinstance(found, NotComputed) and found.advantage_detected
        )


def attack(
    working: Table,
    avatars: Table,
    holdout: Table,
    projection: Projection,
    holdout_mode: HoldoutMode,
    rng: np.random.Generator,
    *,
    linked: bool = False,
    quasi_identifiers: Sequence[Hashable] = (),
    secrets: Sequence[Hashable] = (),
    attempts: int = ATTEMPTS,
    min_count: int = 5,
    workers: int = -1,
) -> Attacks:
    """Run them all on the working half, its avatars and the holdout.

    `quasi_identifiers`: what an attacker knows of a person; by default every column but the secret, and for
    linkability half of the columns. `secrets`: what the attacker wants; by default each column in turn (each that is
    not a quasi-identifier, where those are named). `attempts`: targets or conditions of each of singling out,
    linkability and inference; fewer where there are fewer, as each rate says. Figures do not depend on the order of
    rows or columns, nor on `workers`.

    Raises InputError `UNKNOWN_COLUMN` for a name that is not a column; ValueError for an empty table.
    """
    _refuse_unknown(working, (*quasi_identifiers, *secrets))
    if not (len(working) and len(avatars) and len(holdout)):
        raise ValueError(
            f"attacks need rows: {len(working)} working, {len(avatars)} avatars, {len(holdout)} holdout"
        )
    wanted = list(secrets) or [c.name for c in working.columns if c.name not in quasi_identifiers]
    sides = working, avatars, holdout
    here, seen, there = each(lambda table: table.take(rows_by_cells(table)), sides, workers)
    streams = rng.spawn(5)

    def link() -> Attack:
        groups = column_groups(seen, quasi_identifiers)
        return linkability(here, seen, there, groups, attempts, streams[2], workers=workers)

    def infer() -> Inference:
        return inference(here, seen, there, quasi_identifiers, wanted, attempts, streams[3], workers)

    # what works on one core goes on beside what searches on several
    with beside(workers) as calls:
        copied = calls.submit(copies, working, avatars, holdout, linked, min_count)
        univariate, multivariate = (
            calls.submit(_or_reason, partial(single_out, here, seen, there, attempts, stream))
            for single_out, stream in (
                (singling_out_univariate, streams[0]),
                (singling_out_multivariate, streams[1]),
            )
        )
        projected, raw, density = _membership(
            here, seen, there, projection, holdout_mode, streams[4], workers
        )
        linked_by, inferred = _or_reason(link), _or_reason(infer)
    return Attacks(
        singling_out_univariate=_enough(univariate.result(), FEWEST_CONDITIONS),
        singling_out_multivariate=_enough(multivariate.result(), FEWEST_CONDITIONS),
        linkability=_enough(linked_by),
        inference=inferred,
        membership_projected=projected,
        membership_raw=raw,
        membership_density=density,
        copies=copied.result(),
    )


def _membership(
    working: Table,
    avatars: Table,
    holdout: Table,
    projection: Projection,
    mode: HoldoutMode,
    rng: np.random.Generator,
    workers: int,
) -> tuple[Membership | NotComputed, Membership | NotComputed, Membership | NotComputed]:
    if mode != "real":
        reason = NotComputed(NEEDS_REAL_HOLDOUT)
        return reason, reason, reason
    here, seen, there = each(projection.coordinates, (working, avatars, holdout), workers)
    isolated = isolated_rows(here, there, workers)
    streams = rng.spawn(3)
    return (
        _or_reason(lambda: membership_projected(here, seen, there, isolated, streams[0], workers)),
        _or_reason(lambda: membership_raw(working, avatars, holdout, isolated, streams[1], workers)),
        _or_reason(lambda: membership_density(working, avatars, holdout, isolated, streams[2], workers)),
    )


def _refuse_unknown(table: Table, names: Sequence[Hashable]) -> None:
    absent = [name for name in names if name not in [column.name for column in table.columns]]
    if absent:
        raise InputError("UNKNOWN_COLUMN", f"the table has no column {quoted(absent)}", tuple(absent))


def _enough(found: Attack | NotComputed, fewest: int = 1) -> Attack | NotComputed:
    """A share of a handful says nothing, be it of conditions or of strangers who are left to do better than."""
    if isinstance(found, NotComputed):
        return found
    if found.main.attempts < fewest:
        return NotComputed(
            f"{found.main.attempts} conditions fit one avatar alone, at least {fewest} are needed"
        )
    return found.measured


def _or_reason(run: Callable[[], _Found]) -> _Found | NotComputed:
    try:
        return run()
    except NotMeasurableError as refused:
        return NotComputed(str(refused))
