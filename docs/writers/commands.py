"""The command line, from the commands themselves."""

from collections.abc import Iterator
from typing import Any

import typer

from sosie.cli.commands import app


def commands_page() -> str:
    """What follows the page's introduction."""
    group: Any = typer.main.get_command(app)
    return "\n".join([*(line for name in group.commands for line in _command(name, group.commands[name]))])


def _command(name: str, command: Any) -> Iterator[str]:
    arguments = [each for each in command.params if each.opts[0][0] != "-"]
    options = [each for each in command.params if each.opts[0][0] == "-"]
    spoken = " ".join(_argument(each) for each in arguments)
    yield from (
        f"## sosie {name}",
        "",
        "```text",
        f"sosie {name} {spoken} [OPTIONS]".replace("  ", " "),
        "```",
        "",
    )
    yield from (command.help or "", "")
    yield from ("| argument or option | meaning |", "| --- | --- |")
    yield from (f"| `{_argument(each)}` | {each.help or ''} |" for each in arguments)
    yield from (f"| `{', '.join(sorted(each.opts))}` | {_told(each)} |" for each in options)
    yield ""
    if command.epilog:
        shown, _, rest = command.epilog.partition("\n\n")
        yield from (shown, "")
        yield from (f"- {line}" for line in rest.split("\n\n"))
        yield ""


def _argument(each: Any) -> str:
    name = each.name.upper() + ("..." if each.nargs == -1 else "")
    return name if each.required else f"[{name}]"


def _told(option: Any) -> str:
    told = option.help or ""
    if option.default not in (None, False, "", ()) and not callable(option.default):
        told += f" Default: `{option.default}`."
    if option.envvar:
        told += f" Environment: `{option.envvar}`."
    return told.strip()
