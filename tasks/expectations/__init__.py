"""Expectations: what a table must keep before it is released, held against it, and shown to an auditor."""

from sosie.tasks.expectations.data_docs import has_others, keep_examination, list_runs
from sosie.tasks.expectations.examining import Examined, examine
from sosie.tasks.expectations.fit import check_expected, refuse_streamed

__all__ = [
    "Examined",
    "check_expected",
    "examine",
    "has_others",
    "keep_examination",
    "list_runs",
    "refuse_streamed",
]
