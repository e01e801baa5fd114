"""The backbone's full attention: grouped queries, rotary positions, in Qwen3.5 an output gate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import mlx.core as mx
import mlx.nn as nn

from ..architecture import TextConfig
from .linear import Linear
from .norm import RMSNorm
from .rope import Rotary


@dataclass(frozen=True)
class KeyValues:
    """Keys (rotated) and values of the tokens seen, each ``[B, Hk, L, Dk]``."""

    keys: mx.array
    values: mx.array


class Attention(nn.Module):
    """Causal attention.

    Only the first ``rotary_dim`` dimensions of a head are rotated. The softmax is float32.

    ``rotary`` has the positions of a prompt with pictures; without it positions count up.

    Shapes: ``x`` ``[B, L, D]`` -> ``[B, L, D]`` and the keys and values of all tokens so far.
    Reference: transformers 5.10.2, ``Qwen3OmniMoeThinkerTextAttention``.
    """

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
        q = self.q_proj(x).reshape(*x.shape[:2], self.heads, self.head_dim)
        y, state = self._attend(q, x, state, rotary)
        return self.o_proj(y.flatten(2)), state

    def _attend(
        self, q: mx.array, x: mx.array, state: KeyValues | None, rotary: Rotary | None
    ) -> tuple[mx.array, KeyValues]:
        """Shapes: ``q``, ``[B, L, H, Dk]`` -> the same."""
        batch, length, _ = x.shape
        k = self.k_proj(x).reshape(batch, length, self.key_heads, self.head_dim)
        v = self.v_proj(x).reshape(batch, length, self.key_heads, self.head_dim).swapaxes(1, 2)
        seen = 0 if state is None else state.keys.shape[2]
        rotate = rotary or partial(self._count_up, offset=seen)
        q = rotate(self.q_norm(q).swapaxes(1, 2))
        k = rotate(self.k_norm(k).swapaxes(1, 2))
        if state is not None:
            k = mx.concatenate([state.keys, k], axis=2)
            v = mx.concatenate([state.values, v], axis=2)
        y = mx.fast.scaled_dot_product_attention(q, k, v, scale=self.head_dim**-0.5, mask="causal")
        return y.swapaxes(1, 2), KeyValues(k, v)

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
        query_and_gate = self.q_proj(x).reshape(*x.shape[:2], self.heads, 2 * self.head_dim)
        q, gate = mx.split(query_and_gate, 2, axis=-1)
        y, state = self._attend(q, x, state, rotary)
        return self.o_proj((y * mx.sigmoid(gate)).flatten(2)), state
