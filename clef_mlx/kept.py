"""States that were read before: what it takes to go on from them, and which are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

import mlx.core as mx
import numpy as np

from .backbone import BackboneState
from .encoding import EncodedRequest
from .layers.attention import KeyValues
from .layers.linear_attention import DeltaState

STATE_CACHE_BYTES = 1 << 30  # clef-flash: four states of 4,000 tokens


@dataclass(frozen=True)
class KeptState:
    """A prompt's first ``P`` tokens as the model has read them.

    ``memory`` ``[P, W]`` is what the head needs of their hidden states. ``snapshots`` has the
    backbone's state after some numbers of tokens, ascending, the last after all ``P``: what is
    recurrent cannot be cut back, only resumed there.
    """

    ids: np.ndarray  # [P]
    prefix_tokens: int  # of these, the system prompt's: no medium comes earlier
    media: str | None  # content of the request's media
    memory: mx.array
    snapshots: Mapping[int, BackboneState]

    @cached_property
    def nbytes(self) -> int:
        """Bytes held, what snapshots share counted once."""
        *earlier, last = self.snapshots.values()
        recurrent = [
            layer for state in (*earlier, last) for layer in state if isinstance(layer, DeltaState)
        ]
        keys_values = [layer for layer in last if isinstance(layer, KeyValues)]
        held = [array for layer in (*recurrent, *keys_values) for array in vars(layer).values()]
        return sum(int(array.nbytes) for array in (*held, self.memory)) + int(self.ids.nbytes)

    def resumable(self, encoded: EncodedRequest, cuts: Collection[int]) -> int:
        """The most tokens of ``encoded`` after which a run may go on from here; 0: none.

        Only at ``cuts``, where a run from the start would pause as well: equal bytes come of equal
        blocks.
        """
        ids = np.array(encoded.input_ids[: len(self.ids)])
        differing = np.flatnonzero(ids != self.ids[: len(ids)])
        common = int(differing[0]) if len(differing) else len(ids)
        if self.media != encoded.media_key:
            common = min(common, self.prefix_tokens)
        return max((p for p in self.snapshots if p <= common and p in cuts), default=0)

    def only_last(self) -> KeptState:
        """The same without snapshots before the end."""
        last = max(self.snapshots)
        return KeptState(
            self.ids, self.prefix_tokens, self.media, self.memory, {last: self.snapshots[last]}
        )


def with_shared_keys(snapshots: Mapping[int, BackboneState]) -> dict[int, BackboneState]:
    """The same snapshots, where earlier keys and values are views of the last ones."""
    *_, final = snapshots.values()

    def shared(state: BackboneState, tokens: int) -> BackboneState:
        return tuple(
            KeyValues(last.keys[:, :, :tokens], last.values[:, :, :tokens])
            if isinstance(last, KeyValues)
            else layer
            for layer, last in zip(state, final, strict=True)
        )

    views = {p: s if s is final else shared(s, p) for p, s in snapshots.items()}
    mx.eval([vars(layer) for state in views.values() for layer in state])
    return views


class StateCache:
    """The states read last, in at most ``limit`` bytes; the least recently used go first."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._kept: OrderedDict[int, KeptState] = OrderedDict()  # by the object's id

    @property
    def nbytes(self) -> int:
        return sum(kept.nbytes for kept in self._kept.values())

    def find(
        self, encoded: EncodedRequest, cuts: Collection[int], held: KeptState | None = None
    ) -> tuple[KeptState | None, int]:
        """The state, ``held`` or kept, that spares the most tokens of ``encoded``, and how many."""
        # Of equals the one used last: what they share must not keep the others young.
        candidates = [*([] if held is None else [held]), *reversed(self._kept.values())]
        found = [(kept.resumable(encoded, cuts), kept) for kept in candidates]
        tokens, best = max(found, key=lambda pair: pair[0], default=(0, None))
        if tokens == 0 or best is None:
            return None, 0
        if id(best) in self._kept:
            self._kept.move_to_end(id(best))
        return best, tokens

    def add(self, kept: KeptState) -> None:
        """Keep a state, with all its snapshots or only the last one, if the limit allows."""
        fitting = [k for k in (kept, kept.only_last()) if k.nbytes <= self.limit]
        if not fitting:
            return
        self._kept[id(fitting[0])] = fitting[0]
        while self.nbytes > self.limit:
            self._kept.popitem(last=False)

    def clear(self) -> None:
        self._kept.clear()
