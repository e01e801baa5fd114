"""The media part of the prompt: its tokens, and which of them stand for patches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..encoding import MediaPrompt
from ..errors import RequestError
from ..request import Request
from .images import Picture, open_picture
from .patches import EncodedMedia
from .positions import rope_positions
from .settings import MediaSettings
from .videos import Clip, open_clip


@dataclass(frozen=True)
class OpenMedia:
    """A request's pictures and clips, headers read and nothing decoded."""

    pictures: tuple[Picture, ...]
    clips: tuple[Clip, ...]
    settings: MediaSettings

    @classmethod
    def of(cls, request: Request, settings: MediaSettings, exif: bool) -> OpenMedia:
        """Raises ``RequestError`` naming the first item that is no picture or clip."""
        return cls(
            tuple(
                open_picture(item, f"images[{i}]", exif) for i, item in enumerate(request.images)
            ),
            tuple(open_clip(item, f"videos[{i}]") for i, item in enumerate(request.videos)),
            settings,
        )

    def check_each_fits(self, max_length: int) -> None:
        """Raise ``RequestError`` for an item whose tokens alone exceed ``max_length``."""
        pictures = [(p.where, p.tokens(self.settings.image)) for p in self.pictures]
        clips = [(c.where, c.tokens(self.settings.video)) for c in self.clips]
        for where, tokens in pictures + clips:
            if tokens > max_length:
                raise RequestError(
                    f"{where} takes {tokens} tokens alone, and the limit is {max_length}", where
                )

    def prompt(self, tokenize: Callable[[str], list[int]]) -> MediaPrompt:
        """Pictures, then clips, then one newline.

        A clip's pad token becomes, for each temporal patch, its time in words and a wrapped run of
        pads; the clip's own wrapping stays around all of it.
        Reference: transformers 5.10.2, ``Qwen3VLProcessor``.
        """
        s = self.settings
        start, end = s.vision_start_token_id, s.vision_end_token_id
        ids: list[int] = []
        grids = []
        for picture in self.pictures:
            height, width = picture.size(s.image)
            grids.append((1, height // s.image.patch_size, width // s.image.patch_size))
            ids += [start, *[s.image_token_id] * picture.tokens(s.image), end]
        for clip in self.clips:
            height, width = clip.size(s.video)
            grid = (1, height // s.video.patch_size, width // s.video.patch_size)
            ids.append(start)
            for seconds in clip.seconds(s.video):
                grids.append(grid)
                pads = [s.video_token_id] * s.video.tokens(grid)
                ids += [*tokenize(f"<{seconds:.1f} seconds>"), start, *pads, end]
            ids.append(end)
        ids += tokenize("\n")
        return MediaPrompt(ids, tuple(grids), frozenset((s.image_token_id, s.video_token_id)))

    def positions(self, prompt: MediaPrompt, is_media: np.ndarray) -> np.ndarray:
        """Of every token of a whole prompt with ``prompt`` in it: ``[3, L]``."""
        return rope_positions(is_media, prompt.grids, self.settings.image.merge_size)

    def decode(self) -> EncodedMedia:
        """Read all pixels, one item after another."""
        return EncodedMedia(
            [picture.patches(self.settings.image) for picture in self.pictures],
            [clip.patches(self.settings.video) for clip in self.clips],
        )
