"""``load`` and ``Clef``: a folder to a model, a request to answers."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

from .answers import Response, build_answers, check_confidence
from .backbone import Backbone, BackboneState, Deepstack
from .certificate import Certificate
from .checkpoint import EMBEDDINGS, LM_HEAD, Checkpoint, open_checkpoint
from .encoding import EncodedRequest, Encoder
from .errors import CheckpointError, RequestError
from .head import HeadInputs, JointHead
from .layers.rope import Rotary
from .media.omni import OpenOmniMedia
from .media.prompt import OpenMedia
from .media.settings import MediaSettings, OmniSettings, read_omni_settings, read_settings
from .memory import BLOCK
from .request import MEDIA, Request, parse_request
from .towers.features import CACHE_BYTES, MediaFeatures

DTYPES = {"float32": mx.float32, "float16": mx.float16, "bfloat16": mx.bfloat16}


def load(
    path_or_id: str | Path,
    dtype: str | None = None,
    *,
    expand: bool | None = None,
    image_cache_bytes: int = CACHE_BYTES,
) -> Clef:
    """Load a Clef model from a folder or from the Hub (``owner/name``, ``owner/name@revision``).

    ``dtype`` is ``"float32"``, ``"float16"`` or ``"bfloat16"``; ``None`` takes the best for the
    device: bfloat16 on Metal, float32 on a CPU. ``expand`` unpacks quantized weights at load (the
    same values in more memory); ``None`` does so on a CPU, where packed products are slow. All
    weights are in memory and evaluated when this returns, so that any thread may decide; only the
    towers wait for the first picture or sound. The tokens of the latest pictures are kept, up to
    ``image_cache_bytes`` (0: none).
    Raises ``CheckpointError`` for a folder or id that is not a whole Clef model.
    """
    from .hub import resolve

    folder, name = resolve(path_or_id)
    return Clef(open_checkpoint(folder, name), dtype, expand, image_cache_bytes)


def resolve_dtype(dtype: str | None) -> mx.Dtype:
    """The named dtype, or the device's best. Raises ``CheckpointError`` for another name."""
    if dtype is None:
        return mx.bfloat16 if mx.default_device() == mx.gpu else mx.float32
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise CheckpointError(f"dtype must be one of {', '.join(DTYPES)}, not {dtype!r}")
    return DTYPES[dtype]


