"""Whether memory stays flat over many requests, each of another length."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..architecture import ModelConfig
from ..machine import own_bytes
from ..memory import FLOAT32, kept_bytes
from ..model import Clef
from .latency import decide
from .prompts import request

SETTLED = 50  # requests after which memory should no longer grow
STATES, STATE_TOKENS = 8, 512
ALLOWED_SHARE, ALLOWED_BYTES = 0.05, 16 << 20


@dataclass(frozen=True)
class Soak:
    """Bytes that the process held after ``SETTLED`` requests and after all of them."""

    requests: int
    shortest: int  # tokens
    longest: int
    settled: int
    end: int

    @property
    def growth(self) -> int:
        return self.end - self.settled

    @property
    def allowed(self) -> int:
        return max(int(ALLOWED_SHARE * self.settled), ALLOWED_BYTES)

    @property
    def is_flat(self) -> bool:
        return self.growth <= self.allowed

    def to_dict(self) -> dict[str, Any]:
        return {
            "requests": self.requests,
            "shortest_tokens": self.shortest,
            "longest_tokens": self.longest,
            "settled_bytes": self.settled,
            "end_bytes": self.end,
            "growth_bytes": self.growth,
            "allowed_bytes": self.allowed,
            "flat": self.is_flat,
        }


def cache_bytes(config: ModelConfig) -> int:
    """Room for a few kept states: soon full, so that from then on states come and go."""
    return kept_bytes(config, STATES * STATE_TOKENS, FLOAT32)


def soak(clef: Clef, requests: int, done: Callable[[], None]) -> Soak:
    """Decide ``requests`` prompts of lengths that are all different, in shuffled order.

    ``requests`` must be more than ``SETTLED``. ``done`` is called after each.
    """
    shortest = len(clef.encode({**request(1, 0), "state": ""}).input_ids) + 1
    lengths = list(range(shortest, shortest + requests))
    random.Random(0).shuffle(lengths)
    settled = 0
    for number, tokens in enumerate(lengths, start=1):
        decide(clef, tokens, number)
        if number == SETTLED:
            settled = own_bytes()
        done()
    return Soak(requests, min(lengths), max(lengths), settled, own_bytes())
