"""The audio encoder against loops over its definition, and against the reference's own tokens."""

from __future__ import annotations

from math import erf

import mlx.core as mx
import numpy as np
import pytest
from close import assert_close
from conftest import GOLDEN
from golden.make_omni import SETS, wave
from mlx.utils import tree_flatten

from clef_mlx import Clef
from clef_mlx.architecture import AudioConfig
from clef_mlx.media.sounds import Sound, Sounds
from clef_mlx.towers.audio import AudioTower

ATOL = 1e-5  # float32 against float64; measured 2e-6 on outputs up to 3
ORACLE = np.load(GOLDEN / "omni.npz")
SMALL = AudioConfig(
    num_mel_bins=9,
    d_model=8,
    encoder_layers=2,
    encoder_attention_heads=2,
    encoder_ffn_dim=12,
    downsample_hidden_size=3,
    output_dim=5,
    n_window=5,
    n_window_infer=40,
)


@pytest.fixture(scope="module")
def tower() -> AudioTower:
    mx.random.seed(3)
    tower = AudioTower(SMALL)
    weights = [(k, mx.random.normal(v.shape) * 0.5) for k, v in tree_flatten(tower.parameters())]
    tower.load_weights(weights)
    return tower


def gelu(x: np.ndarray) -> np.ndarray:
    return np.array(x * 0.5 * (1 + np.vectorize(erf)(x / 2**0.5)))


def plain_convolution(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """``x`` ``[rows, time, channels]``, stride 2, a border of zeros: one output at a time."""
    rows, time, _ = x.shape
    bordered = np.pad(x, [(1, 1), (1, 1), (0, 0)])
    out = np.empty(((rows + 1) // 2, (time + 1) // 2, len(bias)))
    for r, t, o in np.ndindex(out.shape):
        seen = bordered[2 * r : 2 * r + 3, 2 * t : 2 * t + 3]
        out[r, t, o] = (seen * weight[o]).sum() + bias[o]
    return out


def plain_tower(tower: AudioTower, features: np.ndarray, longest: int) -> np.ndarray:
    """One chunk, one head and one token at a time, float64."""
    values = dict(tree_flatten(tower.parameters()))

    def weight(name: str) -> np.ndarray:
        return np.array(values[name], dtype=np.float64)

    def linear(name: str, x: np.ndarray) -> np.ndarray:
        bias = weight(f"{name}.bias") if f"{name}.bias" in values else 0.0
        return x @ weight(f"{name}.weight").T + bias

    def norm(name: str, x: np.ndarray) -> np.ndarray:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)
        return scaled * weight(f"{name}.weight") + weight(f"{name}.bias")

    tokens = []
    for first in range(0, features.shape[1], 10):
        chunk = features[:, first : first + 10]
        x = np.pad(chunk, [(0, 0), (0, longest - chunk.shape[1])])[..., None]
        count = chunk.shape[1]
        for name in ("conv2d1", "conv2d2", "conv2d3"):
            x = gelu(plain_convolution(x, weight(f"{name}.weight"), weight(f"{name}.bias")))
            count = (count + 1) // 2
        for t in range(count):
            row = linear("conv_out", x[:, t].T.reshape(-1))  # channel by channel, rows within
            waves = 10_000.0 ** (-np.arange(4) / 3)
            tokens.append(row + np.concatenate([np.sin(t * waves), np.cos(t * waves)]))
    x = np.array(tokens)
    for i in range(2):
        at = f"layers.{i}"
        normed = norm(f"{at}.self_attn_layer_norm", x)
        q, k, v = (linear(f"{at}.self_attn.{n}_proj", normed) for n in "qkv")
        y = np.empty_like(x)
        for head in (slice(0, 4), slice(4, 8)):
            for t in range(len(x)):
                scores = k[:, head] @ q[t, head] / 2
                shares = np.exp(scores - scores.max())
                y[t, head] = shares / shares.sum() @ v[:, head]
        x = x + linear(f"{at}.self_attn.out_proj", y)
        inner = gelu(linear(f"{at}.fc1", norm(f"{at}.final_layer_norm", x)))
        x = x + linear(f"{at}.fc2", inner)
    return linear("proj2", gelu(linear("proj1", norm("ln_post", x))))


@pytest.mark.parametrize(("frames", "longest"), [(10, 10), (33, 10), (40, 10), (3, 3), (3, 10)])
def test_encoder_is_its_definition(tower: AudioTower, frames: int, longest: int) -> None:
    features = np.random.default_rng(frames).normal(size=(9, frames))
    got = tower(mx.array(features.astype(np.float32)), longest)
    assert_close(got, plain_tower(tower, features, longest), ATOL)


def test_padding_of_a_short_chunk_is_heard(tower: AudioTower) -> None:
    """As in the reference, where every chunk is padded to the request's longest."""
    features = mx.random.normal((9, 3))
    assert np.abs(np.array(tower(features, 3) - tower(features, 10))).max() > 1e-3


@pytest.mark.parametrize("name", SETS)
def test_tokens_are_the_reference_s(omni: Clef, name: str) -> None:
    """Windows, chunks and unequal clips, from samples on."""
    got = omni._prefill._features._audio(Sounds(tuple(Sound("", wave(n)) for n in SETS[name]), 128))
    assert_close(got, ORACLE[f"{name}/tokens"], 1e-4, name)  # measured 5e-6


def test_bfloat16_keeps_its_dtype(tower: AudioTower) -> None:
    half = AudioTower(SMALL)
    half.load_weights([(k, v.astype(mx.bfloat16)) for k, v in tree_flatten(tower.parameters())])
    features = mx.random.normal((9, 33))
    got = half(features.astype(mx.bfloat16), 10)
    assert got.dtype == mx.bfloat16
    want = tower(features, 10)
    assert np.abs(np.array(got.astype(mx.float32) - want)).max() < 0.2
