"""Rotary positions with three axes, for prompts that hold pictures."""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx
import numpy as np

from ..architecture import TextConfig


@dataclass(frozen=True)
class Rotary:
    """Cosines and sines ``[L, rotary_dim / 2]`` float32 of a block of tokens."""

    cos: mx.array
    sin: mx.array

    @classmethod
    def at(cls, positions: np.ndarray, config: TextConfig) -> Rotary:
        """From positions ``[3, L]``: time, height and width take turns among the frequencies.

        Axis ``a`` has the indices ``a, a + 3, ...`` below ``3 * mrope_section[a]``; time has the
        rest. Reference: transformers 5.10.2, ``Qwen3_5TextRotaryEmbedding`` and
        ``Qwen3OmniMoeThinkerTextRotaryEmbedding``.
        """
        half = config.rotary_dim // 2
        index = np.arange(half)
        axis = np.zeros(half, dtype=np.int64)
        for a in (1, 2):
            axis[(index % 3 == a) & (index < 3 * config.mrope_section[a])] = a
        frequencies = (1 / config.rope_theta ** (index / half)).astype(np.float32)
        angles = positions[axis].T.astype(np.float32) * frequencies
        return cls(mx.array(np.cos(angles)), mx.array(np.sin(angles)))

    def __call__(self, x: mx.array) -> mx.array:
        """Rotate the first dimensions of each head: ``[B, H, L, Dk]`` -> the same."""
        half = self.cos.shape[-1]
        first, second, rest = mx.split(x, [half, 2 * half], axis=-1)
        turned = [
            (first * self.cos - second * self.sin).astype(x.dtype),
            (second * self.cos + first * self.sin).astype(x.dtype),
        ]
        return mx.concatenate([*turned, rest], axis=-1)
