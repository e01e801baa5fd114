"""Checked requests to prompts, with whatever media the release takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .checkpoint import Checkpoint
from .encoding import EncodedRequest, Encoder, MediaPrompt
from .errors import RequestError
from .media.omni import OpenOmniMedia
from .media.patches import EncodedMedia
from .media.prompt import OpenMedia
from .media.settings import MediaSettings, OmniSettings, read_omni_settings, read_settings
from .request import MEDIA, Request


@dataclass(frozen=True)
class ReadMedia:
    """A request's media, opened; decoded once, when it is known that the prompt fits."""

    opened: OpenMedia | OpenOmniMedia
    prompt: MediaPrompt

    @cached_property
    def decoded(self) -> EncodedMedia:
        return self.opened.decode()


class Reader:
    """Lays out prompts for one checkpoint; runs no model."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint
        self._encoder = Encoder.from_file(
            checkpoint.folder / "tokenizer.json", checkpoint.layout.word_rule
        )
        self._settings: MediaSettings | OmniSettings | None = None

    def encode(
        self,
        request: Request,
        max_length: int | None,
        truncate: bool,
        exif: bool,
        media: ReadMedia | None = None,
    ) -> EncodedRequest:
        """The whole prompt; ``media`` saves decoding the request's own again."""
        length = self.max_length(max_length)
        if media is None:
            media = self.read_media(request, length, exif)
        if media is None:
            return self._encoder.encode(request, length, truncate)
        encoded = self._encoder.encode(request, length, truncate, media.prompt)
        is_media = np.isin(encoded.input_ids, list(media.prompt.pads))
        positions = media.opened.positions(media.prompt, is_media)
        return replace(encoded, positions=positions, media=media.decoded, is_media=is_media)

    def read_media(self, request: Request, max_length: int, exif: bool) -> ReadMedia | None:
        """Raises ``RequestError`` naming an item that is too long alone or cannot be read."""
        if not any(getattr(request, kind) for kind in MEDIA):
            return None
        opened = self._open(request, exif)
        opened.check_each_fits(max_length)
        return ReadMedia(opened, opened.prompt(self._encoder.tokenize))

    def media_tokens(self, request: Request, exif: bool) -> int:
        """Tokens that the request's media take in a prompt; no picture is decoded."""
        return len(self._open(request, exif).prompt(self._encoder.tokenize).ids)

    def max_length(self, max_length: int | None) -> int:
        """A caller's limit, or the model's default. Raises ``RequestError`` for no such limit."""
        config = self._checkpoint.config
        limit = config.text.max_position_embeddings
        if max_length is None:
            return config.default_max_length
        if isinstance(max_length, bool) or not isinstance(max_length, int):
            raise RequestError(
                f"max_length must be a whole number, not {max_length!r}", "max_length"
            )
        if not 1 <= max_length <= limit:
            # Python refuses to write an integer of thousands of digits.
            given = max_length if abs(max_length) < 2**63 else "a number of more than 63 bits"
            raise RequestError(
                f"max_length must be 1 to {limit} (the checkpoint's positions), not {given}",
                "max_length",
            )
        return max_length

    def _open(self, request: Request, exif: bool) -> OpenMedia | OpenOmniMedia:
        """Raises ``RequestError`` for what the release does not take."""
        kinds = [kind for kind in MEDIA if getattr(request, kind)] or ["images"]
        settings = [self._media_settings(kind) for kind in kinds][-1]
        if isinstance(settings, OmniSettings):
            return OpenOmniMedia.of(request, settings, exif)
        return OpenMedia.of(request, settings, exif)

    def _media_settings(self, kind: str) -> MediaSettings | OmniSettings:
        """How the release wants media; raises ``RequestError`` if it takes no ``kind``."""
        checkpoint = self._checkpoint
        if kind == "audio" and checkpoint.config.audio is None:
            raise RequestError(f"audio: {checkpoint.name} hears nothing; clef-omni does", kind)
        if kind != "audio" and checkpoint.config.vision is None:
            raise RequestError(f"{kind}: {checkpoint.name} has no vision tower", kind)
        if self._settings is None and checkpoint.config.audio is not None:
            self._settings = read_omni_settings(checkpoint.folder, checkpoint.config)
        elif self._settings is None:
            self._settings = read_settings(
                checkpoint.folder, published_sizes=checkpoint.layout.word_rule is not None
            )
        return self._settings
