"""What the library says of things that are no table."""

import pandas as pd
import pytest

import sosie


def test_a_series_is_refused_in_words() -> None:
    with pytest.raises(sosie.InputError, match="must be a pandas DataFrame, not a Series") as refused:
        sosie.anonymize(pd.Series([1.0, 2.0]))  # type: ignore[arg-type]
    assert refused.value.code == "UNSUPPORTED_FORMAT"


def test_a_column_without_a_name_is_refused_by_its_position() -> None:
    frame = pd.DataFrame([[1.0, 2.0]] * 30, columns=["a", None])
    with pytest.raises(sosie.InputError, match="position 2 have no name"):
        sosie.anonymize(frame)


def test_half_a_surrogate_pair_does_not_stop_recognition() -> None:
    frame = pd.DataFrame({"a": pd.Series(["\ud800", "a", "b"] * 20, dtype=object), "x": range(0, 120, 2)})
    assert len(sosie.anonymize(frame, k=5, seed=0).avatars) == 60
