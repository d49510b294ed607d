"""Where the batches of a streamed run are worked on."""

from typing import Literal, Self

from pydantic import Field, model_validator

from sosie.schemas.sections import Section


class Runner(Section):
    """Who works on batches; no figure and no avatar depends on it."""

    kind: Literal["process", "dask"] = Field(
        default="process", description="process: this machine's own; dask: a Dask cluster, needs sosie[dask]"
    )
    address: str | None = Field(
        default=None, description="the Dask scheduler, tls://host:8786; null: a cluster of this machine"
    )
    workers: int = Field(
        default=1,
        ge=1,
        le=256,
        description="batches at once, each in a process of its own; 1: one after the other, with all threads",
    )
    share: str | None = Field(
        default=None,
        description="private folder or URL (s3://…) that every worker reaches; null: in the store's folder",
    )

    @model_validator(mode="after")
    def _address_is_for_dask(self) -> Self:
        if self.address is not None and self.kind != "dask":
            raise ValueError("address is for kind: dask")
        return self
