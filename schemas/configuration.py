"""The configuration: what a run is asked to do, checked before it starts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from sosie.errors import InputError
from sosie.recognition import Declaration
from sosie.schemas.durations import duration
from sosie.schemas.expectations import Expectations
from sosie.schemas.runner import Runner
from sosie.schemas.sections import Section, named_by_text
from sosie.schemas.targets import METRICS, Profile, Target, profile_targets
from sosie.sources import refuse_password


class Method(Section):
    """How the avatars are made."""

    k: int = Field(default=20, ge=2, description="neighbours an avatar is drawn from; at most rows − 1")
    ncp: int = Field(default=5, ge=1, description="components the neighbours are found on; at most the rank")
    seed: int | None = Field(
        default=None, ge=0, repr=False, description="a secret: it undoes the shuffle; drawn afresh when null"
    )
    weights: Literal["published", "gaussian"] = Field(
        default="published",
        description="published: the paper's random weights; gaussian: the neighbourhood's own mean and covariance, "
        "associated levels drawn together, each column's own distribution",
    )
    zero_distance: Literal["floor", "limit"] = Field(
        default="floor",
        description="neighbours at distance 0; floor: they count as if at the smallest distance above 0; limit: they "
        "share all the weight",
    )
    categories: Literal["draw", "mode"] = Field(
        default="draw", description="draw: a level in proportion to its mass; mode: the heaviest"
    )
    integers: Literal["round", "truncate"] = Field(
        default="round", description="round: to the nearest, halves to even; truncate: without the decimals"
    )
    imputation: Literal["fast_knn", "knn", "mean", "median", "mode"] = Field(
        default="fast_knn", description="temporary imputation, for the projection only"
    )


class Holdout(Section):
    """How real rows are set apart to measure against."""

    mode: Literal["auto", "real", "approximate"] = Field(
        default="auto", description="auto: real from min_rows rows on, approximate below"
    )
    min_rows: int = Field(default=500, ge=4, description="fewest rows for a real holdout in mode auto")


class RareValues(Section):
    """What counts as rare."""

    min_count: int = Field(default=5, ge=1, description="a level held by fewer individuals is rare")
    label: str | None = Field(default=None, description="rare levels are merged under this label; null: kept")


class Batches(Section):
    """How a large table is cut."""

    rows: int | None = Field(default=None, ge=10, description="most rows in a batch; null: one batch")
    by: Literal["local", "random"] = Field(
        default="local", description="local: cut the projected space; random: deal at random"
    )
    streamed: Literal["auto", "always", "never"] = Field(
        default="auto",
        description="auto: Parquet and delimited files, and tables of PostgreSQL, of more than in_memory rows are "
        "never held whole; null rows are then 500,000",
    )
    in_memory: int = Field(
        default=4_000_000,
        ge=0,
        description="most rows that are held in memory, about 1.1 GB a million of 14 columns",
    )


class AttackPlan(Section):
    """What attackers are taken to know and to want."""

    quasi_identifiers: tuple[str | int, ...] = Field(
        default=(), description="columns an attacker knows of a person; none: every column but the secret"
    )
    secrets: tuple[str | int, ...] = Field(
        default=(), description="columns an attacker wants to learn; none: each column in turn"
    )
    attempts: int = Field(default=1_000, ge=10, description="targets or conditions tried by each attack")


class SurvivalColumns(Section):
    """The columns of a survival analysis."""

    duration: str | int = Field(description="how long each person was followed")
    event: str | int = Field(description="whether the event came")
    group: str | int | None = Field(default=None, description="groups to compare; declare it a category")
    reference: str | None = Field(default=None, description="the group that others are held against")
    event_values: tuple[str, ...] = Field(
        default=("1", "True", "true"), description="values that say the event came"
    )


class Use(Section):
    """What the table is for, so that it can be measured."""

    target: str | int | None = Field(default=None, description="a column to predict from the others")
    survival: SurvivalColumns | None = Field(default=None, description="a survival analysis to repeat")


class Targets(BaseModel):
    """What is asked of the figures; any metric's name may be a key: `hidden_rate: {min: 50}`."""

    model_config = ConfigDict(frozen=True, extra="allow", hide_input_in_errors=True)
    __pydantic_extra__: dict[str, Target]

    mode: Literal["enforce", "report"] = Field(
        default="enforce", description="enforce: a miss releases nothing; report: measure, never block"
    )
    profile: Profile = Field(default="partner", description="who the table goes to")
    on_miss: Literal["report", "advise"] = Field(
        default="report",
        description="advise: a rejected run goes on for some minutes, to measure what would meet the targets",
    )

    @model_validator(mode="after")
    def _every_metric_exists(self) -> Self:
        # a misspelt target would otherwise never be held against anything
        unknown = [name for name in self.__pydantic_extra__ if name not in METRICS]
        if unknown:
            raise ValueError(
                f"no metric is called {', '.join(unknown)}; a target can be set for {', '.join(METRICS)}"
            )
        return self

    def by_metric(self) -> dict[str, Target]:
        """The profile's targets with the configuration's own in their place."""
        return profile_targets(self.profile) | dict(self.__pydantic_extra__ or {})


