"""What a search is asked for: a table, or a run that missed its targets, and how much may be measured."""

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sosie.errors import InputError
from sosie.schemas.configuration import read_configuration
from sosie.schemas.grid import settings_of
from sosie.schemas.request import with_value
from sosie.search import Setting


class SearchRequest(BaseModel):
    """The parameters that searches share; a seed is never one of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    source: str | None = Field(default=None, description="the table, as of a run")
    config: str | None = Field(
        default=None, description="configuration file (YAML) that the search starts from"
    )
    out: str = Field(default="runs", description="folder that the run directory is created in")
    rows: int = Field(
        default=1_000, ge=20, description="rows sampled; half of them are anonymised in each split"
    )
    splits: int = Field(default=4, ge=2, le=50, description="random splits that each setting is tried on")
    profile: Literal["internal", "partner", "open"] | None = Field(
        default=None, description="whose targets are to be met; the configuration's by default"
    )
    target: str | None = Field(default=None, description="a column whose prediction counts as utility, too")
    language: Literal["en", "fr"] | None = Field(default=None, description="language of the page")

    def content(self) -> dict[str, Any]:
        """The configuration's mapping with the request's own values in their places, not yet checked."""
        content = read_configuration(Path(self.config)) if self.config else {}
        for value, path in (
            (self.source, ("source",)),
            (self.profile, ("targets", "profile")),
            (self.target, ("utility", "target")),
            (self.language, ("report", "language")),
        ):
            if value is not None:
                content = with_value(content, path, value)
        if content.get("source") is None:
            raise InputError("BAD_CONFIG", "no table is named: give SOURCE, or source: in the configuration")
        return content


class AdviceRequest(SearchRequest):
    """The parameters of an advice."""

    settings: int = Field(default=12, ge=1, le=40, description="settings measured at most")
    minutes: float | None = Field(
        default=10.0, gt=0, description="settings that would take longer are left out; null: none is"
    )
    for_run: str | None = Field(
        default=None, description="a run directory: the search starts from its table and configuration"
    )


class SweepRequest(SearchRequest):
    """The parameters of a sweep."""

    grid: str | None = Field(default=None, description="file (YAML) with a list of values for each key")
    values: tuple[str, ...] = Field(default=(), description="keys and their values: k=5,10,20")

    def combinations(self) -> tuple[Setting, ...]:
        """Every setting that is named."""
        return settings_of(self.grid, self.values)
