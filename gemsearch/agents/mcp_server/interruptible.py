"""A search that can be left before it is answered, so that its lease ends when its caller does."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from gemsearch.providers.base import Pace, Page, Provider

T = TypeVar("T")

_LOOK_UP_EVERY = 0.05  # seconds between two questions whether the caller is still there


class Errand(NamedTuple):
    """What the searching thread wants of the ledger, done in the thread that may use it."""

    do: Callable[[], object]
    done: Future[object]

    def run(self) -> None:
        try:
            self.done.set_result(self.do())
        except Exception as error:  # noqa: BLE001 - it is raised where the errand came from
            self.done.set_exception(error)


class Interruptible:
    """A provider whose search ends when `stop` raises; the request itself is left to run out."""

    def __init__(self, provider: Provider, stop: Callable[[], None]) -> None:
        self.name = provider.name
        self._provider = provider
        self._stop = stop

    def search(self, topic: str, pace: Pace, timeout: float) -> Page:
        outcome: Future[Page] = Future()
        errands = _Errands(pace)

        def run() -> None:
            try:
                outcome.set_result(self._provider.search(topic, errands, timeout))
            except BaseException as error:  # noqa: BLE001 - it is raised in the caller's thread
                outcome.set_exception(error)
            errands.end()

        threading.Thread(target=run, name="search", daemon=True).start()
        try:
            errands.run_all(self._stop)
        finally:
            errands.close()
        return outcome.result()


class _Errands:
    """A Pace for the searching thread: each question is put to the ledger's own thread."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._waiting: SimpleQueue[Errand | None] = SimpleQueue()
        self._closed = False

    def cooling(self, provider: str) -> tuple[str, float] | None:
        return self._there(lambda: self._pace.cooling(provider))

    def claim(self, provider: str, interval: float) -> float:
        return self._there(lambda: self._pace.claim(provider, interval))

    def cool_down(self, provider: str, kind: str, seconds: float) -> None:
        self._there(lambda: self._pace.cool_down(provider, kind, seconds))

    def end(self) -> None:
        self._waiting.put(None)

    def run_all(self, stop: Callable[[], None]) -> None:
        """Run errands until the search ends or `stop` raises."""
        while True:
            stop()
            try:
                errand = self._waiting.get(timeout=_LOOK_UP_EVERY)
            except Empty:
                continue
            if errand is None:
                return
            errand.run()

    def close(self) -> None:
        """Let nobody wait for an errand that is not going to be run."""
        self._closed = True
        while not self._waiting.empty():
            errand = self._waiting.get()
            if errand:
                errand.done.cancel()

    def _there(self, do: Callable[[], T]) -> T:
        done: Future[T] = Future()
        self._waiting.put(Errand(do, done))  # type: ignore[arg-type]  # a Future has one type
        if self._closed:  # looked at last: whoever closes looks at what waits after that
            done.cancel()
        return done.result()
