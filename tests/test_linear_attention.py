"""Gated DeltaNet's parts against their definitions, and the layer resumed at any token."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
from close import assert_close
from merged import part
from mlx.utils import tree_map

from clef_mlx import Clef
from clef_mlx.layers import linear_attention
from clef_mlx.layers.linear_attention import DepthwiseConv, GatedDeltaNet, l2_normalize

ATOL = 1e-5  # float32; measured 2e-6 on outputs up to 3


def layer_of(clef: Clef) -> GatedDeltaNet:
    return clef._backbone.layers[0].linear_attn


def states_of(length: int, seed: int = 0) -> mx.array:
    return mx.array(np.random.default_rng(seed).normal(size=(1, length, 64)).astype(np.float32))


@pytest.mark.parametrize("taps", [1, 2, 4, 5])
def test_convolution_is_causal_and_depthwise(taps: int) -> None:
    rng = np.random.default_rng(taps)
    weight, x = rng.normal(size=(taps, 3)), rng.normal(size=(1, taps - 1 + 9, 3))
    conv = DepthwiseConv(taps, 3)
    conv.weight = mx.array(weight.astype(np.float32))
    want = [(x[0, t : t + taps] * weight).sum(axis=0) for t in range(9)]
    assert_close(conv(mx.array(x.astype(np.float32)))[0], want, ATOL)


@pytest.mark.parametrize("size", [1e-5, 1e-3, 1.0, 100.0])
def test_l2_epsilon_is_added_to_the_sum_of_squares(size: float) -> None:
    x = np.random.default_rng(0).normal(size=(5, 32)) * size
    want = x / np.sqrt((x**2).sum(axis=-1, keepdims=True) + 1e-6)
    assert_close(l2_normalize(mx.array(x.astype(np.float32))), want, 1e-6)
    on_the_mean = x / np.sqrt(((x**2).mean(axis=-1, keepdims=True) + 1e-6) * 32)
    if size < 1:
        assert np.abs(want - on_the_mean).max() > 1e-3  # the test can tell the two apart


def test_layer_is_the_same_in_blocks(dense: Clef) -> None:
    layer, x = layer_of(dense), states_of(150)
    whole, _ = layer(x, None)
    for cut in (1, 2, 3, 64, 149):
        first, state = layer(x[:, :cut], None)
        second, _ = layer(x[:, cut:], state)
        assert_close(mx.concatenate([first, second], axis=1), whole, ATOL, f"cut at {cut}")


def test_later_tokens_never_change_earlier_ones(dense: Clef) -> None:
    layer, x = layer_of(dense), states_of(80)
    changed = mx.concatenate([x[:, :50], states_of(30, seed=1)], axis=1)
    assert_close(layer(changed, None)[0][:, :50], layer(x, None)[0][:, :50], 0)


def test_float32_islands_of_a_bfloat16_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decay, betas and recurrent state are float32 where the projections are bfloat16."""
    from conftest import GOLDEN

    from clef_mlx import load

    layer = layer_of(load(Path(GOLDEN / "tiny-dense"), dtype="bfloat16"))
    assert part(layer, "in_proj_qkv").weight.dtype == mx.bfloat16
    assert {layer.A_log.dtype, layer.dt_bias.dtype, layer.norm.weight.dtype} == {mx.float32}
    passed = []

    def spy(*args: mx.array) -> tuple[mx.array, mx.array]:
        passed.extend(args)
        return original(*args)

    original = linear_attention.gated_delta
    monkeypatch.setattr(linear_attention, "gated_delta", spy)
    x = states_of(40).astype(mx.bfloat16)
    y, state = layer(x, None)
    _, _, _, log_decay, beta, _ = passed
    assert (log_decay.dtype, beta.dtype, state.recurrent.dtype) == (mx.float32,) * 3
    assert y.dtype == mx.bfloat16
    a = np.array(part(layer, "in_proj_a")(x).astype(mx.float32), dtype=np.float64)
    in_float32 = -np.exp(np.array(layer.A_log)) * np.log1p(np.exp(a + np.array(layer.dt_bias)))
    assert_close(log_decay, in_float32, 1e-5)
    summed = np.array(
        (part(layer, "in_proj_a")(x) + layer.dt_bias.astype(mx.bfloat16)).astype(mx.float32),
        np.float64,
    )
    in_bfloat16 = -np.exp(np.array(layer.A_log)) * np.log1p(np.exp(summed))
    assert np.abs(in_bfloat16 - in_float32).max() > 1e-3  # adding in bfloat16 would show


def test_bfloat16_layer_stays_close(dense: Clef) -> None:
    layer, x = layer_of(dense), states_of(60)
    want, _ = layer(x, None)
    half = GatedDeltaNet(dense.checkpoint.config.text)
    half.merge()
    half.update(tree_map(lambda w: w.astype(mx.bfloat16), layer.parameters()))
    got, _ = half(x.astype(mx.bfloat16), None)
    assert_close(got.astype(mx.float32), want, 0.05)  # measured 0.02 on outputs up to 3
