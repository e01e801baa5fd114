"""The backbone's full attention: grouped queries, rotary positions, in Qwen3.5 an output gate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import mlx.core as mx

from ..architecture import TextConfig
from .activations import sigmoid_times
from .linear import Linear, SharesInput
from .norm import RMSNorm
from .rope import Rotary

FUSED = 128  # the largest head size of MLX's fused attention on most Macs
TILE = 256  # queries


@dataclass(frozen=True)
class KeyValues:
    """Keys (rotated) and values of the tokens seen, each ``[B, Hk, L, Dk]``."""

    keys: mx.array
    values: mx.array


def causal_attention(q: mx.array, k: mx.array, v: mx.array) -> mx.array:
    """Each query sees the keys up to its own place; the last query's is the last key.

    Where MLX has no fused kernel (head sizes over 128, and the CPU), it forms the scores of all
    keys, seen or not. Queries then come ``TILE`` at a time, each with the keys they may see: half
    of the work, and a part of the memory.

    Shapes: ``q`` ``[B, H, L, Dk]``, ``k``, ``v`` ``[B, Hk, S, Dk]`` -> as ``q``.
    """
    length, seen = q.shape[2], k.shape[2]
    is_fused = q.shape[-1] <= FUSED and mx.default_device() == mx.gpu
    tile = length if is_fused else TILE
    parts = []
    for first in range(0, length, tile):
        last = min(first + tile, length)
        visible = seen - length + last
        parts.append(
            mx.fast.scaled_dot_product_attention(
                q[:, :, first:last],
                k[:, :, :visible],
                v[:, :, :visible],
                scale=q.shape[-1] ** -0.5,
                mask="causal",
            )
        )
    return parts[0] if len(parts) == 1 else mx.concatenate(parts, axis=2)


class Attention(SharesInput):
    """Causal attention.

    Only the first ``rotary_dim`` dimensions of a head are rotated. The softmax is float32.

    ``rotary`` has the positions of a prompt with pictures; without it positions count up.

    Shapes: ``x`` ``[B, L, D]`` -> ``[B, L, D]`` and the keys and values of all tokens so far.
    Reference: transformers 5.10.2, ``Qwen3OmniMoeThinkerTextAttention``.
    """

    shared = ("q_proj", "k_proj", "v_proj")

    def __init__(self, config: TextConfig) -> None:
        super().__init__()
        self.heads, self.key_heads = config.num_attention_heads, config.num_key_value_heads
        self.head_dim, self.rotary_dim = config.head_dim, config.rotary_dim
        self.rope_theta = config.rope_theta
        width = config.hidden_size
        self.q_proj = Linear(width, self.heads * self.head_dim)
        self.k_proj = Linear(width, self.key_heads * self.head_dim)
        self.v_proj = Linear(width, self.key_heads * self.head_dim)
        self.o_proj = Linear(self.heads * self.head_dim, width)
        self.q_norm = RMSNorm(self.head_dim, config.rms_norm_eps)
        self.k_norm = RMSNorm(self.head_dim, config.rms_norm_eps)

    def __call__(
        self, x: mx.array, state: KeyValues | None, rotary: Rotary | None = None
    ) -> tuple[mx.array, KeyValues]:
        q, k, v = self.outputs(x)
        y, state = self._attend(self._by_head(q), k, v, state, rotary)
        return self.o_proj(y.flatten(2)), state

    def _by_head(self, x: mx.array) -> mx.array:
        """Shapes: ``[B, L, H * Dk]`` -> ``[B, L, H, Dk]``."""
        return x.reshape(*x.shape[:2], -1, self.head_dim)

    def _attend(
        self,
        q: mx.array,
        k: mx.array,
        v: mx.array,
        state: KeyValues | None,
        rotary: Rotary | None,
    ) -> tuple[mx.array, KeyValues]:
        """Shapes: ``q`` ``[B, L, H, Dk]``, ``k``, ``v`` ``[B, L, Hk * Dk]`` -> as ``q``."""
        k, v = self._by_head(k), self._by_head(v).swapaxes(1, 2)
        seen = 0 if state is None else state.keys.shape[2]
        rotate = rotary or partial(self._count_up, offset=seen)
        q = rotate(self.q_norm(q).swapaxes(1, 2))
        k = rotate(self.k_norm(k).swapaxes(1, 2))
        if state is not None:
            k = mx.concatenate([state.keys, k], axis=2)
            v = mx.concatenate([state.values, v], axis=2)
        return causal_attention(q, k, v).swapaxes(1, 2), KeyValues(k, v)

    def _count_up(self, x: mx.array, offset: int) -> mx.array:
        """Rotary positions ``offset, offset + 1, ...`` for ``[B, H, L, Dk]``.

        In a text all three axes of the positions are equal, so the plain form is exact.
        """
        return mx.fast.rope(
            x, self.rotary_dim, traditional=False, base=self.rope_theta, scale=1.0, offset=offset
        )


class GatedAttention(Attention):
    """``Attention`` whose output is scaled by a sigmoid gate.

    ``q_proj`` is twice as wide as the queries: per head, first the query, then its gate.
    Reference: transformers 5.10.2, ``Qwen3_5Attention``.
    """

    def __init__(self, config: TextConfig) -> None:
        super().__init__(config)
        self.q_proj = Linear(config.hidden_size, 2 * self.heads * self.head_dim)

    def __call__(
        self, x: mx.array, state: KeyValues | None, rotary: Rotary | None = None
    ) -> tuple[mx.array, KeyValues]:
        query_and_gate, k, v = self.outputs(x)
        query_and_gate = query_and_gate.reshape(*x.shape[:2], self.heads, 2 * self.head_dim)
        q, gate = mx.split(query_and_gate, 2, axis=-1)
        y, state = self._attend(q, k, v, state, rotary)
        return self.o_proj(sigmoid_times(gate, y).flatten(2)), state
