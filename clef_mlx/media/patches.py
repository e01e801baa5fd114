"""Resized frames to the rows of patches that the vision tower reads."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .settings import PictureSettings
from .sounds import Sounds

Grid = tuple[int, int, int]  # patches in time, height and width


@dataclass(frozen=True)
class Patches:
    """One picture or clip, ready for the tower.

    ``levels`` ``[P, C * T * ph * pw]`` uint8 grey levels; the patches of a merge block stand in
    consecutive rows.
    """

    levels: np.ndarray
    grid: Grid
    settings: PictureSettings

    @property
    def tokens(self) -> int:
        return self.settings.tokens(self.grid)

    @cached_property
    def key(self) -> str:
        """Equal for equal content, and only then."""
        digest = hashlib.sha256(self.levels.tobytes())
        return f"{self.grid}:{digest.hexdigest()}"

    def normalized(self, rows: slice = slice(None)) -> np.ndarray:
        """``levels`` as the float32 numbers the release's processor gives, about -1 to 1."""
        mean, std = (
            np.repeat(np.array(values, dtype=np.float32), self.levels.shape[1] // 3)
            for values in (self.settings.mean, self.settings.std)
        )
        scale = np.float32(1 / self.settings.rescale_factor)
        return np.asarray((self.levels[rows] - mean * scale) / (std * scale))


def patchify(frames: np.ndarray, settings: PictureSettings) -> tuple[np.ndarray, Grid]:
    """Cut frames into patches, merge block by merge block.

    Shapes: ``frames`` ``[T, H, W, 3]`` uint8 with sides that are multiples of ``factor``; fewer
    frames than a patch spans are filled with the last -> ``[P, 3 * temporal * patch * patch]``
    and the grid.
    Reference: transformers 5.10.2, ``Qwen2VLImageProcessor`` and ``Qwen3VLVideoProcessor``.
    """
    size, merge, temporal = settings.patch_size, settings.merge_size, settings.temporal_patch_size
    missing = -len(frames) % temporal
    if missing:
        frames = np.concatenate([frames, np.repeat(frames[-1:], missing, axis=0)])
    count, height, width, channels = frames.shape
    grid = (count // temporal, height // size, width // size)
    blocks = frames.reshape(
        grid[0], temporal, grid[1] // merge, merge, size, grid[2] // merge, merge, size, channels
    )
    rows = blocks.transpose(0, 2, 5, 3, 6, 8, 1, 4, 7)
    return rows.reshape(grid[0] * grid[1] * grid[2], -1), grid


class EncodedMedia(Mapping[str, np.ndarray]):
    """The tensors of a request's media under the release's names; made when they are asked for.

    ``order`` has, for each pad of the prompt, its row among the tokens of all images, then all
    videos, then all sounds; ``None`` where that is the prompt's own order.
    """

    def __init__(
        self,
        images: Sequence[Patches] = (),
        videos: Sequence[Patches] = (),
        sounds: Sounds | None = None,
        order: np.ndarray | None = None,
    ) -> None:
        self.images, self.videos = tuple(images), tuple(videos)
        self.sounds, self.order = sounds, order
        self._parts: dict[str, tuple[Patches, ...]] = {}
        if images:
            self._parts.update(pixel_values=self.images, image_grid_thw=self.images)
        if videos:
            self._parts.update(pixel_values_videos=self.videos, video_grid_thw=self.videos)

    @cached_property
    def key(self) -> str:
        """Equal for equal content in equal order, and only then."""
        parts = [patches.key for patches in (*self.images, *self.videos)]
        if self.sounds is not None:
            parts += [
                f"{len(clip.samples)}:{hashlib.sha256(clip.samples.tobytes()).hexdigest()}"
                for clip in self.sounds.clips
            ]
        counts = len(self.images), len(self.videos)
        order = b"" if self.order is None else self.order.tobytes()
        return f"{counts} {' '.join(parts)} {hashlib.sha256(order).hexdigest()}"

    def __getitem__(self, name: str) -> np.ndarray:
        if name == "input_features" and self.sounds is not None:
            return self.sounds.input_features()
        parts = self._parts[name]
        if name.endswith("grid_thw"):
            return np.array([patches.grid for patches in parts])
        return np.concatenate([patches.normalized() for patches in parts])

    def __iter__(self) -> Iterator[str]:
        yield from self._parts
        if self.sounds is not None:
            yield "input_features"

    def __len__(self) -> int:
        return len(self._parts) + (self.sounds is not None)
