"""Work that must run in a thread which lasts: MLX's compiled functions.

A process that ran one in a thread that has ended aborts at its exit, one time in three (MLX
0.32.4; ``mlx.nn.silu`` alone is enough). So threads that may end hand their work to one that never
does. The main thread does its own, so that Ctrl-C reaches it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


def steady(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Let ``method`` run in the main thread or in the one that never ends."""

    def call(self: S, /, *arguments: P.args, **named: P.kwargs) -> R:
        here = threading.current_thread()
        if here is threading.main_thread() or here is _worker.thread:
            return method(self, *arguments, **named)
        return _worker.run(lambda: method(self, *arguments, **named))

    call.__doc__ = method.__doc__
    return call


class _Worker:
    """One thread for the whole process, started when it is first needed."""

    def __init__(self) -> None:
        self.thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()

    def run(self, work: Callable[[], R]) -> R:
        """What ``work`` returns or raises."""
        with self._starting:
            if self.thread is None or not self.thread.is_alive():  # not alive after a fork
                self.thread = threading.Thread(target=self._serve, name="clef-mlx", daemon=True)
                self.thread.start()
        result: Future[R] = Future()
        self._waiting.put((result, work))
        return result.result()

    def _serve(self) -> None:
        while True:
            result, work = self._waiting.get()
            try:
                result.set_result(work())
            except BaseException as error:
                result.set_exception(error)
            del result, work  # nothing of the last request is held while waiting


_worker = _Worker()
