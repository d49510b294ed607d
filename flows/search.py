"""The order of the steps that try settings of the method on splits of a sample, and choose among them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sosie.design import Start, affordable, design, minutes_needed, refinements
from sosie.schemas.configuration import Configuration
from sosie.search import Point, Proposal, Search, Setting, Trial, frontier_of, preferred
from sosie.sources import Source
from sosie.streams import child_seed
from sosie.tasks import publication, steps, trials
from sosie.tasks.calls import Calls
from sosie.tasks.job import Declared, job_of, weights_of
from sosie.tasks.manifests import Origin
from sosie.tasks.run import Run
from sosie.tasks.steps import Checked
from sosie.tasks.store import store_of
from sosie.tasks.streamed import sampling
from sosie.tasks.streamed.choice import is_streamed

Tell = Callable[[str], None]

CANDIDATES = 2  # proposals that are measured again: the next where the first does not hold on fresh splits
OWN = Setting()


@dataclass(frozen=True)
class Extent:
    """How much is measured: rows sampled, splits of each setting, settings at most, minutes at most."""

    rows: int
    splits: int
    settings: int
    minutes: float | None = None

    @property
    def fresh(self) -> int:
        """Splits on which what is proposed is measured again: one more, for narrower intervals."""
        return self.splits + 1

    @property
    def confirming(self) -> int:
        """The most trials that confirming takes: the candidates, and the configuration as it was."""
        return (CANDIDATES + 1) * self.fresh


@dataclass(frozen=True, eq=False)
class Bench:
    """Where settings are tried; `samples` holds the sampled rows for each way of declaring the table."""

    content: Mapping[str, Any]
    run: Run
    extent: Extent
    call: Calls
    source: Source
    origin: Origin
    samples: list[tuple[Declared, Checked]] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """How many rows are sampled."""
        return min(self.extent.rows, self.origin.rows)


def unheard(sentence: str) -> None:
    """Nobody is told."""


def most_search_steps(extent: Extent) -> int:
    """How many steps a search takes at most, for the progress shown."""
    return 5 + 2 * (extent.settings * extent.splits + extent.confirming)


def advise(bench: Bench, tell: Tell) -> Search:
    """Try a small design around a configuration, refine the best of it, and propose what holds on fresh splits.

    What is tried depends on the seed and on how many settings are allowed; the clock decides that number once, after
    the first trial, and never again. Raises InputError for whatever is wrong with the input.
    """
    extent, method = bench.extent, bench.run.job.configuration.method
    start, working = Start(method.k, method.ncp, method.weights), bench.rows // 2
    first = _tried(bench, OWN, 0, "1")
    allowed = extent.settings
    if extent.minutes is not None:
        fitting = affordable(extent.minutes, first.seconds, extent.splits, extent.confirming)
        allowed = min(allowed, fitting)
    tell(_announced(bench, first.seconds, allowed))
    settings = design(start, working, allowed - allowed // 4)
    tried = [_on_splits(bench, setting, place) for place, setting in enumerate(settings)]
    parts = trials.parts_of(tried[0])
    points = [_judged(bench, setting, found, parts) for setting, found in zip(settings, tried, strict=True)]
    for setting in _refined(bench, start, points, tried, allowed - len(settings)):
        tried.append(_on_splits(bench, setting, len(tried)))
        points.append(_judged(bench, setting, tried[-1], parts))
    return _summed_up(bench, points, tried, allowed, _proposed(bench, points, parts))


def _refined(
    bench: Bench, start: Start, points: Sequence[Point], tried: Sequence[tuple[Trial, ...]], allowed: int
) -> tuple[Setting, ...]:
    """What is tried around the best setting so far."""
    configuration = bench.run.job.configuration
    best = preferred(points)[0]
    sample = bench.call.look(_sampled(bench, configuration))
    options = trials.options(sample, configuration.columns, configuration.rare_values.label)
    more = refinements(
        points[best].setting,
        start,
        points[best].meets,
        _column_means(tried[best]),
        options,
        bench.rows // 2,
        allowed,
    )
    known = [point.setting for point in points]
    return tuple(setting for setting in more if setting not in known)


def sweep(bench: Bench, settings: Sequence[Setting], tell: Tell) -> Search:
    """Try every setting that somebody named; nothing is proposed."""
    extent = bench.extent
    for setting in settings:
        steps.refuse_k(bench.rows, trials.configured(bench.content, setting).method.k, "real", 0)
    first = _tried(bench, settings[0], 0, "1")
    minutes = minutes_needed(first.seconds, len(settings), extent.splits, 0)
    tell(
        f"about {_minutes(minutes)} for {len(settings)} setting(s) on {extent.splits} split(s) of {bench.rows} rows"
    )
    tried = [_on_splits(bench, setting, place) for place, setting in enumerate(settings)]
    parts = trials.parts_of(tried[0])
    points = [_judged(bench, setting, found, parts) for setting, found in zip(settings, tried, strict=True)]
    return _summed_up(bench, points, tried, len(settings), None)


def open_bench(run: Run, content: Mapping[str, Any], extent: Extent, call: Calls) -> Bench:
    """Read the source once, of one that is streamed a sample; InputError where it cannot be, or has too few rows."""
    configuration, seed = run.job.configuration, run.job.seed
    call.keep(store_of(configuration.store))
    address, private = configuration.source or "", run.directory / "private"
    block = configuration.secrets.source
    if is_streamed(configuration):
        some = call("read some of the table", sampling.read_some, address, extent.rows, seed, private, block)
        source, origin = call.between(sampling.rows_of, some), call.between(sampling.origin_of, some)
    else:
        source = call("read the table", publication.read, address, block)
        origin = call.between(publication.origin_of, source)
    bench = Bench(content, run, extent, call, source, call.look(origin))
    steps.refuse_k(bench.rows, configuration.method.k, "real", 0)
    return bench


def _sampled(bench: Bench, configuration: Configuration) -> Checked:
    """The sampled rows as a configuration declares them; those declared alike are checked once."""
    job = job_of(configuration, bench.run.job.seed)
    declared = job.declared.unweighted()
    for known, sample in bench.samples:
        if known == declared:
            return sample
    call = bench.call
    checked = call(
        "check the table",
        publication.check_source,
        bench.source,
        declared,
        job.identifier_seed,
        configuration.workers,
    )
    sample = call("sample the rows", trials.sample, checked, bench.extent.rows, job.seed)
    bench.samples.append((declared, sample))
    return sample


def _on_splits(bench: Bench, setting: Setting, place: int, first: int = 0) -> tuple[Trial, ...]:
    """A setting on so many splits; `first` is the number of the first of them."""
    count = bench.extent.splits if first == 0 else bench.extent.fresh
    return tuple(_tried(bench, setting, split, str(place + 1)) for split in range(first, first + count))


def _tried(bench: Bench, setting: Setting, split: int, name: str) -> Trial:
    """One trial: a setting on one split, whose halves and draws are the same for every setting."""
    call, configuration = bench.call, trials.configured(bench.content, setting)
    seed = child_seed(bench.run.job.seed, trials.FIRST_SPLIT + split)
    method, checked = configuration.method, _sampled(bench, configuration)
    halves = call.between(steps.split_rows, checked, "real", 0, seed)
    rows = call.between(steps.working_rows, checked, halves)
    projected = call(
        f"project the working rows of split {split + 1}",
        steps.project,
        rows,
        weights_of(configuration.columns),
        method.ncp,
        method.imputation,
        configuration.workers,
    )
    trial = call(
        f"try setting {name} on split {split + 1}",
        trials.try_setting,
        checked,
        rows,
        halves,
        projected,
        trials.tried(configuration),
        seed,
        trials.inner_versions(),
        configuration.workers,
    )
    return call.look(trial)


def _judged(bench: Bench, setting: Setting, found: Sequence[Trial], parts: Sequence[str]) -> Point:
    return trials.judged(setting, found, bench.run.job.configuration.targets.by_metric(), parts)


def _proposed(bench: Bench, points: Sequence[Point], parts: Sequence[str]) -> Proposal:
    """The best setting that meets the targets on fresh splits, too; where none does, the one closest to them."""
    held = [place for place in preferred(points) if points[place].meets][:CANDIDATES] or [
        preferred(points)[0]
    ]
    again = []
    for place in held:
        again.append(_again(bench, points[place].setting, place, parts))
        if again[-1].meets:
            break
    best = preferred(again)[0]
    own = next((point for point in again if point.setting == OWN), None) or _again(bench, OWN, 0, parts)
    return Proposal(held[best], again[best], own)


def _again(bench: Bench, setting: Setting, place: int, parts: Sequence[str]) -> Point:
    """A setting on splits that had no part in the search."""
    return _judged(bench, setting, _on_splits(bench, setting, place, bench.extent.splits), parts)


def _summed_up(
    bench: Bench,
    points: Sequence[Point],
    tried: Sequence[tuple[Trial, ...]],
    allowed: int,
    proposal: Proposal | None,
) -> Search:
    return Search(
        source=bench.origin.name,
        sha256=bench.origin.sha256,
        rows=bench.rows,
        of_rows=bench.origin.rows,
        profile=bench.run.job.configuration.targets.profile,
        points=tuple(points),
        trials=tuple(tried),
        on_frontier=frontier_of(points),
        wanted=bench.extent.settings,
        allowed=allowed,
        minutes=bench.extent.minutes,
        proposal=proposal,
    )


def _column_means(found: Sequence[Trial]) -> dict[str, float]:
    """The mean Hellinger score of each column over the splits."""
    return {name: float(np.mean([trial.columns[name] for trial in found])) for name in found[0].columns}


def _announced(bench: Bench, seconds: float, allowed: int) -> str:
    extent = bench.extent
    minutes = minutes_needed(seconds, allowed, extent.splits, extent.confirming)
    said = (
        f"about {_minutes(minutes)} for {allowed} setting(s) on {extent.splits} split(s) of {bench.rows} rows"
    )
    left = extent.settings - allowed
    return f"{said}: {left} of {extent.settings} settings do not fit the time" if left else said


def _minutes(minutes: float) -> str:
    return f"{minutes:.0f} minute(s)" if minutes >= 1 else f"{60 * minutes:.0f} second(s)"
