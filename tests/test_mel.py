"""Log-mel features against their definition, and where a clip starts, ends and falls silent."""

from __future__ import annotations

import numpy as np
import pytest
from close import assert_close
from golden.make_omni import wave

from clef_mlx.media import mel
from clef_mlx.media.mel import HOP, WINDOW, log_mel

ATOL = 1e-5  # float32 results against float64; measured 1e-6


def plain_log_mel(samples: np.ndarray, bins: int) -> np.ndarray:
    """One frame and one frequency at a time, every sum written out."""
    mirrored = [*samples[WINDOW // 2 : 0 : -1], *samples, *samples[-2 : -WINDOW // 2 - 2 : -1]]
    hann = [np.sin(np.pi * n / WINDOW) ** 2 for n in range(WINDOW)]
    turns = np.exp(-2j * np.pi * np.outer(np.arange(WINDOW // 2 + 1), np.arange(WINDOW)) / WINDOW)
    edges = []
    for place in np.linspace(0, 15 + 27 * np.log(8) / np.log(6.4), bins + 2):
        edges.append(place * 200 / 3 if place < 15 else 1_000 * 6.4 ** ((place - 15) / 27))
    out = np.empty((bins, len(samples) // HOP))
    for frame in range(out.shape[1]):
        power = np.abs(turns @ (np.array(mirrored[frame * HOP :][:WINDOW]) * hann)) ** 2
        for band, (low, middle, high) in enumerate(zip(edges, edges[1:], edges[2:], strict=False)):
            total = 0.0
            for k, value in enumerate(power):
                hertz = k * 16_000 / WINDOW
                slope = min((hertz - low) / (middle - low), (high - hertz) / (high - middle))
                total += max(slope, 0) * 2 / (high - low) * value
            out[band, frame] = np.log10(max(total, 1e-10))
    return (np.maximum(out, out.max() - 8) + 4) / 4


@pytest.mark.parametrize("samples", [WINDOW // 2 + 1, 1_600, 2_003])
def test_features_are_their_definition(samples: int) -> None:
    sound = wave(samples)
    got = log_mel(sound, samples // HOP, samples, 24)
    assert got.dtype == np.float32
    assert_close(got, plain_log_mel(sound.astype(np.float64), 24), ATOL)


def test_the_shorter_clip_fades_into_silence() -> None:
    """As if the silence were part of it: nothing is mirrored at its own end."""
    sound, length = wave(1_920), 8_000
    padded = np.concatenate([sound, np.zeros(length - len(sound), np.float32)])
    whole = log_mel(padded, length // HOP, length, 24)
    assert_close(log_mel(sound, 12, length, 24), whole[:, :12], 0)
    assert_close(log_mel(sound, length // HOP, length, 24), whole, 0)
    assert np.abs(log_mel(sound, 12, len(sound), 24) - whole[:, :12]).max() > 0.1


def test_the_loudest_frame_may_lie_past_the_last_one() -> None:
    """The range is counted from it even where it is not asked for, as the reference counts."""
    sound = np.full(1_601, 1e-5, dtype=np.float32)
    sound[-1] = 1.0
    padded = np.concatenate([sound, np.zeros(6_399, np.float32)])
    assert_close(log_mel(sound, 10, 8_000, 24), log_mel(padded, 50, 8_000, 24)[:, :10], 0)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = wave(16_000)
    whole = log_mel(sound, 100, 16_000, 128)
    monkeypatch.setattr(mel, "BLOCK", 7)
    assert_close(log_mel(sound, 100, 16_000, 128), whole, 0)


def test_silence_is_finite() -> None:
    assert_close(log_mel(np.zeros(1_600, np.float32), 10, 1_600, 128), np.full((128, 10), -1.5), 0)
