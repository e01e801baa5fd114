"""Sizes that a picture is brought to, and the reference's antialiased bicubic filter to do it."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

MAX_ASPECT = 200  # longer side by shorter side
CUBIC = -0.5  # the cubic's parameter where it also smooths
STRIP = 1 << 22  # numbers filtered at once: bounds memory whatever the picture's size


def picture_size(
    height: int, width: int, factor: int, min_pixels: int, max_pixels: int
) -> tuple[int, int]:
    """Height and width, in pixels, that a picture is resized to.

    Multiples of ``factor``, rounded half to even; scaled down or up where the product leaves
    ``min_pixels`` to ``max_pixels``. Raises ``ValueError`` for sides too unlike each other.
    Reference: transformers 5.10.2, ``qwen2_vl.image_processing_qwen2_vl.smart_resize``.
    """
    return clip_size(1, height, width, 1, factor, min_pixels, max_pixels)


def clip_size(
    frames: int,
    height: int,
    width: int,
    temporal: int,
    factor: int,
    min_pixels: int,
    max_pixels: int,
) -> tuple[int, int]:
    """As ``picture_size``, with limits for all ``frames`` together, in steps of ``temporal``.

    Reference: transformers 5.10.2, ``qwen3_vl.video_processing_qwen3_vl.smart_resize``.
    """
    if max(height, width) > MAX_ASPECT * min(height, width):
        raise ValueError(
            f"{width} x {height} pixels: one side is more than {MAX_ASPECT} times the other"
        )
    new_height, new_width = (round(side / factor) * factor for side in (height, width))
    counted = math.ceil(frames / temporal) * temporal
    if counted * new_height * new_width > max_pixels:
        shrink = math.sqrt(frames * height * width / max_pixels)
        new_height, new_width = (
            max(factor, math.floor(side / shrink / factor) * factor) for side in (height, width)
        )
    elif counted * new_height * new_width < min_pixels:
        grow = math.sqrt(min_pixels / (frames * height * width))
        new_height, new_width = (
            math.ceil(side * grow / factor) * factor for side in (height, width)
        )
    return new_height, new_width


def resize(pixels: np.ndarray, height: int, width: int) -> np.ndarray:
    """Resize ``[H, W, 3]`` uint8 to ``[height, width, 3]`` uint8, columns first.

    Fixed-point arithmetic like torch's uint8 kernel, so that grey levels are the same:
    weights are 16-bit integers, each pass rounds to uint8.
    Reference: torchvision 0.29, ``v2.functional.resize(antialias=True)`` on a CPU.
    """
    if pixels.shape[1] != width:
        pixels = _filter(pixels.transpose(1, 0, 2), width).transpose(1, 0, 2)
    if pixels.shape[0] != height:
        pixels = _filter(pixels, height)
    return np.ascontiguousarray(pixels)


def _filter(pixels: np.ndarray, size: int) -> np.ndarray:
    """Resample the first axis to ``size``: ``[N, M, 3]`` uint8 -> ``[size, M, 3]`` uint8."""
    starts, weights, precision = _weights(pixels.shape[0], size)
    rest = pixels.shape[1:]
    rows = np.ascontiguousarray(pixels).reshape(pixels.shape[0], -1)
    out = np.empty((size, rows.shape[1]), dtype=np.uint8)
    strip = max(1, STRIP // rows.shape[1])
    for first in range(0, size, strip):
        last = min(size, first + strip)
        total = np.full((last - first, rows.shape[1]), 1 << (precision - 1), dtype=np.int32)
        for tap in range(weights.shape[1]):
            # A window is shorter at the picture's edge; its weights beyond are 0.
            source = np.minimum(starts[first:last] + tap, rows.shape[0] - 1)
            total += rows[source] * weights[first:last, tap, None]
        out[first:last] = np.clip(total >> precision, 0, 255)
    return out.reshape(size, *rest)


@lru_cache(maxsize=64)
def _weights(source: int, size: int) -> tuple[np.ndarray, np.ndarray, int]:
    """First source index of each output, its integer weights ``[size, taps]``, their bits."""
    scale = source / size
    stretch = max(scale, 1.0)  # the filter is widened when shrinking: that is the antialiasing
    support = 2 * stretch
    centers = scale * (np.arange(size) + 0.5)
    starts = np.maximum((centers - support + 0.5).astype(np.int64), 0)
    ends = np.minimum((centers + support + 0.5).astype(np.int64), source)
    places = starts[:, None] + np.arange(int((ends - starts).max()))
    values = _cubic((places - centers[:, None] + 0.5) / stretch)
    values = np.where(places < ends[:, None], values, 0.0)
    values /= values.sum(axis=1, keepdims=True)
    largest, precision = values.max(), 0
    while precision < 22 and int(0.5 + largest * (1 << (precision + 1))) < 1 << 15:
        precision += 1
    scaled = values * (1 << precision)
    rounded = np.trunc(scaled + np.where(scaled < 0, -0.5, 0.5))
    return starts, rounded.astype(np.int32), precision


def _cubic(x: np.ndarray) -> np.ndarray:
    """The cubic convolution kernel, 0 beyond 2."""
    x = np.abs(x)
    near = ((CUBIC + 2) * x - (CUBIC + 3)) * x * x + 1
    far = (((x - 5) * x + 8) * x - 4) * CUBIC
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))
