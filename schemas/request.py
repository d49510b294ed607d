"""What one run of the main job is asked for: a source, a configuration file and what overrides it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sosie.errors import InputError
from sosie.schemas.configuration import Configuration, parse_configuration, read_configuration


class Request(BaseModel):
    """The parameters of a run; a seed is never one of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    source: str | None = Field(
        default=None, description="the table: a file, or the URL of an object or of a database's table"
    )
    config: str | None = Field(default=None, description="configuration file (YAML)")
    out: str = Field(default="runs", description="folder that the run directory is created in")
    k: int | None = Field(default=None, ge=2, description="neighbours an avatar is drawn from")
    ncp: int | None = Field(default=None, ge=1, description="components the neighbours are found on")
    holdout: Literal["auto", "real", "approximate"] | None = Field(
        default=None, description="how real rows are set apart to measure against"
    )
    release: Literal["full", "working"] | None = Field(
        default=None, description="release the avatars of all rows, or the very avatars measured"
    )
    repeats: int | None = Field(
        default=None, ge=1, le=100, description="draws measured, for the figures' stability"
    )
    language: Literal["en", "fr"] | None = Field(default=None, description="language of the report")

    @property
    def resumes(self) -> bool:
        """Whether what to do is to be found in the run directory, since it is not said here."""
        return self.source is None and self.config is None

    def configuration(self, remembered: Mapping[str, Any] | None = None) -> Configuration:
        """The configuration file with the request's own parameters in their place, checked.

        A request that resumes takes what the run remembers in place of the file. Raises InputError `BAD_CONFIG`.
        """
        content = read_configuration(Path(self.config)) if self.config else {}
        if self.resumes and remembered:
            content = dict(remembered)
        for value, path in (
            (self.source, ("source",)),
            (self.k, ("method", "k")),
            (self.ncp, ("method", "ncp")),
            (self.holdout, ("holdout", "mode")),
            (self.release, ("release",)),
            (self.repeats, ("repeats",)),
            (self.language, ("report", "language")),
        ):
            if value is not None:
                content = with_value(content, path, value)
        configuration = parse_configuration(content)
        if configuration.source is None:
            raise InputError("BAD_CONFIG", "no table is named: give SOURCE, or source: in the configuration")
        return configuration


class EvaluationRequest(BaseModel):
    """The parameters of an evaluation of avatars made by anything."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    original: str = Field(description="the originals: a file or a URL")
    avatars: str = Field(description="the avatars: a file or a URL, with the same columns")
    linked: bool = Field(default=False, description="row i of the avatars comes from row i of the originals")
    holdout: str | None = Field(default=None, description="real rows that never took part")
    config: str | None = Field(default=None, description="configuration file (YAML)")
    out: str = Field(default="runs", description="folder that the run directory is created in")

    def configuration(self) -> Configuration:
        """The configuration file, checked, with the originals as its source.

        Raises InputError `BAD_CONFIG`.
        """
        content = read_configuration(Path(self.config)) if self.config else {}
        return parse_configuration({**content, "source": self.original})


def with_value(content: Mapping[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """The content with one value replaced, at any depth."""
    head, *rest = path
    if not rest:
        return {**content, head: value}
    inner = content.get(head) or {}
    if not isinstance(inner, Mapping):
        return dict(content)  # left for the check to refuse
    return {**content, head: with_value(inner, tuple(rest), value)}
