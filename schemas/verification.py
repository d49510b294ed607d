"""What `sosie verify` found: every hash of a run's manifests held against the files."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

State = Literal["intact", "altered", "missing", "added"]


class Signature(BaseModel):
    """A manifest's detached signature, as GnuPG judges it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    state: Literal["none", "good", "bad", "expired", "expired key", "revoked key", "unknown key"]
    key: str | None = Field(default=None, description="fingerprint of the signer's primary key, else its ID")
    name: str | None = Field(default=None, description="the signer, as the key names it")


class CheckedFile(BaseModel):
    """One file, or one thing that a manifest gives a hash of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="path in the run directory, or what was hashed")
    state: State


class Verification(BaseModel):
    """What is intact, and what is not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str | None = Field(description="the name the run had; None when its manifest cannot be read")
    status: str | None = Field(description="released, rejected or failed")
    intact: bool
    files: tuple[CheckedFile, ...]
    signature: Signature
    problems: tuple[str, ...] = Field(description="in plain sentences, why it is not intact; none when it is")
    notes: tuple[str, ...] = Field(description="what was not checked, and what a reader should know")
