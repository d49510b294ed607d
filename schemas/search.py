"""`search.json`: everything that a search measured, and `trials.csv`: every figure of every trial. Aggregates only."""

import csv
from io import StringIO

from pydantic import TypeAdapter, ValidationError

from sosie.errors import InputError
from sosie.search import Search, key_text, value_text

_SEARCH = TypeAdapter(Search)


def write_search(search: Search) -> bytes:
    """The search as JSON."""
    return _SEARCH.dump_json(search, indent=1)


def read_search(content: bytes) -> Search:
    """The search in a file; InputError `UNREADABLE_SOURCE` for one that is damaged or of another version."""
    try:
        return _SEARCH.validate_json(content)
    except ValidationError:
        raise InputError(
            "UNREADABLE_SOURCE",
            "what the search kept is damaged or of another version of sosie: search again",
        ) from None


def write_trials(search: Search) -> bytes:
    """A line for each setting on each split: the setting's number and values, then every figure; empty: none."""
    keys = dict.fromkeys(path for point in search.points for path, _ in point.setting.changes)
    names = dict.fromkeys(name for found in search.trials for trial in found for name in trial.figures)
    written = StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(["setting", "split", *map(key_text, keys), *names])
    for number, (point, found) in enumerate(zip(search.points, search.trials, strict=True), 1):
        values = dict(point.setting.changes)
        settings = [value_text(values[path]) if path in values else "" for path in keys]
        for split, trial in enumerate(found, 1):
            figures = [trial.figures[name].value if name in trial.figures else None for name in names]
            rows.writerow([number, split, *settings, *("" if value is None else value for value in figures)])
    return written.getvalue().encode()
