"""Time zones of every library that pandas takes them from; none of these libraries is asked for unless it is met."""

from datetime import UTC, timedelta, timezone, tzinfo
from importlib import import_module
from typing import Any
from zoneinfo import ZoneInfo

from sosie.tasks.store.kinds import DamagedError, Kind


def _fixed(seconds: float, name: str | None) -> timezone:
    offset = timedelta(seconds=seconds)
    return (UTC if not offset else timezone(offset)) if name is None else timezone(offset, name)


def _fixed_apart(zone: timezone) -> tuple[object, ...]:
    offset = zone.utcoffset(None)
    return offset.total_seconds(), None if str(zone) == str(timezone(offset)) else zone.tzname(None)


def _pytz(name: str, *variant: Any) -> Any:
    """A zone of pytz; a variant is one of its offsets: seconds east, seconds of summer time, abbreviation."""
    zone = import_module("pytz").timezone(name)
    if not variant:
        return zone
    east, summer, abbreviation = variant
    return zone._tzinfos[timedelta(seconds=east), timedelta(seconds=summer), abbreviation]


def _pytz_apart(zone: Any) -> tuple[object, ...]:
    tuple_ = getattr(zone, "_tzinfos", {}) and (zone._utcoffset, zone._dst, zone._tzname)
    if not tuple_:
        return (zone.zone,)
    return zone.zone, zone._utcoffset.total_seconds(), zone._dst.total_seconds(), zone._tzname


def _dateutil(name: str) -> Any:
    zone = import_module("dateutil.tz").gettz(name)
    if zone is None:
        raise DamagedError("a time zone that this machine does not have")
    return zone


ZONES: dict[str, Kind] = {
    "zone": Kind(lambda x: (x.key,), ZoneInfo),
    "fixed zone": Kind(_fixed_apart, _fixed),
    "pytz": Kind(_pytz_apart, _pytz),
    "pytz offset": Kind(lambda x: (x._minutes,), lambda minutes: import_module("pytz").FixedOffset(minutes)),
    "dateutil": Kind(lambda x: (x._filename,), _dateutil),
    "dateutil offset": Kind(
        lambda x: (x._name, x._offset.total_seconds()),
        lambda name, seconds: import_module("dateutil.tz").tzoffset(name, seconds),
    ),
    "dateutil UTC": Kind(lambda _: (), lambda: import_module("dateutil.tz").tzutc()),
    "dateutil local": Kind(lambda _: (), lambda: import_module("dateutil.tz").tzlocal()),
}

_DATEUTIL = {
    "tzfile": "dateutil",
    "tzoffset": "dateutil offset",
    "tzutc": "dateutil UTC",
    "tzlocal": "dateutil local",
}


def zone_tag(zone: tzinfo) -> str | None:
    """The kind of zone this is; None for one that cannot be named."""
    library, _, _ = type(zone).__module__.partition(".")
    if isinstance(zone, ZoneInfo):
        return "zone" if zone.key else None
    if type(zone) is timezone:
        return "fixed zone"
    if library == "pytz":
        return "pytz" if getattr(zone, "zone", None) else "pytz offset"
    return _DATEUTIL.get(type(zone).__qualname__) if library == "dateutil" else None
