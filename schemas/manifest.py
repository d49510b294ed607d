"""The manifest: what was run on what, without a cell, a seed or a path outside the run."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Status = Literal["released", "rejected", "failed"]


class ManifestWarning(BaseModel):
    """Something the user should know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    column: str | None
    message: str


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
    rows: int | None = Field(default=None, description="rows of the source")
    columns: tuple[str, ...] | None = Field(default=None, description="columns released, in order")
    parameters: Mapping[str, Any] | None = Field(
        default=None, description="the configuration without its seed"
    )
    versions: Mapping[str, str] = Field(description="of sosie, Python and the libraries that compute")
    stage_seconds: Mapping[str, float] = Field(default_factory=dict, description="wall time of each step")
    peak_memory_mb: float | None = None
    batches: int | None = Field(default=None, description="batches that the released rows were made in")
    warnings: tuple[ManifestWarning, ...] = ()
    files: Mapping[str, str] = Field(default_factory=dict, description="sha256 of the run's shareable files")
