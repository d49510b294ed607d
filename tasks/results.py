"""Results of steps as references: in memory while a flow holds them, else in the store, else made again.

A stage's result is known before it is made: by the stage's name and version, its parameters, and what the results it
takes are known by. A flow holds `Result`s and with them their values. What they were made from is remembered as
`Recipe`s, which hold no value: a large one leaves memory as soon as the flow lets go of it.
"""

import inspect
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from sosie.errors import InputError
from sosie.tasks.code_identity import what_computes
from sosie.tasks.memory import give_back, hold_no_large_blocks
from sosie.tasks.stages import fingerprint_of, stage_of
from sosie.tasks.store import Store, is_missing


class Result:
    """What a flow holds of a step's result: the value, or the means to get it.

    `needs` are the results it is still to be made from, `tasks` what a way of calling remembers of its call.
    """

    def __init__(self, recipe: "Recipe", needs: tuple["Result", ...]) -> None:
        self.recipe = recipe
        self.needs = needs
        self.tasks: tuple[Any, ...] = ()
        self.values: tuple[Any, ...] = ()  # the value, or nothing
        recipe.result = weakref.ref(self)


@dataclass(eq=False)
class Recipe:
    """How a result is made: its step and arguments, in which results are recipes.

    `identity` is None where the result is not known by what it was made from. One that is `kept` is in the store.
    """

    step: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    identity: str | None
    kept: bool
    result: Callable[[], Result | None] = lambda: None


class Results:
    """The results of one run, with the store that stages are taken from and put into."""

    def __init__(self, store: Store) -> None:
        hold_no_large_blocks()
        self._store = store

    def expect(
        self, step: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], *, kept: bool
    ) -> Result:
        """A result that is not made yet; one that is not to be kept is made whenever its value is needed."""
        needs = tuple(found for argument in (*args, *kwargs.values()) for found in _results(argument))
        recipe = Recipe(
            step,
            tuple(_replaced(argument, Result, _recipe) for argument in args),
            {name: _replaced(argument, Result, _recipe) for name, argument in kwargs.items()},
            self._identity(step, args, kwargs, needs),
            kept,
        )
        return Result(recipe, needs)

    def obtain(self, result: Result) -> bool:
        """See that a result is there, and say whether it was kept before; what was kept is not read yet."""
        recipe = result.recipe
        found = False
        if recipe.kept and recipe.identity is not None:
            found = self._store.has(recipe.identity)
            if not found:
                with self._store.holding(recipe.identity):  # another run may be making it just now
                    found = self._store.has(recipe.identity)
                    if not found:
                        result.values = (self._saved(recipe),)
        else:
            result.values = (self._run(recipe),)
        result.needs = ()
        return found

    def value(self, result: Result) -> Any:
        """The value of a result."""
        return self._value(result.recipe)

    def _value(self, recipe: Recipe) -> Any:
        holder = recipe.result()
        if holder is not None and holder.values:
            return holder.values[0]
        kept = recipe.kept and recipe.identity is not None
        value = self._loaded(recipe) if kept else self._run(recipe)
        if holder is not None:
            holder.values, holder.needs = (value,), ()
        return value

    def _loaded(self, recipe: Recipe) -> Any:
        """The value kept; one that is gone or damaged is made again."""
        key = str(recipe.identity)
        value = self._store.load(key)
        if not is_missing(value):
            return value
        with self._store.holding(key):
            value = self._store.load(key)
            return self._saved(recipe) if is_missing(value) else value

    def _saved(self, recipe: Recipe) -> Any:
        value = self._run(recipe)
        self._store.save(str(recipe.identity), value)
        return value

    def _run(self, recipe: Recipe) -> Any:
        give_back()
        args = [self._filled(argument) for argument in recipe.args]
        value = recipe.step(*args, **{name: self._filled(named) for name, named in recipe.kwargs.items()})
        fingerprint = fingerprint_of(recipe.step)
        if fingerprint is not None:
            identity = self._store.identity(recipe.step.__qualname__, 0, fingerprint(value))
            if recipe.identity not in (None, identity):
                raise InputError("UNREADABLE_SOURCE", "the source changed during the run: run again")
            recipe.identity = identity
        return value

    def _filled(self, argument: Any) -> Any:
        return _replaced(argument, Recipe, self._value)

    def _identity(
        self,
        step: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        needs: tuple[Result, ...],
    ) -> str | None:
        """What a stage's result is known by; None for another step, or where an argument is not known itself."""
        declared = stage_of(step)
        inputs = tuple(need.recipe.identity for need in needs)
        if declared is None or None in inputs:
            return None
        places = {id(need): place for place, need in enumerate(needs)}
        bound = inspect.signature(step).bind(*args, **kwargs).arguments
        named = {
            name: _replaced(argument, Result, lambda need: ("result", places[id(need)]))
            for name, argument in bound.items()
            if name not in declared.idle
        }
        # a model also knows which of its fields were given, which changes nothing
        parameters = {
            name: _replaced(argument, BaseModel, BaseModel.model_dump) for name, argument in named.items()
        }
        known = tuple(str(identity) for identity in inputs)
        # another version of this program or of a library never takes this one's results
        return self._store.identity(declared.name, declared.version, (what_computes(), parameters), known)


def _recipe(result: Result) -> Recipe:
    return result.recipe


def _results(argument: Any) -> list[Result]:
    found: list[Result] = []
    _replaced(argument, Result, found.append)
    return found


def _replaced(argument: Any, kind: type[Any], by: Callable[[Any], Any]) -> Any:
    """The argument with what is of a kind replaced, also inside a tuple."""
    if isinstance(argument, tuple) and type(argument) is tuple:
        return tuple(_replaced(item, kind, by) for item in argument)
    return by(argument) if isinstance(argument, kind) else argument
