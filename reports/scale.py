"""Where a figure lies between the worst, its target and the ideal, as a small static SVG.

The worst is always on the left, so that further right is better for every figure.
"""

from dataclasses import dataclass
from math import log1p
from typing import Literal

from markupsafe import Markup

Marker = Literal["pass", "fail", "uninformative", "not-computed", "info"]

_WIDTH, _HEIGHT = 320.0, 46.0
_LEFT, _RIGHT = 8.0, 312.0
_LINE = 26.0


@dataclass(frozen=True)
class Scale:
    """A figure's scale: its ends, what lies between, and how each is written.

    `worst` may be larger than `best`: then smaller is better. Values beyond an end are drawn at that end.
    """

    worst: float
    best: float
    logarithmic: bool
    value: float | None
    target: float | None
    reference: float | None
    interval: tuple[float, float] | None
    marker: Marker
    worst_text: str
    best_text: str
    target_text: str
    alternative: str


def draw_scale(scale: Scale) -> Markup:
    """The scale as a line, thick from the target to the ideal, with a diamond where the figure lies."""
    line = "line" if scale.value is not None else "line absent"
    parts = [Markup('<path class="{}" d="M{} {}H{}"/>').format(line, _LEFT, _LINE, _RIGHT)]
    if scale.target is not None:
        place = _place(scale, scale.target)
        if scale.marker not in ("uninformative", "not-computed"):  # nothing there meets or misses anything
            parts.append(Markup('<path class="met" d="M{:.1f} {}H{}"/>').format(place, _LINE, _RIGHT))
        parts.append(_target(place, scale.target_text))
    if scale.interval is not None:
        low, high = sorted(_place(scale, bound) for bound in scale.interval)
        parts.append(
            Markup('<path class="interval" d="M{:.1f} {}H{:.1f}m0 -4v8M{:.1f} {}v8"/>').format(
                low, _LINE, high, low, _LINE - 4
            )
        )
    if scale.reference is not None:
        place = _place(scale, scale.reference)
        parts.append(Markup('<circle class="reference" cx="{:.1f}" cy="{}" r="4"/>').format(place, _LINE))
    if scale.value is not None:
        parts.append(_diamond(_place(scale, scale.value), scale.marker))
    parts.append(
        Markup(
            '<text x="0" y="{y}">{worst}</text><text x="{x}" y="{y}" text-anchor="end">{best}</text>'
        ).format(x=_WIDTH, y=_HEIGHT - 2, worst=scale.worst_text, best=scale.best_text)
    )
    return Markup(
        '<svg class="scale" role="img" viewBox="0 0 {:.0f} {:.0f}" aria-label="{}">{}</svg>'
    ).format(_WIDTH, _HEIGHT, scale.alternative, Markup("").join(parts))


def _target(place: float, text: str) -> Markup:
    anchor = "start" if place < _WIDTH / 4 else "end" if place > _WIDTH * 3 / 4 else "middle"
    return Markup(
        '<path class="target" d="M{place:.1f} {top}V{bottom}"/>'
        '<text x="{place:.1f}" y="11" text-anchor="{anchor}">{text}</text>'
    ).format(place=place, top=_LINE - 11, bottom=_LINE + 7, anchor=anchor, text=text)


def _diamond(place: float, marker: Marker) -> Markup:
    return Markup('<path class="value {marker}" d="M{place:.1f} {top}l6.5 6.5l-6.5 6.5l-6.5 -6.5Z"/>').format(
        marker=marker, place=place, top=_LINE - 6.5
    )


def _place(scale: Scale, value: float) -> float:
    worst, best, here = (
        log1p(max(number, 0.0)) if scale.logarithmic else number
        for number in (scale.worst, scale.best, value)
    )
    share = (here - worst) / (best - worst) if best != worst else 1.0
    return _LEFT + (_RIGHT - _LEFT) * min(max(share, 0.0), 1.0)
