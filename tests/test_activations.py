"""Gates against their definitions in float64, on the device's fast form and the plain one."""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx
import numpy as np
import pytest

from clef_mlx.layers import activations
from clef_mlx.layers.activations import sigmoid_times, silu, silu_times

GATES = np.concatenate([np.linspace(-40, 40, 20_001), [0.0, 1e-20, -1e-20, 1e4, -1e4, 3e30]])
OTHER = np.linspace(-2, 2, len(GATES))
# In parts of the largest result of a gate: float32 itself rounds at 6e-8. Measured 1.3e-7.
ATOL = 3e-7


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 0.5 * (1 + np.tanh(x / 2))


CASES: list[tuple[Callable[..., mx.array], Callable[..., np.ndarray]]] = [
    (silu_times, lambda g, x: g * sigmoid(g) * x),
    (sigmoid_times, lambda g, x: sigmoid(g) * x),
    (lambda g, x: silu(g), lambda g, x: g * sigmoid(g)),
]


@pytest.mark.parametrize("is_slow", [True, False], ids=["rational", "plain"])
@pytest.mark.parametrize(("ours", "definition"), CASES, ids=["silu_times", "sigmoid_times", "silu"])
def test_gates_are_their_definition(
    monkeypatch: pytest.MonkeyPatch,
    ours: Callable[..., mx.array],
    definition: Callable[..., np.ndarray],
    is_slow: bool,
) -> None:
    monkeypatch.setattr(activations, "_exp_is_slow", lambda x: is_slow)
    gate, x = GATES.astype(np.float32), OTHER.astype(np.float32)
    got = np.array(ours(mx.array(gate), mx.array(x)), dtype=np.float64)
    want = definition(gate.astype(np.float64), x.astype(np.float64))
    scale = np.maximum(1, np.abs(gate.astype(np.float64)))
    assert (np.abs(got - want) / scale).max() <= ATOL


def test_what_is_not_a_number_stays_none() -> None:
    gate = mx.array([float("nan"), float("inf"), 1.0])
    assert np.isnan(np.array(silu_times(gate, mx.ones(3)))).tolist() == [True, False, False]
    assert np.isnan(np.array(silu_times(mx.ones(3), gate))).tolist() == [True, False, False]


@pytest.mark.parametrize("dtype", [mx.bfloat16, mx.float16])
def test_half_precision_takes_the_plain_form(dtype: mx.Dtype) -> None:
    gate = mx.array(np.linspace(-6, 6, 1001).astype(np.float32)).astype(dtype)
    got = silu_times(gate, gate)
    assert got.dtype == dtype
    exact = np.array(gate.astype(mx.float32), dtype=np.float64)
    want = exact * exact * sigmoid(exact)
    step = 2.0**-8 if dtype == mx.bfloat16 else 2.0**-11
    assert np.abs(np.array(got.astype(mx.float32)) - want).max() <= 3 * step * np.abs(want).max()
