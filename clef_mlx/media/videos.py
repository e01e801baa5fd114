"""Clips to patches: which frames are taken, their times, and files through PyAV."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import RequestError
from .images import MAX_PIXELS
from .patches import Patches, patchify
from .resize import clip_size, resize
from .settings import ClipSettings
from .sources import read_source

ASSUMED_FPS = 24.0  # of frames without a rate, as in the reference


@dataclass(frozen=True)
class Video:
    """Frames ``[T, H, W, 3]`` uint8, and how many a second they were filmed at."""

    frames: np.ndarray
    fps: float | None = None  # None: ASSUMED_FPS


@dataclass(frozen=True)
class Clip:
    """A clip whose size is known and whose frames are not decoded yet."""

    where: str  # "videos[0]", for messages
    frames: int
    width: int  # pixels
    height: int
    fps: float
    decode: Callable[[list[int]], Iterator[np.ndarray]]  # the frames of these ascending numbers

    def sampled(self, settings: ClipSettings) -> list[int]:
        """Numbers of the frames taken: evenly spread, ``settings.fps`` a second within limits.

        Reference: transformers 5.10.2, ``Qwen3VLVideoProcessor.sample_frames``.
        """
        wanted = int(min(self.frames / self.fps * settings.fps, settings.max_frames))
        wanted = min(max(wanted, settings.min_frames), settings.max_frames, self.frames)
        return [int(n) for n in np.linspace(0, self.frames - 1, wanted).round()]

    def size(self, settings: ClipSettings) -> tuple[int, int]:
        """Height and width after resizing."""
        if min(self.height, self.width) < settings.factor:
            raise RequestError(
                f"{self.where} has {self.width} x {self.height} pixels; a clip needs at least "
                f"{settings.factor} a side",
                self.where,
            )
        try:
            return clip_size(
                len(self.sampled(settings)),
                self.height,
                self.width,
                settings.temporal_patch_size,
                settings.factor,
                settings.min_pixels,
                settings.max_pixels,
            )
        except ValueError as error:
            raise RequestError(f"{self.where}: {error}", self.where) from None

    def tokens(self, settings: ClipSettings) -> int:
        """Tokens of its patches, without the times written between them."""
        height, width = self.size(settings)
        steps = -(-len(self.sampled(settings)) // settings.temporal_patch_size)
        return steps * height * width // settings.factor**2

    def patches(self, settings: ClipSettings) -> Patches:
        """Decode the frames taken one by one, resize each and cut them up."""
        numbers, size = self.sampled(settings), self.size(settings)
        frames = [resize(frame, *size) for frame in self.decode(numbers)]
        if len(frames) != len(numbers):
            raise RequestError(
                f"{self.where} is damaged or cut short: {len(frames)} of {len(numbers)} frames "
                "could be read",
                self.where,
            )
        rows, grid = patchify(np.stack(frames), settings)
        return Patches(rows, grid, settings)

    def seconds(self, settings: ClipSettings) -> tuple[float, ...]:
        """Middle of each temporal patch: the mean of its first and last frame's time."""
        step, numbers = settings.temporal_patch_size, self.sampled(settings)
        numbers = numbers + numbers[-1:] * (-len(numbers) % step)
        first, last = numbers[::step], numbers[step - 1 :: step]
        return tuple((a / self.fps + b / self.fps) / 2 for a, b in zip(first, last, strict=True))


def open_clip(item: Any, where: str) -> Clip:
    """A ``Video``, a frame array ``[T, H, W, 3]``, or a file (path or bytes, through PyAV).

    Raises ``RequestError`` naming the item for what is no clip or has too many pixels a frame.
    """
    if isinstance(item, np.ndarray):
        item = Video(item)
    if isinstance(item, Video):
        return _from_frames(item, where)
    source = read_source(item, where)
    if source is None:
        raise RequestError(
            f"{where} must be a path, bytes, a Video or an array [T, H, W, 3], not "
            f"{type(item).__name__}",
            where,
        )
    return _from_file(source, where)


def _from_frames(video: Video, where: str) -> Clip:
    frames, fps = video.frames, ASSUMED_FPS if video.fps is None else video.fps
    if not isinstance(frames, np.ndarray):
        raise RequestError(
            f"{where} must hold frames as an array, not {type(frames).__name__}", where
        )
    if frames.ndim != 4 or frames.shape[3] != 3 or frames.dtype != np.uint8:
        raise RequestError(
            f"{where} must be an array [T, H, W, 3] of uint8, not {list(frames.shape)} of "
            f"{frames.dtype}",
            where,
        )
    count, height, width, _ = frames.shape
    _check(count, width, height, fps, where)
    return Clip(where, count, width, height, float(fps), lambda numbers: iter(frames[numbers]))


def _check(frames: int, width: int, height: int, fps: float, where: str) -> None:
    if min(frames, width, height) < 1:
        raise RequestError(f"{where} is empty ({frames} frames of {width} x {height})", where)
    if width * height > MAX_PIXELS:
        raise RequestError(
            f"{where} has frames of {width} x {height} pixels; at most {MAX_PIXELS:,} are decoded",
            where,
        )
    if isinstance(fps, bool) or not isinstance(fps, Real) or not 0 < fps < float("inf"):
        raise RequestError(f"{where} must have a frame rate above 0, not {fps!r}", where)


def _from_file(source: bytes | Path, where: str) -> Clip:
    """Count the frames without keeping any; decoding again then keeps only those taken."""
    with _opened(source, where) as stream:
        rate = stream.average_rate or stream.guessed_rate
        fps = float(rate) if rate else ASSUMED_FPS
        count, width, height = 0, 0, 0
        for frame in stream.container.decode(stream):
            count += 1
            width, height = frame.width, frame.height
            _check(count, width, height, fps, where)
    _check(count, width, height, fps, where)
    return Clip(where, count, width, height, fps, lambda numbers: _decode(source, numbers, where))


def _decode(source: bytes | Path, numbers: list[int], where: str) -> Iterator[np.ndarray]:
    wanted = set(numbers)
    with _opened(source, where) as stream:
        for number, frame in enumerate(stream.container.decode(stream)):
            if number in wanted:
                yield frame.to_ndarray(format="rgb24")
            if number >= numbers[-1]:
                return


@contextmanager
def _opened(source: bytes | Path, where: str) -> Iterator[Any]:
    """The first video stream of a file; faults of the file become ``RequestError``."""
    try:
        import av
    except ImportError:
        raise RequestError(
            f"{where} is a video file, which needs PyAV: pip install 'clef-mlx[media]', or give "
            "its frames as an array",
            where,
        ) from None
    try:
        # Read through Python, and no protocol allowed: a playlist or session description must not
        # open other files or connections. Titles in another encoding than UTF-8 do no harm.
        with (
            io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file,
            av.open(
                file, metadata_errors="replace", options={"protocol_whitelist": ""}
            ) as container,
        ):
            if not container.streams.video:
                raise RequestError(f"{where} has no video stream", where)
            yield container.streams.video[0]
    except (av.FFmpegError, OSError) as error:
        raise RequestError(f"{where} cannot be read as a video: {error.strerror}", where) from None
