"""Tables and the two ways to their avatars: in memory and streamed."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sosie.decoding import Decoding
from sosie.schemas.configuration import Configuration, parse_configuration
from sosie.sources import read_source, write_table
from sosie.tasks import publication, steps
from sosie.tasks.job import MEASURED, RELEASED, job_of, weights_of
from sosie.tasks.run import Run, make_directory
from sosie.tasks.streamed import encoding, fitting, making, shuffling
from sosie.tasks.streamed.place import Place, place_of


def mixed(n: int, seed: int = 0) -> pd.DataFrame:
    """Numbers, dates, categories and gaps, some of them related, some rows equal.

    In each row seen ≤ left and kg ≤ most_kg; ratio, stay and old can be computed from the others.
    """
    rng = np.random.default_rng(seed)
    base = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "age": np.clip(45 + 15 * base, 18, 95).round().astype(int),
            "kg": (70 + 8 * base + rng.normal(0, 6, n)).round(1),
            "score": pd.array(rng.integers(0, 5, n), dtype="Int64"),
            "seen": pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D"),
            "ward": np.where(base > 0.5, "north", np.where(rng.random(n) < 0.5, "south", "east")),
            "grade": rng.choice(["a", "b", "c"], n),
            "smoker": rng.random(n) < 0.3,
        }
    )
    frame["left"] = frame["seen"] + pd.to_timedelta(rng.integers(0, 60, n), unit="D")
    frame["most_kg"] = (frame["kg"] + rng.exponential(4, n)).round(1)
    frame.loc[rng.random(n) < 0.05, "kg"] = np.nan
    frame.loc[rng.random(n) < 0.06, "most_kg"] = np.nan
    frame.loc[rng.random(n) < 0.03, "score"] = pd.NA
    frame.loc[rng.random(n) < 0.04, "grade"] = None
    frame["ratio"] = (frame["kg"] / frame["age"]).round(3)
    frame["stay"] = (frame["left"] - frame["seen"]).dt.days
    frame["old"] = frame["age"] > 50
    frame.iloc[n // 2 : n // 2 + n // 50] = frame.iloc[: n // 50].to_numpy()
    types = {
        "age": int,
        "kg": float,
        "smoker": bool,
        "most_kg": float,
        "ratio": float,
        "stay": int,
        "old": bool,
    }
    return frame.astype(types)


@dataclass(frozen=True)
class Case:
    """A source, and where runs of it may write."""

    source: Path
    folder: Path

    def configuration(self, **asked: Any) -> Configuration:
        return parse_configuration(
            {"source": str(self.source), "store": {"directory": str(self.folder / "store")}, **asked}
        )

    def run(self, name: str, **asked: Any) -> Run:
        directory = self.folder / name
        make_directory(directory)
        return Run(job_of(self.configuration(**asked), 11), directory, datetime.now(UTC))

    def in_memory(self, part: int = RELEASED, **asked: Any) -> bytes:
        """The file of the avatars of all rows (or of the working half), made in memory."""
        configuration, job = self.configuration(**asked), job_of(self.configuration(**asked), 11)
        method, source = configuration.method, read_source(self.source)
        checked = steps.check(source.frame, job.declared.unweighted(), None)
        if part == MEASURED:
            halves = steps.split_rows(checked, "real", 500, job.seed)
            checked = steps.working_rows(checked, halves)
        projected = steps.project(
            checked, weights_of(configuration.columns), method.ncp, method.imputation, configuration.workers
        )
        drawn = steps.draw(
            projected,
            method.k,
            method.weights,
            method.zero_distance,
            configuration.batches.rows,
            configuration.batches.by,
            job.part(part),
            -1,
        )
        decoding = Decoding(method.categories, method.integers)
        linked = steps.transform_back(checked, projected, drawn, decoding, job.part(part), -1)
        frame = steps.release_frame(checked, steps.shuffle(linked, job.seed))
        path = self.folder / f"in-memory{self.source.suffix}"
        write_table(frame, source.dialect, path)
        return path.read_bytes()

    def halves_of(self, run: Run) -> tuple[Place, encoding.Encoded, encoding.Halves]:
        place = place_of(run)
        job = run.job
        encoded = encoding.encode_source(
            str(self.source), job.declared.unweighted(), place.shelf, place.aside
        )
        return place, encoded, encoding.set_apart(encoded, job.seed)

    def streamed(self, name: str = "run", part: int = RELEASED, **asked: Any) -> bytes:
        """The same file, made without ever holding the table."""
        run = self.run(name, **asked)
        place, encoded, halves = self.halves_of(run)
        configuration, method = run.job.configuration, run.job.configuration.method
        shelf, seed = place.shelf.inside("part"), run.job.part(part)
        which = "working" if part == MEASURED else "everyone"
        fitted = fitting.fit(
            halves,
            "working" if which == "working" else "everyone",
            weights_of(configuration.columns),
            method.ncp,
            method.imputation,
        )
        dealt = making.deal(fitted, shelf, configuration.batches, method.k, seed, run.job.seed)
        linked = making.make(
            fitted,
            dealt,
            method,
            configuration.runner,
            configuration.workers,
            seed,
            place.key(),
            lambda _: None,
        )
        written: publication.Written = shuffling.write_shuffled(linked, encoded.origin, run.job.seed, run)
        return written.path.read_bytes()


@pytest.fixture
def case(tmp_path: Path, request: pytest.FixtureRequest) -> Case:
    """By parameter: rows and suffix of the source."""
    rows, suffix = getattr(request, "param", (3_000, ".parquet"))
    source = tmp_path / f"patients{suffix}"
    frame = mixed(rows)
    if suffix == ".parquet":
        frame.to_parquet(source)
    else:
        frame.to_csv(source, index=False, sep=";", decimal=",", lineterminator="\r\n")
    return Case(source, tmp_path)
