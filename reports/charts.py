"""Distributions drawn as static SVG: originals filled, avatars outlined, holdout dotted, told apart in grey too.

Colours are classes that the page's style gives a light, a dark and a printed value. Sizes are SVG units, about a pixel.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

WIDTH = 280.0
_LEFT, _RIGHT = 2.0, 278.0
_TOP, _BASE = 6.0, 110.0
_STEPS_HEIGHT = 128.0
_BAR_LEFT, _BAR_RIGHT = 102.0, 236.0
_ROW = 30.0
_BAR = 9.0


@dataclass(frozen=True)
class Row:
    """One level: its shares (0–1) and how they are written. `label` may be cut, `name` is whole."""

    name: str
    label: str
    originals: float
    avatars: float
    holdout: float | None
    originals_text: str
    avatars_text: str
    aside: bool


@dataclass(frozen=True)
class Steps:
    """A binned number: m + 1 edges, m shares (0–1) of each set, and what is written under the axis."""

    edges: tuple[float, ...]
    originals: tuple[float, ...]
    avatars: tuple[float, ...]
    holdout: tuple[float, ...] | None
    low: str
    middle: str
    high: str


def draw_bars(rows: Sequence[Row], alternative: str) -> Markup:
    """Pairs of bars, one pair a level, as long as the share; all rows on one scale."""
    longest = max(max(row.originals, row.avatars, row.holdout or 0.0) for row in rows) or 1.0
    drawn = Markup("").join(_row(row, place * _ROW, longest) for place, row in enumerate(rows))
    return _svg(drawn, len(rows) * _ROW, alternative)


def draw_steps(steps: Steps, alternative: str) -> Markup:
    """A histogram whose bins are as wide as their edges say and whose areas are shares."""
    edges = _places(steps.edges)
    widths = [right - left for left, right in pairwise(edges)]
    sets = [shares for shares in (steps.originals, steps.avatars, steps.holdout) if shares is not None]
    highest = (
        max(share / width for shares in sets for share, width in zip(shares, widths, strict=True)) or 1.0
    )

    def outline(shares: Sequence[float]) -> str:
        heights = [
            _BASE - (_BASE - _TOP) * share / width / highest
            for share, width in zip(shares, widths, strict=True)
        ]
        corners = "".join(
            f"V{height:.1f}H{edge:.1f}" for height, edge in zip(heights, edges[1:], strict=True)
        )
        return f"M{edges[0]:.1f} {_BASE:.1f}{corners}V{_BASE:.1f}"

    shapes = Markup('<path class="originals" d="{}Z"/>').format(outline(steps.originals))
    if steps.holdout is not None:
        shapes += Markup('<path class="holdout" d="{}"/>').format(outline(steps.holdout))
    shapes += Markup('<path class="avatars" d="{}"/>').format(outline(steps.avatars))
    axis = Markup(
        '<path class="axis" d="M{left} {base}H{right}"/>'
        '<text x="{left}" y="{y}">{low}</text>'
        '<text x="{middle}" y="{y}" text-anchor="middle">{text}</text>'
        '<text x="{right}" y="{y}" text-anchor="end">{high}</text>'
    ).format(
        left=_LEFT,
        right=_RIGHT,
        middle=(_LEFT + _RIGHT) / 2,
        base=_BASE,
        y=_STEPS_HEIGHT - 4,
        low=steps.low,
        text=steps.middle,
        high=steps.high,
    )
    return _svg(shapes + axis, _STEPS_HEIGHT, alternative)


def _svg(content: Markup, height: float, alternative: str) -> Markup:
    return Markup(
        '<svg class="chart" role="img" viewBox="0 0 {width:.0f} {height:.0f}" aria-label="{alternative}">'
        "{content}</svg>"
    ).format(width=WIDTH, height=height, alternative=alternative, content=content)


def _row(row: Row, top: float, longest: float) -> Markup:
    def length(share: float) -> float:
        return (_BAR_RIGHT - _BAR_LEFT) * share / longest

    upper, lower = top + 5, top + 5 + _BAR + 1
    drawn = Markup(
        "<g><title>{name}</title>"
        '<text x="{label_x}" y="{label_y:.1f}" text-anchor="end"{aside}>{label}</text>'
        '<rect class="originals" x="{x}" y="{upper:.1f}" width="{originals:.1f}" height="{bar}"/>'
        '<rect class="avatars" x="{x}" y="{lower:.1f}" width="{avatars:.1f}" height="{bar}"/>'
        '<text class="small" x="{value_x}" y="{upper_y:.1f}">{originals_text}</text>'
        '<text class="small" x="{value_x}" y="{lower_y:.1f}">{avatars_text}</text>'
    ).format(
        name=row.name,
        label=row.label,
        aside=Markup(' class="aside"') if row.aside else "",
        label_x=_BAR_LEFT - 6,
        label_y=top + 19,
        x=_BAR_LEFT,
        upper=upper,
        lower=lower,
        bar=_BAR,
        originals=length(row.originals),
        avatars=length(row.avatars),
        value_x=_BAR_RIGHT + 6,
        upper_y=upper + 8,
        lower_y=lower + 8,
        originals_text=row.originals_text,
        avatars_text=row.avatars_text,
    )
    if row.holdout is not None:
        drawn += Markup('<path class="holdout" d="M{x:.1f} {upper:.1f}V{lower:.1f}"/>').format(
            x=_BAR_LEFT + length(row.holdout), upper=upper - 2, lower=lower + _BAR + 2
        )
    return drawn + Markup("</g>")


def _places(edges: Sequence[float]) -> list[float]:
    """The edges between the left and the right of the plot; evenly spread where a bin has no width."""
    span = edges[-1] - edges[0]
    if any(right <= left for left, right in pairwise(edges)):
        return [_LEFT + (_RIGHT - _LEFT) * place / (len(edges) - 1) for place in range(len(edges))]
    return [_LEFT + (_RIGHT - _LEFT) * (edge - edges[0]) / span for edge in edges]
