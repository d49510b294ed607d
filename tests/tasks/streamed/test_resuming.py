"""Batches that lie on the shelf from an earlier attempt at the same run."""

from typing import Any

ASKED: dict[str, Any] = {"batches": {"rows": 700}}


def test_a_batch_made_with_other_steps_of_a_column_is_made_again(case: Any) -> None:
    asked = {**ASKED, "columns": {"kg": {"round_to": 5}}}
    case.streamed("killed", **ASKED)
    (case.folder / "killed").rename(case.folder / "before")
    assert case.streamed("killed", **asked) == case.in_memory(**asked)
