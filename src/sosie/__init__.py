"""sosie turns a pseudonymised table into avatars and measures how well they hide the individuals."""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from sosie.requirements import refuse_old_pandas

if TYPE_CHECKING:
    from sosie import metrics
    from sosie.errors import InputError, Notice
    from sosie.evaluation import Evaluation
    from sosie.flows.library import Release, anonymize, evaluate

refuse_old_pandas(version("pandas"))

__all__ = ["Evaluation", "InputError", "Notice", "Release", "anonymize", "evaluate", "metrics"]

_WHERE = {
    "Evaluation": "sosie.evaluation",
    "InputError": "sosie.errors",
    "Notice": "sosie.errors",
    "Release": "sosie.flows.library",
    "anonymize": "sosie.flows.library",
    "evaluate": "sosie.flows.library",
}


def __getattr__(name: str) -> Any:
    # Loaded when first used, so that importing one part of the method does not import all of the rest.
    if name == "metrics":
        return import_module("sosie.metrics")
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'sosie' has no attribute {name!r}")
