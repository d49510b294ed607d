"""Steps called in this process: named, timed and announced, one after the other."""

import pytest

from sosie.tasks.calls import DirectCalls, silent


def test_a_call_gives_the_steps_own_result_and_tells_when_it_begins_and_ends() -> None:
    told: list[tuple[str, bool]] = []
    call = DirectCalls(lambda title, done, seconds=0.0: told.append((title, done)))
    result = call("add", lambda one, other: one + other, 1, other=2)
    assert call.look(result) == 3
    assert told == [("add", False), ("add", True)]
    assert call.seconds["add"] >= 0


def test_a_step_that_fails_is_not_told_as_done() -> None:
    told: list[tuple[str, bool]] = []
    call = DirectCalls(lambda title, done, seconds=0.0: told.append((title, done)))
    with pytest.raises(ZeroDivisionError):
        call("divide", lambda one: one / 0, 1)
    assert told == [("divide", False)]
    assert call.seconds == {}


def test_calls_of_one_title_are_timed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 2.0, 10.0, 13.0])
    monkeypatch.setattr("sosie.tasks.calls.time.perf_counter", lambda: next(clock))
    call = DirectCalls(silent)
    for _ in range(2):
        call("draw", lambda: None)
    assert call.seconds == {"draw": 5.0}
