"""The public interface, from its docstrings."""

import dataclasses
import inspect
import re
from collections.abc import Iterator
from typing import Any

import sosie
from sosie import attacks, metrics


def library_page() -> str:
    """What follows the page's introduction."""
    parts: list[str] = []
    for title, module, names in (
        ("sosie", sosie, [name for name in sosie.__all__ if name != "metrics"]),
        ("sosie.metrics", metrics, metrics.__all__),
        ("sosie.attacks", attacks, attacks.__all__),
    ):
        parts += [f"## {title}", "", _told(module.__doc__ or ""), ""]
        for name in sorted(names, key=lambda name: (name[0].isupper(), name)):
            thing = getattr(module, name)
            if inspect.isfunction(thing) or inspect.isclass(thing):
                parts += _thing(f"{title}.{name}", thing)
    return "\n".join(parts)


def _thing(name: str, thing: Any) -> Iterator[str]:
    yield from (f"### {name}", "", "```python", _signature(name, thing), "```", "")
    yield from (_told(inspect.getdoc(thing) or ""), "")
    if inspect.isclass(thing):
        for member, held in vars(thing).items():
            if not member.startswith("_") and (isinstance(held, property) or inspect.isfunction(held)):
                yield from (f"`.{member}`", f": {_told(inspect.getdoc(held) or '')}", "")


def _signature(name: str, thing: Any) -> str:
    if dataclasses.is_dataclass(thing):
        fields = (f"    {field.name}: {_type(field.type)}" for field in dataclasses.fields(thing))
        return "\n".join([f"class {name}:", *fields])
    if inspect.isclass(thing):
        return f"class {name}({', '.join(base.__name__ for base in thing.__bases__)})"
    signature = inspect.signature(thing)
    parameters = [_type(str(parameter)) for parameter in signature.parameters.values()]
    stars = [
        place for place, each in enumerate(signature.parameters.values()) if each.kind is each.KEYWORD_ONLY
    ]
    if stars:
        parameters.insert(stars[0], "*")
    written = "".join(f"\n    {parameter}," for parameter in parameters)
    return f"{name}({written}\n) -> {_type(inspect.formatannotation(signature.return_annotation))}"


def _type(annotation: Any) -> str:
    spoken = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    arrays = re.compile(r"numpy\.ndarray\[[^]]*\]?, numpy\.dtype\[([\w.]+)\]\]")
    spoken = arrays.sub(r"ndarray[\1]", spoken)
    return re.sub(r"\b(?:sosie|numpy|pandas|collections\.abc|typing|pathlib)\.(?:\w+\.)*(?=\w)", "", spoken)


def _told(docstring: str) -> str:
    """A docstring as Markdown: formulas, which are indented, stay as they are; what is typed becomes a block."""
    parts = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join(f"```python\n{part}\n```" if part.startswith(">>>") else part for part in parts)
