"""What `speed.py` measured, as a page: aims and figures, costs, ratios, steps, growth, hard tables, engines."""

import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from math import log

import numpy as np

OTHERS = ("straightforward", "straightforward, own values", "SDV Gaussian copula")
STARTED = {"made": "anonymise", "run": "run"}  # whose memory is told before they begin, by the note's word
NOTE = """\
`files`: reading and writing; `searches`: the two neighbour searches of a run, on a half and on all rows, and `scipy`:
the same two by scipy's trees, asked in the order of their leaves, on all cores; `anonymise`: a table in, avatars out;
`run`: `sosie anonymize --direct` with all evidence and the report. Seconds are of wall time, after the imports, but for
what is imported only where it is used (a second of a run, for models and tests); where a part ran more than once all
are given, and ratios take the fastest. Memory is the most that the process held, Python and its libraries in it. Before
it begins, a process that makes avatars holds {made:.0f} MiB, one of a run {run:.0f}.

`straightforward` is the method from the parts that come to mind: saiph there and back, scikit-learn's neighbours, a
loop over the individuals; with `own values`, the loop combines the neighbours' own numbers and draws from their levels,
as sosie does (`benchmarks/straightforward.py`).
"""


@dataclass(frozen=True)
class Cost:
    """What one process took, from after its imports: wall and processor seconds, the most memory, seconds by step.

    `imports`: the memory in mebibytes it held then; 0 where that is not known.
    """

    seconds: float
    processor: float
    mebibytes: float
    steps: Mapping[str, float]
    imports: float = 0.0


@dataclass(frozen=True)
class Measured:
    """All costs: by rows and part, each time; of hard tables; µs a query by engine; the load before and after."""

    rows: tuple[int, ...]
    costs: Mapping[tuple[int, str], Sequence[Cost]]
    hard: Mapping[str, Cost]
    engines: Mapping[str, float]
    load: tuple[float, float]

    def best(self, rows: int, part: str) -> Cost:
        """The fastest."""
        return min(self.costs[rows, part], key=lambda cost: cost.seconds)

    def most(self, rows: int, part: str) -> float:
        """The most memory, MiB."""
        return max(cost.mebibytes for cost in self.costs[rows, part])


def page_of(found: Measured) -> str:
    """The page."""
    times = len(found.costs[found.rows[0], "run"])
    lines = [
        "# Speed and memory on one machine",
        "",
        f"    python benchmarks/speed.py --rows {' '.join(map(str, found.rows))} --times {times}",
        "",
        machine(found.load),
        "",
        *table(("aim", "measured"), aims(found)),
        "",
        "## What it takes",
        "",
        *table(("rows", "part", "wall s", "processor s", "peak MiB"), takes(found)),
        "",
        NOTE.format(**{word: found.best(found.rows[0], part).imports for word, part in STARTED.items()}),
        "## Ratios",
        "",
        *table(("rows", "ratio", "wall", "processor"), ratios(found)),
        "",
        "## Steps of a run",
        "",
        *table(("step", *(f"{n:,} rows, s" for n in found.rows)), steps(found)),
        "",
    ]
    if len(found.rows) > 1:
        lines += ["## Growth", "", "The slope of the logarithm of time on that of rows, least squares.", ""]
        lines += [*table(("part", "exponent, wall", "exponent, processor"), growth(found)), ""]
    lines += ["## Wide and hard tables", "", "Whole runs with all evidence.", ""]
    lines += [*table(("table", "wall s", "processor s", "peak MiB"), hard(found)), ""]
    searched = list(engines(found))
    fastest = sum(times[0] == min(times) for _, _, times in searched)
    lines += ["## Searches", "", ENGINES.format(fastest=fastest, all=len(searched)), ""]
    heads = ("rows", "components", "ours, µs", "scipy's tree, µs", "every distance, µs")
    cells = ((rows, ncp, *(f"{time:.1f}" for time in times)) for rows, ncp, times in searched)
    lines += [*table(heads, cells), ""]
    return "\n".join(lines)


ENGINES = """\
Processor microseconds a query for 21 exact neighbours in the projection of the same table as above: our trees, scipy's
`cKDTree` asked in leaf order, and every distance (scikit-learn's brute force). Ours were the fastest in {fastest} of
{all} lines, so that no run uses another engine."""


def table(heads: Sequence[str], rows: Iterator[Sequence[object]]) -> list[str]:
    """A table in Markdown."""
    return [f"| {' | '.join(map(str, row))} |" for row in (heads, ["---"] * len(heads), *rows)]


