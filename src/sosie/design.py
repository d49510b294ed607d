"""Which settings a search tries: a small design around a configuration, the same on any machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import floor

from sosie.generation import WeightLaw
from sosie.search import Setting

LAWS: tuple[WeightLaw, ...] = ("gaussian", "published")
FEWEST_NEIGHBOURS = 4
_FACTORS = (1.0, 2.0, 0.5, 4.0)  # of k, nearest first: a design that is cut loses the far ends
_SUFFERING = 90.0  # Hellinger score below which a column is worth a larger weight
_MOST_RAISED = 3


@dataclass(frozen=True)
class Start:
    """What the search starts from."""

    k: int
    ncp: int
    weights: WeightLaw


def design(start: Start, working: int, settings: int) -> tuple[Setting, ...]:
    """At most this many settings of k, law and components, the configuration's own first, then what is near it.

    k is halved, doubled and doubled again, for both laws; then the components are halved and doubled. `working` rows
    are anonymised: more neighbours than a third of them are not tried.
    """
    ks = [k for k in dict.fromkeys(round(start.k * factor) for factor in _FACTORS) if _usable(k, working)]
    ncps = [ncp for ncp in dict.fromkeys((2 * start.ncp, max(2, start.ncp // 2))) if ncp != start.ncp]
    laws = sorted(LAWS, key=lambda law: law != "gaussian")  # the one that measurements favour
    named = [(k, start.ncp, law) for k, law in product(ks, laws)]
    named += [(k, ncp, law) for law, k, ncp in product(laws, ks, ncps)]
    settings_named = (_setting(start, k, ncp, law) for k, ncp, law in named)
    return tuple(dict.fromkeys((Setting(), *settings_named)))[:settings]


def _usable(k: int, working: int) -> bool:
    return FEWEST_NEIGHBOURS <= k <= working // 3


def _setting(start: Start, k: int, ncp: int, law: WeightLaw) -> Setting:
    """What differs from the start."""
    values = {"weights": (law, start.weights), "k": (k, start.k), "ncp": (ncp, start.ncp)}
    return Setting(tuple((("method", name), new) for name, (new, old) in values.items() if new != old))


@dataclass(frozen=True)
class Options:
    """What may be tried beside the method's own parameters, none of which loses a column.

    `label` is what rare levels would be merged under; None where there are none, or one was chosen. `weights` are the
    columns' own, of those that may have one.
    """

    label: str | None
    weights: Mapping[str, float]


def refinements(
    best: Setting,
    start: Start,
    meets: bool,
    columns: Mapping[str, float],
    options: Options,
    working: int,
    settings: int,
) -> tuple[Setting, ...]:
    """At most this many settings near the best so far, which `meets` the targets or does not.

    A k towards what is lacking (fewer neighbours where the targets are met: more utility; more where they are not);
    rare levels merged; twice the weight for the columns with the lowest Hellinger scores (`columns`); both.
    """
    k = dict(best.changes).get(("method", "k"), start.k)
    towards = round(float(k or start.k) * (2**-0.5 if meets else 2**0.5))
    found = [best.with_changes((("method", "k"), towards))] if _usable(towards, working) else []
    merged = best.with_changes((("rare_values", "label"), options.label)) if options.label else None
    raised = _raised(best, columns, options.weights)
    found += [setting for setting in (merged, raised) if setting is not None]
    if merged is not None and raised is not None:
        found.append(merged.with_changes(*raised.changes))
    return tuple(dict.fromkeys(found))[:settings]


def _raised(best: Setting, columns: Mapping[str, float], weights: Mapping[str, float]) -> Setting | None:
    low = sorted((score, name) for name, score in columns.items() if score < _SUFFERING and name in weights)
    raised = [(("columns", name, "weight"), 2 * weights[name]) for _, name in low[:_MOST_RAISED]]
    return best.with_changes(*raised) if raised else None


def affordable(minutes: float, seconds: float, splits: int, fresh: int) -> int:
    """How many settings fit into the time, at least 1: `seconds` a trial, and `fresh` trials for the proposal."""
    return max(1, floor((60 * minutes / max(seconds, 1e-3) - fresh) / splits))


def minutes_needed(seconds: float, settings: int, splits: int, fresh: int) -> float:
    """How long a search takes."""
    return seconds * (settings * splits + fresh) / 60


def combinations(
    grid: Mapping[tuple[str, ...], Sequence[int | float | str | bool | None]],
) -> tuple[Setting, ...]:
    """Every combination of the values of a grid, the last key varying fastest."""
    return tuple(Setting(tuple(zip(grid, values, strict=True))) for values in product(*grid.values()))
