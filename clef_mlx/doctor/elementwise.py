"""What each token goes through by itself, against its definition: norms, gates, the convolution."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from ..layers.activations import sigmoid_times, silu, silu_times
from ..layers.linear_attention import L2_EPS, DepthwiseConv, l2_normalize
from ..layers.norm import RMSNorm
from ..published import published_config
from .check import DTYPES, Check, Pair, bound_of, own_dtype, to_mlx, widened

MANY = 32_801  # rows, past 2^15
NORMED = ((33, 5120), (MANY, 128))  # rows, and numbers in each
GATED = (33, 17_408)
LARGEST_GATE = 20.0  # beyond it a sigmoid is 0 or 1 in float32


def checks() -> list[Check]:
    """All checks of this module."""
    own = own_dtype()
    text = published_config("clef").text
    taps, channels = text.linear_conv_kernel_dim, text.conv_channels
    made = [Check(f"norms, {MANY:,} rows, {own}", bound_of(own), partial(_norms, NORMED, own))]
    for dtype in DTYPES:
        made.append(Check(f"gates, {dtype}", bound_of(dtype), partial(_gates, GATED, dtype)))
    title = f"convolution, {taps} taps of {channels:,} channels, {own}"
    return [*made, Check(title, bound_of(own), partial(_convolution, taps, channels, own))]


def _norms(shapes: tuple[tuple[int, int], ...], dtype: str) -> Iterator[Pair]:
    for rows, size in shapes:
        rng = np.random.default_rng(size)
        drawn = rng.normal(size=(rows, size)) * 10 ** rng.uniform(-4, 0, (rows, 1))
        x = to_mlx(drawn, dtype)
        wide = widened(x).astype(np.float64)
        norm = RMSNorm(size, 1e-6)
        squares = (wide**2).sum(axis=-1, keepdims=True)
        yield Pair(f"RMS, {rows:,} x {size}", norm(x), wide / np.sqrt(squares / size + norm.eps))
        yield Pair(f"L2, {rows:,} x {size}", l2_normalize(x), wide / np.sqrt(squares + L2_EPS))


def _gates(shape: tuple[int, int], dtype: str) -> Iterator[Pair]:
    rng = np.random.default_rng(0)
    gate = to_mlx(rng.uniform(-LARGEST_GATE, LARGEST_GATE, shape), dtype)
    x = to_mlx(rng.normal(size=shape), dtype)
    wide, other = widened(gate).astype(np.float64), widened(x)
    sigmoid = 1 / (1 + np.exp(-wide))
    yield Pair("silu", silu(gate), wide * sigmoid)
    yield Pair("silu times", silu_times(gate, x), wide * sigmoid * other)
    yield Pair("sigmoid times", sigmoid_times(gate, x), sigmoid * other)


def _convolution(taps: int, channels: int, dtype: str) -> Iterator[Pair]:
    rng = np.random.default_rng(0)
    layer = DepthwiseConv(taps, channels)
    layer.weight = to_mlx(rng.normal(size=(taps, channels)), dtype)
    for length in (1, 33):
        x = to_mlx(rng.normal(size=(1, taps - 1 + length, channels)), dtype)
        windows = np.lib.stride_tricks.sliding_window_view(widened(x), taps, axis=1)
        plain = np.einsum("blct,tc->blc", windows, widened(layer.weight))
        yield Pair(f"{length} tokens", layer(x), plain)
