"""The judge's figures as a page: one table, a row for a figure of a table, mean and 95 % interval over the splits."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from judge_figures import HAZARDS, ISOLATED_FOUND, MOST_HOLDOUT, Figures
from judge_points import YARDSTICKS, Judged, meant
from judged_tables import RealTable
from makers import MOST_ROWS

from sosie.estimates import Estimate
from sosie.search import over_splits

Draws = Sequence[Figures]  # the figures of one maker, a mapping a draw
HERE = Path(__file__).parent
LEARNT_FROM_ORIGINALS = "learning_score of originals"


class Figure(NamedTuple):
    """A figure of `metrics.json`, how it is called and where its good end is."""

    key: str
    said: str
    best: str
    decimals: int


FIGURES = (
    Figure("membership_raw_auc", "membership: AUC", "0.5; aim ≤ 0.53", 3),
    Figure("membership_raw_found_at_1", "found at 1 %", "1", 1),
    Figure("membership_density_auc", "density: AUC", "0.5", 3),
    Figure("membership_raw_auc_isolated", "isolated: AUC", "0.5", 2),
    Figure(ISOLATED_FOUND, "isolated: found at 1 %", "1", 1),
    Figure("singling_out_univariate", "singling out, one column", "0", 1),
    Figure("singling_out_multivariate", "singling out, several", "0", 1),
    Figure("linkability", "linkability", "0", 1),
    Figure("inference", "inference, worst column", "0", 1),
    Figure("row_direct_match", "identical rows", "as real rows", 2),
    Figure("hellinger_mean", "Hellinger: mean", "100; aim ≥ 93", 1),
    Figure("hellinger_worst", "Hellinger: worst column", "100; aim ≥ 80", 1),
    Figure("association_difference_mean", "association difference", "as real rows", 3),
    Figure("discriminator_auc", "discriminator: AUC", "0.5", 2),
    Figure("learning_score", "target learnt from avatars", "as from originals", 3),
    Figure(LEARNT_FROM_ORIGINALS, "… from originals", "", 3),
    Figure(HAZARDS, "ln hazard ratio, moved by", "as real rows", 2),
)
LINKS = (
    Figure("local_cloaking", "local cloaking, median", "high", 1),
    Figure("local_cloaking_zero_share", "rows with a local cloaking of 0, %", "low", 1),
    Figure("hidden_rate", "hidden rate, %", "high", 1),
    Figure("hidden_rate_worst", "hidden rate, ties exposed, %", "high", 1),
    Figure("row_direct_match", "rows equal to some original, %", "low", 1),
    Figure("row_direct_match_own", "rows equal to their own, %", "low", 1),
)


def page(
    judged: Judged,
    links: Mapping[str, Draws],
    tables: Mapping[str, RealTable],
    command: str,
    machine: str,
) -> str:
    """The whole page; `links` is empty where the published runs were not given."""
    text = (HERE / "judge_page.md").read_text(encoding="utf-8")
    first = text.format(
        command=command,
        machine=machine,
        tables=_tables(tables, judged),
        means=means(judged),
        sdv=f"{MOST_ROWS['sdv']:,}",
        arf=f"{MOST_ROWS['arf']:,}",
        holdout=f"{MOST_HOLDOUT:,}",
        table=one_table(judged),
    )
    runs = (HERE / "judge_runs.md").read_text(encoding="utf-8")
    parts = [first, *([runs, section(LINKS, links)] if links else [])]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def one_table(judged: Judged) -> str:
    """Every figure, table and maker, a row for a figure of a table; beneath it why a cell is empty.

    A row is left out where no maker has the figure: such are told of in the text above the table.
    """
    reasons: list[str] = []
    rows = [
        [figure.said, table, *(_cell(figure, draws, reasons) for draws in makers.values())]
        for figure in FIGURES
        for table, makers in judged.items()
        if any(mean(draws, figure.key) is not None for draws in makers.values())
    ]
    table = _markdown(["figure", "table", *next(iter(judged.values()))], rows)
    notes = [f"({place}) {reason}" for place, reason in enumerate(reasons, start=1)]
    return "\n\n".join([table, *notes])


def means(judged: Judged) -> str:
    """The mean of each maker's means over the tables for which all but the yardsticks have the figure."""
    makers = list(next(iter(judged.values())))
    rows = []
    for figure in FIGURES:
        found = [
            {maker: mean(draws, figure.key) for maker, draws in table.items()} for table in judged.values()
        ]
        complete = [
            values
            for values in found
            if all(value is not None for maker, value in values.items() if maker not in YARDSTICKS)
        ]
        if complete:
            some = "" if len(complete) == len(found) else f" ({len(complete)} tables)"
            averages = [meant([values[maker] for values in complete]) for maker in makers]
            cells = ["–" if value is None else f"{value:.{figure.decimals}f}" for value in averages]
            rows.append([figure.said + some, figure.best, *cells])
    return _markdown(["mean over the tables", "best", *makers], rows)


def section(figures: Sequence[Figure], by_maker: Mapping[str, Draws]) -> str:
    """A table of these figures, one column a maker, with the least and the most of the draws."""
    rows = [
        [figure.said, figure.best, *(_spread(figure, draws) for draws in by_maker.values())]
        for figure in figures
    ]
    return _markdown(["figure", "best", *by_maker], rows)


def mean(draws: Draws, key: str) -> float | None:
    """The mean of a figure over all draws; None when any draw lacks it."""
    return meant([_value(draw, key) for draw in draws])


def _value(figures: Figures, key: str) -> float | None:
    if key == LEARNT_FROM_ORIGINALS:
        return figures["learning_score"].reference
    return figures[key].value


def _cell(figure: Figure, draws: Draws, reasons: list[str]) -> str:
    """Mean ± half of the interval over splits, if they differ at all; where a split has no figure, why not."""
    found = over_splits([_value(draw, figure.key) for draw in draws])
    if not isinstance(found, Estimate):
        missing = [draw[figure.key].reason or "" for draw in draws if draw[figure.key].value is None]
        return f"– ({_place(_general(missing[0]), reasons)})"
    half = found.high - found.value
    said = f"{found.value:.{figure.decimals}f}"
    return f"{said} ±{half:.{figure.decimals}f}" if half else said


def _spread(figure: Figure, draws: Draws) -> str:
    values = [value for draw in draws if (value := _value(draw, figure.key)) is not None]
    if len(values) < len(draws):
        return "–"
    said = [f"{value:.{figure.decimals}f}" for value in (float(np.mean(values)), min(values), max(values))]
    return said[0] if said[1] == said[2] else f"{said[0]} ({said[1]}–{said[2]})"


def _general(reason: str) -> str:
    """The reason without its counts, which differ from split to split."""
    return re.sub(r"(?<![\d.])\d+(?![\d.%])", "n", reason)


def _place(reason: str, reasons: list[str]) -> int:
    if reason not in reasons:
        reasons.append(reason)
    return reasons.index(reason) + 1


def _tables(tables: Mapping[str, RealTable], judged: Judged) -> str:
    rows = [
        [
            f"`{name}`" if name.endswith(".csv") else name,
            f"{len(table.frame):,}",
            f"{len(table.frame.columns)} ({len(table.categories)})",
            f"`{table.target}`",
            ", ".join(f"`{column}`" for column in table.survival.values()) or "–",
            str(len(next(iter(judged[name].values())))),
        ]
        for name, table in tables.items()
    ]
    return _markdown(
        [
            "table",
            "rows",
            "columns (categories)",
            "target learnt",
            "survival: duration, event, group",
            "splits",
        ],
        rows,
    )


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
