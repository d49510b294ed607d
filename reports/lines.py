"""Lines drawn as static SVG: attacks' ROC curves, cumulative distributions, survival curves.

Lines differ by dash as well as by colour, so that they are told apart in grey. Sizes are SVG units, about a pixel.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Literal

from markupsafe import Markup

WIDTH, HEIGHT = 340.0, 236.0
_LEFT, _RIGHT = 48.0, 332.0
_TOP, _BASE = 8.0, 188.0

Kind = Literal["originals-line", "avatars", "holdout", "second", "third", "chance"]


@dataclass(frozen=True)
class Axis:
    """What lies along one side: its ends, its ticks (place, text) and its title."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    title: str

    def share(self, value: float) -> float:
        """Where a value lies between the ends, 0–1; beyond an end, at that end."""
        span = self.high - self.low
        return min(max((value - self.low) / span, 0.0), 1.0) if span > 0 else 0.0


@dataclass(frozen=True)
class Line:
    """Points (x, y) joined straight, or in steps: y changes at the next x."""

    kind: Kind
    points: tuple[tuple[float, float], ...]
    steps: bool = False


def round_ticks(low: float, high: float) -> tuple[float, ...]:
    """Round numbers between two ends, at most six of them: multiples of 1, 2 or 5 times a power of ten."""
    if high <= low:
        return (low,)
    power = 10.0 ** floor(log10((high - low) / 5))
    step = next(factor * power for factor in (1, 2, 5, 10) if (high - low) / (factor * power) <= 5.001)
    return tuple(round(place * step, 12) for place in range(ceil(low / step), floor(high / step + 1e-9) + 1))


def draw_lines(lines: Sequence[Line], x: Axis, y: Axis, alternative: str) -> Markup:
    """The lines between two axes."""
    drawn = Markup("").join(
        Markup('<path class="{}" d="{}"/>').format(line.kind, _path(line, x, y)) for line in lines
    )
    frame = Markup('<path class="axis" d="M{left} {top}V{base}H{right}"/>').format(
        left=_LEFT, top=_TOP, base=_BASE, right=_RIGHT
    )
    titles = Markup(
        '<text x="{middle}" y="{y}" text-anchor="middle">{x_title}</text>'
        '<text transform="translate(11 {half}) rotate(-90)" text-anchor="middle">{y_title}</text>'
    ).format(
        middle=(_LEFT + _RIGHT) / 2, y=HEIGHT - 8, half=(_TOP + _BASE) / 2, x_title=x.title, y_title=y.title
    )
    return Markup(
        '<svg class="lines" role="img" viewBox="0 0 {:.0f} {:.0f}" aria-label="{}">{}</svg>'
    ).format(WIDTH, HEIGHT, alternative, _ticks(x, y) + frame + drawn + titles)


def _ticks(x: Axis, y: Axis) -> Markup:
    below = Markup("").join(
        Markup('<text class="small" x="{:.1f}" y="{}" text-anchor="{}">{}</text>').format(
            _across(x, place), _BASE + 15, _anchor(x.share(place)), text
        )
        for place, text in x.ticks
    )
    beside = Markup("").join(
        Markup(
            '<path class="grid" d="M{} {:.1f}H{}"/><text class="small" x="{}" y="{:.1f}" text-anchor="end">{}</text>'
        ).format(_LEFT, _up(y, place), _RIGHT, _LEFT - 5, _up(y, place) + 3.5, text)
        for place, text in y.ticks
    )
    return beside + below


def _anchor(share: float) -> str:
    return "start" if share < 0.03 else "end" if share > 0.97 else "middle"


def _path(line: Line, x: Axis, y: Axis) -> str:
    places = [(_across(x, across), _up(y, up)) for across, up in line.points]
    (first_x, first_y), *rest = places
    path = [f"M{first_x:.1f} {first_y:.1f}"]
    for across, up in rest:
        path.append(f"H{across:.1f}V{up:.1f}" if line.steps else f"L{across:.1f} {up:.1f}")
    return "".join(path)


def _across(axis: Axis, value: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * axis.share(value)


def _up(axis: Axis, value: float) -> float:
    return _BASE - (_BASE - _TOP) * axis.share(value)
