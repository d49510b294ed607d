"""The time a run may take, signs of life, and asking again what does not answer."""

import threading
import time
from collections.abc import Iterator

import pytest

from sosie.errors import AwayError, InputError
from sosie.tasks import outside
from sosie.tasks.heartbeat import beating
from sosie.tasks.limits import time_limit
from sosie.tasks.outside import patiently


def hang() -> None:
    """Swallows every error, as a library might."""
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            continue


def test_a_run_that_hangs_is_stopped_with_a_plain_sentence() -> None:
    with pytest.raises(InputError, match=r"longer than the 0\.001 minute") as stopped, time_limit(0.001):
        hang()
    assert stopped.value.code == "TIME_LIMIT"


def test_a_run_in_another_thread_is_stopped_too() -> None:
    codes: list[str] = []

    def work() -> None:
        try:
            with time_limit(0.001):
                hang()
        except InputError as stopped:
            codes.append(stopped.code)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert codes == ["TIME_LIMIT"]


@pytest.mark.parametrize("minutes", [None, 60])
def test_a_run_within_its_limit_is_left_alone(minutes: float | None) -> None:
    with time_limit(minutes):
        done = True
    assert done
    assert [thread.name for thread in threading.enumerate() if isinstance(thread, threading.Timer)] == []


def test_long_work_gives_signs_of_life_until_it_ends() -> None:
    beats: list[float] = []
    thrice = threading.Event()

    def beat(seconds: float) -> None:
        beats.append(seconds)
        if len(beats) == 3:
            thrice.set()

    with beating(beat, every=0.001):
        assert thrice.wait(60)
    told = len(beats)
    assert beats == sorted(beats)
    assert "sosie-heartbeat" not in {thread.name for thread in threading.enumerate()}
    assert len(beats) == told


def test_work_that_fails_ends_its_signs_of_life() -> None:
    with pytest.raises(ZeroDivisionError), beating(lambda _: None, every=0.001):
        raise ZeroDivisionError
    assert "sosie-heartbeat" not in {thread.name for thread in threading.enumerate()}


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    return waited


def away_for(times: int) -> Iterator[str]:
    for _ in range(times):
        yield "away"
    while True:
        yield "here"


@pytest.mark.parametrize("times", [0, 1, 3])
def test_what_does_not_answer_is_asked_again_up_to_three_times(times: int, waits: list[float]) -> None:
    answers = away_for(times)

    def ask(name: str) -> str:
        if next(answers) == "away":
            raise AwayError("UNREADABLE_SOURCE", "away")
        return f"hello {name}"

    assert patiently(ask, "world") == "hello world"
    assert waits == list(outside.WAITS[:times])


def test_what_never_answers_is_refused_in_the_end(waits: list[float]) -> None:
    def ask() -> None:
        raise AwayError("UNREADABLE_SOURCE", "away")

    with pytest.raises(InputError, match="away"):
        patiently(ask)
    assert len(waits) == 3


def test_what_answers_with_a_refusal_is_not_asked_again(waits: list[float]) -> None:
    def ask() -> None:
        raise InputError("UNREADABLE_SOURCE", "no such table")

    with pytest.raises(InputError, match="no such table"):
        patiently(ask)
    assert waits == []
