"""The metrics file: every figure beside its reference, its target and its verdict."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from sosie.estimates import Metric
from sosie.evaluation import Evaluation
from sosie.holdout import HoldoutMode
from sosie.schemas.targets import Target
from sosie.utility import Spread, Stability

Verdict = Literal["pass", "fail", "uninformative", "not computed", "info"]


class JudgedMetric(BaseModel):
    """One figure and what the targets say of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float | None = Field(description="the figure; null exactly when it was not computed")
    reference: float | None = Field(description="the same figure with the holdout in place of the avatars")
    target: Target | None = Field(description="what was asked of the figure, and where that comes from")
    verdict: Verdict = Field(description="info: no target was set")
    reason: str | None = Field(description="why it is uninformative or was not computed")
    interval: tuple[float, float] | None = Field(default=None, description="95 % interval of the value")
    baseline: float | None = Field(default=None, description="what chance alone gives")
    attempts: int | None = Field(default=None, description="how many times an attack was tried")
    spread: Spread | None = Field(
        default=None, description="of the value over the draws, when there were several"
    )


class RowCounts(BaseModel):
    """How many rows took part."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    working: int = Field(description="rows anonymised and measured")
    holdout: int = Field(description="rows set apart")
    released: int = Field(description="rows of the released table")


class VariableScore(BaseModel):
    """What is said of one column."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hellinger: float = Field(description="0–100, 100 when the avatars are as close as the holdout")


class MetricsFile(BaseModel):
    """`metrics.json`, version 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    holdout: HoldoutMode
    rows: RowCounts
    ncp: int = Field(description="components used")
    draws: int = Field(default=1, description="releases that were drawn and measured")
    k: int | None = Field(description="neighbours; null when the avatars were made elsewhere")
    metrics: Mapping[str, JudgedMetric]
    local_cloaking_deciles: tuple[float, ...] | None
    local_cloaking_most: int | None = Field(
        default=None, description="single counts stopped here: a decile that reaches it is that or more"
    )
    variables: Mapping[str, VariableScore]

    @property
    def missed(self) -> tuple[str, ...]:
        """The metrics that miss their target, or have one and could not be computed: a gap is never a pass."""
        return tuple(name for name, metric in self.metrics.items() if is_missed(metric))


def judge(
    evaluation: Evaluation, targets: Mapping[str, Target], *, k: int | None, released: int
) -> MetricsFile:
    """The evaluation held against the targets.

    A figure that could not be computed never passes: a target that the configuration sets for it is missed. A profile,
    which knows nothing of the table, asks nothing of a figure that the table or the request rules out (one column
    alone, rows not linked), nor of the rows that equal an original where a row is one value: a barycentre of whole
    numbers between 1 and 60 is some original's. Avatars made elsewhere (k is None), which may be copies, are asked.
    """
    if k is not None:
        targets = _asked_of(len(evaluation.variables), targets)
    return MetricsFile(
        holdout=evaluation.holdout,
        rows=RowCounts(working=evaluation.rows.working, holdout=evaluation.rows.holdout, released=released),
        ncp=evaluation.ncp,
        k=k,
        draws=evaluation.stability.repeats if isinstance(evaluation.stability, Stability) else 1,
        metrics={
            name: _judged(metric, targets.get(name), _spread(evaluation, name))
            for name, metric in evaluation.metrics.items()
        },
        local_cloaking_deciles=evaluation.local_cloaking_deciles,
        local_cloaking_most=evaluation.local_cloaking_most,
        variables={
            variable.name: VariableScore(hellinger=variable.hellinger) for variable in evaluation.variables
        },
    )


def missed_targets(
    metrics: Mapping[str, Metric], targets: Mapping[str, Target], columns: int
) -> tuple[str, ...]:
    """The metrics of a table of so many columns, anonymised here, that `judge` would say miss their target."""
    asked = _asked_of(columns, targets)
    judged = {name: _judged(metric, asked.get(name), None) for name, metric in metrics.items()}
    return tuple(name for name, metric in judged.items() if is_missed(metric))


def is_missed(metric: JudgedMetric) -> bool:
    """Whether a figure misses its target, or has one and could not be computed: a gap is never a pass."""
    return metric.verdict == "fail" or (metric.verdict == "not computed" and metric.target is not None)


def _asked_of(columns: int, targets: Mapping[str, Target]) -> Mapping[str, Target]:
    """What is asked of a table of so many columns."""
    if columns != 1:
        return targets
    return {name: target for name, target in targets.items() if not _of_equal_rows(name, target)}


def _of_equal_rows(name: str, target: Target) -> bool:
    return target.from_profile and name in ("row_direct_match", "row_direct_match_own")


def _spread(evaluation: Evaluation, name: str) -> Spread | None:
    if not isinstance(evaluation.stability, Stability):
        return None
    found = evaluation.stability.metrics[name]
    return found if isinstance(found, Spread) else None


def _judged(metric: Metric, target: Target | None, spread: Spread | None) -> JudgedMetric:
    if target is not None and target.from_profile and metric.value is None:
        target = None
    return JudgedMetric(
        value=metric.value,
        reference=metric.reference,
        target=target,
        verdict=_verdict(metric, target),
        reason=metric.reason,
        interval=metric.interval,
        baseline=metric.baseline,
        attempts=metric.attempts,
        spread=spread,
    )


def _verdict(metric: Metric, target: Target | None) -> Verdict:
    if metric.value is None:
        return "not computed"
    if metric.status == "uninformative":
        return "uninformative"
    if target is None:
        return "info"
    return "pass" if target.met_by(metric.value, metric.reference) else "fail"
