"""The program: a command run, and whatever goes wrong told in one line."""

import sys

from typer.exceptions import Abort, TyperException

from sosie.cli import display
from sosie.cli.commands import app
from sosie.cli.exit_codes import exit_code
from sosie.errors import InputError


def main() -> None:
    """Run the command line; without --debug an unexpected error is one line, since a traceback may quote cells."""
    try:
        sys.exit(app(standalone_mode=False) or 0)
    except InputError as error:
        _refuse(error.code, error.message)
        sys.exit(exit_code(error.code))
    except Abort:
        sys.exit(1)
    except TyperException as error:  # words that are no command, no option or no value of one
        _refuse("BAD_CONFIG", f"{error.format_message().rstrip('.')}: see --help")
        sys.exit(2)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # what is shown must not quote a cell
        if "--debug" in sys.argv:
            raise
        _refuse(None, display.unexpected(error))
        sys.exit(1)


def _refuse(code: str | None, message: str) -> None:
    display.error(code, message)
    if "--json" in sys.argv:
        display.json_refusal(code)
