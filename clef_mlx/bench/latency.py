"""How long decisions take: cold, by length, and alternating with another engine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np

from ..model import Clef
from .prompts import QUESTIONS, fitting_state, request


@dataclass(frozen=True)
class Latency:
    """Times of one length in seconds, and the most memory that MLX held meanwhile."""

    tokens: int
    seconds: tuple[float, ...]
    peak_bytes: int

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def p95(self) -> float:
        return float(np.percentile(self.seconds, 95))

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.median

    def to_dict(self) -> dict[str, Any]:
        return {
            "tokens": self.tokens,
            "median_s": self.median,
            "p95_s": self.p95,
            "tokens_per_s": self.tokens_per_second,
            "peak_bytes": self.peak_bytes,
        }


@dataclass(frozen=True)
class Warm:
    """Times of questions on a state that is held, in seconds."""

    schema_tokens: int  # of each prompt, what is read anew
    seconds: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema_tokens": self.schema_tokens,
            "warm_median_s": statistics.median(self.seconds),
            "warm_p95_s": float(np.percentile(self.seconds, 95)),
        }


def decide(clef: Clef, tokens: int, seed: int) -> float:
    """Seconds of one whole cold decision, from text to answers, on ``tokens`` tokens."""
    body = request(tokens, seed)
    started = time.perf_counter()
    clef.respond(body, max_length=tokens, truncate=True)
    return time.perf_counter() - started


def cold(clef: Clef, tokens: int, runs: int, done: Callable[[], None]) -> Latency:
    """Time ``runs`` decisions on states never seen before; one more goes first to warm up.

    ``done`` is called after each decision. Raises ``RequestError`` where ``tokens`` are too few
    for the questions.
    """
    mx.reset_peak_memory()
    seconds = []
    for seed in range(runs + 1):
        seconds.append(decide(clef, tokens, seed))
        done()
    return Latency(tokens, tuple(seconds[1:]), mx.get_peak_memory())


def warm(clef: Clef, tokens: int, runs: int, done: Callable[[], None]) -> Warm:
    """Time the same questions on one held state, in prompts of ``tokens`` or a few tokens less.

    One more decision goes first to warm up; reading the state is no part of the times.
    """
    with clef.state(fitting_state(clef, tokens, seed=0), max_length=tokens) as state:
        seconds, anew = [], 0
        for _ in range(runs + 1):
            started = time.perf_counter()
            usage = state.decide(QUESTIONS, max_length=tokens).usage
            seconds.append(time.perf_counter() - started)
            anew = usage["input_tokens"] - usage["cached_tokens"]
            done()
    return Warm(anew, tuple(seconds[1:]))


def alternate(
    ours: Callable[[int], float], theirs: Callable[[int], float], runs: int
) -> Iterator[tuple[float, float]]:
    """Times of two engines by turns, so that a busy machine slows both; warms up first."""
    for run in range(runs + 1):
        pair = ours(run), theirs(run)
        if run:
            yield pair
