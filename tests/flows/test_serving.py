"""What `sosie serve` offers, seen without a server."""

from pathlib import Path
from typing import Any

import pytest

from sosie.cli.serving import serve
from sosie.errors import InputError
from sosie.flows.serving import served


def test_every_flow_is_offered_and_none_starts_by_itself_unless_asked() -> None:
    offered = served(None, None, "UTC")
    assert [deployment.flow_name for deployment in offered] == ["anonymize", "evaluate", "purge"]
    assert [list(deployment.schedules or []) for deployment in offered] == [[], [], []]


def test_a_schedule_and_a_configuration_are_those_of_anonymize_alone() -> None:
    anonymize, *others = served("sosie.yaml", "0 2 * * *", "Europe/Paris")
    (planned,) = list(anonymize.schedules or [])
    schedule: Any = planned.schedule
    assert (schedule.cron, schedule.timezone) == ("0 2 * * *", "Europe/Paris")
    assert anonymize.parameters == {"config": "sosie.yaml"}
    assert [other.parameters for other in others] == [{}, {}]


def test_a_schedule_without_a_table_is_refused(tmp_path: Path) -> None:
    nameless = tmp_path / "sosie.yaml"
    nameless.write_text("report: {language: fr}\n")
    for config in (None, nameless):
        with pytest.raises(InputError, match="names its source"):
            serve(1, config, "0 2 * * *", "UTC")
