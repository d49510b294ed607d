"""The names of a source's columns, which must differ."""

from collections import Counter

from sosie.errors import InputError


def refuse_duplicates(names: list[str], source: str) -> None:
    """Raise InputError DUPLICATE_COLUMNS, with positions from 1, for names that occur again in `source`."""
    repeated = tuple(name for name, count in Counter(names).items() if count > 1)
    if not repeated:
        return
    places = {name: [str(i) for i, other in enumerate(names, 1) if other == name] for name in repeated}
    spoken = ", ".join(f"{name!r} at positions {' and '.join(at)}" for name, at in places.items())
    raise InputError(
        "DUPLICATE_COLUMNS",
        f"{source} has several columns of one name: {spoken}; give each column its own name",
        repeated,
    )
