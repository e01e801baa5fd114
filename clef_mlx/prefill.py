"""Prompts through the backbone, block by block, to what the head reads of them.

Every run pauses at the same places: after the system prompt, at each multiple of ``BLOCK`` tokens
and at the end of the state. A run that resumes at one of them does the same sums as one from the
start, so their answers are equal to the byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import mlx.core as mx
import numpy as np

from .architecture import TextConfig
from .backbone import Backbone, BackboneState, Deepstack
from .checkpoint import EMBEDDINGS, Checkpoint
from .encoding import EncodedRequest
from .head import JointHead
from .kept import KeptState, StateCache, with_shared_keys
from .layers.rope import Rotary
from .memory import BLOCK
from .towers.features import MediaFeatures

Progress = Callable[[int, int], object]  # tokens done, tokens in all


@dataclass(frozen=True)
class ReadPrompt:
    """What the head reads: ``memory`` ``[L, W]`` and ``tail`` ``[T, D]``, see ``JointHead``."""

    memory: mx.array
    tail: mx.array
    cached_tokens: int


class Prefill:
    """Runs one checkpoint's backbone. Not for several threads at once."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        backbone: Backbone,
        head: JointHead,
        dtype: mx.Dtype,
        image_cache_bytes: int,
        state_cache_bytes: int,
    ) -> None:
        self._config: TextConfig = checkpoint.config.text
        self._backbone, self._head, self._dtype = backbone, head, dtype
        self._embeddings = checkpoint.table(EMBEDDINGS)
        self._features = MediaFeatures(checkpoint, dtype, image_cache_bytes)
        self.cache = StateCache(state_cache_bytes)

    def read(
        self,
        encoded: EncodedRequest,
        progress: Progress | None = None,
        held: KeptState | None = None,
    ) -> ReadPrompt:
        """Run a whole prompt from the longest state kept, or ``held``, and keep its state.

        ``progress`` is called after each block; what it raises ends the work, and nothing of the
        unfinished run is kept.
        """
        cuts = _cuts(encoded)
        kept, done = self.cache.find(encoded, cuts, held)
        run = _Run(self, encoded, kept, done, progress)
        run.until(encoded.schema_start, cuts)
        if done < encoded.schema_start:
            self.cache.add(run.keep())
        tail = run.until(len(encoded.input_ids), cuts)
        return ReadPrompt(mx.concatenate(run.memory), mx.concatenate(tail), done)

    def keep(
        self,
        encoded: EncodedRequest,
        tokens: int,
        progress: Progress | None = None,
        held: KeptState | None = None,
    ) -> KeptState:
        """The state after the first ``tokens`` (one of the cuts), kept or held, or read now."""
        cuts = _cuts(encoded)
        kept, done = self.cache.find(encoded, [p for p in cuts if p <= tokens], held)
        if kept is not None and done == tokens:
            return kept
        run = _Run(self, encoded, kept, done, progress)
        run.until(tokens, cuts)
        found = run.keep()
        self.cache.add(found)
        return found

    def read_together(
        self, prompts: Sequence[EncodedRequest], kept: KeptState, tokens: int
    ) -> list[ReadPrompt]:
        """Run several prompts that share their first ``tokens``, which ``kept`` has, side by side.

        Shorter ones are padded on the right: no token sees a later one, so none sees the padding.
        What follows the shared tokens must be text.
        """
        rows = [np.array(encoded.input_ids[tokens:]) for encoded in prompts]
        longest = max(range(len(rows)), key=lambda i: len(rows[i]))
        ids = np.zeros((len(rows), len(rows[longest])), dtype=np.int64)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
        state = _repeated(kept.snapshots[tokens], len(rows))
        parts: list[tuple[mx.array, mx.array]] = []
        for first in range(0, ids.shape[1], BLOCK):
            block = ids[:, first : first + BLOCK]
            x = self._embedded(block.reshape(-1)).reshape(*block.shape, -1)
            at = slice(tokens + first, tokens + first + block.shape[1])
            hidden, state = self._backbone(x, state, self._rotary(prompts[longest], at))
            parts.append(self._head.read(hidden))
            mx.eval(parts[-1], _arrays(state))
        normed, memory = (mx.concatenate([p[i] for p in parts], axis=1) for i in range(2))
        before = kept.memory[:tokens]
        return [
            ReadPrompt(
                mx.concatenate([before, memory[i, : len(row)]]),
                normed[i, encoded.schema_start - tokens : len(row)],
                tokens,
            )
            for i, (row, encoded) in enumerate(zip(rows, prompts, strict=True))
        ]

    def _block(
        self, encoded: EncodedRequest, features: mx.array | None, block: slice
    ) -> tuple[mx.array, Deepstack | None]:
        """Embedded tokens ``[1, n, D]``, those of media in their places."""
        x, deepstack = self._embedded(np.array(encoded.input_ids[block])), None
        if features is not None:
            before = int(encoded.is_media[: block.start].sum())
            here = np.flatnonzero(encoded.is_media[block])
            if len(here):
                width, seen = x.shape[-1], features[before : before + len(here)]
                x[mx.array(here)] = seen[:, :width]
                deepstack = Deepstack(mx.array(here), seen[:, width:])
        return x[None], deepstack

    def _embedded(self, ids: np.ndarray) -> mx.array:
        return self._embeddings.read(ids).astype(self._dtype)

    def _rotary(self, encoded: EncodedRequest, block: slice) -> Rotary | None:
        """None before the first medium: what a text shares with it must be equal to the byte."""
        if encoded.positions is None:
            return None
        positions = encoded.positions[:, block]
        if (positions == np.arange(block.start, block.start + positions.shape[1])).all():
            return None
        return Rotary.at(positions, self._config)


