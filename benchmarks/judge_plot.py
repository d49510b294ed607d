"""The judge's frontier: privacy against utility, one point a maker and table and one for its mean, as an SVG file.

It carries its own ground and follows the reader's light or dark scheme, so that it can be read on any page. A maker
has a shape of its own beside its colour; a letter names the table; no point is a person.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from judge_points import Judged, MakerPlaces, Place, maker_places
from markupsafe import Markup

_WIDTH, _HEIGHT = 900.0, 560.0
_LEFT, _RIGHT, _TOP, _BASE = 70.0, 660.0, 20.0, 490.0
_KEY = 690.0
_STEP = 5.0
_BEYOND = "copy"  # hides nobody: it would push all others together
_STYLE = """
svg { --ground: #ffffff; --ink: #1c2128; --soft: #55606e; --rule: #d5dae1;
  --m0: #55606e; --m1: #b84a00; --m2: #0072b2; --m3: #4b3fb5; --m4: #1b6b3a; --m5: #a3217c; }
@media (prefers-color-scheme: dark) { svg { --ground: #14181d; --ink: #e6e9ed; --soft: #a7b0bb; --rule: #363f4a;
  --m0: #a7b0bb; --m1: #ffa55e; --m2: #5fb0e0; --m3: #b3a8ff; --m4: #6cc790; --m5: #f29ad6; } }
.ground { fill: var(--ground); }
text { fill: var(--ink); font: 13px system-ui, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif; }
.small { fill: var(--soft); font-size: 12px; }
.grid { stroke: var(--rule); }
.axis { stroke: var(--soft); fill: none; }
.frontier { stroke: var(--ink); fill: none; stroke-dasharray: 6 4; stroke-width: 1.5; }
.one { fill: var(--ground); fill-opacity: .75; stroke-width: 1.3; }
.mean { stroke: var(--ground); stroke-width: 2; }
.letter { font-size: 10px; }
"""
_COLOURS = "".join(
    f".one.m{n} {{ stroke: var(--m{n}); }} .mean.m{n} {{ fill: var(--m{n}); }}\n" for n in range(6)
)
# each within a square of −1…1
_SHAPES = (
    "M0 -1L1 0L0 1L-1 0Z",
    "M0 -1A1 1 0 1 1 0 1A1 1 0 1 1 0 -1Z",
    "M-.88 -.88H.88V.88H-.88Z",
    "M-.5 -1H.5L1 0L.5 1H-.5L-1 0Z",
    "M0 -1.1L1.15 .9H-1.15Z",
    "M0 1.1L1.15 -.9H-1.15Z",
)


@dataclass(frozen=True)
class Axes:
    """The least value shown on either axis; both end at 100."""

    hidden: float
    kept: float

    def at(self, place: Place) -> tuple[float, float]:
        """Where a place is drawn: further right hides better, further up keeps more."""
        across = (place.hidden - self.hidden) / (100 - self.hidden)
        up = (place.kept - self.kept) / (100 - self.kept)
        return _LEFT + (_RIGHT - _LEFT) * across, _BASE - (_BASE - _TOP) * up


def plot(judged: Judged) -> str:
    """The picture of all makers but the copy."""
    makers = [found for found in maker_places(judged) if found.maker != _BEYOND]
    axes = axes_around([place for found in makers for place in found.tables])
    parts = [
        Markup('<rect class="ground" width="{:.0f}" height="{:.0f}"/>').format(_WIDTH, _HEIGHT),
        _axes(axes),
        *(_tables(place, found, axes) for place, found in enumerate(makers)),
        _line([found.mean for found in makers if found.on_frontier], axes),
        *(_mark("mean", place, axes.at(found.mean), 11) for place, found in enumerate(makers)),
        _key(makers, list(judged)),
    ]
    title, description = "Privacy against utility", describe(makers)
    return str(
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {:.0f} {:.0f}"'
            ' aria-labelledby="title description"><title id="title">{}</title>'
            '<desc id="description">{}</desc><style>{}</style>{}</svg>\n'
        ).format(_WIDTH, _HEIGHT, title, description, Markup(_STYLE + _COLOURS), Markup("\n").join(parts))
    )


def describe(makers: Sequence[MakerPlaces]) -> str:
    """The means in words, for those who do not see the picture."""
    said = "; ".join(
        f"{found.maker}: {found.mean.hidden:.1f} hidden, {found.mean.kept:.1f} kept" for found in makers
    )
    best = ", ".join(found.maker for found in makers if found.on_frontier)
    return f"Means over the tables, 100 is ideal. {said}. No other mean beats in both: {best}."


def axes_around(places: Sequence[Place]) -> Axes:
    """The multiples of 5 just below the least of the places."""
    return Axes(*(_STEP * ((min(values) - 1) // _STEP) for values in zip(*map(_pair, places), strict=True)))


def _pair(place: Place) -> tuple[float, float]:
    return place.hidden, place.kept


def _axes(axes: Axes) -> Markup:
    drawn = []
    for step in range(1 + round((100 - axes.hidden) / _STEP)):
        value = axes.hidden + _STEP * step
        x, _ = axes.at(Place(value, 100))
        drawn.append(
            Markup(
                '<path class="grid" d="M{x:.1f} {top}V{base}"/>'
                '<text class="small" x="{x:.1f}" y="{below}" text-anchor="middle">{value:.0f}</text>'
            ).format(x=x, top=_TOP, base=_BASE, below=_BASE + 18, value=value)
        )
    for step in range(1 + round((100 - axes.kept) / _STEP)):
        value = axes.kept + _STEP * step
        _, y = axes.at(Place(100, value))
        drawn.append(
            Markup(
                '<path class="grid" d="M{left} {y:.1f}H{right}"/>'
                '<text class="small" x="{beside}" y="{middle:.1f}" text-anchor="end">{value:.0f}</text>'
            ).format(left=_LEFT, right=_RIGHT, y=y, beside=_LEFT - 8, middle=y + 4, value=value)
        )
    titles = Markup(
        '<path class="axis" d="M{left} {top}V{base}H{right}"/>'
        '<text x="{middle}" y="{title}" text-anchor="middle">members hidden →</text>'
        '<text transform="translate(22 {half}) rotate(-90)" text-anchor="middle">table kept →</text>'
    ).format(
        left=_LEFT,
        top=_TOP,
        base=_BASE,
        right=_RIGHT,
        middle=(_LEFT + _RIGHT) / 2,
        title=_HEIGHT - 20,
        half=(_TOP + _BASE) / 2,
    )
    return Markup("").join([*drawn, titles])


def _tables(place: int, found: MakerPlaces, axes: Axes) -> Markup:
    return Markup("").join(
        _mark("one", place, (x, y), 8)
        + Markup('<text class="letter" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>').format(
            x, y + 3.5, _letter(table)
        )
        for table, (x, y) in enumerate(map(axes.at, found.tables))
    )


def _line(means: Sequence[Place], axes: Axes) -> Markup:
    if len(means) < 2:
        return Markup("")
    corners = " ".join(
        "{:.1f},{:.1f}".format(*axes.at(mean)) for mean in sorted(means, key=lambda mean: mean.hidden)
    )
    return Markup('<polyline class="frontier" points="{}"/>').format(corners)


def _mark(kind: str, maker: int, centre: tuple[float, float], size: float) -> Markup:
    return Markup(
        '<path class="{} m{}" vector-effect="non-scaling-stroke"'
        ' transform="translate({:.1f} {:.1f}) scale({})" d="{}"/>'
    ).format(kind, maker, *centre, size, _SHAPES[maker])


def _key(makers: Sequence[MakerPlaces], tables: Sequence[str]) -> Markup:
    lines = [
        _mark("mean", place, (_KEY + 10, 40 + 26 * place), 9)
        + Markup('<text x="{}" y="{}">{}</text>').format(_KEY + 28, 44 + 26 * place, found.maker)
        for place, found in enumerate(makers)
    ]
    below = 40 + 26 * len(makers) + 10
    lines.append(
        Markup(
            '<path class="frontier" d="M{} {y}h24"/><text x="{}" y="{text}">no other mean beats both</text>'
            '<text class="small" x="{}" y="{next}">Large: the mean over the tables.</text>'
        ).format(_KEY, _KEY + 28, _KEY, y=below - 4, text=below, next=below + 30)
    )
    lines += [
        Markup('<text class="small" x="{}" y="{}">{} {}</text>').format(
            _KEY, below + 54 + 20 * place, _letter(place), name
        )
        for place, name in enumerate(tables)
    ]
    return Markup("").join(lines)


def _letter(table: int) -> str:
    return chr(ord("a") + table)
