"""The chunked delta rule against the plain recurrence, in float64 and token by token."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest
from close import assert_close

from clef_mlx.layers import delta_rule
from clef_mlx.layers.delta_rule import CHUNK, gated_delta, gated_delta_chunked

ATOL = 1e-5  # float32 against float64; measured 3e-7 on outputs up to 0.6, 1.4e-6 on the state
HEADS = 6
Inputs = list[mx.array]


def recurrence(inputs: Inputs) -> tuple[np.ndarray, np.ndarray]:
    """The rule as its definition says it."""
    q, k, v, log_decay, beta, state = (np.array(x, dtype=np.float64) for x in inputs)
    shared = v.shape[2] // k.shape[2]
    q, k = np.repeat(q, shared, axis=2), np.repeat(k, shared, axis=2)
    outputs = []
    for t in range(q.shape[1]):
        state = state * np.exp(log_decay[:, t])[..., None, None]
        seen = np.einsum("bhvk,bhk->bhv", state, k[:, t])
        delta = (v[:, t] - seen) * beta[:, t][..., None]
        state = state + delta[..., None] * k[:, t][..., None, :]
        outputs.append(np.einsum("bhvk,bhk->bhv", state, q[:, t]))
    return np.stack(outputs, axis=1), state


def make(length: int, kind: str = "plain", key_heads: int = 2, batch: int = 1) -> Inputs:
    rng = np.random.default_rng(length)
    shape = (batch, length, key_heads, 32)
    k = rng.normal(size=shape)
    if kind == "parallel":  # all keys of a head within a few degrees
        k = rng.normal(size=(batch, 1, key_heads, 32)) + 0.05 * k
    k = k / np.linalg.norm(k, axis=-1, keepdims=True)
    q = rng.normal(size=shape)
    q = q / np.linalg.norm(q, axis=-1, keepdims=True) * 32**-0.5
    spread = rng.random((batch, length, HEADS))
    log_decay = {
        "weak": -1e-3 * spread,
        "strong": -50 * spread,
        "mixed": np.where(spread < 0.1, -1000.0, -1e-3),
    }.get(kind, -spread)
    beta = np.ones_like(spread) if kind == "full" else 1 / (1 + np.exp(-6 * spread + 3))
    v = rng.normal(size=(batch, length, HEADS, 16))
    state = rng.normal(size=(batch, HEADS, 16, 32))
    return [mx.array(x.astype(np.float32)) for x in (q, k, v, log_decay, beta, state)]


@pytest.mark.parametrize("kind", ["plain", "parallel", "weak", "strong", "mixed", "full"])
@pytest.mark.parametrize("length", [1, 2, 7, 63, 64, 65, 130, 300])
def test_chunked_equals_the_recurrence(kind: str, length: int) -> None:
    inputs = make(length, kind)
    y, state = gated_delta_chunked(*inputs)
    want_y, want_state = recurrence(inputs)
    assert_close(y, want_y, ATOL, f"{kind} outputs")
    assert_close(state, want_state, ATOL, f"{kind} state")


@pytest.mark.parametrize("key_heads", [1, 2, 3, 6])
def test_value_heads_read_key_heads_in_groups(key_heads: int) -> None:
    inputs = make(70, key_heads=key_heads, batch=2)
    assert_close(gated_delta_chunked(*inputs)[0], recurrence(inputs)[0], ATOL)


def test_long_input_crosses_segments() -> None:
    inputs = make(CHUNK * delta_rule.SEGMENT + CHUNK + 3)
    y, state = gated_delta_chunked(*inputs)
    want_y, want_state = recurrence(inputs)
    assert_close(y, want_y, ATOL)
    assert_close(state, want_state, ATOL)


@pytest.mark.parametrize("cut", [1, 5, 63, 64, 65, 127, 199])
def test_resuming_at_any_token_changes_nothing(cut: int) -> None:
    inputs = make(200)
    tokens, state = inputs[:5], inputs[5]
    whole, whole_state = gated_delta_chunked(*inputs)
    first, state = gated_delta_chunked(*(x[:, :cut] for x in tokens), state)
    second, state = gated_delta_chunked(*(x[:, cut:] for x in tokens), state)
    assert_close(mx.concatenate([first, second], axis=1), whole, ATOL)
    assert_close(state, whole_state, ATOL)


def test_no_state_is_a_state_of_zeros() -> None:
    inputs = make(9)
    zeros = mx.zeros_like(inputs[5])
    assert_close(gated_delta(*inputs[:5])[0], gated_delta(*inputs[:5], zeros)[0], 0)


def test_weak_decay_is_not_rounded_away_in_a_bfloat16_model() -> None:
    """0.999 is 1 in bfloat16: after 512 tokens 40 % of the state would be wrong."""
    inputs = make(512, "weak")
    rounded = [x.astype(mx.bfloat16) for x in inputs[:3]] + inputs[3:]
    want = recurrence([x.astype(mx.float32) for x in rounded])[1]
    _, state = gated_delta(*rounded)
    assert state.dtype == mx.float32
    assert_close(state, want, 1e-4)  # measured 2e-6


@pytest.mark.metal
def test_metal_kernel_equals_the_chunked_form() -> None:
    for dtype, atol in ((mx.float32, ATOL), (mx.bfloat16, 2e-2)):
        inputs = make(300, "weak")
        inputs[:3] = [x.astype(dtype) for x in inputs[:3]]
        y, state = gated_delta(*inputs)
        want_y, want_state = gated_delta_chunked(*inputs)
        assert y.dtype == dtype and state.dtype == mx.float32
        assert_close(y.astype(mx.float32), want_y.astype(mx.float32), atol)
        assert_close(state, want_state, atol)


def test_kernel_is_found_without_importing_mlx_lm(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.delitem(sys.modules, "mlx_lm", raising=False)
    delta_rule._metal_kernel.cache_clear()
    assert callable(delta_rule._metal_kernel())
    assert "mlx_lm" not in sys.modules
