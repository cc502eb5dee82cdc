"""Long work: once for everybody, with progress, given up when nobody waits."""

import threading
import time
import traceback
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from embgeo import jobs
from embgeo.jobs import Cancelled, Job, JobPool, Progress, silent

SOON = 5.0  # seconds within which anything here is done, however busy the machine


class Held:
    """Work that reports progress until it is let go, and counts how often it was started."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.let_go = threading.Event()
        self.times = 0

    def __call__(self, progress: Progress) -> str:
        self.times += 1
        self.started.set()
        end = time.monotonic() + 2 * SOON  # a broken pool must not keep the tests waiting
        while not self.let_go.wait(0.005) and time.monotonic() < end:
            progress(0.5, "half way")
        return "done"


def test_whoever_asks_for_a_key_gets_the_same_job() -> None:
    pool, held = JobPool(threads=2), Held()
    with ThreadPoolExecutor(8) as askers:
        asked = list(askers.map(lambda _: pool.ask("key", held), range(8)))
    assert len(set(map(id, asked))) == 1
    held.let_go.set()
    assert asked[0].wait(SOON)
    assert (held.times, asked[0].result, asked[0].error) == (1, "done", None)
    assert pool.ask("key", held) is asked[0]


def test_different_keys_are_different_jobs_in_the_order_asked_for() -> None:
    pool, order = JobPool(threads=1), []
    asked = [pool.ask(key, lambda _, key=key: order.append(key)) for key in "abc"]  # type: ignore[misc]
    assert all(job.wait(SOON) for job in asked)
    assert order == ["a", "b", "c"]


def test_a_job_says_how_far_it_is() -> None:
    pool, held = JobPool(threads=1), Held()
    job, behind = pool.ask("first", held), pool.ask("second", lambda _: None)
    assert held.started.wait(SOON)
    wait_for(lambda: job.doing == "half way")
    assert (job.fraction, job.done) == (0.5, False)
    assert (behind.fraction, behind.doing) == (0.0, "waiting for its turn")
    assert not behind.wait(0.01)
    held.let_go.set()
    assert behind.wait(SOON)


def test_work_that_nobody_looks_at_is_given_up_and_can_be_asked_for_again() -> None:
    pool, held = JobPool(threads=1, patience=0.1), Held()
    job = pool.ask("key", held)
    assert job._done.wait(SOON)
    assert isinstance(job.error, Cancelled)
    held.let_go.set()
    again = pool.ask("key", held)
    assert again is not job
    assert again.wait(SOON)
    assert (again.result, held.times) == ("done", 2)


def test_work_that_somebody_looks_at_goes_on() -> None:
    pool, held = JobPool(threads=1, patience=0.3), Held()
    job = pool.ask("key", held)
    end = time.monotonic() + 0.8
    while time.monotonic() < end:
        job.look()
        time.sleep(0.01)
    assert not job.done
    held.let_go.set()
    assert job.wait(SOON)
    assert job.error is None


def test_who_waits_looks_all_the_while() -> None:
    pool, held = JobPool(threads=1, patience=0.2), Held()
    job = pool.ask("key", held)
    assert not job.wait(0.8)
    assert not job.done
    held.let_go.set()
    assert job.wait()
    assert job.error is None


def test_who_leaves_stops_the_work_unless_another_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_FAREWELL", 0.1)
    pool, held = JobPool(threads=1, patience=60), Held()
    job = pool.ask("key", held)
    assert held.started.wait(SOON)
    job.leave()
    job.look()  # another session asks at once
    time.sleep(0.3)
    assert not job.done
    job.leave()
    assert job._done.wait(SOON)
    assert isinstance(job.error, Cancelled)


def test_work_that_was_left_before_its_turn_never_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_FAREWELL", 0.0)
    pool, held = JobPool(threads=1, patience=60), Held()
    started: list[Progress] = []
    pool.ask("first", held)
    behind = pool.ask("second", started.append)
    behind.leave()
    held.let_go.set()
    assert behind._done.wait(SOON)
    assert (started, type(behind.error)) == ([], Cancelled)


def failing(_: Progress) -> None:
    raise ValueError("the file is damaged")


def test_an_error_is_handed_on_and_tried_again_once_it_is_old() -> None:
    pool = JobPool(threads=1)
    job = pool.ask("key", failing)
    assert job.wait(SOON)
    assert str(job.error) == "the file is damaged"
    assert pool.ask("key", lambda _: "mended") is job
    time.sleep(0.001)
    again = pool.ask("key", lambda _: "mended", error_age=0.0)
    assert again.wait(SOON)
    assert again.result == "mended"


def test_who_asks_for_it_again_gets_a_new_job_unless_it_is_running() -> None:
    pool, held = JobPool(threads=1), Held()
    job = pool.ask("key", held)
    pool.forget("key")
    assert pool.ask("key", held) is job
    held.let_go.set()
    assert job.wait(SOON)
    pool.forget("key")
    pool.forget("a key that nobody asked for")
    assert pool.ask("key", held) is not job


def test_the_pool_lives_on_after_an_error() -> None:
    pool = JobPool(threads=1)
    pool.ask("bad", failing)
    good = pool.ask("good", lambda _: 1)
    assert good.wait(SOON)
    assert good.result == 1


def test_the_results_asked_for_longest_ago_are_forgotten() -> None:
    pool, runs = JobPool(threads=1, keep=2), []
    for key in ("a", "b", "a", "c", "d", "a"):
        assert pool.ask(key, lambda _, key=key: runs.append(key)).wait(SOON)  # type: ignore[misc]
    assert runs.count("b") == 1
    assert pool.ask("b", runs.append).wait(SOON)
    assert len(runs) > 4


def test_a_failed_job_keeps_nothing_that_its_work_had_at_hand() -> None:
    class Rows:
        pass

    held: list[weakref.ref[Rows]] = []

    def work(_: Progress) -> None:
        rows = Rows()
        held.append(weakref.ref(rows))
        raise ValueError("a damaged row")

    job = JobPool(threads=1).ask("key", work)
    assert job.wait(SOON)
    assert "work" in "".join(traceback.format_exception(job.error))  # the log still says where
    assert held[0]() is None


def test_a_job_can_be_run_by_who_has_it() -> None:
    job = Job("key", patience=60)
    job.run(lambda progress: progress(0.25, "counting"))
    assert (job.done, job.fraction, job.doing) == (True, 0.25, "counting")
    silent(0.5, "nobody listens")


def wait_for(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + SOON
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.002)
