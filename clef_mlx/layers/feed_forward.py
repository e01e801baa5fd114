"""The backbone's feed-forward blocks: a gated MLP, and a sparse mixture of such experts."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn

from ..config import MoeConfig

SORT_FROM = 64  # routed rows; below that sorting costs more than the reads it saves


class MLP(nn.Module):
    """``down(silu(gate(x)) * up(x))``.

    Shapes: ``x`` ``[..., D]`` -> ``[..., D]``. Reference: transformers 5.10.2, ``Qwen3_5MLP``.
    """

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(width, inner, bias=False)
        self.up_proj = nn.Linear(width, inner, bias=False)
        self.down_proj = nn.Linear(inner, width, bias=False)

    def __call__(self, x: mx.array) -> mx.array:
        return self.down_proj(nn.silu(self.gate_proj(x)) * self.up_proj(x))


class Experts(nn.Module):
    """``E`` gated MLPs with stacked weights; each row runs through the experts chosen for it.

    ``gate_up_proj`` is ``[E, 2 I, D]``, the gate's rows first; ``down_proj`` is ``[E, D, I]``.
    Shapes: ``x`` ``[L, D]``, ``chosen`` ``[L, k]`` expert numbers -> ``[L, k, D]``.
    """

    def __init__(self, experts: int, width: int, inner: int) -> None:
        super().__init__()
        self.gate_up_proj = mx.zeros((experts, 2 * inner, width))
        self.down_proj = mx.zeros((experts, width, inner))

    def __call__(self, x: mx.array, chosen: mx.array) -> mx.array:
        experts = chosen.flatten()
        # Rows of one expert side by side: its weights are then read once, not once a row.
        is_sorted = experts.size >= SORT_FROM
        order = mx.argsort(experts) if is_sorted else mx.arange(experts.size)
        experts = experts[order]
        rows = x[order // chosen.shape[-1]][:, None, :]

        # MLX's CPU backend gathers matrices in float32 only.
        dtype = mx.float32 if mx.default_device() == mx.cpu else x.dtype

        def apply(rows: mx.array, weight: mx.array) -> mx.array:
            return mx.gather_mm(
                rows.astype(dtype),
                weight.astype(dtype).swapaxes(-1, -2),
                rhs_indices=experts,
                sorted_indices=is_sorted,
            ).astype(x.dtype)

        gate, up = mx.split(apply(rows, self.gate_up_proj), 2, axis=-1)
        out = apply(nn.silu(gate) * up, self.down_proj).squeeze(1)
        return out[mx.argsort(order)].reshape(*chosen.shape, -1)


class SparseMoe(nn.Module):
    """The best ``num_experts_per_tok`` experts of each token, weighted, plus a shared expert.

    The router runs in float32, its softmax over all experts; the chosen weights are renormalised.
    Shapes: ``x`` ``[B, L, D]`` -> ``[B, L, D]``.
    Reference: transformers 5.10.2, ``Qwen3_5MoeSparseMoeBlock``.
    """

    def __init__(self, config: MoeConfig, width: int) -> None:
        super().__init__()
        self.top = config.num_experts_per_tok
        self.gate = nn.Linear(width, config.num_experts, bias=False)
        self.experts = Experts(config.num_experts, width, config.moe_intermediate_size)
        self.shared_expert = MLP(width, config.shared_expert_intermediate_size)
        self.shared_expert_gate = nn.Linear(width, 1, bias=False)

    def __call__(self, x: mx.array) -> mx.array:
        rows = x.reshape(-1, x.shape[-1])
        # In float32 from the product on: rounded scores would change which experts are chosen.
        scores = rows.astype(mx.float32) @ self.gate.weight.astype(mx.float32).T
        routing = mx.softmax(scores, axis=-1)
        chosen = mx.argpartition(-routing, kth=self.top - 1, axis=-1)[:, : self.top]
        weights = mx.take_along_axis(routing, chosen, axis=-1)
        weights = (weights / weights.sum(axis=-1, keepdims=True)).astype(x.dtype)
        routed = (self.experts(rows, chosen) * weights[..., None]).sum(axis=-2)
        shared = mx.sigmoid(self.shared_expert_gate(rows)) * self.shared_expert(rows)
        return (routed + shared).reshape(x.shape)
