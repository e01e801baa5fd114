"""The backbone's feed-forward blocks: a gated MLP, and a sparse mixture of such experts."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn

from ..architecture import MoeConfig
from .activations import sigmoid_times, silu_times
from .linear import ExpertLinear, Linear, SharesInput

SORT_FROM = 64  # routed rows; below that sorting costs more than the reads it saves


class MLP(SharesInput):
    """``down(silu(gate(x)) * up(x))``.

    Shapes: ``x`` ``[..., D]`` -> ``[..., D]``. Reference: transformers 5.10.2, ``Qwen3_5MLP``.
    """

    shared = ("gate_proj", "up_proj")

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate_proj = Linear(width, inner)
        self.up_proj = Linear(width, inner)
        self.down_proj = Linear(inner, width)

    def __call__(self, x: mx.array) -> mx.array:
        return self.down_proj(silu_times(*self.outputs(x)))


class Experts(nn.Module):
    """``E`` gated MLPs with stacked weights; each row runs through the experts chosen for it.

    ``gate_up_proj`` gives ``2 I`` outputs, the gate's first; ``down_proj`` gives ``D``.
    Shapes: ``x`` ``[L, D]``, ``chosen`` ``[L, k]`` expert numbers -> ``[L, k, D]``.
    """

    def __init__(self, experts: int, width: int, inner: int) -> None:
        super().__init__()
        self.gate_up_proj = ExpertLinear(experts, width, 2 * inner)
        self.down_proj = ExpertLinear(experts, inner, width)

    def __call__(self, x: mx.array, chosen: mx.array) -> mx.array:
        experts = chosen.flatten()
        # Rows of one expert side by side: its weights are then read once, not once a row.
        is_sorted = experts.size >= SORT_FROM
        order = mx.argsort(experts) if is_sorted else mx.arange(experts.size)
        experts = experts[order]
        rows = x[order // chosen.shape[-1]]
        gate, up = mx.split(self.gate_up_proj(rows, experts, is_sorted), 2, axis=-1)
        out = self.down_proj(silu_times(gate, up), experts, is_sorted)
        return out[mx.argsort(order)].reshape(*chosen.shape, -1)


class RoutedMoe(nn.Module):
    """The best ``num_experts_per_tok`` experts of each token, weighted.

    The router runs in float32, its softmax over all experts; with ``norm_topk_prob`` the chosen
    weights are renormalised.
    Shapes: ``x`` ``[B, L, D]`` -> ``[B, L, D]``.
    Reference: transformers 5.10.2, ``Qwen3OmniMoeThinkerTextSparseMoeBlock``.
    """

    def __init__(self, config: MoeConfig, width: int) -> None:
        super().__init__()
        self.top, self.norm_topk_prob = config.num_experts_per_tok, config.norm_topk_prob
        self.gate = Linear(width, config.num_experts)
        self.experts = Experts(config.num_experts, width, config.moe_intermediate_size)

    def __call__(self, x: mx.array) -> mx.array:
        rows = x.reshape(-1, x.shape[-1])
        # In float32 from the product on: rounded scores would change which experts are chosen.
        scores = rows.astype(mx.float32) @ self.gate.weight.astype(mx.float32).T
        routing = mx.softmax(scores, axis=-1)
        chosen = mx.argpartition(-routing, kth=self.top - 1, axis=-1)[:, : self.top]
        weights = mx.take_along_axis(routing, chosen, axis=-1)
        if self.norm_topk_prob:
            weights = weights / weights.sum(axis=-1, keepdims=True)
        weights = weights.astype(x.dtype)[..., None]
        return (self.experts(rows, chosen) * weights).sum(axis=-2).reshape(x.shape)


class SparseMoe(RoutedMoe):
    """``RoutedMoe`` plus a gated MLP that every token runs through, scaled by a sigmoid gate.

    Reference: transformers 5.10.2, ``Qwen3_5MoeSparseMoeBlock``.
    """

    def __init__(self, config: MoeConfig, width: int) -> None:
        super().__init__(config, width)
        self.shared_expert = MLP(width, config.shared_expert_intermediate_size)
        self.shared_expert_gate = Linear(width, 1)

    def __call__(self, x: mx.array) -> mx.array:
        shared = sigmoid_times(self.shared_expert_gate(x), self.shared_expert(x))
        return super().__call__(x) + shared
