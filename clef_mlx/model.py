"""``load`` and ``Clef``: a folder to a model, a request to answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from .answers import Response, build_answers, check_confidence
from .certificate import Certificate
from .checkpoint import Checkpoint, open_checkpoint
from .encoding import EncodedRequest
from .engine import Engine, Logits
from .errors import ClefError
from .held import HeldState
from .kept import STATE_CACHE_BYTES, KeptState
from .many import BATCH_TOKENS, WINDOW
from .prefill import Progress
from .reading import Reader, ReadMedia
from .request import MEDIA, Request, parse_request
from .towers.features import CACHE_BYTES


def load(
    path_or_id: str | Path,
    dtype: str | None = None,
    *,
    expand: bool | None = None,
    image_cache_bytes: int = CACHE_BYTES,
    state_cache_bytes: int = STATE_CACHE_BYTES,
) -> Clef:
    """Load a Clef model from a folder or from the Hub (``owner/name``, ``owner/name@revision``).

    ``dtype`` is ``"float32"``, ``"float16"`` or ``"bfloat16"``; ``None`` takes the best for the
    device: bfloat16 on Metal, float32 on a CPU. ``expand`` unpacks quantized weights at load (the
    same values in more memory); ``None`` does so on a CPU, where packed products are slow. All
    weights are in memory and evaluated when this returns, so that any thread may decide; only the
    towers wait for the first picture or sound. The tokens of the latest pictures are kept, up to
    ``image_cache_bytes``, and what the model has read of the latest states, up to
    ``state_cache_bytes`` (0: none).
    Raises ``CheckpointError`` for a folder or id that is not a whole Clef model.
    """
    from .hub import resolve

    folder, name = resolve(path_or_id)
    checkpoint = open_checkpoint(folder, name)
    return Clef(checkpoint, dtype, expand, image_cache_bytes, state_cache_bytes)


@dataclass(frozen=True)
class _Wish:
    """How a caller wants requests read and answered."""

    confidence: str = "reference"
    max_length: int | None = None
    truncate: bool = False
    exif: bool = False


class Clef(Engine):
    """A loaded model. Safe to call from several threads; decisions run one after another."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        dtype: str | None = None,
        expand: bool | None = None,
        image_cache_bytes: int = CACHE_BYTES,
        state_cache_bytes: int = STATE_CACHE_BYTES,
    ) -> None:
        super().__init__(checkpoint, dtype, expand, image_cache_bytes, state_cache_bytes)
        self._drift = 0.0 if checkpoint.certificate is None else checkpoint.certificate.drift
        self._reader = Reader(checkpoint)

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
        progress: Progress | None = None,
    ) -> Response:
        """Answer ``questions`` on ``state`` and media in one pass.

        ``questions`` maps ids to ``Noul``, ``Choice``, ``Score`` or their dicts; ``state`` is text
        or any JSON value. ``images`` takes paths, bytes, PIL images and arrays ``[H, W, 3]``;
        ``videos`` takes paths, bytes, ``Video`` and arrays ``[T, H, W, 3]``; ``audio``, which
        clef-omni hears, paths, bytes and arrays of mono samples at 16 kHz. ``exif`` turns
        pictures as their camera noted, which the reference does not. ``confidence`` is
        ``"reference"`` (the largest probability), ``"typesafe"`` or ``"entropy"``. A prompt over
        ``max_length`` tokens (16,384; clef-omni 64,000) is refused unless ``truncate`` allows the
        state to be cut. ``progress(tokens_done, tokens_total)`` is called after each block of
        tokens; what it raises stops the work and comes out of here.
        Raises ``RequestError`` for a request that cannot be answered.
        """
        media = {"images": images, "videos": videos, "audio": audio}
        body = {"state": state, "questions": questions, **media}
        return self.respond(body, max_length, truncate, confidence, exif, progress)

    def state(
        self,
        state: Any,
        *,
        images: Sequence[Any] | None = None,
        videos: Sequence[Any] | None = None,
        audio: Sequence[Any] | None = None,
        max_length: int | None = None,
        exif: bool = False,
        progress: Progress | None = None,
    ) -> HeldState:
        """Read a state now, to ask about it later: ``with clef.state(text) as s: s.decide(...)``.

        Each ``decide`` then costs the tokens of its schema alone, whatever the cache of states
        holds, and answers as ``Clef.decide`` does, to the byte. Arguments and errors as there.
        """
        media = {"images": images, "videos": videos, "audio": audio}
        anything = {"q": {"type": "noul", "instructions": "?"}}
        request = parse_request({"state": state, "questions": anything, **media})
        limit = self._reader.max_length(max_length)
        read = self._reader.read_media(request, limit, exif)
        encoded = self._reader.encode(replace(request, questions=()), limit, False, exif, read)
        kept = self._read_state(encoded, progress)

        def answer(
            questions: Mapping[str, Any],
            confidence: str,
            max_length: int | None,
            truncate: bool,
            progress: Progress | None,
        ) -> Response:
            body = {"state": state, "questions": questions, **media}
            wish = _Wish(confidence, max_length, truncate, exif)
            return self._respond(parse_request(body), wish, progress, read, kept)

        return HeldState(answer, encoded.schema_start, kept.nbytes)

    def systemone(
        self,
        body: Mapping[str, Any],
        max_length: int | None = None,
        truncate: bool = False,
        confidence: str = "reference",
        exif: bool = False,
        near_ties: bool = False,
        cached_tokens: bool = False,
    ) -> dict[str, Any]:
        """Answer a System One body with a System One body; a missing ``model`` is filled in.

        With ``near_ties`` every answer says whether it is one, and with ``cached_tokens`` the
        usage how many tokens were not read anew: the contract knows neither.
        """
        response = self.respond(body, max_length, truncate, confidence, exif)
        return response.to_dict(near_ties, cached_tokens)

    def respond(
        self,
        request: Request | Mapping[str, Any],
        max_length: int | None = None,
        truncate: bool = False,
        confidence: str = "reference",
        exif: bool = False,
        progress: Progress | None = None,
    ) -> Response:
        """Answer a request given as one object: a System One body or a checked ``Request``."""
        check_confidence(confidence)
        wish = _Wish(confidence, max_length, truncate, exif)
        return self._respond(parse_request(request), wish, progress)

    def decide_many(
        self,
        requests: Iterable[Request | Mapping[str, Any]],
        *,
        confidence: str = "reference",
        max_length: int | None = None,
        truncate: bool = False,
        exif: bool = False,
        batch_tokens: int = BATCH_TOKENS,
        progress: Progress | None = None,
    ) -> list[Response | ClefError]:
        """Answer many requests; the answers stand in the order of the requests.

        Prompts of like length run side by side, at most ``batch_tokens`` tokens at once; those on
        one state read it once. A neighbour changes an answer by rounding alone. A request that
        cannot be answered has its error in the list (``RequestError``, as ``decide`` would raise)
        and the rest go on. ``progress(tokens_done, tokens_total)`` is called as they are answered;
        it counts the prompts of text, and those with media come last.
        """
        wish = _Wish(confidence, max_length, truncate, exif)
        check_confidence(confidence)
        return self._answer_all(list(requests), wish, batch_tokens, progress)

    def decide_each(
        self,
        requests: Iterable[Request | Mapping[str, Any]],
        *,
        confidence: str = "reference",
        max_length: int | None = None,
        truncate: bool = False,
        exif: bool = False,
        batch_tokens: int = BATCH_TOKENS,
        window: int = WINDOW,
    ) -> Iterator[Response | ClefError]:
        """``decide_many`` for a stream: ``window`` requests at a time, answers in their order."""
        check_confidence(confidence)
        wish, source = _Wish(confidence, max_length, truncate, exif), iter(requests)
        while batch := list(islice(source, window)):
            yield from self._answer_all(batch, wish, batch_tokens, None)

    def encode(
        self,
        request: Request | Mapping[str, Any],
        max_length: int | None = None,
        truncate: bool = False,
        exif: bool = False,
    ) -> EncodedRequest:
        """Token ids and spans of a request, without running the model."""
        return self._reader.encode(parse_request(request), max_length, truncate, exif)

    def logits(
        self,
        request: Request | Mapping[str, Any],
        max_length: int | None = None,
        truncate: bool = False,
        exif: bool = False,
    ) -> Logits:
        """The logit of every allowed option: question id to option id to float."""
        return self._logits(self.encode(request, max_length, truncate, exif))[0]

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
        return self._reader.media_tokens(request, exif)

    def _encode(
        self, request: Request, wish: _Wish, media: ReadMedia | None = None
    ) -> EncodedRequest:
        return self._reader.encode(request, wish.max_length, wish.truncate, wish.exif, media)

    def _respond(
        self,
        request: Request,
        wish: _Wish,
        progress: Progress | None = None,
        media: ReadMedia | None = None,
        held: KeptState | None = None,
    ) -> Response:
        encoded = self._encode(request, wish, media)
        logits, cached = self._logits(encoded, progress, held)
        return self._response(request, encoded, wish, logits, cached)

    def _response(
        self, request: Request, encoded: EncodedRequest, wish: _Wish, logits: Logits, cached: int
    ) -> Response:
        warnings = list(request.warnings)
        if encoded.truncated_tokens:
            warnings.append(
                f"the state was cut: its last {encoded.truncated_tokens} of "
                f"{encoded.truncated_tokens + encoded.state_tokens} tokens were not read"
            )
        tokens = len(encoded.input_ids)
        return Response(
            model=self.checkpoint.name if request.model is None else request.model,
            answers=build_answers(request, logits, wish.confidence, self._drift),
            usage={"input_tokens": tokens, "output_tokens": 0, "cached_tokens": cached},
            warnings=tuple(warnings),
            truncated_tokens=encoded.truncated_tokens,
        )

    def _answer_all(
        self,
        requests: Sequence[Request | Mapping[str, Any]],
        wish: _Wish,
        batch_tokens: int,
        progress: Progress | None = None,
    ) -> list[Response | ClefError]:
        """Prompts of text side by side; those with media one by one, decoded when they come."""
        answers: dict[int, Response | ClefError] = {}
        parsed: dict[int, Request] = {}
        prompts: dict[int, EncodedRequest] = {}
        for key, request in enumerate(requests):
            try:
                parsed[key] = parse_request(request)
                if not any(getattr(parsed[key], kind) for kind in MEDIA):
                    prompts[key] = self._encode(parsed[key], wish)
            except ClefError as error:
                answers[key] = error
        done, total = 0, sum(len(encoded.input_ids) for encoded in prompts.values())
        for key, outcome in self._logits_of_many(prompts, batch_tokens):
            try:
                if isinstance(outcome, ClefError):
                    raise outcome
                answers[key] = self._response(parsed[key], prompts[key], wish, *outcome)
            except ClefError as error:
                answers[key] = error
            done += len(prompts[key].input_ids)
            if progress is not None:
                progress(done, total)
        for key in sorted(parsed.keys() - answers.keys()):
            try:
                answers[key] = self._respond(parsed[key], wish)
            except ClefError as error:
                answers[key] = error
        return [answers[key] for key in range(len(requests))]
