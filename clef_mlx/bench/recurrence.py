"""The gated delta rule alone, beside mlx-lm's loop of plain operations over the tokens."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np

from ..architecture import TextConfig
from ..layers.delta_rule import gated_delta
from .latency import alternate
from .mlx_lm import import_module


@dataclass(frozen=True)
class Recurrence:
    """Seconds of one layer's recurrence over a prompt, run by run."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    largest_difference: float  # of the outputs, as a share of the largest

    def to_dict(self) -> dict[str, Any]:
        return {
            "recurrence_s": statistics.median(self.ours),
            "mlx_lm_loop_s": statistics.median(self.theirs),
            "recurrence_ratio": statistics.median(
                a / b for a, b in zip(self.ours, self.theirs, strict=True)
            ),
            "recurrence_difference": self.largest_difference,
        }


def recurrence(text: TextConfig, tokens: int, runs: int, done: Callable[[], None]) -> Recurrence:
    """Time both by turns on the same random inputs of the model's head sizes, in float32."""
    loop = import_module("gated_delta").gated_delta_ops
    q, k, v, log_decay, beta = inputs = _inputs(text, tokens)
    decay = mx.exp(log_decay)
    mx.eval(inputs, decay)
    outputs: list[mx.array] = [q, q]

    def timed(place: int, run: Callable[[], tuple[mx.array, mx.array]]) -> Callable[[int], float]:
        def seconds(turn: int) -> float:
            started = time.perf_counter()
            outputs[place], state = run()
            mx.eval(outputs[place], state)
            taken = time.perf_counter() - started
            if place:
                done()
            return taken

        return seconds

    ours = timed(0, lambda: gated_delta(q, k, v, log_decay, beta))
    theirs = timed(1, lambda: loop(q, k, v, decay, beta))
    first, second = zip(*alternate(ours, theirs, runs), strict=True)
    mine, other = (np.array(output) for output in outputs)
    return Recurrence(first, second, float(np.abs(mine - other).max() / np.abs(other).max()))


def _inputs(text: TextConfig, tokens: int) -> tuple[mx.array, ...]:
    """Queries, keys, values, log decays and betas as ``gated_delta`` takes them."""
    mx.random.seed(0)
    heads, size = text.linear_num_value_heads, text.linear_key_head_dim
    q, k = (mx.random.normal((1, tokens, text.linear_num_key_heads, size)) for _ in range(2))
    v = mx.random.normal((1, tokens, heads, text.linear_value_head_dim))
    q, k = (x / mx.linalg.norm(x, axis=-1, keepdims=True) for x in (q, k))
    gates = mx.random.uniform(shape=(2, 1, tokens, heads))
    return q * size**-0.5, k, v, -gates[0], gates[1]
