"""What is drawn lies where the numbers say."""

import re

import numpy as np
import pytest

from sosie.evaluation import Plane
from sosie.reports.charts import Row, Steps, draw_bars, draw_steps
from sosie.reports.plane import draw_plane
from sosie.reports.scale import Scale, draw_scale


def scale(worst: float, best: float, value: float | None, **changes: object) -> str:
    fields: dict[str, object] = {
        "worst": worst,
        "best": best,
        "value": value,
        "logarithmic": False,
        "target": None,
        "reference": None,
        "interval": None,
        "marker": "pass",
        "worst_text": "",
        "best_text": "",
        "target_text": "",
        "alternative": "",
    }
    return str(draw_scale(Scale(**{**fields, **changes})))  # type: ignore[arg-type]


def diamond(drawn: str) -> float:
    found = re.search(r'class="value pass" d="M([\d.]+)', drawn)
    assert found is not None
    return float(found[1])


@pytest.mark.parametrize(("worst", "best"), [(0, 100), (100, 0)])
def test_further_right_is_better_whichever_way_a_figure_runs(worst: float, best: float) -> None:
    assert [diamond(scale(worst, best, value)) for value in (worst, 50, best)] == [8.0, 160.0, 312.0]


def test_what_lies_beyond_an_end_is_drawn_at_that_end() -> None:
    assert diamond(scale(0, 100, 130)) == 312.0
    assert diamond(scale(0, 100, -5)) == 8.0


def test_counts_lie_on_a_logarithmic_scale() -> None:
    assert diamond(scale(0, 99, 9, logarithmic=True)) == pytest.approx(160.0)


def test_a_figure_that_is_not_there_has_no_diamond() -> None:
    drawn = scale(0, 100, None, target=50)
    assert "value" not in drawn
    assert "line absent" in drawn


def test_areas_of_a_histogram_are_shares() -> None:
    steps = Steps((0.0, 1.0, 4.0), (0.25, 0.75), (0.5, 0.5), None, "", "", "")
    path = re.search(r'class="originals" d="([^"]+)"', str(draw_steps(steps, "")))
    assert path is not None
    first, second = (110 - float(height) for height in re.findall(r"V([\d.]+)H", path[1]))
    assert first == pytest.approx(second)  # three times the share over three times the width


def test_bars_are_as_long_as_their_shares() -> None:
    rows = [
        Row("a", "a", 0.5, 0.25, 0.125, "", "", aside=False),
        Row("b", "b", 0.0, 0.5, None, "", "", aside=False),
    ]
    widths = [float(width) for width in re.findall(r'width="([\d.]+)"', str(draw_bars(rows, "")))]
    assert widths == [134.0, 67.0, 0.0, 134.0]


def test_contours_are_closed_even_where_a_cloud_meets_the_border() -> None:
    x = tuple(np.linspace(-1, 1, 9).tolist())
    density = tuple(tuple(1.0 if place < 5 else 0.0 for place in range(9)) for _ in range(9))
    drawn = str(draw_plane(Plane(x, x, density, density), "", "", ""))
    paths = re.findall(r'class="(?:originals|avatars)" d="([^"]+)"', drawn)
    assert len(paths) == 10
    assert all(path.startswith("M") and path.endswith("Z") for path in paths)


@pytest.mark.parametrize(("marker", "drawn"), [("pass", True), ("fail", True), ("uninformative", False)])
def test_where_a_target_is_met_is_drawn_only_for_what_can_meet_it(marker: str, drawn: bool) -> None:
    assert ('class="met"' in scale(0, 100, 60, target=50, marker=marker)) is drawn