class Report(Section):
    """How the report is written."""

    language: Literal["en", "fr"] = Field(default="en", description="language of the report")
    assessment: bool = Field(
        default=False, description="also write the technical assessment as PDF; needs sosie[pdf]"
    )


def _some_threads(workers: int) -> int:
    if workers != -1 and workers < 1:
        raise ValueError("threads are at least 1, or -1 for all cores")
    return workers


def _without_password(address: str | None) -> str | None:
    if address is not None:
        refuse_password(address)
    return address


class Secrets(Section):
    """Prefect Secret blocks that hold passwords of databases, by name; without one libpq's own ways are used."""

    source: str | None = Field(default=None, description="block with the password of the source's database")
    destination: str | None = Field(
        default=None, description="block with the password of the destination's database"
    )


def _some_duration(text: str) -> str:
    duration(text)
    return text


class Keeping(Section):
    """Where a run keeps what its steps give, so that a later run need not compute it again."""

    directory: str | None = Field(
        default=None,
        description="a private folder; null: that of SOSIE_STORE, else sosie in the user's cache folder",
    )
    keep: bool = Field(
        default=True,
        description="false: nothing is written to disk but a streamed table's block files while the run is at work; "
        "nothing can be resumed",
    )
    expire: Annotated[str, AfterValidator(_some_duration)] = Field(
        default="24h", description="removed when not used for so long: 30m, 24h, 7d; 0h: before every run"
    )


class SigningKey(Section):
    """Who signs the manifest, so that what was released can be shown to be what was made."""

    key: str | None = Field(
        default=None,
        pattern=r"^[^-\s].*$",
        description="fingerprint, key ID or address of the GnuPG key that signs the manifest; null: not signed",
    )


class Limits(Section):
    """What a run may take."""

    minutes: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="the run is stopped after so many; null: never"
    )


class Configuration(Section):
    """Everything that a run is asked to do."""

    source: Annotated[str | None, AfterValidator(_without_password)] = Field(
        default=None, description="the table, when no SOURCE is given"
    )
    destination: Annotated[str | None, AfterValidator(_without_password)] = Field(
        default=None,
        description="where the avatars also go when released: a file, the URL of an object, or a table of a database",
    )
    secrets: Secrets = Secrets()
    columns: Annotated[Mapping[str, Declaration], BeforeValidator(named_by_text)] = Field(
        default_factory=dict, description="what differs from what inspect found, by column"
    )
    constraints: tuple[str, ...] = Field(
        default=(),
        description="orders that hold in every row: `admitted <= discharged`, numbers or dates, <= >= < >",
    )
    method: Method = Method()
    holdout: Holdout = Holdout()
    release: Literal["full", "working"] = Field(
        default="full", description="full: the avatars of all rows; working: the very avatars measured"
    )
    rare_values: RareValues = RareValues()
    targets: Targets = Field(default_factory=lambda: Targets.model_validate({}))
    batches: Batches = Batches()
    attacks: AttackPlan = AttackPlan()
    utility: Use = Use()
    expectations: Expectations = Expectations()
    repeats: int = Field(default=1, ge=1, le=100, description="draws measured, for the figures' stability")
    report: Report = Report()
    store: Keeping = Keeping()
    limits: Limits = Limits()
    signature: SigningKey = SigningKey()
    runner: Runner = Runner()
    workers: Annotated[int, AfterValidator(_some_threads)] = Field(
        default=-1, description="threads; -1: all cores; results do not depend on it"
    )


def parse_configuration(content: Mapping[str, Any]) -> Configuration:
    """The configuration in a mapping, or InputError `BAD_CONFIG` naming every key at fault, never a value."""
    try:
        return Configuration.model_validate(content)
    except ValidationError as error:
        raise InputError("BAD_CONFIG", _sentence(error)) from None


def read_configuration(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file, not yet checked; InputError `BAD_CONFIG` if there is none."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise InputError(
            "BAD_CONFIG", f"the configuration {path.name} cannot be read: check the path and its permissions"
        ) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" at line {mark.line + 1}" if mark else ""
        raise InputError("BAD_CONFIG", f"the configuration {path.name} is not valid YAML{line}") from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise InputError("BAD_CONFIG", f"the configuration {path.name} must be a mapping of keys to values")
    return content


def _sentence(error: ValidationError) -> str:
    problems = [
        f"{'.'.join(str(part) for part in problem['loc']) or 'configuration'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    return f"the configuration has {len(problems)} problem(s): " + "; ".join(problems)
