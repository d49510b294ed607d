"""Groups that are found more often than others."""

import numpy as np
import pandas as pd

from sosie.columns import encode
from sosie.declarations import Declaration
from sosie.evaluation import LevelGroup, RangeGroup
from sosie.exposure import exposed_groups
from sosie.recognition import recognise

AGES = np.arange(200)
FRAME = pd.DataFrame({"age": AGES, "ward": np.where(AGES % 10 < 8, "north", "south")})
TABLE = encode(FRAME, recognise(FRAME, {"age": Declaration(role="keep")}).columns)


def test_a_level_whose_members_are_found_is_named_with_its_share() -> None:
    found = (FRAME["ward"] == "south").to_numpy() & (AGES % 2 == 0)
    assert exposed_groups(TABLE, found, 5) == (LevelGroup("ward", "south", 40, 50.0),)


def test_a_quarter_of_a_number_is_named_without_its_extreme() -> None:
    (group,) = exposed_groups(TABLE, AGES >= 150, 5)
    assert isinstance(group, RangeGroup)
    assert (group.column, group.individuals, group.found) == ("age", 50, 100.0)
    assert 149 < group.low < 150
    assert group.high < 199


def test_where_everybody_is_found_alike_no_group_is_named() -> None:
    assert exposed_groups(TABLE, AGES % 3 == 0, 5) == ()
    assert exposed_groups(TABLE, np.ones(200, dtype=bool), 5) == ()


def test_a_group_of_few_is_not_looked_at() -> None:
    found = (FRAME["ward"] == "south").to_numpy()
    assert not [group for group in exposed_groups(TABLE, found, 41) if isinstance(group, LevelGroup)]
