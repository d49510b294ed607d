"""The manifest: what was run on what, without a cell, a seed or a path outside the run."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sosie.schemas.examination import ExaminationCounts

Status = Literal["released", "rejected", "failed"]


class ManifestWarning(BaseModel):
    """Something the user should know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    column: str | None
    message: str


class Program(BaseModel):
    """Which code ran."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str = Field(description="of every file of the installed package, with its name")
    revision: str | None = Field(default=None, description="git describe of a checkout; null where installed")


def configuration_hash(parameters: Mapping[str, Any]) -> str:
    """The sha256 of the parameters as canonical JSON: sorted keys, no blanks, UTF-8."""
    canonical = json.dumps(parameters, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


class Manifest(BaseModel):
    """`manifest.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: Status
    code: str | None = Field(description="error code of a failed or rejected run")
    message: str | None = Field(default=None, description="the error's sentence")
    run: str = Field(description="name of the run directory")
    started: str = Field(description="UTC, ISO 8601")
    source_name: str | None = Field(default=None, description="file name of the source, without its folder")
    source_sha256: str | None = None
    inputs_sha256: Mapping[str, str] = Field(
        default_factory=dict,
        description="sha256 of every table read: source, or original, avatars and holdout",
    )
    rows: int | None = Field(default=None, description="rows of the source")
    columns: tuple[str, ...] | None = Field(default=None, description="columns released, in order")
    parameters: Mapping[str, Any] | None = Field(
        default=None, description="the configuration without its seed"
    )
    configuration_sha256: str | None = Field(
        default=None, description="of the parameters as canonical JSON: what was asked, without secrets"
    )
    program: Program | None = Field(default=None, description="the code that ran")
    versions: Mapping[str, str] = Field(description="of sosie, Python and the libraries that compute")
    stage_seconds: Mapping[str, float] = Field(default_factory=dict, description="wall time of each step")
    peak_memory_mb: float | None = None
    batches: int | None = Field(default=None, description="batches that the released rows were made in")
    warnings: tuple[ManifestWarning, ...] = ()
    expectations: ExaminationCounts | None = Field(
        default=None, description="what came of examining the table before its release; null: not examined"
    )
    files: Mapping[str, str] = Field(
        default_factory=dict, description="sha256 of every other file in the folder of this manifest"
    )
    release_sha256: str | None = Field(
        default=None, description="in the private manifest of a released run: sha256 of release/manifest.json"
    )
