"""Where a table lies: a file, an object in a store, a table or a query of a database."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from sosie.errors import InputError

Place = Literal["file", "object", "sqlite", "postgresql"]

_SCHEME = re.compile(r"^([a-z][a-z0-9+.-]+):/", re.IGNORECASE)
_DATABASES = (".db", ".sqlite", ".sqlite3")
# options of signed URLs and of connections, also inside the text of a query
CREDENTIAL = (
    r"[?&; '\"(](ssl)?(password|passwd|pwd|sig|signature|token|secret|api_?key|access_?key)\w*\s*="
    r"|[?&](x-amz-|x-goog-|x-oss-|aws_?|access_?|auth_?|client_?)\w*[^=&]*="
)
_OWN_OPTIONS = ("table", "query", "sheet")


@dataclass(frozen=True)
class Address:
    """A place, the path or URL there without our own options (`table`, `query`, `sheet`), and these options.

    `name` is what may be shown: no folder, no host, no text of a query.
    """

    place: Place
    location: str
    options: Mapping[str, str]
    name: str


def parse_address(text: str) -> Address:
    """The address that a user wrote: a path, or a URL; options follow a question mark.

    Raises InputError BAD_CONFIG for a password in the URL and for an option that does not fit the place.
    """
    scheme = _SCHEME.match(text)
    if scheme is None or scheme[1].lower() in ("file", "local"):
        here = re.match("(file|local)://", text, re.IGNORECASE)
        return _file(text[here.end() :] if here else text)
    refuse_password(text)
    location, options = _parted(text)
    kind = scheme[1].lower()
    if kind == "sqlite":
        return _sqlite(location.split(":", 1)[1].removeprefix("///"), options)
    if kind in ("postgresql", "postgres"):
        name = f"table {options['table']}" if "table" in options else "a query"
        return _checked(Address("postgresql", location, options, name), ("table", "query"))
    name = unquote(location.rstrip("/").rsplit("/", 1)[-1]) or "the object"
    return _checked(Address("object", location, options, name), ("sheet",))


def refuse_password(text: str) -> None:
    """Raise InputError BAD_CONFIG for a URL that holds a password; the sentence does not quote it."""
    if not _SCHEME.match(text):
        return
    if _has_password(text.partition("//")[2]) or re.search(r"[?&](ssl)?password=", text, re.IGNORECASE):
        raise InputError(
            "BAD_CONFIG",
            "a password may not stand in a source or a destination, which are stored and shown: take it out, change it "
            "if this was run before, and give it by PGPASSWORD, by ~/.pgpass or by secrets: in the configuration",
        )


def refuse_credential(text: str) -> None:
    """Raise InputError BAD_CONFIG for a URL whose options could hold a key or a token, before Prefect stores it."""
    if re.search(CREDENTIAL, text, re.IGNORECASE):
        raise InputError(
            "BAD_CONFIG",
            "a key, a token or a password may not stand in what Prefect stores and shows: give the address as source: "
            "in the configuration file, which Prefect does not store, or run with --direct",
        )


def _has_password(text: str) -> bool:
    """Whether what follows the two slashes begins with user:password@, also if the password holds / or ? or #."""
    authority = re.split(r"[/?#]", text, maxsplit=1)[0]
    if "@" in authority:
        return ":" in authority.rpartition("@")[0]
    hosts = re.sub(r"\[[^]]*\]", "", authority).split(",")
    ports = [host.rpartition(":")[2] for host in hosts if ":" in host]
    # what should be a port is the start of a password if it is no number, or if an @ follows
    return any(port and not port.isdigit() for port in ports) or (
        bool(ports) and "@" in text.partition("?")[0]
    )


def shown_name(text: str | None) -> str | None:
    """The name of a source that may be shown, also of one that is refused."""
    if not text:
        return None
    try:
        return parse_address(text).name
    except InputError:
        return None


def _parted(text: str) -> tuple[str, dict[str, str]]:
    """The text without our own options, and these; a query reaches to the end, so that it may hold any mark."""
    location, mark, rest = text.partition("?")
    options, others = {}, []
    while mark and rest:
        name, _, value = rest.partition("=")
        if name == "query":
            value, rest = value, ""
        else:
            value, _, rest = value.partition("&")
        if name in _OWN_OPTIONS:
            options[name] = unquote(value)
        else:
            others.append(f"{name}={value}")
    return location + ("?" + "&".join(others) if others else ""), options


def _file(text: str) -> Address:
    # a file may have a question mark in its name
    location, options = (text, {}) if _exists(Path(text)) else _parted(text)
    path = Path(location)
    if path.suffix.lower() in _DATABASES:
        return _sqlite(location, options)
    return _checked(Address("file", location, options, path.name), ("sheet",))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that is too long or holds a NUL
        return False


def _sqlite(location: str, options: dict[str, str]) -> Address:
    name = Path(location).name
    return _checked(Address("sqlite", location, options, name), ("table", "query"))


def _checked(address: Address, allowed: tuple[str, ...]) -> Address:
    unknown = [option for option in address.options if option not in allowed]
    if unknown:
        raise InputError(
            "BAD_CONFIG", f"{address.name} takes no option {', '.join(unknown)}: {' or '.join(allowed)} only"
        )
    if "table" in address.options and "query" in address.options:
        raise InputError("BAD_CONFIG", f"{address.name}: give a table or a query, not both")
    return address
