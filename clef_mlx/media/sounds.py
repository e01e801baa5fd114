"""Sounds as callers give them to samples, features and the number of tokens they take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import RequestError
from .files import opened
from .mel import HOP, SAMPLE_RATE, WINDOW, log_mel
from .sources import read_source

CHUNK = 100  # frames that the encoder convolves by themselves
MIN_SAMPLES = WINDOW // 2 + 1  # the longest clip of a request needs these to be mirrored


@dataclass(frozen=True)
class Sound:
    """A clip: ``samples`` ``[S]`` float32, mono, at 16 kHz, about -1 to 1."""

    where: str  # "audio[0]", for messages
    samples: np.ndarray


@dataclass(frozen=True)
class Sounds:
    """All sounds of a request. The shorter are padded with silence to the longest, and heard so."""

    clips: tuple[Sound, ...]
    mel_bins: int

    @property
    def length(self) -> int:
        """Samples of the longest."""
        return max(len(clip.samples) for clip in self.clips)

    def frames(self) -> list[int]:
        """Frames of each that the encoder reads.

        A begun frame counts where silence follows; the longest clip has no more than whole ones.
        """
        return [min(-(-len(clip.samples) // HOP), self.length // HOP) for clip in self.clips]

    def features(self) -> Iterable[np.ndarray]:
        """Log-mel features of each, one at a time: ``[mel_bins, F]`` float32."""
        for clip, frames in zip(self.clips, self.frames(), strict=True):
            yield log_mel(clip.samples, frames, self.length, self.mel_bins)

    def input_features(self) -> np.ndarray:
        """As the release's processor gives them, silence included: ``[N, mel_bins, F]``."""
        frames = self.length // HOP
        return np.stack(
            [log_mel(clip.samples, frames, self.length, self.mel_bins) for clip in self.clips]
        )


def sound_tokens(frames: int) -> int:
    """Tokens that ``frames`` frames take: 13 a second, which is 100 of them."""
    whole, rest = divmod(frames, CHUNK)
    return whole * _convolved(CHUNK) + _convolved(rest)


def _convolved(frames: int) -> int:
    """What three convolutions with stride 2 leave of a chunk."""
    for _ in range(3):
        frames = (frames + 1) // 2
    return frames


def open_sound(item: Any, where: str, max_seconds: int) -> Sound:
    """An array of samples at 16 kHz, or a file (path or bytes, through PyAV).

    Raises ``RequestError`` naming the item for what is no sound, empty or too long.
    """
    if isinstance(item, np.ndarray):
        return Sound(where, _check(item, where, max_seconds))
    source = read_source(item, where)
    if source is None:
        raise RequestError(
            f"{where} must be a path, bytes or an array of samples at 16 kHz, not "
            f"{type(item).__name__}",
            where,
        )
    sound = decode_sound(source, where, max_seconds)
    if sound is None:
        raise RequestError(f"{where} has no decodable audio stream", where)
    return sound


def decode_sound(source: bytes | Path, where: str, max_seconds: int) -> Sound | None:
    """A file's first audio stream, resampled to 16 kHz mono; ``None`` if there is none."""
    with opened(source, where, "audio") as stream:
        if stream is None:
            return None
        from av import AudioResampler

        resampler = AudioResampler(format="flt", layout="mono", rate=SAMPLE_RATE)
        parts, total = [], 0
        for frame in chain(stream.container.decode(stream), (None,)):  # None: what is left over
            for part in resampler.resample(frame):
                parts.append(part.to_ndarray().reshape(-1))
                total += len(parts[-1])
            if total > max_seconds * SAMPLE_RATE:
                raise _too_long(where, max_seconds)
    if total == 0:
        return None
    return Sound(where, _check(np.concatenate(parts), where, max_seconds))


def _check(samples: np.ndarray, where: str, max_seconds: int) -> np.ndarray:
    if not np.issubdtype(samples.dtype, np.floating):
        raise RequestError(
            f"{where} must hold samples as numbers of about -1 to 1, not {samples.dtype}", where
        )
    if samples.ndim != 1:
        raise RequestError(
            f"{where} must be mono, one axis of samples at 16 kHz, not {list(samples.shape)}", where
        )
    if len(samples) == 0:
        raise RequestError(f"{where} is empty (no samples)", where)
    if len(samples) > max_seconds * SAMPLE_RATE:
        raise _too_long(where, max_seconds)
    if not np.isfinite(samples).all():
        raise RequestError(f"{where} holds samples that are NaN or infinite", where)
    return samples.astype(np.float32)


def _too_long(where: str, max_seconds: int) -> RequestError:
    return RequestError(
        f"{where} is longer than {max_seconds:,} seconds, the most that the model's positions hold",
        where,
    )