def machine(load: tuple[float, float]) -> str:
    """What it was measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    parts = ", ".join(f"{name} {version(name)}" for name in ("numpy", "pandas", "pyarrow", "scipy"))
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}, Python {platform.python_version()}; {parts}. "
        f"Load when it began and ended: {load[0]:.1f} and {load[1]:.1f}."
    )


def aims(found: Measured) -> Iterator[Sequence[object]]:
    """What was aimed at before anything was measured, and what is there."""
    first, last = found.rows[0], found.rows[-1]
    made, memory = found.best(first, "anonymise").seconds, found.most(first, "anonymise")
    back, own = (found.best(first, other).seconds / made for other in OTHERS[:2])
    yield (
        f"avatars of {first:,} rows 20 times as fast as the straightforward implementation",
        f"{back:.1f} times; {own:.1f} times the one of own values",
    )
    back, own = (memory / found.most(first, other) for other in OTHERS[:2])
    yield "a quarter of its memory", f"{back:.2f} of it; {own:.2f} of the one of own values"
    for n in found.rows[1:]:
        run, ours, scipy = (found.best(n, part).seconds for part in ("run", "searches", "scipy"))
        yield (
            f"the whole run of {n:,} rows in 1.8 times its two neighbour searches",
            f"{run / scipy:.1f} times scipy's, {run / ours:.1f} times ours",
        )
    for n in found.rows[1:2]:
        yield (
            f"less than 1.2 GB at {n:,} rows",
            f"{found.most(n, 'anonymise') * 2**20 / 1e9:.2f} GB for avatars, "
            f"{found.most(n, 'run') * 2**20 / 1e9:.2f} GB with all evidence",
        )
    if len(found.rows) > 1:
        yield (
            f"an exponent of at most 1.1 from {first:,} to {last:,} rows, evidence included",
            f"{exponent(found, 'run', lambda cost: cost.seconds):.2f}",
        )


def takes(found: Measured) -> Iterator[Sequence[object]]:
    """Each part's costs."""
    for (n, part), costs in found.costs.items():
        seconds = ", ".join(f"{cost.seconds:.1f}" for cost in costs)
        processor = ", ".join(f"{cost.processor:.1f}" for cost in costs)
        yield f"{n:,}", part, seconds, processor, f"{found.most(n, part):.0f}"


def ratios(found: Measured) -> Iterator[Sequence[object]]:
    """How the parts stand to each other, and to what others do."""
    for n in found.rows:
        floor, searches, scipy, made, run = (
            found.best(n, part) for part in ("files", "searches", "scipy", "anonymise", "run")
        )
        yield f"{n:,}", "whole run / its two neighbour searches", *_both(run, searches)
        yield f"{n:,}", "whole run / the same searches by scipy", *_both(run, scipy)
        yield f"{n:,}", "scipy's searches / ours", *_both(scipy, searches)
        yield f"{n:,}", "avatars / reading and writing alone", *_both(made, floor)
        search = searches.steps["all rows"]
        yield f"{n:,}", "avatars / one neighbour search of all rows", f"{made.seconds / search:.1f}", ""
        for other in OTHERS:
            if (n, other) in found.costs:
                yield f"{n:,}", f"{other} / avatars", *_both(found.best(n, other), made)
                memory = found.most(n, other) / found.most(n, "anonymise")
                yield f"{n:,}", f"{other} / avatars, memory", f"{memory:.1f}", ""


def _both(cost: Cost, other: Cost) -> tuple[str, str]:
    return f"{cost.seconds / other.seconds:.1f}", f"{cost.processor / other.processor:.1f}"


def steps(found: Measured) -> Iterator[Sequence[object]]:
    """Seconds of each step of the fastest runs."""
    runs = [found.best(n, "run") for n in found.rows]
    for step in runs[-1].steps:
        yield step, *(f"{run.steps.get(step, 0.0):.2f}" for run in runs)


def growth(found: Measured) -> Iterator[Sequence[object]]:
    """Exponents of each part."""
    for part in ("files", "searches", "scipy", "anonymise", "run"):
        slopes = [exponent(found, part, get) for get in (lambda c: c.seconds, lambda c: c.processor)]
        yield part, *(f"{slope:.2f}" for slope in slopes)


def exponent(found: Measured, part: str, get: Callable[[Cost], float]) -> float:
    """The slope of the logarithm of what `get` takes of a cost, on that of rows."""
    values = [log(get(found.best(n, part))) for n in found.rows]
    return float(np.polyfit([log(n) for n in found.rows], values, 1)[0])


def hard(found: Measured) -> Iterator[Sequence[object]]:
    """What hard tables take."""
    for name, cost in found.hard.items():
        yield name, f"{cost.seconds:.0f}", f"{cost.processor:.0f}", f"{cost.mebibytes:.0f}"


def engines(found: Measured) -> Iterator[tuple[str, str, list[float]]]:
    """What searches take, by rows and components, ours first; the steps are named "rows components engine"."""
    cases = dict.fromkeys(tuple(name.split()[:2]) for name in found.engines)
    for rows, components in cases:
        times = [found.engines[f"{rows} {components} {engine}"] for engine in ("sosie", "scipy", "brute")]
        yield f"{int(rows):,}", components, times
