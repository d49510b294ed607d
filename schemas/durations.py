"""Lengths of time as people write them: 30m, 24h, 7d."""

import re
from datetime import timedelta

from sosie.errors import InputError

_WRITTEN = re.compile(r"(\d{1,6})\s*([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def duration(text: str) -> timedelta:
    """The length of a whole number of seconds (s), minutes (m), hours (h) or days (d); InputError `BAD_CONFIG` else."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        raise InputError("BAD_CONFIG", "a duration is a whole number and s, m, h or d: 30m, 24h, 7d")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})
