"""A request's media to the tokens that stand for them; those of pictures are remembered."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

import mlx.core as mx

from ..checkpoint import Checkpoint
from ..media.patches import EncodedMedia, Patches
from ..media.sounds import Sounds
from .audio import AudioTower
from .vision import VisionTower

PATCHES = 8_192  # encoded at once, or one frame if that has more
CACHE_BYTES = 256 << 20  # 32,768 tokens of clef-flash: two of the largest pictures


class MediaFeatures:
    """Both towers, each loaded when it is first needed."""

    def __init__(self, checkpoint: Checkpoint, dtype: mx.Dtype, cache_bytes: int) -> None:
        self._vision = VisionFeatures(checkpoint, dtype, cache_bytes)
        self._audio = AudioFeatures(checkpoint, dtype)

    def __call__(self, media: EncodedMedia) -> mx.array:
        """One row a pad, in the order of the prompt: ``[N, D]`` or, with deepstack, wider."""
        parts = [self._vision(media)] if media.images or media.videos else []
        if media.sounds is not None:
            heard = self._audio(media.sounds)
            # Sound has no deepstack: nothing is added at its tokens.
            missing = parts[0].shape[-1] - heard.shape[-1] if parts else 0
            parts.append(mx.pad(heard, [(0, 0), (0, missing)]))
        rows = mx.concatenate(parts) if len(parts) > 1 else parts[0]
        return rows if media.order is None else rows[mx.array(media.order)]


class AudioFeatures:
    """Loads the audio encoder when the first sound comes; runs it window by window."""

    def __init__(self, checkpoint: Checkpoint, dtype: mx.Dtype) -> None:
        self._checkpoint, self._dtype = checkpoint, dtype
        self._tower: AudioTower | None = None

    def __call__(self, sounds: Sounds) -> mx.array:
        """Tokens of all sounds in order: ``[N, D]``, evaluated."""
        tower, windows = self._loaded(), []
        longest = min(tower.chunk, max(sounds.frames()))
        for features in sounds.features():
            for first in range(0, features.shape[1], tower.window):
                window = mx.array(features[:, first : first + tower.window])
                windows.append(tower(window.astype(self._dtype), longest))
                mx.eval(windows[-1])
        return mx.concatenate(windows)

    def _loaded(self) -> AudioTower:
        if self._tower is None:
            assert self._checkpoint.config.audio is not None
            tower = AudioTower(self._checkpoint.config.audio)
            self._checkpoint.fill(tower, "audio", self._dtype, expand=True)
            self._tower = tower
        return self._tower


class VisionFeatures:
    """Loads the vision tower when the first picture comes and keeps its latest outputs.

    ``cache_bytes`` bounds what is kept, least recently used first to go; 0 keeps nothing.
    """

    def __init__(self, checkpoint: Checkpoint, dtype: mx.Dtype, cache_bytes: int) -> None:
        self._checkpoint, self._dtype, self._limit = checkpoint, dtype, cache_bytes
        self._tower: VisionTower | None = None
        self._kept: OrderedDict[str, mx.array] = OrderedDict()

    def __call__(self, media: EncodedMedia) -> mx.array:
        """Tokens of all pictures, then all clips, in order: ``[N, D]``, evaluated."""
        return mx.concatenate([self._tokens(item) for item in (*media.images, *media.videos)])

    def _tokens(self, patches: Patches) -> mx.array:
        found = self._kept.pop(patches.key, None)
        if found is None:
            found = mx.concatenate(list(self._encode(patches)))
        if found.nbytes <= self._limit:
            self._kept[patches.key] = found
        while sum(tokens.nbytes for tokens in self._kept.values()) > self._limit:
            self._kept.popitem(last=False)
        return found

    def _encode(self, patches: Patches) -> Iterator[mx.array]:
        """Some frames at a time, which bounds memory: frames do not see each other."""
        frames, height, width = patches.grid
        step = max(1, PATCHES // (height * width))
        for first in range(0, frames, step):
            count = min(step, frames - first)
            rows = slice(first * height * width, (first + count) * height * width)
            pixels = mx.array(patches.normalized(rows)).astype(self._dtype)
            tokens = self._loaded()(pixels, (count, height, width))
            mx.eval(tokens)
            yield tokens

    def _loaded(self) -> VisionTower:
        if self._tower is None:
            assert self._checkpoint.config.vision is not None
            tower = VisionTower(self._checkpoint.config.vision)
            self._checkpoint.fill(tower, "vision", self._dtype, expand=True)
            self._tower = tower
        return self._tower
