"""Values as JSON and blocks of bytes, without pickle: only what is listed here is written, and only that is read.

Every kind of value is taken apart into simpler ones, down to JSON's own and arrays. JSON stands for itself but for its
lists, which are `[tag, part, …]`. What several places share is described once and shared again when it is read.
"""

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import is_dataclass
from datetime import tzinfo
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from sosie.tasks.store.cells import CELLS, LONG, NOT_FINITE, NUMPY_CELL, SURROGATES
from sosie.tasks.store.classes import OWN, own_kind
from sosie.tasks.store.kinds import DamagedError, Kind
from sosie.tasks.store.tables import ARROW_ARRAY, ARROW_TYPE, DTYPES, NUMPY_DTYPE, TABLES
from sosie.tasks.store.zones import ZONES, zone_tag

Described = Any  # what json.dumps takes
Array = NDArray[Any]

_TYPES = CELLS | DTYPES | TABLES
_GATHERED: dict[type, tuple[str, Kind]] = {
    tuple: ("tuple", Kind(tuple, lambda *items: items)),
    list: ("list", Kind(tuple, lambda *items: list(items))),
    set: ("set", Kind(tuple, lambda *items: set(items))),
    frozenset: ("frozenset", Kind(tuple, lambda *items: frozenset(items))),
    dict: (
        "dict",
        Kind(
            lambda mapping: tuple(part for pair in mapping.items() for part in pair),
            lambda *parts: dict(zip(parts[::2], parts[1::2], strict=True)),
        ),
    ),
}
_KINDS: dict[str, Kind] = {
    **dict(_TYPES.values()),
    **dict(_GATHERED.values()),
    **ZONES,
    **OWN,
    "integer": LONG,
    "float": NOT_FINITE,
    "text": SURROGATES,
    "numpy": NUMPY_CELL,
    "dtype": NUMPY_DTYPE,
    "Arrow type": ARROW_TYPE,
    "Arrow array": ARROW_ARRAY,
}
_UNORDERED = ("set", "frozenset")
_SHARED = (np.ndarray, pd.Index, pd.Series, pd.DataFrame, pd.api.extensions.ExtensionArray)


class Describer:
    """Describes one value; `place` puts an array's bytes somewhere and says where.

    Canonical descriptions are equal for equal values: mappings and sets in one order, nothing shared.
    """

    def __init__(self, place: Callable[[Array], Described], *, canonical: bool = False) -> None:
        self._place = place
        self._canonical = canonical
        self._known: dict[int, tuple[object, int]] = {}  # the object too, so that its id stays its own
        self._shared: list[Described] = []

    def document(self, value: object) -> Described:
        """The value's description with all that it shares."""
        described = self.describe(value)
        return {"shared": self._shared, "value": described}

    def describe(self, value: Any) -> Described:
        """The value as JSON; TypeError naming its type, and never the value, when it is of no known kind."""
        if self._canonical or not (isinstance(value, _SHARED) or is_dataclass(value)):
            return self._described(value)
        known = self._known.get(id(value))
        if known is None:
            described = self._described(value)
            known = self._known[id(value)] = value, len(self._shared)
            self._shared.append(described)
        return ["same", known[1]]

    def _described(self, value: Any) -> Described:
        if isinstance(value, np.ndarray):
            return self._array(value)
        tag = _tag(value)
        if tag is None:
            return value
        parts = [self.describe(part) for part in _KINDS[tag].apart(value)]
        if self._canonical:
            parts = _in_order(tag, parts)
        return [tag, *parts]

    def _array(self, array: Array) -> Described:
        if type(array) not in (np.ndarray, np.memmap):
            raise _unknown(array)
        axes = sorted(range(array.ndim), key=lambda axis: (-abs(array.strides[axis]), axis))
        laid = np.asarray(array).transpose(axes)  # the bytes' own order: layout decides the last bit of a sum
        if array.dtype.hasobject:
            if array.dtype.kind != "O":
                raise _unknown(array)
            cells = [self.describe(cell) for cell in laid.ravel().tolist()]
            return ["objects", list(laid.shape), axes, cells]
        dtype = self.describe(array.dtype)
        return ["array", dtype, list(laid.shape), axes, self._place(laid)]


class Builder:
    """Builds a described value; `fetch` gives the array of a dtype and shape that was put at a place."""

    def __init__(self, fetch: Callable[[Any, tuple[int, ...], Described], Array]) -> None:
        self._fetch = fetch
        self._shared: list[object] = []

    def build(self, document: Described) -> object:
        """The value of a document."""
        for described in document["shared"]:
            self._shared.append(self._built(described))
        return self._built(document["value"])

    def _built(self, described: Described) -> Any:
        if not isinstance(described, list):
            return described
        tag, *parts = described
        if tag == "same":
            return self._shared[parts[0]]
        if tag == "array":
            dtype, shape, axes, place = parts
            return _as_it_lay(self._fetch(self._built(dtype), tuple(shape), place), axes)
        if tag == "objects":
            shape, axes, cells = parts
            held = np.empty(len(cells), dtype=object)
            for place, cell in enumerate(cells):
                held[place] = self._built(cell)
            return _as_it_lay(held.reshape(shape), axes)
        if tag not in _KINDS:
            raise DamagedError("a kind of value that this program does not have")
        return _KINDS[tag].together(*map(self._built, parts))


def canonical(value: object) -> str:
    """A text that is the same for equal values and for no others; arrays are in it by their bytes' hash."""
    described = Describer(_hashed, canonical=True).describe(value)
    return json.dumps(described, allow_nan=False, separators=(",", ":"))


def _tag(value: Any) -> str | None:
    """The kind that a value is of; None for what JSON holds as it is."""
    class_ = type(value)
    if value is None or class_ is bool:
        return None
    if class_ is int:
        return (
            None if -(2**63) <= value < 2**63 else "integer"
        )  # longer ones have more digits than JSON reads
    if class_ is float:
        return None if math.isfinite(value) else "float"
    if class_ is str:
        return None if _is_text(value) else "text"
    found = _GATHERED.get(class_) or _TYPES.get(class_)
    return found[0] if found else _tag_by_nature(value)


def _tag_by_nature(value: Any) -> str:
    tag: str | None = own_kind(type(value))
    if isinstance(value, np.generic):
        tag = "numpy"
    elif isinstance(value, np.dtype):
        tag = "dtype"
    elif isinstance(value, pa.DataType):
        tag = "Arrow type"
    elif isinstance(value, pa.Array):
        tag = "Arrow array"
    elif isinstance(value, tzinfo):
        tag = zone_tag(value)
    if tag is None:
        raise _unknown(value)
    return tag


def _unknown(value: object) -> TypeError:
    class_ = type(value)
    dtype = f" of {value.dtype.name}" if isinstance(value, np.ndarray) else ""
    return TypeError(f"the store keeps no {class_.__module__}.{class_.__qualname__}{dtype}")


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON would join with its other half
        return False
    return True


def _in_order(tag: str, parts: list[Described]) -> list[Described]:
    if tag in _UNORDERED:
        return sorted(parts, key=json.dumps)
    if tag == "dict":
        pairs = sorted(zip(parts[::2], parts[1::2], strict=True), key=json.dumps)
        return [part for pair in pairs for part in pair]
    return parts


def _as_it_lay(laid: Array, axes: list[int]) -> Array:
    return laid.transpose(np.argsort(axes)) if axes else laid


def _hashed(array: Array) -> Described:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
