"""The public functions show how they are called, and what they show is true."""

import doctest
import inspect
import sys
from collections.abc import Callable
from typing import Any

import pytest

import sosie
from sosie import metrics

PUBLIC: list[Callable[..., Any]] = [
    getattr(module, name)
    for module in (sosie, metrics)
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
]


@pytest.mark.parametrize("function", PUBLIC, ids=lambda function: function.__name__)
def test_a_public_function_shows_how_it_is_called(function: Callable[..., Any]) -> None:
    finder = doctest.DocTestFinder(recurse=False)
    (shown,) = finder.find(function, globs=dict(vars(sys.modules[function.__module__])))
    told: list[str] = []
    outcome = doctest.DocTestRunner(verbose=False).run(shown, out=told.append)
    assert outcome.attempted > 0
    assert outcome.failed == 0, "".join(told)
