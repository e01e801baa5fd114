"""Affine quantization by least squares: scales and biases that suit the rounded weights.

MLX takes a group's scale from its extremes. Here each group tries narrower ranges, and for each
the scale and bias that fit its rounded weights best, in turns; MLX's own codes stay a candidate.
"""

from __future__ import annotations

from typing import NamedTuple

import mlx.core as mx

from ..packing import Packing

SHRINKS = (1.0, 0.92, 0.84, 0.76)  # of the range between a group's extremes
ROUNDS = 3  # of fitting scale and bias to codes, and codes to those
TINY = 1e-8  # of squared codes: where all are equal there is nothing to fit a scale to


def refit(
    weight: mx.array, packing: Packing, importance: mx.array | None = None
) -> tuple[mx.array, mx.array, mx.array]:
    """Pack ``weight`` so that no group is further from it than MLX's own packing.

    Distances are sums of squares, each column's times its ``importance`` (``[I]``, default 1),
    measured with scales and biases as stored, in bfloat16.
    Shapes: ``weight`` ``[..., I]`` -> ``[..., words]`` uint32, scales and biases ``[..., groups]``
    bfloat16.
    """
    size, bits = packing.group_size, packing.bits
    # Scales take the weights' dtype, and bfloat16 is what the product wants.
    _, scales, biases = mx.quantize(weight.astype(mx.bfloat16), group_size=size, bits=bits)
    groups = weight.astype(mx.float32).reshape(*weight.shape[:-1], -1, size)
    weighed = mx.ones(1) if importance is None else importance.reshape(-1, size)
    codes, scales, biases = _refit(
        groups, weighed, scales[..., None], biases[..., None], 2**bits - 1
    )
    return pack(codes.reshape(weight.shape), bits), scales[..., 0], biases[..., 0]


def pack(codes: mx.array, bits: int) -> mx.array:
    """Codes below ``2 ** bits`` as MLX stores them: a row is one stream of bits, low ones first.

    Shapes: ``[..., I]`` -> ``[..., I * bits / 32]`` uint32.
    """
    every = (codes.astype(mx.uint32)[..., None] >> mx.arange(bits, dtype=mx.uint32)) & 1
    words = every.reshape(*codes.shape[:-1], -1, 32) << mx.arange(32, dtype=mx.uint32)
    return words.sum(axis=-1)


def _refit(
    groups: mx.array, importance: mx.array, scales: mx.array, biases: mx.array, most: int
) -> tuple[mx.array, mx.array, mx.array]:
    """Codes (float32), scales and biases. Shapes: ``groups`` ``[..., G, S]``, others ``[..., 1]``.

    MLX's own scales and biases come in as the first candidate.
    """
    share = importance / mx.broadcast_to(importance, groups.shape[-2:]).sum(axis=-1, keepdims=True)
    fit = _Fit(groups, share, most)
    low, high = groups.min(axis=-1, keepdims=True), groups.max(axis=-1, keepdims=True)
    best = fit.packed(scales, biases)
    for shrink in SHRINKS:
        scale = (high - low) * (shrink / most)
        bias = (high + low) / 2 - scale * (most / 2)
        for _ in range(1 + ROUNDS):
            tried = fit.packed(scale, bias)
            nearer = tried.distance < best.distance
            pairs = zip(tried, best, strict=True)
            best = _Packed(*(mx.where(nearer, *pair) for pair in pairs))
            scale, bias = fit.line(tried.codes)
    return best.codes, best.scale, best.bias


class _Packed(NamedTuple):
    """One way to pack each group, and how far from it that is."""

    distance: mx.array
    codes: mx.array
    scale: mx.array
    bias: mx.array


class _Fit:
    """Groups to be met, and what does not change from one try to the next."""

    def __init__(self, groups: mx.array, share: mx.array, most: int) -> None:
        self._groups, self._share, self._most = groups, share, most
        self._weighed = share * groups
        self._mean = self._weighed.sum(axis=-1, keepdims=True)

    def packed(self, scale: mx.array, bias: mx.array) -> _Packed:
        """The nearest codes under ``scale`` and ``bias`` as they will be stored."""
        scale, bias = scale.astype(mx.bfloat16), bias.astype(mx.bfloat16)
        step, least = scale.astype(mx.float32), bias.astype(mx.float32)
        codes = (self._groups - least) / mx.where(step == 0, 1.0, step)
        codes = mx.clip(mx.round(codes), 0, self._most)
        squares = mx.square(codes * step + least - self._groups) * self._share
        return _Packed(squares.sum(axis=-1, keepdims=True), codes, scale, bias)

    def line(self, codes: mx.array) -> tuple[mx.array, mx.array]:
        """The scale and bias with which ``codes`` come closest."""
        weighed = self._share * codes
        mean = weighed.sum(axis=-1, keepdims=True)
        spread = (weighed * codes).sum(axis=-1, keepdims=True) - mx.square(mean)
        common = (self._weighed * codes).sum(axis=-1, keepdims=True) - mean * self._mean
        scale = common / mx.maximum(spread, TINY)
        return scale, self._mean - scale * mean
