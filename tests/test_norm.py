"""RMS norms: the epsilon's place, the scale in float32."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest
from close import assert_close

from clef_mlx.layers.norm import GatedRMSNorm, RMSNorm


@pytest.mark.parametrize("size", [1e-4, 1.0, 50.0])
def test_epsilon_is_added_to_the_mean_of_squares(size: float) -> None:
    x = np.random.default_rng(0).normal(size=(3, 16)) * size
    norm = RMSNorm(16, 1e-6)
    norm.weight = mx.array(np.linspace(0.5, 1.5, 16, dtype=np.float32))
    want = x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6) * np.linspace(0.5, 1.5, 16)
    assert_close(norm(mx.array(x.astype(np.float32))), want, 1e-5)  # measured 3e-7


def test_scale_is_not_rounded_to_bfloat16() -> None:
    """1 + 0.003 is 1.0 in bfloat16; the norm of a bfloat16 model must still apply it."""
    norm = RMSNorm(64, 1e-6)
    norm.weight = mx.full((64,), 1.003, mx.float32)
    x = mx.random.normal((100, 64), key=mx.random.key(0)).astype(mx.bfloat16)
    assert norm(x).dtype == mx.bfloat16
    assert norm(x, mx.float32).dtype == mx.float32
    plain = mx.abs(mx.fast.rms_norm(x, None, 1e-6).astype(mx.float32)).sum()
    ratio = mx.abs(norm(x).astype(mx.float32)).sum() / plain
    assert abs(ratio.item() - 1.003) < 1e-3


def test_gated_norm_uses_silu_of_the_gate() -> None:
    rng = np.random.default_rng(1)
    x, gate = rng.normal(size=(4, 8)), rng.normal(size=(4, 8))
    norm = GatedRMSNorm(8, 1e-6)
    got = norm(mx.array(x.astype(np.float32)), mx.array(gate.astype(np.float32)))
    normed = x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6)
    assert_close(got, normed * gate / (1 + np.exp(-gate)), 1e-5)
