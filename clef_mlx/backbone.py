"""The Qwen3.5 text stack, dense or mixture of experts: embedded tokens to hidden states."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import mlx.core as mx
import mlx.nn as nn

from .config import TextConfig
from .layers.attention import GatedAttention, KeyValues
from .layers.feed_forward import MLP, SparseMoe
from .layers.linear_attention import DeltaState, GatedDeltaNet
from .layers.norm import RMSNorm
from .layers.rope import Rotary

LayerState = DeltaState | KeyValues
BackboneState = tuple[LayerState | None, ...]  # one a layer; None before the first token


class DecoderLayer(nn.Module):
    """Attention of either kind, then a feed-forward block, each on a normed copy and added back.

    The sum that runs through the layers stays float32 whatever dtype the layers compute in: it
    costs 4 bytes a feature of one block and keeps small updates that bfloat16 would round away.

    Shapes: ``x`` ``[B, L, D]`` float32 -> the same.
    Reference: transformers 5.10.2, ``Qwen3_5DecoderLayer``.
    """

    def __init__(self, config: TextConfig, layer_type: str) -> None:
        super().__init__()
        self.is_linear = layer_type == "linear_attention"
        if self.is_linear:
            self.linear_attn = GatedDeltaNet(config)
        else:
            self.self_attn = GatedAttention(config)
        self.mlp: MLP | SparseMoe
        if config.moe is None:
            self.mlp = MLP(config.hidden_size, config.intermediate_size or 0)
        else:
            self.mlp = SparseMoe(config.moe, config.hidden_size)
        self.input_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)

    def __call__(
        self, x: mx.array, state: LayerState | None, dtype: mx.Dtype, rotary: Rotary | None
    ) -> tuple[mx.array, LayerState]:
        # Only attention has positions: the other kind knows its place by its state.
        attention: Callable[..., tuple[mx.array, LayerState]] = (
            self.linear_attn if self.is_linear else partial(self.self_attn, rotary=rotary)
        )
        y, state = attention(self.input_layernorm(x, dtype), state)
        x = x + y
        return x + self.mlp(self.post_attention_layernorm(x, dtype)), state


class Backbone(nn.Module):
    """All layers and the final norm. Embeddings are looked up outside: the table stays on disk.

    A prompt may come in blocks: the state of one call goes into the next.
    Reference: transformers 5.10.2, ``Qwen3_5TextModel``.
    """

    def __init__(self, config: TextConfig) -> None:
        super().__init__()
        self.layers = [DecoderLayer(config, kind) for kind in config.layer_types]
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)

    def __call__(
        self,
        x: mx.array,
        state: BackboneState | None = None,
        rotary: Rotary | None = None,
    ) -> tuple[mx.array, BackboneState]:
        """``x`` ``[B, L, D]`` -> hidden states after the final norm, same shape, and the state.

        ``rotary`` has these tokens' positions; without it they count up from what the state saw.
        """
        dtype, x = x.dtype, x.astype(mx.float32)
        before = state or (None,) * len(self.layers)
        after = []
        for layer, layer_state in zip(self.layers, before, strict=True):
            x, layer_state = layer(x, layer_state, dtype, rotary)
            after.append(layer_state)
        return self.norm(x, dtype), tuple(after)
