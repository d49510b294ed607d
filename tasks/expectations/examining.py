"""Examining the table to release: its contract and the configuration's own expectations, held against it."""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from sosie.columns import Table, encode
from sosie.schemas.examination import Examination, Fate, Origin, Outcome
from sosie.schemas.expectations import Expectation, Expectations
from sosie.tasks.expectations.checks import check_output
from sosie.tasks.expectations.contract import contract, leeway_of
from sosie.tasks.expectations.great import judge
from sosie.tasks.expectations.plain import common_levels, plain_frame, without_rare_levels


@dataclass(frozen=True, eq=False)
class Examined:
    """What came of an examination, and the files of Great Expectations by name; none where it was not asked."""

    examination: Examination
    files: Mapping[str, bytes]


def examine(
    released: pd.DataFrame,
    originals: Table,
    derived: Collection[Hashable],
    min_count: int,
    wanted: Expectations,
    with_library: bool,
) -> Examined | None:
    """The frame to release held against what its originals and the configuration ask; None when nothing is asked.

    `with_library`: Great Expectations judges the contract and the expectations of the configuration. Pandera's checks
    are always made. The originals' contract is judged on levels of which the rare are hidden beforehand.
    """
    if not with_library and not any(checks.table != "input" for checks in wanted.checks.values()):
        return None
    table = _as_table(released, originals)
    checked = check_output(plain_frame(table), wanted.checks)
    if not with_library:
        return Examined(Examination(outcomes=checked, library=None), {})
    common = common_levels(originals, min_count)
    promised = contract(originals, derived, min_count, leeway_of(wanted))
    kept = judge("contract", promised, without_rare_levels(table, common))
    outcomes = _outcomes("contract", promised, kept.fates)
    files = {"contract-suite.json": kept.suite, "contract-result.json": kept.result}
    if wanted.own:
        own = judge("own", wanted.own, plain_frame(table))
        outcomes += _outcomes("own", wanted.own, own.fates)
        files |= {"own-suite.json": own.suite, "own-result.json": own.result}
    return Examined(Examination(outcomes=(*outcomes, *checked), library=kept.version), files)


def _as_table(released: pd.DataFrame, originals: Table) -> Table:
    """The frame read again, as somebody who receives it would, rather than what it was written from."""
    fresh = [released[identifier.name].to_numpy(dtype=object) for identifier in originals.identifiers]
    return replace(
        encode(released, originals.columns),
        identifiers=originals.identifiers,
        fresh=np.stack(fresh, axis=1) if fresh else np.empty((len(released), 0), dtype=object),
    )


def _outcomes(origin: Origin, asked: tuple[Expectation, ...], fates: tuple[Fate, ...]) -> tuple[Outcome, ...]:
    return tuple(
        Outcome(origin=origin, asked=expected, fate=fate) for expected, fate in zip(asked, fates, strict=True)
    )