class _Run:
    """One prompt on its way: what was read so far, and the states at the pauses."""

    def __init__(
        self,
        prefill: Prefill,
        encoded: EncodedRequest,
        kept: KeptState | None,
        done: int,
        progress: Progress | None,
    ) -> None:
        self._prefill, self._encoded, self._progress = prefill, encoded, progress
        self._done = done
        self._features: mx.array | None = None
        self.memory: list[mx.array] = [] if kept is None else [kept.memory[:done]]
        self._state: BackboneState | None = None if kept is None else kept.snapshots[done]
        self._snapshots: dict[int, BackboneState] = {}
        if kept is not None:
            self._snapshots = {p: s for p, s in kept.snapshots.items() if p <= done}

    def until(self, end: int, cuts: Sequence[int]) -> list[mx.array]:
        """Go on to ``end``; returns the normed hidden states ``[n, D]`` of each block on the way.

        Features of media are made only where their tokens are yet to be read.
        """
        encoded, prefill = self._encoded, self._prefill
        tail = []
        for first, last in pairwise([self._done, *(p for p in cuts if self._done < p <= end)]):
            block = slice(first, last)
            has_media = encoded.is_media is not None and encoded.is_media[block].any()
            if has_media and self._features is None:
                self._features = prefill._features(encoded.media)
            x, deepstack = prefill._block(encoded, self._features, block)
            rotary = prefill._rotary(encoded, block)
            hidden, self._state = prefill._backbone(x, self._state, rotary, deepstack)
            normed, memory = prefill._head.read(hidden[0])
            mx.eval(normed, memory, _arrays(self._state))
            tail.append(normed)
            self.memory.append(memory)
            self._done = last
            self._snapshots[last] = self._state
            if self._progress is not None:
                self._progress(last, len(encoded.input_ids))
        return tail

    def keep(self) -> KeptState:
        """What was read, to go on from later."""
        encoded = self._encoded
        memory = mx.concatenate(self.memory)
        mx.eval(memory)
        self.memory = [memory]
        return KeptState(
            np.array(encoded.input_ids[: self._done]),
            encoded.prefix_tokens,
            encoded.media_key,
            memory,
            with_shared_keys(self._snapshots),
        )


def _cuts(encoded: EncodedRequest) -> list[int]:
    """Where every run of this prompt pauses, ascending; the last is its end."""
    length = len(encoded.input_ids)
    places = {encoded.prefix_tokens, encoded.schema_start, length, *range(BLOCK, length, BLOCK)}
    return sorted(places - {0})


def _arrays(state: BackboneState) -> list[list[mx.array]]:
    return [list(vars(layer).values()) for layer in state if layer is not None]


def _repeated(state: BackboneState, times: int) -> BackboneState:
    """The same state for each of a batch's rows."""

    def repeat(x: mx.array) -> mx.array:
        return mx.broadcast_to(x, (times, *x.shape[1:]))

    return tuple(
        None if layer is None else type(layer)(*(repeat(v) for v in vars(layer).values()))
        for layer in state
    )
