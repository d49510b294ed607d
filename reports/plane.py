"""Both clouds on the first two components as density contours, originals filled, avatars lines; what makes the axes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from contourpy import contour_generator
from markupsafe import Markup
from numpy.typing import NDArray

from sosie.evaluation import Contribution, Plane
from sosie.reports.language import Language

_SIDE = 480.0
_LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)  # of each cloud's highest density
_MARGIN = 26.0
_MOST_CONTRIBUTORS = 6


@dataclass(frozen=True)
class Contributor:
    """A column and its share of a component; `percent` (0–100) is how long its bar is."""

    name: str
    share: str
    percent: float


@dataclass(frozen=True)
class Component:
    """One component: the variance it explains, and the columns that make it, largest share first."""

    number: str
    explained: str
    columns: tuple[Contributor, ...]


def components(
    contributions: Sequence[Contribution], explained: Sequence[float], language: Language
) -> tuple[Component, ...]:
    """Every component with its largest contributors."""
    if not contributions:
        return ()
    found = []
    for place, ratio in enumerate(explained):
        order = sorted(contributions, key=lambda column: -column.shares[place])[:_MOST_CONTRIBUTORS]
        columns = tuple(
            Contributor(column.name, language.share(column.shares[place]), 100 * column.shares[place])
            for column in order
            if column.shares[place] > 0
        )
        found.append(Component(language.number(place + 1), language.share(ratio), columns))
    return tuple(found)


def draw_plane(plane: Plane, first_axis: str, second_axis: str, alternative: str) -> Markup:
    """The contours at five shares of each cloud's highest density, with what is written along both axes."""
    left, right = plane.x[0], plane.x[-1]
    low, high = plane.y[0], plane.y[-1]
    height = _MARGIN + (_SIDE - _MARGIN) * 0.75

    def to_page(line: NDArray[np.float64]) -> str:
        x = _MARGIN + (_SIDE - _MARGIN) * (line[:, 0] - left) / (right - left)
        y = (height - _MARGIN) * (high - line[:, 1]) / (high - low)
        return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True)) + "Z"

    filled = Markup("").join(
        Markup('<path class="originals" d="{}"/>').format("".join(map(to_page, lines)))
        for lines in _contours(plane, plane.originals)
    )
    outlined = Markup("").join(
        Markup('<path class="avatars" d="{}"/>').format("".join(map(to_page, lines)))
        for lines in _contours(plane, plane.avatars)
    )
    return Markup(
        '<svg class="plane" role="img" viewBox="0 0 {side:.0f} {height:.0f}" aria-label="{alternative}">'
        "{filled}{outlined}"
        '<path class="axis" d="M{margin} 0V{base:.1f}H{side:.0f}"/>'
        '<text x="{middle:.1f}" y="{text_y:.1f}" text-anchor="middle">{first}</text>'
        '<text transform="translate(16 {middle_y:.1f}) rotate(-90)" text-anchor="middle">{second}</text>'
        "</svg>"
    ).format(
        side=_SIDE,
        height=height,
        alternative=alternative,
        filled=filled,
        outlined=outlined,
        margin=_MARGIN,
        base=height - _MARGIN,
        middle=(_SIDE + _MARGIN) / 2,
        middle_y=(height - _MARGIN) / 2,
        text_y=height - 8,
        first=first_axis,
        second=second_axis,
    )


def _contours(plane: Plane, density: Sequence[Sequence[float]]) -> list[list[NDArray[np.float64]]]:
    """Closed lines around where the density is at least each level; a rim of zeros closes them at the border."""
    x, y = np.asarray(plane.x), np.asarray(plane.y)
    rim_x = np.concatenate([[x[0] - (x[1] - x[0])], x, [x[-1] + (x[-1] - x[-2])]])
    rim_y = np.concatenate([[y[0] - (y[1] - y[0])], y, [y[-1] + (y[-1] - y[-2])]])
    generator = contour_generator(x=rim_x, y=rim_y, z=np.pad(np.asarray(density), 1))
    found = [[np.asarray(line, dtype=np.float64) for line in generator.lines(level)] for level in _LEVELS]
    return [lines for lines in found if lines]
