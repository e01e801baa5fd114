"""Gates: a number times the sigmoid of another, as few passes over memory as a device allows.

MLX's CPU backend takes ``exp`` one number at a time. There, in float32, the sigmoid is a rational
function instead: plain sums and products, which a fused loop does several at a time.
"""

from __future__ import annotations

from functools import partial

import mlx.core as mx
import mlx.nn as nn

# tanh(x / 2) / x as P(x^2) / Q(x^2), equal to 2.1e-8 in relative terms for |x| <= 18. The sigmoid
# is (1 + tanh(x / 2)) / 2. A Lawson fit in Chebyshev polynomials, in float64.
_LARGEST = 324.0  # x^2; beyond it the quotient is clipped to 1
_P = (0.4999999897, 1.672628224e-02, 1.092371330e-04, 1.610084531e-07, 2.608331367e-11)
_Q = (1.0, 0.1167858535, 1.617311427e-03, 5.133804567e-06, 3.037717669e-09)
# Shapeless: each length of a prompt would leave a trace of 40 kB behind.
_compile = partial(mx.compile, shapeless=True)


def silu_times(gate: mx.array, x: mx.array) -> mx.array:
    """``gate * sigmoid(gate) * x``, element by element, in their dtype."""
    if _exp_is_slow(gate):
        return _finish_silu_times(gate, *_rational(gate), x)
    return _silu_times(gate, x)


def silu(x: mx.array) -> mx.array:
    """``x * sigmoid(x)``, element by element, in its dtype."""
    return _finish_silu(x, *_rational(x)) if _exp_is_slow(x) else nn.silu(x)


def sigmoid_times(gate: mx.array, x: mx.array) -> mx.array:
    """``sigmoid(gate) * x``, element by element, in their dtype."""
    if _exp_is_slow(gate):
        return _finish_sigmoid_times(*_rational(gate), x)
    return _sigmoid_times(gate, x)


def _exp_is_slow(x: mx.array) -> bool:
    return x.dtype == mx.float32 and mx.default_device() == mx.cpu


# Each of these is one loop: MLX splits deeper chains, and split loops are slow.


@_compile
def _silu_times(gate: mx.array, x: mx.array) -> mx.array:
    return gate * mx.sigmoid(gate) * x


@_compile
def _sigmoid_times(gate: mx.array, x: mx.array) -> mx.array:
    return mx.sigmoid(gate) * x


@_compile
def _rational(x: mx.array) -> tuple[mx.array, mx.array]:
    """``x P(x^2)`` and ``Q(x^2)``."""
    s = mx.minimum(x * x, _LARGEST)
    s2 = s * s
    p, q = ((c[0] + c[1] * s) + s2 * ((c[2] + c[3] * s) + s2 * c[4]) for c in (_P, _Q))
    return x * p, q


def _tanh(p: mx.array, q: mx.array) -> mx.array:
    clipped: mx.array = mx.minimum(mx.maximum(p / q, -1.0), 1.0)
    return clipped


@_compile
def _finish_silu_times(gate: mx.array, p: mx.array, q: mx.array, x: mx.array) -> mx.array:
    return (gate + gate * _tanh(p, q)) * (0.5 * x)


@_compile
def _finish_silu(x: mx.array, p: mx.array, q: mx.array) -> mx.array:
    half = 0.5 * x
    return half + half * _tanh(p, q)


@_compile
def _finish_sigmoid_times(p: mx.array, q: mx.array, x: mx.array) -> mx.array:
    return (1.0 + _tanh(p, q)) * (0.5 * x)
