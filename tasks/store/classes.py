"""Instances of this program's own classes: dataclasses, named tuples and pydantic models, and no other class."""

from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any, Literal

from pydantic import BaseModel

from sosie.tasks.store.kinds import DamagedError, Kind

Own = Literal["object", "named tuple", "model"]


def own_kind(class_: type) -> Own | None:
    """How a class of this program is kept; None for a class that is not one, or that is made inside a function."""
    if class_.__module__.partition(".")[0] != "sosie" or "<" in class_.__qualname__:
        return None
    if is_dataclass(class_):
        return "object"
    if issubclass(class_, tuple) and hasattr(class_, "_fields"):
        return "named tuple"
    return "model" if issubclass(class_, BaseModel) else None


def _name(value: Any) -> str:
    return f"{type(value).__module__}:{type(value).__qualname__}"


def _class(name: str, own: Own) -> Any:
    """The class of that name; DamagedError unless it is one of this program's, kept in that way."""
    module, _, place = name.partition(":")
    found: Any = None
    if module.partition(".")[0] == "sosie":
        found = import_module(module)
        for part in place.split("."):
            found = getattr(found, part, None)
    if not isinstance(found, type) or found.__module__ != module or own_kind(found) != own:
        raise DamagedError("a class that this program does not have")
    return found


def _object_apart(value: Any) -> tuple[object, ...]:
    held = (field.name for field in fields(value) if field.init)  # the others are made anew: caches
    named = [part for name in held for part in (name, getattr(value, name))]
    return _name(value), *named


def _object(name: str, *named: Any) -> Any:
    return _class(name, "object")(**dict(zip(named[::2], named[1::2], strict=True)))


def _named_tuple(name: str, *items: Any) -> Any:
    return _class(name, "named tuple")(*items)


def _model_apart(model: Any) -> tuple[object, ...]:
    return _name(model), sorted(model.model_fields_set), {**model.__dict__, **(model.model_extra or {})}


def _model(name: str, given: list[str], values: dict[str, Any]) -> Any:
    # not validated again: it was when it was made, and validation changes what it does not find in its own form
    return _class(name, "model").model_construct(set(given), **values)


OWN: dict[str, Kind] = {
    "object": Kind(_object_apart, _object),
    "named tuple": Kind(lambda x: (_name(x), *x), _named_tuple),
    "model": Kind(_model_apart, _model),
}
