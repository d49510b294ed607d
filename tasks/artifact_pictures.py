"""Pictures of a run as PNG in a `data:` URI: Prefect's UI strips SVG from markdown. Aggregates only."""

import base64
from collections.abc import Callable
from io import BytesIO

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sosie.attacks import Membership
from sosie.evaluation import Evaluation
from sosie.reports.language import Language

AVATARS, REFERENCE, ORIGINALS = "#b84a00", "#4a4a4a", "#0072b2"
_MOST_COLUMNS = 10
_DECILES = range(10, 100, 10)


def key_pictures(evaluation: Evaluation, language: Language) -> tuple[tuple[str, str], ...]:
    """(what it shows, data URI) of each picture that there are figures for."""
    pictures: list[tuple[str, Callable[[Axes], None]]] = [
        (language.say("Columns"), lambda axes: _columns(axes, evaluation, language))
    ]
    attack = evaluation.attacks.membership_projected
    if isinstance(attack, Membership):
        pictures.append((language.say("Membership"), lambda axes: _roc(axes, attack, language)))
    deciles = evaluation.local_cloaking_deciles
    if deciles is not None:
        most = evaluation.local_cloaking_most
        counted = tuple(decile for decile in deciles if most is None or decile < most)
        pictures.append((language.say("Local cloaking"), lambda axes: _cloaking(axes, counted, language)))
    return tuple((title, png(draw)) for title, draw in pictures)


def png(draw: Callable[[Axes], None]) -> str:
    """A drawing as a data URI."""
    figure = Figure(figsize=(5.2, 3.2), dpi=100, layout="constrained")
    draw(figure.add_subplot())
    written = BytesIO()
    figure.savefig(written, format="png", metadata={"Software": None})
    return f"data:image/png;base64,{base64.b64encode(written.getvalue()).decode()}"


def _columns(axes: Axes, evaluation: Evaluation, language: Language) -> None:
    worst = sorted(evaluation.variables, key=lambda variable: variable.hellinger)[:_MOST_COLUMNS][::-1]
    names = [name if len(name) <= 24 else name[:23] + "…" for name in (variable.name for variable in worst)]
    places = range(len(worst))
    axes.barh(places, [variable.hellinger for variable in worst], color=ORIGINALS)
    axes.set_yticks(places, names, parse_math=False)
    axes.set_xlim(0, 100)
    axes.set_xlabel(language.say("Hellinger score"))


def _roc(axes: Axes, attack: Membership, language: Language) -> None:
    axes.plot([0, 1], [0, 1], color=REFERENCE, linewidth=1, linestyle=":")
    axes.plot(*zip(*attack.roc, strict=True), color=AVATARS)
    axes.set_xlabel(language.say("strangers wrongly named"))
    axes.set_ylabel(language.say("people who were used, found"))


def _cloaking(axes: Axes, deciles: tuple[float, ...], language: Language) -> None:
    axes.plot(deciles, list(_DECILES)[: len(deciles)], color=AVATARS, marker="o", markersize=3)
    axes.set_xscale("symlog")
    axes.set_xlim(left=0)
    axes.set_ylim(0, 100)
    axes.set_xlabel(language.say("avatars of others at least as close"))
    axes.set_ylabel(language.say("individuals at or below"))
