"""Long work: computed once for everybody who asks, with progress, and given up when nobody waits.

A pool hands out one `Job` per key: whoever asks for a key that is running or done gets that job.
Work runs on few threads, in the order asked for, and reports how far it is through the `Progress`
it is given; that call is also where a job that nobody has looked at for a while (a closed tab, a
changed choice, a person who pressed Stop) is given up.
"""

import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

_FAREWELL = 2.0  # seconds in which another viewer's next look keeps a job alive
ERROR_AGE = 5.0
"""Seconds after which a failed job may be tried again, where nothing else is said."""


class Progress(Protocol):
    """Told how far the work is; may raise `Cancelled`."""

    def __call__(self, fraction: float, doing: str) -> None: ...


class Cancelled(Exception):
    """Raised inside work that was stopped; never shown as a failure."""


def silent(fraction: float, doing: str) -> None:
    """The progress of a caller who simply waits."""


class Job:
    """One piece of work: what it is doing, how far it is, and in the end its result or error."""

    def __init__(self, key: Hashable, patience: float) -> None:
        self.key = key
        self._patience = patience
        self.fraction = 0.0
        self.doing = "waiting for its turn"
        self.error: BaseException | None = None
        self.result: Any = None
        self.finished_at = 0.0
        self._done = threading.Event()
        self._looked_at = time.monotonic()

    @property
    def done(self) -> bool:
        return self._done.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Whether it was done within `seconds`; who waits is looking all the while."""
        until = float("inf") if seconds is None else time.monotonic() + seconds
        while True:
            self.look()
            left = until - time.monotonic()
            if self._done.wait(max(0.0, min(left, self._patience / 2))) or left <= 0:
                return self.done

    def look(self) -> None:
        """Say that somebody still wants this."""
        self._looked_at = time.monotonic()

    def leave(self) -> None:
        """Say that one of those who wanted this no longer does.

        It stops in a moment, unless somebody else keeps looking.
        """
        self._looked_at = time.monotonic() - self._patience + _FAREWELL

    def run(self, work: Callable[[Progress], Any]) -> None:
        """Do the work on the calling thread."""

        def progress(fraction: float, doing: str) -> None:
            if time.monotonic() - self._looked_at > self._patience:
                raise Cancelled
            self.fraction, self.doing = fraction, doing

        try:
            progress(0.0, "starting")
            self.result = work(progress)
        except BaseException as error:  # handed on to whoever asks for the result
            # The pool keeps the job: the rows that its frames had at hand must not stay with it.
            traceback.clear_frames(error.__traceback__)
            self.error = error
        self.finished_at = time.monotonic()
        self._done.set()


class JobPool:
    """Single flight by key, over a few threads; the last `keep` finished jobs are remembered.

    Parameters
    ----------
    threads
        How much runs at once; the passes over a table use all cores by themselves.
    keep
        Finished jobs kept with their results, least recently asked for leaving first. Nothing
        counts the bytes of a result: what is large belongs into `embgeo.memory`.
    patience
        Seconds after which a job that nobody looks at is given up.
    """

    def __init__(self, threads: int = 1, keep: int = 48, patience: float = 30.0) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="embgeo")
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._keep = keep
        self._patience = patience

    def ask(
        self, key: Hashable, work: Callable[[Progress], Any], error_age: float = ERROR_AGE
    ) -> Job:
        """The job of `key`: running, done, or started now.

        A job that was given up is started again; one that failed is, too, once its error is
        `error_age` seconds old, since a person may have mended the file meanwhile.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is None or _stale(job, error_age):
                job = self._jobs[key] = Job(key, self._patience)
                self._threads.submit(job.run, work)
            job.look()
            self._jobs.move_to_end(key)
            self._forget()
            return job

    def has(self, key: Hashable) -> bool:
        """Whether the job of `key` is done and gave a result; starts nothing."""
        with self._lock:
            job = self._jobs.get(key)
            return job is not None and job.done and job.error is None

    def forget(self, key: Hashable) -> None:
        """Let the next who asks for `key` start anew, unless it is running."""
        with self._lock:
            job = self._jobs.get(key)
            if job is not None and job.done:
                del self._jobs[key]

    def _forget(self) -> None:
        finished = [key for key, job in self._jobs.items() if job.done]
        for key in finished[: max(0, len(finished) - self._keep)]:
            del self._jobs[key]


def _stale(job: Job, error_age: float) -> bool:
    if not job.done or job.error is None:
        return False
    return isinstance(job.error, Cancelled) or time.monotonic() - job.finished_at > error_age
