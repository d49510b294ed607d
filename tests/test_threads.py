"""Work on many parts, on one thread or several."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from sosie.threads import beside, each, each_in_pieces, threads_of


def test_workers_below_0_are_as_many_as_cores_and_there_is_at_least_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sosie.threads.cpu_count", lambda: 6)
    assert [threads_of(workers) for workers in (-1, 0, 1, 3)] == [6, 1, 1, 3]


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_what_is_found_is_in_the_order_of_the_parts(workers: int) -> None:
    assert each(lambda part: part**2, range(7), workers) == [0, 1, 4, 9, 16, 25, 36]


def test_one_worker_starts_no_thread_and_several_meet() -> None:
    assert each(lambda _: threading.get_ident(), range(3), 1) == [threading.get_ident()] * 3
    both = threading.Barrier(2, timeout=60)  # passed by two at once only
    each(lambda _: both.wait(), range(2), 2)


def test_products_inside_have_one_thread() -> None:
    np.ones((2, 2)) @ np.ones((2, 2))
    threads = each(
        lambda _: {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}, [0], 2
    )
    assert threads == [{1}]


def test_the_first_error_is_the_callers() -> None:
    with pytest.raises(ZeroDivisionError):
        each(lambda part: 1 / part, [1, 0, 2], 2)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_piece_that_a_part_leaves_is_finished_once(workers: int) -> None:
    finished: list[tuple[int, int]] = []
    each_in_pieces(lambda part: [(part, piece) for piece in range(part)], finished.append, range(5), workers)
    assert sorted(finished) == [(part, piece) for part in range(5) for piece in range(part)]


def test_pieces_are_finished_while_another_part_is_begun() -> None:
    other = threading.Event()

    def begin(part: int) -> list[int]:
        assert part or other.wait(60)
        return [part]

    finished: list[int] = []

    def finish(piece: int) -> None:
        finished.append(piece)
        other.set()

    each_in_pieces(begin, finish, [0, 1], 2)
    assert finished == [1, 0]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_a_part_or_a_piece_is_the_callers(workers: int) -> None:
    with pytest.raises(ZeroDivisionError):
        each_in_pieces(lambda part: [1 / part], str, [1.0, 0.0], workers)
    with pytest.raises(ZeroDivisionError):
        each_in_pieces(lambda part: [part], lambda piece: 1 / piece, [1.0, 0.0], workers)


def test_after_an_error_no_further_part_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    given_up = threading.Event()

    class Pool(ThreadPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            given_up.set()
            super().shutdown(wait)

    def begin(part: int) -> list[float]:
        begun.append(part)
        if part:
            given_up.wait(60)
        return [1 / part]

    monkeypatch.setattr("sosie.threads.ThreadPoolExecutor", Pool)
    with pytest.raises(ZeroDivisionError):
        each_in_pieces(begin, str, range(9), 2)
    assert set(begun) <= {
        0,
        1,
        2,
    }  # the one that fails, one beside it, and one that is begun before that is known


def test_calls_beside_go_on_while_something_else_is_done_and_give_their_results() -> None:
    both = threading.Barrier(2, timeout=60)  # passed by two at once only
    with beside(2) as calls:
        first, second = calls.submit(both.wait), calls.submit(pow, 3, 2)
        both.wait()
    assert {first.result() in (0, 1), second.result() == 9} == {True}


def test_one_worker_makes_calls_beside_where_they_are_submitted() -> None:
    with beside(1) as calls:
        assert calls.submit(threading.get_ident).result() == threading.get_ident()
        with pytest.raises(ZeroDivisionError):
            calls.submit(divmod, 1, 0)


def test_an_error_beside_is_the_callers() -> None:
    with beside(2) as calls:
        failed = calls.submit(divmod, 1, 0)
    with pytest.raises(ZeroDivisionError):
        failed.result()


def test_products_beside_have_one_thread() -> None:
    np.ones((2, 2)) @ np.ones((2, 2))
    with beside(2) as calls:
        info = calls.submit(threadpool_info).result()
    assert {pool["num_threads"] for pool in info if pool["user_api"] == "blas"} == {1}
