"""Figures already measured, one file a table, maker and split, so that a run that was stopped goes on where it was."""

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from judge_figures import Figures

from sosie.estimates import Metric


def kept(folder: Path, case: tuple[str, str, int], measure: Callable[[], Figures]) -> Figures:
    """The figures of a case (table, maker, split), measured now if no earlier run did; written whole or not at all."""
    path = folder / ("_".join(str(part) for part in case).replace(" ", "-") + ".json")
    if not path.exists():
        text = json.dumps({name: asdict(metric) for name, metric in measure().items()})
        half = path.with_suffix(".part")
        half.write_text(text, encoding="utf-8")
        os.replace(half, path)
    return {name: _metric(said) for name, said in json.loads(path.read_text(encoding="utf-8")).items()}


def _metric(said: dict[str, Any]) -> Metric:
    interval = said.pop("interval")
    return Metric(**said, interval=None if interval is None else tuple(interval))
