"""A checkpoint in memory: prompts to logits, one, or many side by side."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence

import mlx.core as mx
import numpy as np

from .backbone import Backbone
from .checkpoint import LM_HEAD, Checkpoint
from .encoding import EncodedRequest
from .errors import CheckpointError, ClefError, RequestError
from .head import HeadInputs, JointHead
from .kept import KeptState, default_cache_bytes
from .many import plan_batches
from .memory import check_room
from .prefill import Prefill, Progress, ReadPrompt
from .steady import steady

DTYPES = {"float32": mx.float32, "float16": mx.float16, "bfloat16": mx.bfloat16}
# Freed buffers that MLX keeps for the next block: a part of the weights, within limits. On a CPU
# more of them save no time (measured).
SMALLEST_BUFFERS, LARGEST_BUFFERS = 32 << 20, 256 << 20
Logits = dict[str, dict[str, float]]  # question id to option id


def resolve_dtype(dtype: str | None) -> mx.Dtype:
    """The named dtype, or the device's best. Raises ``CheckpointError`` for another name."""
    if dtype is None:
        return mx.bfloat16 if mx.default_device() == mx.gpu else mx.float32
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise CheckpointError(f"dtype must be one of {', '.join(DTYPES)}, not {dtype!r}")
    return DTYPES[dtype]


class Engine:
    """Backbone and head with their weights. Threads take turns, a request (or batch) each."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        dtype: str | None,
        expand: bool | None,
        image_cache_bytes: int,
        state_cache_bytes: int | None,
    ) -> None:
        self.checkpoint = checkpoint
        self.dtype = resolve_dtype(dtype)
        if expand is None:
            expand = mx.default_device() == mx.cpu
        self._lm_head, before = checkpoint.table(LM_HEAD), mx.get_active_memory()
        self._backbone = Backbone(checkpoint.config.text)
        self._head = JointHead(checkpoint.config.head)
        checkpoint.fill(self._backbone, "backbone", self.dtype, expand)
        self._backbone.merge()
        checkpoint.fill(self._head, "head", self.dtype, expand)
        weights = mx.get_active_memory() - before
        share = weights // 20 if mx.default_device() == mx.gpu else 0
        mx.set_cache_limit(max(SMALLEST_BUFFERS, min(LARGEST_BUFFERS, share)))
        if state_cache_bytes is None:
            state_cache_bytes = default_cache_bytes(weights)
        self._prefill = Prefill(
            checkpoint,
            self._backbone,
            self._head,
            self.dtype,
            image_cache_bytes,
            state_cache_bytes,
        )
        self._lock = threading.Lock()

    @steady
    def _read_state(self, encoded: EncodedRequest, progress: Progress | None) -> KeptState:
        """The prompt up to the end of its state, kept before or read now."""
        with self._lock:
            self._check_room([encoded])
            return self._prefill.keep(encoded, encoded.schema_start, progress)

    @steady
    def _logits(
        self,
        encoded: EncodedRequest,
        progress: Progress | None = None,
        held: KeptState | None = None,
    ) -> tuple[Logits, int]:
        """The logits, and how many tokens were not read anew."""
        with self._lock:
            self._check_room([encoded])
            prompt = self._prefill.read(encoded, progress, held)
            return self._scored(encoded, prompt), prompt.cached_tokens

    def _logits_of_many(
        self, prompts: Mapping[int, EncodedRequest], tokens: int
    ) -> Iterator[tuple[int, tuple[Logits, int] | ClefError]]:
        """``_logits`` of each prompt of text, or its error, by its key; batch by batch."""
        kept: KeptState | None = None  # batches on one state follow each other
        for batch in plan_batches(prompts, tokens):
            members = [prompts[key] for key in batch.members]
            try:
                found, kept = self._logits_together(members, batch.shared, kept)
                yield from zip(batch.members, found, strict=True)
            except ClefError as error:
                yield from ((key, error) for key in batch.members)

    @steady
    def _logits_together(
        self, prompts: Sequence[EncodedRequest], shared: int, held: KeptState | None
    ) -> tuple[list[tuple[Logits, int]], KeptState | None]:
        """Of each prompt, and the state that they share."""
        if len(prompts) == 1 and shared == prompts[0].prefix_tokens:
            return [self._logits(prompts[0], held=held)], held
        with self._lock:
            self._check_room(prompts)
            kept = self._prefill.keep(prompts[0], shared, held=held)
            read = self._prefill.read_together(prompts, kept, shared)
            return [(self._scored(*pair), shared) for pair in zip(prompts, read, strict=True)], kept

    def _scored(self, encoded: EncodedRequest, prompt: ReadPrompt) -> Logits:
        inputs = HeadInputs.build(encoded)
        rows = self._lm_head.read(inputs.token_ids)
        values = iter(np.array(self._head(prompt.memory, prompt.tail, inputs, rows)).tolist())
        return {q.id: {id: next(values) for id in q.option_ids} for q in encoded.questions}

    def _check_room(self, prompts: Sequence[EncodedRequest]) -> None:
        """Make room by letting kept states go, if need be.

        Raises ``RequestError`` where the device has none.
        """
        tokens = len(prompts) * max(len(encoded.input_ids) for encoded in prompts)
        config, item = self.checkpoint.config, self.dtype.size
        try:
            check_room(config, tokens, item)
        except RequestError:
            self._prefill.cache.clear()
            mx.clear_cache()
            check_room(config, tokens, item)
