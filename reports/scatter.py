"""Runs or settings as letters between two figures, in one static SVG. A point is a run, never a person."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

_WIDTH, _HEIGHT = 340.0, 250.0
_LEFT, _RIGHT, _TOP, _BASE = 52.0, 326.0, 14.0, 200.0


@dataclass(frozen=True)
class Dot:
    """One run: its letter, where it lies, and the class that it is drawn with beside that of all dots."""

    letter: str
    across: float
    up: float
    kind: str = ""


def draw_scatter(
    dots: Sequence[Dot],
    x_title: str,
    y_title: str,
    write: Callable[[float], str],
    alternative: str,
    joined: Sequence[Dot] = (),
) -> Markup:
    """The runs with a margin around them, both ends of each axis written; a line through those that are `joined`."""
    x, y = _ends([dot.across for dot in dots]), _ends([dot.up for dot in dots])
    drawn = Markup("").join(
        Markup(
            '<circle class="dot {}" cx="{:.1f}" cy="{:.1f}" r="10"/>'
            '<text x="{:.1f}" y="{:.1f}" text-anchor="middle" class="letter">{}</text>'
        ).format(dot.kind, *_place(dot, x, y), _place(dot, x, y)[0], _place(dot, x, y)[1] + 4, dot.letter)
        for dot in dots
    )
    line = Markup("")
    if len(joined) > 1:
        corners = " ".join("{:.1f},{:.1f}".format(*_place(dot, x, y)) for dot in joined)
        line = Markup('<polyline class="frontier" points="{}"/>').format(corners)
    axes = Markup(
        '<path class="axis" d="M{left} {top}V{base}H{right}"/>'
        '<text class="small" x="{left}" y="{below}">{x_low}</text>'
        '<text class="small" x="{right}" y="{below}" text-anchor="end">{x_high}</text>'
        '<text class="small" x="{beside}" y="{base}" text-anchor="end">{y_low}</text>'
        '<text class="small" x="{beside}" y="{top_text}" text-anchor="end">{y_high}</text>'
        '<text x="{middle}" y="{title}" text-anchor="middle">{x_title}</text>'
        '<text transform="translate(11 {half}) rotate(-90)" text-anchor="middle">{y_title}</text>'
    ).format(
        left=_LEFT,
        top=_TOP,
        base=_BASE,
        right=_RIGHT,
        below=_BASE + 15,
        beside=_LEFT - 5,
        top_text=_TOP + 6,
        middle=(_LEFT + _RIGHT) / 2,
        title=_HEIGHT - 10,
        half=(_TOP + _BASE) / 2,
        x_low=write(x[0]),
        x_high=write(x[1]),
        y_low=write(y[0]),
        y_high=write(y[1]),
        x_title=x_title,
        y_title=y_title,
    )
    return Markup(
        '<svg class="lines" role="img" viewBox="0 0 {:.0f} {:.0f}" aria-label="{}">{}</svg>'
    ).format(_WIDTH, _HEIGHT, alternative, axes + line + drawn)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    margin = 0.12 * (high - low) or max(abs(high) * 0.05, 0.5)
    return low - margin, high + margin


def _place(dot: Dot, x: tuple[float, float], y: tuple[float, float]) -> tuple[float, float]:
    return (
        _LEFT + (_RIGHT - _LEFT) * (dot.across - x[0]) / (x[1] - x[0]),
        _BASE - (_BASE - _TOP) * (dot.up - y[0]) / (y[1] - y[0]),
    )
