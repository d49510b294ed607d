"""Expectations in words: what is looked at, and what is asked of it."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime

from sosie.reports.language import Language, marked
from sosie.schemas.examination import Check
from sosie.schemas.expectations import RARE, Bound, Expectation, Level

_MOST_LEVELS = 20

_SUBJECTS: Mapping[str, str] = {
    "expect_column_distinct_values_to_be_in_set": marked("Levels"),
    "expect_column_distinct_values_to_contain_set": marked("Levels"),
    "expect_column_distinct_values_to_equal_set": marked("Levels"),
    "expect_column_max_to_be_between": marked("Largest value"),
    "expect_column_mean_to_be_between": marked("Mean"),
    "expect_column_median_to_be_between": marked("Median"),
    "expect_column_min_to_be_between": marked("Least value"),
    "expect_column_most_common_value_to_be_in_set": marked("Commonest level"),
    "expect_column_pair_values_a_to_be_greater_than_b": marked("First column beside the second"),
    "expect_column_proportion_of_non_null_values_to_be_between": marked("Share of values present"),
    "expect_column_proportion_of_unique_values_to_be_between": marked("Share of different values"),
    "expect_column_stdev_to_be_between": marked("Standard deviation"),
    "expect_column_sum_to_be_between": marked("Sum"),
    "expect_column_unique_value_count_to_be_between": marked("Number of different values"),
    "expect_column_value_lengths_to_be_between": marked("Length of a text"),
    "expect_column_values_to_be_between": marked("Values"),
    "expect_column_values_to_be_in_set": marked("Values"),
    "expect_column_values_to_be_null": marked("Missing values"),
    "expect_column_values_to_be_unique": marked("Values that occur once"),
    "expect_column_values_to_match_regex": marked("Values"),
    "expect_column_values_to_not_be_in_set": marked("Values"),
    "expect_column_values_to_not_be_null": marked("Values present"),
    "expect_column_values_to_not_match_regex": marked("Values"),
    "expect_compound_columns_to_be_unique": marked("Combinations of values"),
    "expect_table_columns_to_match_ordered_list": marked("Columns"),
    "expect_table_row_count_to_be_between": marked("Rows"),
    "expect_table_row_count_to_equal": marked("Rows"),
    "not_null": marked("Values present"),
    "str_length": marked("Length of a text"),
    "unique": marked("Values that occur once"),
}
_STAND_INS: Mapping[object, str] = {RARE: marked("(any rarer level)")}
_SHARES = (
    "expect_column_proportion_of_non_null_values_to_be_between",
    "expect_column_proportion_of_unique_values_to_be_between",
)
_SETS: Mapping[str, str] = {
    "expect_column_distinct_values_to_be_in_set": marked("only %(levels)s"),
    "expect_column_distinct_values_to_contain_set": marked("at least %(levels)s"),
    "expect_column_distinct_values_to_equal_set": marked("exactly %(levels)s"),
    "expect_column_most_common_value_to_be_in_set": marked("one of %(levels)s"),
    "expect_column_values_to_be_in_set": marked("one of %(levels)s"),
    "expect_column_values_to_not_be_in_set": marked("none of %(levels)s"),
    "isin": marked("one of %(levels)s"),
    "notin": marked("none of %(levels)s"),
}
_COMPARED: Mapping[str, str] = {
    "greater_than": marked("above %(value)s"),
    "greater_than_or_equal_to": marked("at least %(value)s"),
    "less_than": marked("below %(value)s"),
    "less_than_or_equal_to": marked("at most %(value)s"),
    "equal_to": marked("equal to %(value)s"),
    "not_equal_to": marked("not equal to %(value)s"),
    "str_matches": marked("begins as the pattern %(value)s"),
    "str_contains": marked("holds the pattern %(value)s"),
    "str_startswith": marked("begins with %(value)s"),
    "str_endswith": marked("ends with %(value)s"),
}


def subject(asked: Expectation | Check, language: Language) -> str:
    """What is looked at: "Least value"."""
    kind = asked.rule if isinstance(asked, Check) else asked.type
    return language.say(_SUBJECTS.get(kind, "Values"))


def wanted(asked: Expectation | Check, language: Language) -> str:
    """What is asked of it: "at least 15"."""
    said = _of_check(asked, language) if isinstance(asked, Check) else _of_expectation(asked, language)
    if isinstance(asked, Check) or asked.mostly is None or asked.mostly == 1:
        return said
    share = language.exact_percent(100 * asked.mostly)
    return language.say("%(what)s, in at least %(share)s of cells", what=said, share=share)


def _of_expectation(asked: Expectation, language: Language) -> str:
    if asked.min_value is not None or asked.max_value is not None:
        return _between(asked, language)
    if asked.value_set is not None:
        return language.say(_SETS[asked.type], levels=_levels(asked.value_set, language))
    if asked.regex is not None:
        return (
            language.say("holds the pattern %(value)s", value=asked.regex)
            if asked.type == "expect_column_values_to_match_regex"
            else language.say("does not hold the pattern %(value)s", value=asked.regex)
        )
    if asked.value is not None:
        return language.number(asked.value)
    if asked.type == "expect_table_columns_to_match_ordered_list":
        return language.say_count(
            "the %(count)s expected", "the %(count)s expected, in their order", len(asked.column_list or ())
        )
    if asked.type == "expect_column_pair_values_a_to_be_greater_than_b":
        return language.say("at least as large") if asked.or_equal else language.say("larger")
    if asked.type == "expect_compound_columns_to_be_unique":
        return language.say("each once")
    return language.say("all")


def _between(asked: Expectation, language: Language) -> str:
    least, most = (
        None if bound is None else _bound(bound, asked.type in _SHARES, language)
        for bound in (asked.min_value, asked.max_value)
    )
    if least is None:
        return (
            language.say("below %(value)s", value=most)
            if asked.strict_max
            else language.say("at most %(value)s", value=most)
        )
    lower = (
        language.say("above %(value)s", value=least)
        if asked.strict_min
        else language.say("at least %(value)s", value=least)
    )
    if most is None:
        return lower
    if not asked.strict_min and not asked.strict_max:
        return language.say("from %(least)s to %(most)s", least=least, most=most)
    upper = (
        language.say("below %(value)s", value=most)
        if asked.strict_max
        else language.say("at most %(value)s", value=most)
    )
    return f"{lower}, {upper}"


def _of_check(asked: Check, language: Language) -> str:
    if asked.rule in _SETS:
        return language.say(_SETS[asked.rule], levels=_levels(asked.arguments, language))
    if asked.rule in _COMPARED:
        return language.say(_COMPARED[asked.rule], value=_argument(asked.arguments[0], language))
    if asked.rule in ("in_range", "str_length"):
        least, most = (_argument(argument, language) for argument in asked.arguments)
        return language.say("from %(least)s to %(most)s", least=least, most=most)
    return language.say("all")


def _bound(bound: Bound, share: bool, language: Language) -> str:
    if isinstance(bound, datetime):
        return language.minute(bound)
    if isinstance(bound, date):
        return language.day(bound)
    return language.exact_percent(100 * bound) if share else language.exact(bound)


def _argument(argument: Bound | Level, language: Language) -> str:
    if isinstance(argument, str | bool):
        return str(argument)
    return _bound(argument, False, language)


def _levels(levels: Iterable[Bound | Level], language: Language) -> str:
    every = [
        language.say(_STAND_INS[level]) if level in _STAND_INS else _argument(level, language)
        for level in levels
    ]
    shown = ", ".join(every[:_MOST_LEVELS])
    if len(every) <= _MOST_LEVELS:
        return shown
    more = len(every) - _MOST_LEVELS
    return language.say_count(
        "%(levels)s and %(count)s other", "%(levels)s and %(count)s others", more, levels=shown
    )
