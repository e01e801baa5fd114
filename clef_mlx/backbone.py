"""The text stacks, Qwen3.5's and Qwen3-Omni's: embedded tokens to hidden states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import mlx.core as mx
import mlx.nn as nn

from .architecture import TextConfig
from .layers.attention import Attention, GatedAttention, KeyValues
from .layers.feed_forward import MLP, RoutedMoe, SparseMoe
from .layers.linear import SharesInput
from .layers.linear_attention import DeltaState, GatedDeltaNet
from .layers.norm import RMSNorm
from .layers.rope import Rotary

LayerState = DeltaState | KeyValues
BackboneState = tuple[LayerState | None, ...]  # one a layer; None before the first token


@dataclass(frozen=True)
class Deepstack:
    """What the vision tower adds after the first ``K`` layers, at the tokens of pictures.

    ``at`` are these tokens' places in the block ``[N]``; ``features`` is ``[N, K * D]``.
    """

    at: mx.array
    features: mx.array

    def add(self, x: mx.array, layer: int) -> mx.array:
        """Shapes: ``x`` ``[1, L, D]``, the output of ``layer`` -> the same."""
        first = layer * x.shape[-1]
        if first >= self.features.shape[-1]:
            return x
        return x.at[:, self.at].add(self.features[:, first : first + x.shape[-1]].astype(x.dtype))


class DecoderLayer(nn.Module):
    """Attention of either kind, then a feed-forward block, each on a normed copy and added back.

    The sum that runs through the layers stays float32 whatever dtype the layers compute in: it
    costs 4 bytes a feature of one block and keeps small updates that bfloat16 would round away.

    Shapes: ``x`` ``[B, L, D]`` float32 -> the same.
    Reference: transformers 5.10.2, ``Qwen3_5DecoderLayer`` and
    ``Qwen3OmniMoeThinkerTextDecoderLayer``.
    """

    def __init__(self, config: TextConfig, layer_type: str) -> None:
        super().__init__()
        self.is_linear = layer_type == "linear_attention"
        if self.is_linear:
            self.linear_attn = GatedDeltaNet(config)
        else:
            self.self_attn = (GatedAttention if config.attn_output_gate else Attention)(config)
        self.mlp: MLP | RoutedMoe
        if config.moe is None:
            self.mlp = MLP(config.hidden_size, config.intermediate_size or 0)
        else:
            shared = config.moe.shared_expert_intermediate_size
            self.mlp = (SparseMoe if shared else RoutedMoe)(config.moe, config.hidden_size)
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
    Reference: transformers 5.10.2, ``Qwen3_5TextModel`` and ``Qwen3OmniMoeThinkerTextModel``.
    """

    def __init__(self, config: TextConfig) -> None:
        super().__init__()
        self.layers = [DecoderLayer(config, kind) for kind in config.layer_types]
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)

    def merge(self) -> None:
        """Once the weights are loaded: one product where layers of one input are packed alike."""
        for module in self.modules():
            if isinstance(module, SharesInput):
                module.merge()

    def __call__(
        self,
        x: mx.array,
        state: BackboneState | None = None,
        rotary: Rotary | None = None,
        deepstack: Deepstack | None = None,
    ) -> tuple[mx.array, BackboneState]:
        """``x`` ``[B, L, D]`` -> hidden states after the final norm, same shape, and the state.

        ``rotary`` has these tokens' positions; without it they count up from what the state saw.
        """
        dtype, x = x.dtype, x.astype(mx.float32)
        before = state or (None,) * len(self.layers)
        after = []
        for i, (layer, layer_state) in enumerate(zip(self.layers, before, strict=True)):
            x, layer_state = layer(x, layer_state, dtype, rotary)
            if deepstack is not None:
                x = deepstack.add(x, i)
            after.append(layer_state)
        return self.norm(x, dtype), tuple(after)
