"""The same steps as a library: no Prefect, no file, no gate."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sosie.errors import InputError, Notice
from sosie.estimates import NotComputed
from sosie.evaluation import Evaluation
from sosie.evidence import MADE_ELSEWHERE
from sosie.flows.anonymization import measured_avatars, released_avatars
from sosie.flows.evidence import evidence
from sosie.projection import Projection
from sosie.schemas.configuration import Configuration, parse_configuration
from sosie.tasks import steps
from sosie.tasks.calls import DirectCalls, silent
from sosie.tasks.comparison import compare_tables
from sosie.tasks.job import job_of

_SECTIONS = (
    "columns",
    "constraints",
    "method",
    "holdout",
    "release",
    "batches",
    "rare_values",
    "attacks",
    "utility",
    "repeats",
    "workers",
)


@dataclass(frozen=True, eq=False)
class Release:
    """Avatars and their evidence.

    `avatars` are shuffled, index 0…n−1. `linked` holds the same rows in the originals' order: as sensitive as the
    originals. `projection` is the one the released avatars were made in.
    """

    avatars: pd.DataFrame
    linked: pd.DataFrame
    evaluation: Evaluation
    warnings: tuple[Notice, ...]
    projection: Projection


def anonymize(
    frame: pd.DataFrame, *, k: int = 20, ncp: int = 5, seed: int | None = None, **options: Any
) -> Release:
    """The avatars of a frame, one row for each, with what was measured of them.

    `options` are the configuration's keys: `columns`, `constraints`, `holdout`, `release`, `batches`, `rare_values`,
    `attacks`, `utility`, `repeats`, `workers`, and those of `method` (`weights`, `zero_distance`, `categories`,
    `integers`, `imputation`). `seed` is a secret: it undoes the shuffle; None draws one from the operating system. The
    frame is not changed.

    Raises InputError (a ValueError) with `.code` and `.columns` for a table or an option that is refused.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": range(20, 80), "ward": ["north", "south"] * 30})
    >>> release = anonymize(people, k=5, ncp=2)
    >>> release.avatars.shape
    (60, 2)
    >>> set(release.avatars["ward"]) <= {"north", "south"}
    True
    >>> anonymize(people, k=60)
    Traceback (most recent call last):
    sosie.errors.InputError: the table has 60 row(s), k = 60 needs at least 61: the largest usable k is 59
    """
    _refuse_other(frame, "frame")
    job = job_of(_configuration({"k": k, "ncp": ncp, "seed": seed}, options))
    holdout, call = job.configuration.holdout, DirectCalls(silent)
    workers = job.configuration.workers
    checked = steps.check(frame, job.declared.unweighted(), job.identifier_seed, workers)
    steps.refuse_k(len(frame), k, holdout.mode, holdout.min_rows)
    halves = steps.split_rows(checked, holdout.mode, holdout.min_rows, job.seed)
    measured, evaluation = measured_avatars(checked, halves, job, call)
    released = released_avatars(checked, halves, measured, job, call)
    return Release(
        avatars=steps.release_frame(released.rows, steps.shuffle(released.linked, job.seed), workers),
        linked=steps.release_frame(released.rows, released.linked.table, workers),
        evaluation=evaluation,
        warnings=checked.notices + job.notices + evaluation.notices,
        projection=released.projected.projection,
    )


def evaluate(
    original: pd.DataFrame,
    avatars: pd.DataFrame,
    linked: bool = True,
    holdout: pd.DataFrame | None = None,
    ncp: int = 5,
    seed: int | None = None,
    **options: Any,
) -> Evaluation:
    """Measure avatars made by anything.

    `linked`: row i of the avatars comes from row i of the originals. `holdout`: real rows that never took part;
    without it a random half of the originals stands in, which leans towards safe. `seed` draws that half.
    `options` as for `anonymize`.

    Raises InputError `SCHEMA_MISMATCH` when the tables do not have the same columns and types.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": range(20, 80), "ward": ["north", "south"] * 30})
    >>> copied = evaluate(people, people, linked=True)
    >>> copied.metrics["hidden_rate"].value
    0.0
    >>> copied.metrics["row_direct_match"].value
    100.0
    >>> copied.metrics["membership_auc"].reason
    'needs a real holdout'
    """
    _refuse_other(original, "original")
    _refuse_other(avatars, "avatars")
    job = job_of(_configuration({"ncp": ncp, "seed": seed}, options))
    imputation = job.configuration.method.imputation
    compared = compare_tables(original, avatars, holdout, linked, job.declared, ncp, imputation, job.seed)
    return evidence(compared, NotComputed(MADE_ELSEWHERE), job, DirectCalls(silent))


def _refuse_other(frame: object, name: str) -> None:
    if not isinstance(frame, pd.DataFrame):
        raise InputError(
            "UNSUPPORTED_FORMAT", f"{name} must be a pandas DataFrame, not a {type(frame).__name__}"
        )


def _configuration(method: Mapping[str, Any], options: Mapping[str, Any]) -> Configuration:
    content: dict[str, Any] = {"method": dict(method)}
    for name, value in options.items():
        if name == "method":
            raise InputError(
                "BAD_CONFIG", "the keys of method are options of their own: weights=…, not method={…}"
            )
        if name in _SECTIONS:
            content[name] = value
        else:
            content["method"][name] = value
    return parse_configuration(content)
