"""Frames as tables, all of the same columns."""

from collections.abc import Callable

import pandas as pd
import pytest

from sosie.columns import Table, encode, with_levels_of
from sosie.recognition import recognise

Tables = Callable[..., tuple[Table, ...]]


@pytest.fixture(scope="session")
def tables() -> Tables:
    """`tables(first, others…)`: each frame as a table of the first one's columns and of the levels of all."""

    def make(*frames: pd.DataFrame) -> tuple[Table, ...]:
        named = {str(position): frame for position, frame in enumerate(frames)}
        columns = with_levels_of(recognise(frames[0], {}).columns, named)
        return tuple(encode(frame, columns) for frame in frames)

    return make
