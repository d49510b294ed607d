"""Great Expectations: suites evaluated in this process, without a project, a file, a progress bar or telemetry.

It takes seconds to import, so it is imported when a table is examined and not before.
"""

import json
import logging
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

import pandas as pd

from sosie.schemas.examination import Fate
from sosie.schemas.expectations import Expectation, Level, moment
from sosie.tasks.expectations.plain import level_text

_PLACE = "place"  # in a suite's notes: results come back in another order
_TELEMETRY = "GX_ANALYTICS_ENABLED"
_OF_COUNTS = frozenset(
    {
        "expect_column_unique_value_count_to_be_between",
        "expect_column_value_lengths_to_be_between",
        "expect_table_row_count_to_be_between",
    }
)


@dataclass(frozen=True)
class Judged:
    """The fates of a suite in its own order; suite and result as JSON of Great Expectations; its version."""

    fates: tuple[Fate, ...]
    suite: bytes
    result: bytes
    version: str


def judge(name: str, expectations: Sequence[Expectation], frame: pd.DataFrame) -> Judged:
    """Each expectation held against a plain frame; results are yes or no, so that none of them holds a cell."""
    with _quiet():
        import great_expectations as gx
        from great_expectations.data_context.types.base import ProgressBarsConfig

        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = ProgressBarsConfig(globally=False, metric_calculations=False)
        # given at once: added one by one, an expectation replaces an earlier one of the same kind and column
        suite = gx.ExpectationSuite(
            name, [_configured(expected, place, frame) for place, expected in enumerate(expectations)]
        )
        asset = context.data_sources.add_pandas(name).add_dataframe_asset(name)
        batch = asset.add_batch_definition_whole_dataframe(name).get_batch({"dataframe": frame})
        validated: Any = batch.validate(suite, result_format="BOOLEAN_ONLY")  # its methods have no types
        result = validated.to_json_dict()
        context.data_sources.delete(name)  # the library keeps its last context, and the context its tables
        plan = suite.to_json_dict()
    told = [_told(found) for found in result["results"]]
    fates = {found["expectation_config"]["meta"][_PLACE]: _fate(found) for found in told}
    return Judged(
        tuple(fates[place] for place in range(len(expectations))),
        _json(plan),
        _json({**result, "results": told}),
        gx.__version__,
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """No telemetry, no deprecation of others' code, no log: a log or a warning may quote a cell."""
    logger, before = logging.getLogger("great_expectations"), os.environ.get(_TELEMETRY)
    propagates, handler = logger.propagate, logging.NullHandler()
    os.environ[_TELEMETRY] = "false"
    # some of its modules set a level of their own, but all of them pass here
    logger.propagate = False
    logger.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.propagate = propagates
        logger.removeHandler(handler)
        if before is None:
            del os.environ[_TELEMETRY]
        else:
            os.environ[_TELEMETRY] = before


def _configured(expected: Expectation, place: int, frame: pd.DataFrame) -> Any:
    """The expectation as Great Expectations takes it, numbers and texts as the plain frame has them."""
    from great_expectations.expectations.expectation_configuration import ExpectationConfiguration
    from great_expectations.expectations.metadata_types import FailureSeverity

    arguments = {name: _argument(expected, name, frame) for name in sorted(expected.given())}
    if expected.column_A is not None:  # a gap is neither larger nor smaller
        arguments["ignore_row_if"] = "either_value_is_missing"
    meta: dict[str, Any] = {_PLACE: place}
    if isinstance(expected.min_value, date) or isinstance(expected.max_value, date):
        meta["bounds"] = "in days since 1970-01-01"
    severity = FailureSeverity(expected.severity)
    return ExpectationConfiguration(type=expected.type, kwargs=arguments, meta=meta, severity=severity)


def _argument(expected: Expectation, name: str, frame: pd.DataFrame) -> Any:
    value = getattr(expected, name)
    if name in ("min_value", "max_value"):
        bound = moment(value)
        return int(bound) if expected.type in _OF_COUNTS else bound
    if name == "value_set":
        numeric = pd.api.types.is_numeric_dtype(frame[expected.columns[0]].dtype)
        return [_level(level, numeric) for level in value]
    if name == "column_list":
        return [str(column) for column in value]
    return str(value) if name in ("column", "column_A", "column_B") else value


def _level(level: Level, numeric: bool) -> float | str:
    return float(level) if numeric else level_text(level)


def _told(found: Mapping[str, Any]) -> dict[str, Any]:
    """One result without the texts of its errors, which quote cells."""
    raised = _raised(found.get("exception_info") or {})
    return {**found, "exception_info": {"raised_exception": raised}}


def _raised(told: Mapping[str, Any]) -> bool:
    flat = told.get("raised_exception")
    return bool(flat) if flat is not None else any(inner.get("raised_exception") for inner in told.values())


def _fate(found: Mapping[str, Any]) -> Fate:
    if found["exception_info"]["raised_exception"]:
        return "not computed"
    return "met" if found["success"] else "missed"


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, indent=1, ensure_ascii=False).encode()
