"""`sosie purge`: what it removed, in one line."""

import json
from dataclasses import asdict
from pathlib import Path

from sosie.schemas.durations import duration
from sosie.tasks.store import Purged, purge_intermediates


def purge(older_than: str, store: Path | None, as_json: bool) -> None:
    """Remove intermediates not used for so long, and say how much that was."""
    purged = purge_intermediates(duration(older_than), store)
    if as_json:
        print(json.dumps({"status": "purged", **asdict(purged), "code": None, "warnings": []}))
    else:
        print(_line(purged))


def _line(purged: Purged) -> str:
    return f"{purged.removed} intermediate(s) removed, {_size(purged.bytes)}; {purged.kept} kept"


def _size(count: int) -> str:
    size, unit = float(count), "bytes"
    for larger in ("kB", "MB", "GB"):
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{size:.3g} {unit}" if unit != "bytes" else f"{count} bytes"
