"""clef-omni's clips to patches: two frames a second, a cap on their size, the soundtrack."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import RequestError
from .files import opened
from .patches import Grid, Patches, patchify
from .resize import picture_size, resize
from .settings import PictureSettings
from .sounds import Sound, decode_sound
from .sources import read_source
from .videos import Video, check_frames

FPS = 2.0  # frames taken of a second
FRAME_PIXELS = 262_144  # a file's larger frames are scaled down to this while they are decoded
EARLY = 1e-6  # seconds by which a frame may come before its turn


@dataclass(frozen=True)
class Film:
    """A clip already at ``FPS`` frames a second, its frames not decoded yet."""

    where: str  # "videos[0]", for messages
    frames: int
    width: int  # pixels
    height: int
    decode: Callable[[], Iterator[np.ndarray]]  # [H, W, 3] uint8, one after another
    track: Sound | None = None

    def grid(self, settings: PictureSettings) -> Grid:
        """Patches in time, height and width. An odd last frame is repeated."""
        try:
            height, width = picture_size(
                self.height, self.width, settings.factor, settings.min_pixels, settings.max_pixels
            )
        except ValueError as error:
            raise RequestError(f"{self.where}: {error}", self.where) from None
        steps = -(-self.frames // settings.temporal_patch_size)
        return steps, height // settings.patch_size, width // settings.patch_size

    def patches(self, settings: PictureSettings) -> Patches:
        """Decode the frames one by one, resize each and cut them up."""
        _, rows, columns = self.grid(settings)
        height, width = rows * settings.patch_size, columns * settings.patch_size
        frames = [resize(frame, height, width) for frame in self.decode()]
        return Patches(*patchify(np.stack(frames), settings), settings)


def open_film(item: Any, where: str, max_seconds: int) -> Film:
    """Frames ``[T, H, W, 3]`` taken at ``FPS``, or a file (path or bytes, through PyAV).

    Raises ``RequestError`` naming the item for what is no clip or too large.
    """
    if isinstance(item, Video):
        if item.fps not in (None, FPS):
            raise RequestError(
                f"{where} has {item.fps} frames a second; clef-omni takes arrays at {FPS:g}", where
            )
        item = item.frames
    if isinstance(item, np.ndarray):
        if item.ndim != 4 or item.shape[3] != 3 or item.dtype != np.uint8:
            raise RequestError(
                f"{where} must be an array [T, H, W, 3] of uint8, not {list(item.shape)} of "
                f"{item.dtype}",
                where,
            )
        count, height, width, _ = item.shape
        check_frames(count, width, height, FPS, where)
        return Film(where, count, width, height, lambda: iter(item))
    source = read_source(item, where)
    if source is None:
        raise RequestError(
            f"{where} must be a path, bytes or an array [T, H, W, 3], not {type(item).__name__}",
            where,
        )
    return _from_file(source, where, max_seconds)


def _from_file(source: bytes | Path, where: str, max_seconds: int) -> Film:
    """Count the frames without keeping any; decoding again then resizes one at a time."""
    sizes = [(frame.width, frame.height) for frame in _taken(source, where)]
    if not sizes:
        raise RequestError(f"{where} has no decodable frames", where)
    if len(set(sizes)) > 1:
        raise RequestError(f"{where} has frames of several sizes, which is not supported", where)
    check_frames(len(sizes), *sizes[0], FPS, where)
    width, height = _capped(*sizes[0])

    def decode() -> Iterator[np.ndarray]:
        for frame in _taken(source, where):
            yield frame.to_ndarray(format="rgb24", width=width, height=height)

    track = decode_sound(source, where, max_seconds)
    return Film(where, len(sizes), width, height, decode, track)


def _taken(source: bytes | Path, where: str) -> Iterator[Any]:
    """The first frame at or after each half second that passed since the last one taken."""
    with opened(source, where, "video") as stream:
        if stream is None:
            raise RequestError(f"{where} has no video stream", where)
        stream.thread_type = "AUTO"
        taken = 0
        for frame in stream.container.decode(stream):
            if frame.time is not None and frame.time + EARLY >= taken / FPS:
                taken += 1
                yield frame


def _capped(width: int, height: int) -> tuple[int, int]:
    """The size a frame is decoded to: even sides, at most about ``FRAME_PIXELS``."""
    scale = min(1.0, math.sqrt(FRAME_PIXELS / (width * height)))
    return max(2, round(width * scale / 2) * 2), max(2, round(height * scale / 2) * 2)
