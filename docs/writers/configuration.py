"""Every key of the configuration, from its models."""

import dataclasses
import json
import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from sosie.recognition import Declaration
from sosie.reports.explanations import EXPLANATIONS
from sosie.reports.guides import GUIDES
from sosie.reports.language import Code, Language, load_language
from sosie.schemas.configuration import Configuration
from sosie.schemas.targets import METRICS, Profile, Target, profile_targets
from writers.reference_words import WORDS, ReferenceWords

_LIMITS = ("ge", "gt", "le")
_RULE = "| --- | --- | --- | --- |"


def configuration_page(language: Code) -> str:
    """What follows the page's introduction."""
    words = WORDS[language]
    parts = (
        _section("", Configuration, language),
        _columns(language),
        (words.targets, _RULE),
        _profiles(language),
    )
    return "\n".join([*(line for part in parts for line in part), ""])


def _section(path: str, model: type[BaseModel], language: Code) -> Iterator[str]:
    say, words = load_language(language, "reference").quote, WORDS[language]
    nested: list[tuple[str, type[BaseModel]]] = []
    rows = []
    for name, field in model.model_fields.items():
        inner = _model_in(field.annotation)
        if inner is not None:
            nested.append((f"{path}{name}", inner))
        else:
            told = say(field.description or "")
            rows.append(f"| `{name}` | {_kind(field, words)} | {_default(field, words)} | {told} |")
    heading = f"## `{path.rstrip('.')}`" if path else f"## {words.top}"
    yield from (heading, "")
    if path:
        yield from (say((model.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")), "")
    yield from (words.keys, _RULE, *rows, "")
    for name, inner in nested:
        yield from _section(f"{name}.", inner, language)


def _columns(language: Code) -> Iterator[str]:
    """What may be declared of a column: the fields of `Declaration`, each with its attribute's docstring."""
    say, words = load_language(language, "reference").quote, WORDS[language]
    described = TypeAdapter(Declaration).json_schema()["properties"]
    yield from ("## `columns.<name>`", "", words.columns, "", words.keys, _RULE)
    for field in dataclasses.fields(Declaration):
        told = say(described[field.name].get("description", ""))
        yield f"| `{field.name}` | {_spoken(field.type, words)} | `{_yaml(field.default)}` | {told} |"
    yield ""


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model of a part of the configuration, be it optional or one for each column."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (Union, types.UnionType, Annotated):
        found = (_model_in(part) for part in get_args(annotation))
        return next((model for model in found if model is not None), None)
    return None


def _kind(field: FieldInfo, words: ReferenceWords) -> str:
    limits = {key: getattr(each, key) for each in field.metadata for key in _LIMITS if hasattr(each, key)}
    first, *others = _choices(field.annotation, words)
    return words.choice.join([first + words.bounds[tuple(limits)].format(*limits.values()), *others])


def _choices(annotation: Any, words: ReferenceWords) -> list[str]:
    """What a value may be: one of several types, or of one."""
    if get_origin(annotation) in (Union, types.UnionType):
        return [_spoken(part, words) for part in get_args(annotation)]
    return [_spoken(annotation, words)]


def _spoken(annotation: Any, words: ReferenceWords) -> str:
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(f"`{choice}`" for choice in inside)
    if origin is Annotated:
        return _spoken(inside[0], words)
    if origin in (Union, types.UnionType):
        return words.choice.join(_choices(annotation, words))
    if origin is tuple:
        return words.each.format(_spoken(inside[0], words))
    return words.types.get(annotation, words.mapping)


def _default(field: FieldInfo, words: ReferenceWords) -> str:
    if field.default is PydanticUndefined:
        return "" if field.default_factory is None else words.no_default
    return f"`{_yaml(field.default)}`"


def _yaml(value: object) -> str:
    """A default as YAML writes it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return json.dumps(value) if isinstance(value, tuple) else str(value)


def _profiles(language: Code) -> Iterator[str]:
    spoken = load_language(language)
    pages = {figure: guide.slug for guide in GUIDES for figure in guide.figures}
    profiles: tuple[Profile, ...] = ("internal", "partner", "open")
    asked = [profile_targets(profile) for profile in profiles]
    for name in METRICS:
        bounds = [_bound(targets.get(name), spoken) for targets in asked]
        title = spoken.say(EXPLANATIONS[name].title)
        yield f"| [{title}](../metrics/{pages[name]}.md), `{name}` | {' | '.join(bounds)} |"


def _bound(target: Target | None, spoken: Language) -> str:
    if target is None:
        return ""
    return (
        f"≥ {spoken.exact(target.min)}" if target.min is not None else f"≤ {spoken.exact(target.max or 0.0)}"
    )
