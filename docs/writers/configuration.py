"""Every key of the configuration, from its models."""

import dataclasses
import json
import types
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from sosie.recognition import Declaration
from sosie.reports.explanations import EXPLANATIONS
from sosie.reports.guides import GUIDES
from sosie.reports.language import load_language
from sosie.schemas.configuration import Configuration
from sosie.schemas.targets import METRICS, Profile, Target, profile_targets

_LIMITS = ("ge", "gt", "le")

TARGETS = """## Targets of the profiles

What each profile asks of a figure; a key of `targets` with `min` or `max` takes its place, as in
`targets: {hidden_rate: {min: 50}}`. A profile asks nothing where there is no bound. The values are conventions
that can be defended, not law.

| figure | internal | partner | open |
| --- | --- | --- | --- |"""


def configuration_page() -> str:
    """What follows the page's introduction."""
    return "\n".join([*_section("", Configuration), *_columns(), TARGETS, *_profiles(), ""])


def _section(path: str, model: type[BaseModel]) -> Iterator[str]:
    nested: list[tuple[str, type[BaseModel]]] = []
    rows = []
    for name, field in model.model_fields.items():
        inner = _model_in(field.annotation)
        if inner is not None:
            nested.append((f"{path}{name}", inner))
        else:
            rows.append(f"| `{name}` | {_kind(field)} | {_default(field)} | {field.description or ''} |")
    heading = f"## `{path.rstrip('.')}`" if path else "## At the top"
    yield from (heading, "")
    if path:
        yield from ((model.__doc__ or "").strip().split("\n\n")[0].replace("\n", " "), "")
    yield from ("| key | value | default | meaning |", "| --- | --- | --- | --- |", *rows, "")
    for name, inner in nested:
        yield from _section(f"{name}.", inner)


def _columns() -> Iterator[str]:
    """What may be declared of a column: the fields of `Declaration`, each with its attribute's docstring."""
    described = TypeAdapter(Declaration).json_schema()["properties"]
    yield from (
        "## `columns.<name>`",
        "",
        "What a column is, where that differs from what `inspect` found.",
        "",
    )
    yield from ("| key | value | default | meaning |", "| --- | --- | --- | --- |")
    for field in dataclasses.fields(Declaration):
        told = described[field.name].get("description", "")
        yield f"| `{field.name}` | {_spoken(field.type)} | `{_yaml(field.default)}` | {told} |"
    yield ""


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model of a part of the configuration, be it optional or one for each column."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (Union, types.UnionType, Annotated):
        found = (_model_in(part) for part in get_args(annotation))
        return next((model for model in found if model is not None), None)
    return None


_BOUNDS: Mapping[tuple[str, ...], str] = {
    (): "",
    ("ge",): " from {}",
    ("ge", "le"): " from {} to {}",
    ("gt",): " above {}",
    ("gt", "le"): " above {}, at most {}",
}


def _kind(field: FieldInfo) -> str:
    limits = {key: getattr(each, key) for each in field.metadata for key in _LIMITS if hasattr(each, key)}
    first, *others = _choices(field.annotation)
    return " or ".join([first + _BOUNDS[tuple(limits)].format(*limits.values()), *others])


_NAMES: Mapping[Any, str] = {
    int: "integer",
    str: "text",
    bool: "true or false",
    float: "number",
    date: "date",
    type(None): "null",
}


def _choices(annotation: Any) -> list[str]:
    """What a value may be: one of several types, or of one."""
    if get_origin(annotation) in (Union, types.UnionType):
        return [_spoken(part) for part in get_args(annotation)]
    return [_spoken(annotation)]


def _spoken(annotation: Any) -> str:
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(f"`{choice}`" for choice in inside)
    if origin is Annotated:
        return _spoken(inside[0])
    if origin in (Union, types.UnionType):
        return " or ".join(_choices(annotation))
    if origin is tuple:
        return f"list of {_spoken(inside[0])}"
    return _NAMES.get(annotation, "mapping")


def _default(field: FieldInfo) -> str:
    if field.default is PydanticUndefined:
        return "" if field.default_factory is None else "none"
    return f"`{_yaml(field.default)}`"


def _yaml(value: object) -> str:
    """A default as YAML writes it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return json.dumps(value) if isinstance(value, tuple) else str(value)


def _profiles() -> Iterator[str]:
    english = load_language("en")
    pages = {figure: guide.slug for guide in GUIDES for figure in guide.figures}
    profiles: tuple[Profile, ...] = ("internal", "partner", "open")
    asked = [profile_targets(profile) for profile in profiles]
    for name in METRICS:
        bounds = [_bound(targets.get(name)) for targets in asked]
        title = english.say(EXPLANATIONS[name].title)
        yield f"| [{title}](../metrics/{pages[name]}.md), `{name}` | {' | '.join(bounds)} |"


def _bound(target: Target | None) -> str:
    if target is None:
        return ""
    return f"≥ {target.min:g}" if target.min is not None else f"≤ {target.max:g}"
