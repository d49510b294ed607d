"""Durations as people write them."""

from datetime import timedelta

import pytest

from sosie.errors import InputError
from sosie.schemas.configuration import parse_configuration
from sosie.schemas.durations import duration


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("0h", timedelta(0)),
        ("45s", timedelta(seconds=45)),
        ("30m", timedelta(minutes=30)),
        (" 24 h ", timedelta(days=1)),
        ("7d", timedelta(days=7)),
        ("999999d", timedelta(days=999_999)),
    ],
)
def test_a_duration_is_a_whole_number_and_a_unit(written: str, meant: timedelta) -> None:
    assert duration(written) == meant


def test_what_expires_is_checked_with_the_configuration() -> None:
    assert parse_configuration({"store": {"expire": "7d"}}).store.expire == "7d"
    with pytest.raises(InputError, match=r"store\.expire: .*a duration is a whole number"):
        parse_configuration({"store": {"expire": "a week"}})
