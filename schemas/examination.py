"""What came of examining a table before its release: each expectation with its fate, and the counts of them."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from sosie.schemas.expectations import Bound, Expectation, Level, Severity

Origin = Literal["contract", "own", "check"]
Fate = Literal["met", "missed", "not computed"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Check(_Record):
    """One of pandera's checks of one column, with what it was asked with."""

    column: str
    rule: str = Field(description="pandera's name: in_range")
    severity: Severity
    arguments: tuple[Bound | Level, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The column."""
        return (self.column,)


class Outcome(_Record):
    """One thing asked, and what came of it. `origin`: of the originals' contract, or the configuration's own."""

    origin: Origin
    asked: Expectation | Check
    fate: Fate


class Counts(_Record):
    """How many of one severity were met, missed, or could not be computed."""

    met: int = Field(ge=0)
    missed: int = Field(ge=0)
    not_computed: int = Field(ge=0)

    @property
    def all(self) -> int:
        """All of them."""
        return self.met + self.missed + self.not_computed


class ExaminationCounts(_Record):
    """An examination as counts; what could not be computed is not met."""

    critical: Counts = Field(description="a table that misses one is not released")
    warning: Counts = Field(description="reported only")

    @property
    def blocks(self) -> bool:
        """Whether the table must not be released."""
        return self.critical.met < self.critical.all


class Examination(_Record):
    """All outcomes, in order; `library` is the version of Great Expectations, none where it was not asked."""

    outcomes: tuple[Outcome, ...]
    library: str | None

    @property
    def counts(self) -> ExaminationCounts:
        """How many came to what."""
        return ExaminationCounts(critical=self._counts("critical"), warning=self._counts("warning"))

    def _counts(self, severity: Severity) -> Counts:
        fates = [outcome.fate for outcome in self.outcomes if outcome.asked.severity == severity]
        return Counts(
            met=fates.count("met"), missed=fates.count("missed"), not_computed=fates.count("not computed")
        )
