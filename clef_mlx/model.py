"""``load`` and ``Clef``: a folder to a model, a request to answers."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from .answers import Response, build_answers, check_confidence
from .backbone import Backbone, BackboneState
from .checkpoint import EMBEDDINGS, LM_HEAD, Checkpoint, open_checkpoint
from .config import DEFAULT_MAX_LENGTH
from .encoding import EncodedRequest, Encoder
from .errors import CheckpointError, RequestError
from .head import HeadInputs, JointHead
from .memory import BLOCK
from .request import MEDIA, Request, parse_request
from .weights import Part

DTYPES = {"float32": mx.float32, "float16": mx.float16, "bfloat16": mx.bfloat16}


def load(path_or_id: str | Path, dtype: str | None = None, *, expand: bool | None = None) -> Clef:
    """Load a Clef model from a folder or from the Hub (``owner/name``, ``owner/name@revision``).

    ``dtype`` is ``"float32"``, ``"float16"`` or ``"bfloat16"``; ``None`` takes the best for the
    device: bfloat16 on Metal, float32 on a CPU. ``expand`` unpacks quantized weights at load (the
    same values in more memory); ``None`` does so on a CPU, where packed products are slow. All
    weights are in memory and evaluated when this returns, so that any thread may decide.
    Raises ``CheckpointError`` for a folder or id that is not a whole Clef model.
    """
    from .hub import resolve

    folder, name = resolve(path_or_id)
    return Clef(open_checkpoint(folder, name), dtype, expand)


def resolve_dtype(dtype: str | None) -> mx.Dtype:
    """The named dtype, or the device's best. Raises ``CheckpointError`` for another name."""
    if dtype is None:
        return mx.bfloat16 if mx.default_device() == mx.gpu else mx.float32
    if dtype not in DTYPES:
        raise CheckpointError(f"dtype must be one of {', '.join(DTYPES)}, not {dtype!r}")
    return DTYPES[dtype]


class Clef:
    """A loaded model. Safe to call from several threads; decisions run one after another."""

    def __init__(
        self, checkpoint: Checkpoint, dtype: str | None = None, expand: bool | None = None
    ) -> None:
        self.checkpoint = checkpoint
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
        self._fill("backbone", self._backbone, expand)
        self._fill("head", self._head, expand)
        self._lock = threading.Lock()

    def _fill(self, part: Part, module: nn.Module, expand: bool) -> None:
        """Load ``part``'s parameters into ``module``, every one and no other."""
        if not expand:
            layers = dict(module.named_modules())
            for name, packing in self.checkpoint.packings(part).items():
                layers[name.removeprefix(f"{part}.").removesuffix(".weight")].pack(packing)
        parameters = self.checkpoint.parameters(part, self.dtype, expand)
        module.load_weights([(k.removeprefix(f"{part}."), v) for k, v in parameters.items()])

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
    ) -> Response:
        """Answer ``questions`` on ``state`` in one pass.

        ``questions`` maps ids to ``Noul``, ``Choice``, ``Score`` or their dicts; ``state`` is text
        or any JSON value. ``confidence`` is ``"reference"`` (the largest
        probability), ``"typesafe"`` or ``"entropy"``. A prompt over ``max_length`` tokens (16,384)
        is refused unless ``truncate`` allows the state to be cut.
        Raises ``RequestError`` for a request that cannot be answered.
        """
        media = {"images": images, "videos": videos, "audio": audio}
        body = {"state": state, "questions": questions, **media}
        return self.respond(body, max_length=max_length, truncate=truncate, confidence=confidence)

    def systemone(
        self,
        body: Mapping[str, Any],
        max_length: int | None = None,
        truncate: bool = False,
        confidence: str = "reference",
    ) -> dict[str, Any]:
        """Answer a System One body with a System One body; a missing ``model`` is filled in."""
        return self.respond(
            body, max_length=max_length, truncate=truncate, confidence=confidence
        ).to_dict()

    def respond(
        self,
        request: Request | Mapping[str, Any],
        *,
        max_length: int | None = None,
        truncate: bool = False,
        confidence: str = "reference",
    ) -> Response:
        """Answer a request given as one object: a System One body or a checked ``Request``."""
        check_confidence(confidence)
        request = parse_request(request)
        encoded = self._encode(request, max_length, truncate)
        warnings = list(request.warnings)
        if encoded.truncated_tokens:
            warnings.append(
                f"the state was cut: its last {encoded.truncated_tokens} of "
                f"{encoded.truncated_tokens + encoded.state_tokens} tokens were not read"
            )
        return Response(
            model=self.checkpoint.name if request.model is None else request.model,
            answers=build_answers(request, self._logits(encoded), confidence),
            usage={"input_tokens": len(encoded.input_ids), "output_tokens": 0},
            warnings=tuple(warnings),
            truncated_tokens=encoded.truncated_tokens,
        )

    def encode(
        self,
        request: Request | Mapping[str, Any],
        max_length: int | None = None,
        truncate: bool = False,
    ) -> EncodedRequest:
        """Token ids and spans of a request, without running the model."""
        return self._encode(parse_request(request), max_length, truncate)

    def logits(
        self,
        request: Request | Mapping[str, Any],
        max_length: int | None = None,
        truncate: bool = False,
    ) -> dict[str, dict[str, float]]:
        """The logit of every allowed option: question id to option id to float."""
        return self._logits(self.encode(request, max_length, truncate))

    def _encode(self, request: Request, max_length: int | None, truncate: bool) -> EncodedRequest:
        for kind in MEDIA:
            if getattr(request, kind):
                raise RequestError(f"{kind}: {self.checkpoint.name} reads text and JSON only", kind)
        limit = self.checkpoint.config.text.max_position_embeddings
        if max_length is None:
            max_length = min(DEFAULT_MAX_LENGTH, limit)
        if isinstance(max_length, bool) or not isinstance(max_length, int):
            raise RequestError(
                f"max_length must be a whole number, not {max_length!r}", "max_length"
            )
        if not 1 <= max_length <= limit:
            raise RequestError(
                f"max_length must be 1 to {limit} (the checkpoint's positions), not {max_length}",
                "max_length",
            )
        return self._encoder.encode(request, max_length, truncate)

    def _logits(self, encoded: EncodedRequest) -> dict[str, dict[str, float]]:
        inputs = HeadInputs.build(encoded)
        with self._lock:
            hidden = self._hidden(np.array(encoded.input_ids))
            logits = self._head(hidden, inputs, self._lm_head.read(inputs.token_ids))
            values = iter(np.array(logits).tolist())
        return {q.id: {id: next(values) for id in q.option_ids} for q in encoded.questions}

    def _hidden(self, input_ids: np.ndarray) -> mx.array:
        """Hidden states ``[L, D]`` of a whole prompt, evaluated block by block."""
        state: BackboneState | None = None
        blocks = []
        for first in range(0, len(input_ids), BLOCK):
            rows = self._embeddings.read(input_ids[first : first + BLOCK])
            hidden, state = self._backbone(rows.astype(self.dtype)[None], state)
            mx.eval(hidden, [list(vars(kept).values()) for kept in state if kept is not None])
            blocks.append(hidden[0])
        return mx.concatenate(blocks) if len(blocks) > 1 else blocks[0]
