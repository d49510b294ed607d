"""Libraries that only some formats need, loaded when one of these is met."""

from importlib import import_module
from types import ModuleType

from sosie.errors import InputError


def needed(module: str, extra: str, what: str) -> ModuleType:
    """The module, or InputError UNSUPPORTED_FORMAT saying which extra brings it."""
    try:
        return import_module(module)
    except ImportError:
        raise InputError(
            "UNSUPPORTED_FORMAT",
            f"{what} needs a library that is not installed: pip install 'sosie[{extra}]'",
        ) from None
