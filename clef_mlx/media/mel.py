"""Samples to log-mel features, as the release's feature extractor makes them."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

SAMPLE_RATE = 16_000  # samples a second
HOP = 160  # samples from frame to frame: 100 frames a second
WINDOW = 400  # samples a frame looks at, half of them before its time
BLOCK = 4_096  # frames transformed at once: bounds memory whatever the clip's length
FLOOR = 1e-10
RANGE = 8.0  # powers of ten below the loudest that are told apart


def log_mel(samples: np.ndarray, frames: int, length: int, mel_bins: int) -> np.ndarray:
    """The first ``frames`` frames of ``samples`` followed by silence up to ``length`` samples.

    The silence is what the reference pads the shorter clips of a request with; beyond ``length``
    (and before the start) the sound is mirrored. ``length`` must be over ``WINDOW / 2``.

    Shapes: ``samples`` ``[S]`` float32 -> ``[mel_bins, frames]`` float32.
    Reference: transformers 5.10.2, ``WhisperFeatureExtractor``.
    """
    # The loudest frame may lie just past the last one asked for, where the sound fades out.
    counted = min(frames + WINDOW // HOP, length // HOP)
    heard = min(length, counted * HOP + WINDOW)
    wave = np.zeros(heard, dtype=np.float32)
    wave[: len(samples)] = samples[:heard]
    wave = np.pad(wave, WINDOW // 2, mode="reflect")
    views = np.lib.stride_tricks.sliding_window_view(wave, WINDOW)[::HOP]
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    filters = _filters(mel_bins)
    logs = np.empty((mel_bins, counted), dtype=np.float32)
    for first in range(0, counted, BLOCK):
        last = min(counted, first + BLOCK)
        power = np.abs(np.fft.rfft(views[first:last] * hann)) ** 2
        logs[:, first:last] = np.log10(np.maximum(power @ filters, FLOOR)).T
    loudest = logs.max()
    return np.asarray((np.maximum(logs[:, :frames], loudest - np.float32(RANGE)) + 4) / 4)


@lru_cache(maxsize=4)
def _filters(mel_bins: int) -> np.ndarray:
    """Triangles ``[WINDOW / 2 + 1, mel_bins]``, evenly spread on Slaney's scale, of equal area."""
    edges = _to_hertz(np.linspace(0, _to_mel(SAMPLE_RATE / 2), mel_bins + 2))
    frequencies = np.linspace(0, SAMPLE_RATE / 2, WINDOW // 2 + 1)[:, None]
    rising = (frequencies - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - frequencies) / (edges[2:] - edges[1:-1])
    triangles = np.maximum(0, np.minimum(rising, falling))
    return np.asarray(triangles * 2 / (edges[2:] - edges[:-2]))


# Slaney's scale: 200 / 3 hertz a mel up to 1,000 hertz (15 mel), then a factor 6.4 every 27 mel.


def _to_mel(hertz: float) -> float:
    return 15 + 27 * math.log(hertz / 1_000) / math.log(6.4)


def _to_hertz(mel: np.ndarray) -> np.ndarray:
    return np.where(mel < 15, mel * 200 / 3, 1_000 * 6.4 ** ((mel - 15) / 27))
