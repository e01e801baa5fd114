"""Full attention against a loop over heads and tokens, and resumed at any token."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
from close import assert_close
from merged import part

from clef_mlx import Clef
from clef_mlx.architecture import TextConfig
from clef_mlx.layers.attention import Attention, GatedAttention

ATOL = 1e-5  # float32 against float64; measured 2e-6 on outputs up to 3


def layer_of(clef: Clef) -> GatedAttention:
    return clef._backbone.layers[3].self_attn


def states_of(length: int) -> mx.array:
    return mx.array(np.random.default_rng(1).normal(size=(1, length, 64)).astype(np.float32))


def plain_attention(layer: Attention, c: TextConfig, x: np.ndarray) -> np.ndarray:
    """One head and one token at a time, float64."""

    def project(name: str) -> np.ndarray:
        weight = np.array(part(layer, name).weight, dtype=np.float64)
        return (x @ weight.T).reshape(len(x), -1, weight.shape[0] // heads_of[name])

    def norm(rows: np.ndarray, name: str) -> np.ndarray:
        scale = np.array(layer[name].weight, dtype=np.float64)
        return rows / np.sqrt((rows**2).mean(axis=-1, keepdims=True) + c.rms_norm_eps) * scale

    def rotate(row: np.ndarray, position: int) -> np.ndarray:
        half = c.rotary_dim // 2
        angle = position * c.rope_theta ** (-np.arange(half) / half)
        first, second = row[:half], row[half : 2 * half]
        turned = [
            first * np.cos(angle) - second * np.sin(angle),
            second * np.cos(angle) + first * np.sin(angle),
        ]
        return np.concatenate([*turned, row[2 * half :]])

    heads, key_heads = c.num_attention_heads, c.num_key_value_heads
    heads_of = {"q_proj": heads, "k_proj": key_heads, "v_proj": key_heads}
    query_and_gate, k, v = project("q_proj"), norm(project("k_proj"), "k_norm"), project("v_proj")
    q = norm(query_and_gate[..., : c.head_dim], "q_norm")
    gate = 1 / (1 + np.exp(-query_and_gate[..., c.head_dim :])) if c.attn_output_gate else 1.0
    out = np.zeros_like(q)
    for head in range(heads):
        key_head = head // (heads // key_heads)
        keys = np.stack([rotate(row, t) for t, row in enumerate(k[:, key_head])])
        for t in range(len(x)):
            scores = keys[: t + 1] @ rotate(q[t, head], t) * c.head_dim**-0.5
            weights = np.exp(scores - scores.max())
            out[t, head] = weights / weights.sum() @ v[: t + 1, key_head]
    return (out * gate).reshape(len(x), -1) @ np.array(layer.o_proj.weight, dtype=np.float64).T


def test_attention_is_its_definition(dense: Clef) -> None:
    layer, x = layer_of(dense), states_of(37)
    got, _ = layer(x, None)
    want = plain_attention(layer, dense.checkpoint.config.text, np.array(x[0], dtype=np.float64))
    assert_close(got[0], want, ATOL)


def test_attention_without_a_gate_is_its_definition(omni: Clef) -> None:
    layer, x = omni._backbone.layers[1].self_attn, states_of(37)
    assert type(layer) is Attention
    got, _ = layer(x, None)
    want = plain_attention(layer, omni.checkpoint.config.text, np.array(x[0], dtype=np.float64))
    assert_close(got[0], want, ATOL)


def test_layer_is_the_same_in_blocks(dense: Clef) -> None:
    layer, x = layer_of(dense), states_of(90)
    whole, _ = layer(x, None)
    for cuts in ((1,), (2, 3), (64, 65), (30, 60, 89)):
        state, parts = None, []
        for first, last in zip((0, *cuts), (*cuts, 90), strict=True):
            y, state = layer(x[:, first:last], state)
            parts.append(y)
        assert_close(mx.concatenate(parts, axis=1), whole, ATOL, f"cut at {cuts}")


def test_softmax_is_float32_in_a_bfloat16_model(dense: Clef) -> None:
    """Weights of 4,000 equal keys sum to 1; summed in bfloat16 they would stop growing at 256."""
    keys = mx.zeros((1, 1, 4000, 32), mx.bfloat16)
    values = mx.ones((1, 1, 4000, 32), mx.bfloat16)
    y = mx.fast.scaled_dot_product_attention(keys[:, :, :1], keys, values, scale=1.0)
    assert_close(y.astype(mx.float32), np.ones((1, 1, 1, 32)), 0.01)
