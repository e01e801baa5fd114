"""The vision tower: patches of pictures and clips to tokens of the backbone's width."""

from __future__ import annotations

from functools import lru_cache

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from ..architecture import VisionConfig
from ..layers.linear import Linear

EPS = 1e-6
SCORE_BYTES = 256 << 20  # attention scores at once: bounds memory for large pictures
Grid = tuple[int, int, int]  # patches in time, height and width


class VisionAttention(nn.Module):
    """Attention among the patches of one frame, without a mask.

    Shapes: ``x`` ``[F, P, V]`` (``F`` frames of ``P`` patches), ``cos``, ``sin`` ``[P, V / heads]``
    -> ``[F, P, V]``.
    Reference: transformers 5.10.2, ``Qwen3_5VisionAttention``.
    """

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.heads = config.num_heads
        self.qkv = Linear(config.hidden_size, 3 * config.hidden_size, bias=True)
        self.proj = Linear(config.hidden_size, config.hidden_size, bias=True)

    def __call__(self, x: mx.array, cos: mx.array, sin: mx.array) -> mx.array:
        frames, patches, width = x.shape
        qkv = self.qkv(x).reshape(frames, patches, 3, self.heads, -1)
        q, k, v = (qkv[:, :, i].swapaxes(1, 2) for i in range(3))
        q, k = _rotate(q, cos, sin), _rotate(k, cos, sin)
        step = max(64, SCORE_BYTES // (frames * self.heads * patches * 4))
        parts = [
            mx.fast.scaled_dot_product_attention(
                q[:, :, first : first + step], k, v, scale=q.shape[-1] ** -0.5
            )
            for first in range(0, patches, step)
        ]
        y = mx.concatenate(parts, axis=2) if len(parts) > 1 else parts[0]
        return self.proj(y.swapaxes(1, 2).reshape(frames, patches, width))


class VisionMLP(nn.Module):
    """Two layers around the tanh form of GELU (``gelu_pytorch_tanh``)."""

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.linear_fc1 = Linear(config.hidden_size, config.intermediate_size, bias=True)
        self.linear_fc2 = Linear(config.intermediate_size, config.hidden_size, bias=True)

    def __call__(self, x: mx.array) -> mx.array:
        return self.linear_fc2(nn.gelu_approx(self.linear_fc1(x)))


class VisionBlock(nn.Module):
    """Attention and MLP, each on a normed copy and added back."""

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(config.hidden_size, eps=EPS)
        self.norm2 = nn.LayerNorm(config.hidden_size, eps=EPS)
        self.attn = VisionAttention(config)
        self.mlp = VisionMLP(config)

    def __call__(self, x: mx.array, cos: mx.array, sin: mx.array) -> mx.array:
        x = x + self.attn(self.norm1(x), cos, sin)
        return x + self.mlp(self.norm2(x))


class PatchMerger(nn.Module):
    """Turn each merge block of patches into one token of the backbone's width.

    The patches of a block are consecutive rows. GELU is the exact form here.
    Shapes: ``[F, P, V]`` -> ``[F * P / block, D]``.
    Reference: transformers 5.10.2, ``Qwen3_5VisionPatchMerger``.
    """

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.width = config.hidden_size * config.spatial_merge_size**2
        self.norm = nn.LayerNorm(config.hidden_size, eps=EPS)
        self.linear_fc1 = Linear(self.width, self.width, bias=True)
        self.linear_fc2 = Linear(self.width, config.out_hidden_size, bias=True)

    def __call__(self, x: mx.array) -> mx.array:
        return self.linear_fc2(nn.gelu(self.linear_fc1(self.norm(x).reshape(-1, self.width))))


class DeepstackMerger(PatchMerger):
    """A ``PatchMerger`` that norms the merged patches in place of the single ones.

    Reference: transformers 5.10.2, ``Qwen3OmniMoeVisionPatchMerger``.
    """

    def __init__(self, config: VisionConfig) -> None:
        super().__init__(config)
        self.norm = nn.LayerNorm(self.width, eps=EPS)

    def __call__(self, x: mx.array) -> mx.array:
        return self.linear_fc2(nn.gelu(self.linear_fc1(self.norm(x.reshape(-1, self.width)))))


class VisionTower(nn.Module):
    """Patch embedding, learned and rotary positions, blocks, merger.

    Reference: transformers 5.10.2, ``Qwen3_5VisionModel`` and ``Qwen3OmniMoeVisionEncoder``.
    """

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.config = config
        patch = config.in_channels * config.temporal_patch_size * config.patch_size**2
        # The release's convolution strides by its own size: it is one product a patch.
        self.patch_embed = {"proj": Linear(patch, config.hidden_size, bias=True)}
        self.pos_embed = nn.Embedding(config.num_position_embeddings, config.hidden_size)
        self.blocks = [VisionBlock(config) for _ in range(config.depth)]
        self.merger = PatchMerger(config)
        self.deepstack = [DeepstackMerger(config) for _ in config.deepstack_visual_indexes]

    def __call__(self, patches: mx.array, grid: Grid) -> mx.array:
        """Tokens of one picture or clip, each with its ``K`` deepstack features behind it.

        Shapes: ``patches`` ``[P, 3 * T * ph * pw]`` normalised, in merge-block order ->
        ``[P / block, (1 + K) * D]``.
        """
        frames, height, width = grid
        corners, weights, cos, sin = _positions(
            height,
            width,
            self.config.spatial_merge_size,
            int(self.config.num_position_embeddings**0.5),
            self.config.hidden_size // self.config.num_heads,
        )
        x = self.patch_embed["proj"](patches)
        learned = self.pos_embed(mx.array(corners)) * mx.array(weights)[..., None]
        x = x.reshape(frames, height * width, -1) + learned.sum(axis=0).astype(x.dtype)
        mergers = dict(zip(self.config.deepstack_visual_indexes, self.deepstack, strict=True))
        turn, features = (mx.array(cos), mx.array(sin)), []
        for i, block in enumerate(self.blocks):
            x = block(x, *turn)
            if i in mergers:
                features.append(mergers[i](x))
        return mx.concatenate([self.merger(x), *features], axis=-1) if features else self.merger(x)


def _rotate(x: mx.array, cos: mx.array, sin: mx.array) -> mx.array:
    """Rotary positions in float32: ``[F, H, P, Dk]`` with tables ``[P, Dk]``."""
    dtype, x = x.dtype, x.astype(mx.float32)
    first, second = mx.split(x, 2, axis=-1)
    return (x * cos + mx.concatenate([-second, first], axis=-1) * sin).astype(dtype)


@lru_cache(maxsize=4)  # 40 MB for the largest picture
def _positions(
    height: int, width: int, merge: int, side: int, head_dim: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For each patch in merge-block order: where it lies in the learned grid, and its rotation.

    -> corner rows of the ``side x side`` table ``[4, P]``, their bilinear weights ``[4, P]``
    float32, cosines and sines ``[P, head_dim]`` float32 (half the angles from the row, half from
    the column).
    """
    rows, columns = np.indices((height, width))

    def in_blocks(values: np.ndarray) -> np.ndarray:
        blocks = values.reshape(height // merge, merge, width // merge, merge)
        return blocks.transpose(0, 2, 1, 3).reshape(-1)

    corners, weights = [], []
    down, across = (np.linspace(0, side - 1, n, dtype=np.float32) for n in (height, width))
    for lower_row in (False, True):
        row, row_weight = _neighbour(down, lower_row, side)
        for right in (False, True):
            column, column_weight = _neighbour(across, right, side)
            corners.append(in_blocks(row[:, None] * side + column[None]))
            weights.append(in_blocks(row_weight[:, None] * column_weight[None]))
    frequencies = 10_000.0 ** (-np.arange(0, head_dim // 2, 2) / (head_dim // 2))
    places = np.stack([in_blocks(rows), in_blocks(columns)], axis=1)
    angles = (places[..., None] * frequencies).reshape(height * width, -1)
    angles = np.concatenate([angles, angles], axis=1)
    return (
        np.stack(corners).astype(np.uint32),
        np.stack(weights).astype(np.float32),
        np.cos(angles).astype(np.float32),
        np.sin(angles).astype(np.float32),
    )


def _neighbour(at: np.ndarray, upper: bool, side: int) -> tuple[np.ndarray, np.ndarray]:
    """The grid line at or after each place, and how much it counts."""
    lower = at.astype(np.int64)
    share = at - lower
    return (np.minimum(lower + 1, side - 1), share) if upper else (lower, 1 - share)
