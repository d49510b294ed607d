"""The command line `sosie`."""

from sosie.cli.entry import main

__all__ = ["main"]