class Clef:
    """A loaded model. Safe to call from several threads; decisions run one after another."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        dtype: str | None = None,
        expand: bool | None = None,
        image_cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self.checkpoint = checkpoint
        self._drift = 0.0 if checkpoint.certificate is None else checkpoint.certificate.drift
        self.dtype = resolve_dtype(dtype)
        if expand is None:
            expand = mx.default_device() == mx.cpu
        self._encoder = Encoder.from_file(
            checkpoint.folder / "tokenizer.json", checkpoint.layout.word_rule
        )
        self._embeddings = checkpoint.table(EMBEDDINGS)
        self._lm_head = checkpoint.table(LM_HEAD)
        self._backbone = Backbone(checkpoint.config.text)
        self._head = JointHead(checkpoint.config.head)
        checkpoint.fill(self._backbone, "backbone", self.dtype, expand)
        self._backbone.merge()
        checkpoint.fill(self._head, "head", self.dtype, expand)
        self._settings: MediaSettings | OmniSettings | None = None
        self._features = MediaFeatures(checkpoint, self.dtype, image_cache_bytes)
        self._lock = threading.Lock()

    @property
    def certificate(self) -> Certificate | None:
        """What converting this model was measured to change; ``None`` where nobody measured."""
        return self.checkpoint.certificate

    def __repr__(self) -> str:
        return f"<Clef {self.checkpoint.name}, {self.dtype}, from {self.checkpoint.folder}>"

    def decide(
        self,
        state: Any,
        questions: Mapping[str, Any],
        *,
        images: Sequence[Any] | None = None,
        videos: Sequence[Any] | None = None,
        audio: Sequence[Any] | None = None,
        confidence: str = "reference",
        max_length: int | None = None,
        truncate: bool = False,
        exif: bool = False,
    ) -> Response:
        """Answer ``questions`` on ``state`` and media in one pass.

        ``questions`` maps ids to ``Noul``, ``Choice``, ``Score`` or their dicts; ``state`` is text
        or any JSON value. ``images`` takes paths, bytes, PIL images and arrays ``[H, W, 3]``;
        ``videos`` takes paths, bytes, ``Video`` and arrays ``[T, H, W, 3]``; ``audio``, which
        clef-omni hears, paths, bytes and arrays of mono samples at 16 kHz. ``exif`` turns
        pictures as their camera noted, which the reference does not. ``confidence`` is
        ``"reference"`` (the largest probability), ``"typesafe"`` or ``"entropy"``. A prompt over
        ``max_length`` tokens (16,384; clef-omni 64,000) is refused unless ``truncate`` allows the
        state to be cut.
        Raises ``RequestError`` for a request that cannot be answered.
        """
        media = {"images": images, "videos": videos, "audio": audio}
        body = {"state": state, "questions": questions, **media}
        return self.respond(body, max_length, truncate, confidence, exif)

    def systemone(
        self,
        body: Mapping[str, Any],
        max_length: int | None = None,
        truncate: bool = False,
        confidence: str = "reference",
        exif: bool = False,
        near_ties: bool = False,
    ) -> dict[str, Any]:
        """Answer a System One body with a System One body; a missing ``model`` is filled in.

        With ``near_ties`` every answer says whether it is one, which the contract does not know.
        """
        return self.respond(body, max_length, truncate, confidence, exif).to_dict(near_ties)

    def respond(
        self,
        request: Request | Mapping[str, Any],
        max_length: int | None = None,
        truncate: bool = False,
        confidence: str = "reference",
        exif: bool = False,
    ) -> Response:
        """Answer a request given as one object: a System One body or a checked ``Request``."""
        check_confidence(confidence)
        request = parse_request(request)
        encoded = self._encode(request, max_length, truncate, exif)
        warnings = list(request.warnings)
        if encoded.truncated_tokens:
            warnings.append(
                f"the state was cut: its last {encoded.truncated_tokens} of "
                f"{encoded.truncated_tokens + encoded.state_tokens} tokens were not read"
            )
        return Response(
            model=self.checkpoint.name if request.model is None else request.model,
            answers=build_answers(request, self._logits(encoded), confidence, self._drift),
            usage={"input_tokens": len(encoded.input_ids), "output_tokens": 0},
            warnings=tuple(warnings),
            truncated_tokens=encoded.truncated_tokens,
        )

    def encode(
        self,
        request: Request | Mapping[str, Any],
        max_length: int | None = None,
        truncate: bool = False,
        exif: bool = False,
    ) -> EncodedRequest:
        """Token ids and spans of a request, without running the model."""
        return self._encode(parse_request(request), max_length, truncate, exif)

    def logits(
        self,
        request: Request | Mapping[str, Any],
        max_length: int | None = None,
        truncate: bool = False,
        exif: bool = False,
    ) -> dict[str, dict[str, float]]:
        """The logit of every allowed option: question id to option id to float."""
        return self._logits(self.encode(request, max_length, truncate, exif))

    def media_tokens(
        self,
        *,
        images: Sequence[Any] = (),
        videos: Sequence[Any] = (),
        audio: Sequence[Any] = (),
        exif: bool = False,
    ) -> int:
        """Tokens that pictures, clips and sounds take in a prompt, told without decoding a picture.

        Files of clips are read once, to count their frames; sounds are decoded.
        """
        request = Request("", (), None, tuple(images), tuple(videos), tuple(audio))
        return len(self._open_media(request, exif).prompt(self._encoder.tokenize).ids)

    def _encode(
        self, request: Request, max_length: int | None, truncate: bool, exif: bool
    ) -> EncodedRequest:
        length = self._max_length(max_length)
        if not any(getattr(request, kind) for kind in MEDIA):
            return self._encoder.encode(request, length, truncate)
        opened = self._open_media(request, exif)
        opened.check_each_fits(length)
        prompt = opened.prompt(self._encoder.tokenize)
        encoded = self._encoder.encode(request, length, truncate, prompt)
        is_media = np.isin(encoded.input_ids, list(prompt.pads))
        positions = opened.positions(prompt, is_media)
        return replace(encoded, positions=positions, media=opened.decode(), is_media=is_media)

    def _open_media(self, request: Request, exif: bool) -> OpenMedia | OpenOmniMedia:
        """Raises ``RequestError`` for what the release does not take."""
        kinds = [kind for kind in MEDIA if getattr(request, kind)] or ["images"]
        settings = [self._media_settings(kind) for kind in kinds][-1]
        if isinstance(settings, OmniSettings):
            return OpenOmniMedia.of(request, settings, exif)
        return OpenMedia.of(request, settings, exif)

    def _media_settings(self, kind: str) -> MediaSettings | OmniSettings:
        """How the release wants media; raises ``RequestError`` if it takes no ``kind``."""
        checkpoint = self.checkpoint
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

    def _max_length(self, max_length: int | None) -> int:
        limit = self.checkpoint.config.text.max_position_embeddings
        if max_length is None:
            return self.checkpoint.config.default_max_length
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

    def _logits(self, encoded: EncodedRequest) -> dict[str, dict[str, float]]:
        inputs = HeadInputs.build(encoded)
        with self._lock:
            hidden = self._hidden(encoded)
            logits = self._head(hidden, inputs, self._lm_head.read(inputs.token_ids))
            values = iter(np.array(logits).tolist())
        return {q.id: {id: next(values) for id in q.option_ids} for q in encoded.questions}

    def _hidden(self, encoded: EncodedRequest) -> mx.array:
        """Hidden states ``[L, D]`` of a whole prompt, evaluated block by block."""
        state: BackboneState | None = None
        blocks, rotary, deepstack = [], None, None
        ids, is_media = np.array(encoded.input_ids), encoded.is_media
        features = None if is_media is None else self._features(encoded.media)
        for first in range(0, len(ids), BLOCK):
            block = slice(first, first + BLOCK)
            rows = self._embeddings.read(ids[block]).astype(self.dtype)
            if features is not None:
                before, here = is_media[:first].sum(), np.flatnonzero(is_media[block])
                width, seen = rows.shape[-1], features[before : before + len(here)]
                rows[mx.array(here)] = seen[:, :width]
                deepstack = Deepstack(mx.array(here), seen[:, width:]) if len(here) else None
                rotary = Rotary.at(encoded.positions[:, block], self.checkpoint.config.text)
            hidden, state = self._backbone(rows[None], state, rotary, deepstack)
            mx.eval(hidden, [list(vars(kept).values()) for kept in state if kept is not None])
            blocks.append(hidden[0])
        return mx.concatenate(blocks) if len(blocks) > 1 else blocks[0]
