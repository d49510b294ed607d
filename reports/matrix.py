"""A square matrix of associations as static SVG: one path a class of strength, so that size does not grow with cells.

Colour goes from none (paper) to strong; a stroke through a cell says that it is negative, which grey would not.
"""

from collections.abc import Sequence

from markupsafe import Markup

_CLASSES = (0.05, 0.15, 0.3, 0.5, 0.75)  # lower bounds of the drawn strengths
_SIDE = 300.0

Cells = Sequence[Sequence[float | None]]


def draw_matrix(cells: Cells, names: Sequence[str], alternative: str) -> Markup:
    """The matrix with its columns' names on the left; an empty cell could not be computed."""
    size = len(cells)
    cell = _SIDE / size
    left = 110.0
    drawn = [
        Markup('<rect class="frame" x="{}" y="2" width="{}" height="{}"/>').format(left, _SIDE, _SIDE),
        *_strengths(cells, left, cell),
        *(
            Markup('<text class="small" x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(
                left - 5, 2 + cell * (row + 0.5) + 3, name if len(name) <= 17 else name[:16] + "…"
            )
            for row, name in enumerate(names)
        ),
    ]
    return Markup(
        '<svg class="matrix" role="img" viewBox="0 0 {:.0f} {:.0f}" aria-label="{}">{}</svg>'
    ).format(left + _SIDE + 4, _SIDE + 4, alternative, Markup("").join(drawn))


def _strengths(cells: Cells, left: float, cell: float) -> list[Markup]:
    squares: dict[int, list[str]] = {}
    negative, absent = [], []
    for row, values in enumerate(cells):
        for column, value in enumerate(values):
            x, y = left + cell * column, 2 + cell * row
            if value is None:
                absent.append(f"M{x + cell / 4:.1f} {y + cell / 2:.1f}h{cell / 2:.1f}")
                continue
            strength = sum(abs(value) >= bound for bound in _CLASSES)
            if strength:
                squares.setdefault(strength, []).append(
                    f"M{x:.1f} {y:.1f}h{cell:.1f}v{cell:.1f}h-{cell:.1f}z"
                )
            if value <= -_CLASSES[0]:
                negative.append(
                    f"M{x + cell * 0.2:.1f} {y + cell * 0.8:.1f}l{cell * 0.6:.1f} {-cell * 0.6:.1f}"
                )
    drawn = [
        Markup('<path class="strength s{}" d="{}"/>').format(strength, "".join(paths))
        for strength, paths in sorted(squares.items())
    ]
    for kind, paths in (("negative", negative), ("absent", absent)):
        if paths:
            drawn.append(Markup('<path class="{}" d="{}"/>').format(kind, "".join(paths)))
    return drawn
