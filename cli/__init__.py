"""The command line `sosie`."""

from sosie.cli.commands import main

__all__ = ["main"]
