"""clef-omni's media part of the prompt: its tokens, their positions, and what they stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..encoding import MediaPrompt
from ..errors import RequestError
from ..request import Request
from .films import FPS, Film, open_film
from .images import Picture, open_picture
from .patches import EncodedMedia, Grid
from .settings import POSITIONS_A_SECOND, OmniSettings
from .sounds import MIN_SAMPLES, Sound, Sounds, open_sound, sound_tokens


@dataclass(frozen=True)
class _Item:
    """One item's pads, in prompt order, and the patch grid of those that stand for pixels."""

    where: str
    pads: np.ndarray  # token ids
    grid: Grid | None = None


@dataclass(frozen=True)
class OpenOmniMedia:
    """A request's pictures, sounds and clips. Sounds are decoded, pixels are not."""

    pictures: tuple[Picture, ...]
    sounds: Sounds | None  # those given, then the clips' tracks
    films: tuple[Film, ...]  # with a track each, or none with any
    settings: OmniSettings

    @classmethod
    def of(cls, request: Request, settings: OmniSettings, exif: bool) -> OpenOmniMedia:
        """Raises ``RequestError`` naming the first item that is no picture, sound or clip."""
        seconds = settings.max_seconds
        pictures = [
            open_picture(item, f"images[{i}]", exif) for i, item in enumerate(request.images)
        ]
        heard = [open_sound(item, f"audio[{i}]", seconds) for i, item in enumerate(request.audio)]
        films = [open_film(item, f"videos[{i}]", seconds) for i, item in enumerate(request.videos)]
        tracks = [film.track for film in films if film.track is not None]
        if len(tracks) == len(films):
            heard += tracks
        else:  # as in the reference: all soundtracks are heard, or none
            films = [replace(film, track=None) for film in films]
        sounds = Sounds(tuple(heard), settings.mel_bins) if heard else None
        if sounds is not None and sounds.length < MIN_SAMPLES:
            raise _too_short(heard[0])
        return cls(tuple(pictures), sounds, tuple(films), settings)

    def check_each_fits(self, max_length: int) -> None:
        """Raise ``RequestError`` for an item whose tokens alone exceed ``max_length``."""
        for item in self._items():
            if len(item.pads) > max_length:
                raise RequestError(
                    f"{item.where} takes {len(item.pads)} tokens alone, and the limit is "
                    f"{max_length}",
                    item.where,
                )

    def prompt(self, tokenize: Callable[[str], list[int]]) -> MediaPrompt:
        """Pictures, then sounds, then clips, each with its own newline.

        A clip that is heard is wrapped as both, its pads of pixels and sound mixed by time.
        Reference: transformers 5.10.2, ``Qwen3OmniMoeProcessor``.
        """
        s, newline = self.settings, tokenize("\n")
        ids: list[int] = []
        positions = [_count(0, 0)]
        at = 0  # the next position, counted from the media's first token
        for item in self._items():
            seen, sounded = item.grid is not None, s.audio_token_id in item.pads
            starts = [s.vision_start_token_id] * seen + [s.audio_start_token_id] * sounded
            ends = [s.audio_end_token_id] * sounded + [s.vision_end_token_id] * seen
            inner, length = self._spread(item)
            after = len(ends) + len(newline)
            positions += [
                _count(at, len(starts)),
                inner + at + len(starts),
                _count(at + len(starts) + length, after),
            ]
            at += len(starts) + length + after
            ids += [*starts, *item.pads.tolist(), *ends, *newline]
        pads = frozenset(int(pad) for item in self._items() for pad in item.pads)
        has_pixels = bool(self.pictures or self.films)
        # Where there are grids, the reference finds its way by these: a stray one leads it astray.
        marks = (s.image_token_id, s.video_token_id, s.audio_start_token_id) if has_pixels else ()
        return MediaPrompt(ids, (), pads, frozenset(marks), np.concatenate(positions, axis=1))

    def positions(self, prompt: MediaPrompt, is_media: np.ndarray) -> np.ndarray:
        """Of every token of a whole prompt with ``prompt`` in it: ``[3, L]``.

        Reference: transformers 5.10.2, ``Qwen3OmniMoeThinkerForConditionalGeneration``,
        ``get_rope_index``.
        """
        before = int(is_media.argmax() - prompt.is_pad().argmax())
        media = prompt.positions + before
        after = len(is_media) - before - media.shape[1]
        parts = [_count(0, before), media, _count(media[0, -1] + 1, after)]
        return np.concatenate(parts, axis=1)

    def decode(self) -> EncodedMedia:
        """Read all pixels, one item after another."""
        s = self.settings
        pads = np.concatenate([item.pads for item in self._items()])
        kinds = (s.image_token_id, s.video_token_id, s.audio_token_id)
        by_kind = np.concatenate([np.flatnonzero(pads == kind) for kind in kinds])
        return EncodedMedia(
            [picture.patches(s.image) for picture in self.pictures],
            [film.patches(s.video) for film in self.films],
            self.sounds,
            np.argsort(by_kind),
        )

    def _items(self) -> Iterator[_Item]:
        s = self.settings
        for picture in self.pictures:
            height, width = picture.size(s.image)
            grid = (1, height // s.image.patch_size, width // s.image.patch_size)
            yield _Item(picture.where, np.full(s.image.tokens(grid), s.image_token_id), grid)
        heard = [] if self.sounds is None else [sound_tokens(n) for n in self.sounds.frames()]
        tracks = len(self.films) if any(film.track for film in self.films) else 0
        given = len(heard) - tracks
        for i in range(given):
            yield _Item(f"audio[{i}]", np.full(heard[i], s.audio_token_id))
        for film, sound in zip(self.films, heard[given:] or [0] * len(self.films), strict=True):
            grid = film.grid(s.video)
            # Pixels come before sound of the same time: a stable sort by time mixes them.
            time = np.concatenate([self._times(grid), np.arange(sound)])
            pads = np.full(len(time), s.audio_token_id)
            pads[: s.video.tokens(grid)] = s.video_token_id
            yield _Item(film.where, pads[np.argsort(time, kind="stable")], grid)

    def _times(self, grid: Grid) -> np.ndarray:
        """Position in time of each token of a grid."""
        step = int(self.settings.video.temporal_patch_size / FPS * POSITIONS_A_SECOND)
        return np.arange(grid[0]).repeat(self.settings.video.tokens((1, *grid[1:]))) * step

    def _spread(self, item: _Item) -> tuple[np.ndarray, int]:
        """Positions ``[3, N]`` of an item's pads from 0, and the position after them.

        Sound counts up; pixels spread over time, rows and columns. The text after them goes on
        past the largest position of the last pads of one kind, which in a clip with sound need not
        be the largest of all.
        """
        is_sound = item.pads == self.settings.audio_token_id
        positions = np.zeros((3, len(item.pads)), dtype=np.int64)
        positions[:, is_sound] = np.arange(is_sound.sum())
        if item.grid is not None:
            merge = self.settings.image.merge_size
            steps, height, width = item.grid
            _, rows, columns = np.indices((steps, height // merge, width // merge)).reshape(3, -1)
            positions[:, ~is_sound] = np.stack([self._times(item.grid), rows, columns])
        last_run = np.flatnonzero(is_sound != is_sound[-1]).max(initial=-1) + 1
        return positions, int(positions[:, last_run:].max()) + 1


def _count(first: int, count: int) -> np.ndarray:
    """Positions of text: all three axes count up."""
    return np.tile(np.arange(first, first + count), (3, 1))


def _too_short(sound: Sound) -> RequestError:
    return RequestError(
        f"{sound.where} has {len(sound.samples)} samples, too short to hear: the longest sound of "
        f"a request needs at least {MIN_SAMPLES}",
        sound.where,
    )
