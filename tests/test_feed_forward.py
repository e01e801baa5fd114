"""The mixture of experts against a loop over tokens and experts."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest
from close import assert_close
from merged import part

from clef_mlx import Clef
from clef_mlx.architecture import MoeConfig
from clef_mlx.layers import feed_forward
from clef_mlx.layers.feed_forward import MLP, RoutedMoe, SparseMoe

ATOL = 1e-5  # float32 against float64; measured 1e-6 on outputs up to 2


def silu(x: np.ndarray) -> np.ndarray:
    return x / (1 + np.exp(-x))


def plain_mlp(gate: np.ndarray, up: np.ndarray, down: np.ndarray, x: np.ndarray) -> np.ndarray:
    return down @ (silu(gate @ x) * (up @ x))


def plain_moe(layer: RoutedMoe, top: int, rows: np.ndarray, normalised: bool = True) -> np.ndarray:
    def weight(module: object) -> np.ndarray:
        return np.array(module.weight, dtype=np.float64)  # type: ignore[attr-defined]

    gate_up = np.array(layer.experts.gate_up_proj.weight, dtype=np.float64)
    down = np.array(layer.experts.down_proj.weight, dtype=np.float64)
    inner, out = gate_up.shape[1] // 2, []
    for x in rows:
        routing = np.exp(weight(layer.gate) @ x)
        routing /= routing.sum()
        best = np.argsort(-routing)[:top]
        y = sum(
            routing[e]
            / (routing[best].sum() if normalised else 1.0)
            * plain_mlp(gate_up[e, :inner], gate_up[e, inner:], down[e], x)
            for e in best
        )
        if isinstance(layer, SparseMoe):
            gate = 1 / (1 + np.exp(-weight(layer.shared_expert_gate) @ x))
            shared = layer.shared_expert
            parts = tuple(part(shared, n) for n in ("gate_proj", "up_proj", "down_proj"))
            y = y + gate * plain_mlp(*(weight(part) for part in parts), x)
        out.append(y)
    return np.array(out)


def rows_of(count: int, width: int) -> np.ndarray:
    return np.random.default_rng(count).normal(size=(count, width))


# 32 routed rows and up are sorted by expert (SORT_FROM is 64 with two experts a token).
@pytest.mark.parametrize("tokens", [1, 3, 31, 32, 40])
def test_moe_is_its_definition(moe: Clef, tokens: int) -> None:
    layer, rows = moe._backbone.layers[0].mlp, rows_of(tokens, 64)
    got = layer(mx.array(rows[None].astype(np.float32)))
    assert_close(got[0], plain_moe(layer, 2, rows), ATOL)


@pytest.mark.parametrize("top", [1, 3, 5])
def test_any_number_of_active_experts(top: int) -> None:
    mx.random.seed(top)
    layer = SparseMoe(MoeConfig(5, top, 24, 40), 16)
    layer.experts.gate_up_proj.weight = mx.random.normal((5, 48, 16)) * 0.3
    layer.experts.down_proj.weight = mx.random.normal((5, 16, 24)) * 0.3
    rows = rows_of(70, 16)
    got = layer(mx.array(rows[None].astype(np.float32)))
    assert_close(got[0], plain_moe(layer, top, rows), ATOL)


@pytest.mark.parametrize("tokens", [1, 31, 40])
def test_routing_alone_is_its_definition(omni: Clef, tokens: int) -> None:
    layer, rows = omni._backbone.layers[0].mlp, rows_of(tokens, 64)
    assert type(layer) is RoutedMoe
    got = layer(mx.array(rows[None].astype(np.float32)))
    assert_close(got[0], plain_moe(layer, 2, rows), ATOL)


def test_weights_are_left_alone_without_norm_topk_prob() -> None:
    mx.random.seed(1)
    layer = RoutedMoe(MoeConfig(5, 2, 24, 0, norm_topk_prob=False), 16)
    layer.gate.weight = mx.random.normal((5, 16))
    layer.experts.gate_up_proj.weight = mx.random.normal((5, 48, 16)) * 0.3
    layer.experts.down_proj.weight = mx.random.normal((5, 16, 24)) * 0.3
    rows = rows_of(10, 16)
    got = layer(mx.array(rows[None].astype(np.float32)))
    assert_close(got[0], plain_moe(layer, 2, rows, normalised=False), ATOL)


def test_sorting_by_expert_changes_nothing(moe: Clef, monkeypatch: pytest.MonkeyPatch) -> None:
    layer, x = moe._backbone.layers[0].mlp, mx.array(rows_of(50, 64)[None].astype(np.float32))
    is_sorted = layer(x)
    monkeypatch.setattr(feed_forward, "SORT_FROM", 10**9)
    assert_close(layer(x), is_sorted, 1e-6)


def test_router_is_float32_in_a_bfloat16_model() -> None:
    """Scores that differ by less than bfloat16 resolves still choose the larger."""
    layer = SparseMoe(MoeConfig(2, 1, 8, 8), 4)
    layer.gate.weight = mx.array([[1.0, 0, 0, 0], [1.0, 2.0**-8, 0, 0]])
    layer.experts.gate_up_proj.weight = mx.ones((2, 16, 4))
    layer.experts.down_proj.weight = mx.stack([mx.zeros((4, 8)), mx.ones((4, 8))])
    layer.shared_expert.down_proj.weight = mx.zeros((4, 8))
    layer.set_dtype(mx.bfloat16)
    y = layer(mx.array([[[0.5, 0.5, 0, 0]]], mx.bfloat16))
    assert y.min().item() > 1  # the second expert's output; the first gives 0


def test_mlp_is_its_definition() -> None:
    mx.random.seed(0)
    layer, rows = MLP(16, 24), rows_of(5, 16)
    weights = [
        np.array(part.weight, dtype=np.float64)
        for part in (part(layer, n) for n in ("gate_proj", "up_proj", "down_proj"))
    ]
    want = [plain_mlp(*weights, row) for row in rows]
    assert_close(layer(mx.array(rows.astype(np.float32))), want, ATOL)
