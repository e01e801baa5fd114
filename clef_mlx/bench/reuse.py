"""What many schemas on one state cost: each from the start, on a held state, and side by side."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..model import Clef
from .prompts import fitting_state, schema

SCHEMA = 200  # tokens, or what one question takes if that is more


@dataclass(frozen=True)
class Reuse:
    """Seconds of all schemas on one state, run by run."""

    state_tokens: int  # with what comes before the state
    schema_tokens: int  # of the longest schema
    schemas: int
    cold: tuple[float, ...]  # each decided from the start
    held: tuple[float, ...]  # the state read once, then each schema by itself
    together: tuple[float, ...]  # in one call of decide_many

    def to_dict(self) -> dict[str, Any]:
        return {
            "state_tokens": self.state_tokens,
            "schema_tokens": self.schema_tokens,
            "schemas": self.schemas,
            "cold_s": statistics.median(self.cold),
            "held_s": statistics.median(self.held),
            "held_times": _times(self.cold, self.held),
            "together_s": statistics.median(self.together),
            "together_times": _times(self.cold, self.together),
        }


def reuse(clef: Clef, tokens: int, schemas: int, runs: int, done: Callable[[], None]) -> Reuse:
    """Take turns between the three ways, on a new state each turn; the first turn warms up.

    Prompts have ``tokens`` tokens or a few less. ``clef`` must keep no states of itself. ``done``
    is called after each of the three.
    """
    asked = [schema(clef, SCHEMA, seed) for seed in range(schemas)]
    encoded = [clef.encode({"state": "", "questions": one}) for one in asked]
    lengths = [len(one.input_ids) - one.schema_start for one in encoded]
    longest = asked[lengths.index(max(lengths))]
    turns, state_tokens = [], 0
    for seed in range(runs + 1):
        state = fitting_state(clef, tokens, seed, longest)
        state_tokens = clef.encode({"state": state, "questions": longest}).schema_start

        def cold(state: str = state) -> None:
            for questions in asked:
                clef.decide(state, questions)

        def held(state: str = state) -> None:
            with clef.state(state) as one:
                for questions in asked:
                    one.decide(questions)

        def together(state: str = state) -> None:
            clef.decide_many([{"state": state, "questions": questions} for questions in asked])

        turns.append([_seconds(way, done) for way in (cold, held, together)])
    ways = [tuple(way) for way in zip(*turns[1:], strict=True)]
    return Reuse(state_tokens, max(lengths), schemas, *ways)


def _seconds(work: Callable[[], None], done: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    seconds = time.perf_counter() - started
    done()
    return seconds


def _times(slow: tuple[float, ...], fast: tuple[float, ...]) -> float:
    """How many times faster: the median of each turn's own ratio."""
    return statistics.median(a / b for a, b in zip(slow, fast, strict=True))
