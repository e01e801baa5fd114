"""Gated DeltaNet: the backbone's linear-attention layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import mlx.core as mx
import mlx.nn as nn

from ..architecture import TextConfig
from .activations import silu
from .delta_rule import gated_delta
from .linear import Linear, SharesInput
from .norm import GatedRMSNorm

L2_EPS = 1e-6  # added to the sum of squares, not to their mean


@dataclass(frozen=True)
class DeltaState:
    """What the layer keeps of the tokens it has seen; cannot be cut back, only resumed."""

    conv: mx.array  # [B, K - 1, C]: the convolution's last inputs
    recurrent: mx.array  # [B, H, Dv, Dk] float32


class DepthwiseConv(nn.Module):
    """Causal convolution of each channel with its own ``K`` taps, as shifted multiply-adds.

    Summed in float32: rounding each tap raised the error of bfloat16 decisions by a tenth to a
    quarter (miniatures, CPU).

    Shapes: ``x`` ``[B, K - 1 + L, C]`` (the last inputs before, then ``L`` new ones) ->
    ``[B, L, C]`` float32.
    """

    def __init__(self, taps: int, channels: int) -> None:
        super().__init__()
        self.weight = mx.zeros((taps, channels))

    def __call__(self, x: mx.array) -> mx.array:
        taps = self.weight.shape[0]
        length = x.shape[1] - taps + 1
        return _sum_of_products(
            [x[:, tap : tap + length] for tap in range(taps)], list(self.weight)
        )


@partial(mx.compile, shapeless=True)
def _sum_of_products(xs: Sequence[mx.array], weights: Sequence[mx.array]) -> mx.array:
    """Shapes: ``xs`` ``[B, L, C]`` each, ``weights`` ``[C]`` each -> ``[B, L, C]`` float32."""
    products = [
        x.astype(mx.float32) * w.astype(mx.float32) for x, w in zip(xs, weights, strict=True)
    ]
    return sum(products[1:], products[0])


class GatedDeltaNet(SharesInput):
    """Linear attention whose state is corrected toward each new value and decays with time.

    Shapes: ``x`` ``[B, L, D]`` -> ``[B, L, D]`` and the state after the last token.
    ``A_log``, ``dt_bias``, the decay, the recurrent state and the gated norm stay float32.
    Reference: transformers 5.10.2, ``Qwen3_5GatedDeltaNet``.
    """

    shared = ("in_proj_qkv", "in_proj_z", "in_proj_b", "in_proj_a")

    def __init__(self, config: TextConfig) -> None:
        super().__init__()
        self.key_heads, self.key_dim = config.linear_num_key_heads, config.linear_key_head_dim
        self.heads, self.value_dim = config.linear_num_value_heads, config.linear_value_head_dim
        width = config.hidden_size
        self.in_proj_qkv = Linear(width, config.conv_channels)
        self.in_proj_z = Linear(width, config.linear_value_size)
        self.in_proj_b = Linear(width, self.heads)
        self.in_proj_a = Linear(width, self.heads)
        self.conv1d = DepthwiseConv(config.linear_conv_kernel_dim, config.conv_channels)
        self.A_log = mx.zeros((self.heads,), mx.float32)
        self.dt_bias = mx.zeros((self.heads,), mx.float32)
        self.norm = GatedRMSNorm(self.value_dim, config.rms_norm_eps)
        self.out_proj = Linear(config.linear_value_size, width)

    def __call__(self, x: mx.array, state: DeltaState | None) -> tuple[mx.array, DeltaState]:
        batch, length, _ = x.shape
        qkv, z, b, a = self.outputs(x)
        taps = self.conv1d.weight.shape[0]
        before = mx.zeros((batch, taps - 1, qkv.shape[-1]), qkv.dtype)
        seen = mx.concatenate([before if state is None else state.conv, qkv], axis=1)
        q, k, v = self._split(silu(self.conv1d(seen)).astype(qkv.dtype))
        log_decay = -mx.exp(self.A_log) * nn.softplus(a.astype(mx.float32) + self.dt_bias)
        beta = mx.sigmoid(b.astype(mx.float32))
        y, recurrent = gated_delta(
            l2_normalize(q) * self.key_dim**-0.5,
            l2_normalize(k),
            v,
            log_decay,
            beta,
            None if state is None else state.recurrent,
        )
        gate = z.reshape(batch, length, self.heads, self.value_dim)
        y = self.norm(y, gate).reshape(batch, length, -1)
        return self.out_proj(y), DeltaState(seen[:, length:], recurrent)

    def _split(self, qkv: mx.array) -> tuple[mx.array, mx.array, mx.array]:
        lead, keys = qkv.shape[:-1], self.key_heads * self.key_dim
        q, k, v = mx.split(qkv, [keys, 2 * keys], axis=-1)
        return (
            q.reshape(*lead, self.key_heads, self.key_dim),
            k.reshape(*lead, self.key_heads, self.key_dim),
            v.reshape(*lead, self.heads, self.value_dim),
        )


def l2_normalize(x: mx.array) -> mx.array:
    """Scale each row to length 1: ``x / sqrt(sum(x^2) + L2_EPS)``, summed in float32.

    ``rms_norm`` divides by the root of the *mean* plus its epsilon; both move by ``1 / D``.
    """
    size = x.shape[-1]
    scaled: mx.array = mx.fast.rms_norm(x, None, L2_EPS / size) * size**-0.5
    return scaled
