"""The vision tower against its definition in float64, patch by patch and frame by frame."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from close import assert_close
from conftest import GOLDEN
from mlx.utils import tree_flatten

from clef_mlx import Clef, load
from clef_mlx.config import VisionConfig
from clef_mlx.media.patches import patchify
from clef_mlx.media.settings import PictureSettings
from clef_mlx.towers import vision
from clef_mlx.towers.vision import VisionTower

ATOL = 1e-5  # float32 against float64; measured 3e-6 on outputs up to 6
CONFIG = VisionConfig(
    depth=2,
    hidden_size=32,
    intermediate_size=48,
    num_heads=2,
    out_hidden_size=24,
    in_channels=3,
    num_position_embeddings=25,
    patch_size=4,
    spatial_merge_size=2,
    temporal_patch_size=2,
)
SETTINGS = PictureSettings(4, 2, 2, (0.5,) * 3, (0.5,) * 3, 1 / 255, 1, 1 << 20)
Weights = dict[str, np.ndarray]
Gelu = Callable[[np.ndarray], np.ndarray]


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def gelu_exact(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def layer_norm(x: np.ndarray, w: Weights, name: str, eps: float) -> np.ndarray:
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
    return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]


def linear(x: np.ndarray, w: Weights, name: str) -> np.ndarray:
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def plain_tower(
    c: VisionConfig,
    w: Weights,
    pixels: np.ndarray,
    eps: float = 1e-6,
    block_gelu: Gelu = gelu_tanh,
    merger_gelu: Gelu = gelu_exact,
) -> np.ndarray:
    """Tokens of normalised frames ``[T, H, W, 3]``, patches in the order one reads a page."""
    tokens = []
    for first in range(0, len(pixels), c.temporal_patch_size):
        x = plain_embedding(c, w, pixels[first : first + c.temporal_patch_size])
        height, width, _ = x.shape
        for i in range(c.depth):
            name = f"blocks.{i}"
            x = x + plain_attention(c, w, f"{name}.attn", layer_norm(x, w, f"{name}.norm1", eps))
            inner = linear(layer_norm(x, w, f"{name}.norm2", eps), w, f"{name}.mlp.linear_fc1")
            x = x + linear(block_gelu(inner), w, f"{name}.mlp.linear_fc2")
        x = layer_norm(x, w, "merger.norm", eps)
        merge = c.spatial_merge_size
        for row in range(0, height, merge):
            for column in range(0, width, merge):
                block = x[row : row + merge, column : column + merge].reshape(-1)
                inner = merger_gelu(linear(block, w, "merger.linear_fc1"))
                tokens.append(linear(inner, w, "merger.linear_fc2"))
    return np.stack(tokens)


def plain_embedding(c: VisionConfig, w: Weights, frames: np.ndarray) -> np.ndarray:
    """A strided convolution, and a grid of learned positions stretched over the picture."""
    size = c.patch_size
    kernel = w["patch_embed.proj.weight"].reshape(-1, 3, c.temporal_patch_size, size, size)
    side = int(c.num_position_embeddings**0.5)
    table = w["pos_embed.weight"].reshape(side, side, -1)
    height, width = frames.shape[1] // size, frames.shape[2] // size
    x = np.empty((height, width, c.hidden_size))
    for row in range(height):
        for column in range(width):
            y0, x0 = row * size, column * size
            patch = frames[:, y0 : y0 + size, x0 : x0 + size].transpose(3, 0, 1, 2)
            x[row, column] = (kernel * patch).sum(axis=(1, 2, 3, 4)) + w["patch_embed.proj.bias"]
            down, across = row * (side - 1) / (height - 1), column * (side - 1) / (width - 1)
            for y in range(side):
                for z in range(side):  # the hat functions of bilinear interpolation
                    share = max(0, 1 - abs(down - y)) * max(0, 1 - abs(across - z))
                    x[row, column] += share * table[y, z]
    return x


def plain_attention(c: VisionConfig, w: Weights, name: str, x: np.ndarray) -> np.ndarray:
    """One head and one patch at a time; half of each head turns by row, half by column."""
    height, width, size = x.shape
    head_dim = size // c.num_heads
    quarter = head_dim // 4
    qkv = linear(x, w, f"{name}.qkv").reshape(height * width, 3, c.num_heads, head_dim)

    def rotate(vector: np.ndarray, place: int) -> np.ndarray:
        row, column = divmod(place, width)
        turned = vector.copy()
        for i in range(2 * quarter):
            frequency = 10_000 ** (-(i % quarter) / quarter)
            angle = (row if i < quarter else column) * frequency
            a, b = vector[i], vector[i + 2 * quarter]
            turned[i] = a * math.cos(angle) - b * math.sin(angle)
            turned[i + 2 * quarter] = b * math.cos(angle) + a * math.sin(angle)
        return turned

    out = np.empty((height * width, c.num_heads, head_dim))
    for head in range(c.num_heads):
        keys = np.stack([rotate(row, place) for place, row in enumerate(qkv[:, 1, head])])
        for place, query in enumerate(qkv[:, 0, head]):
            scores = keys @ rotate(query, place) / math.sqrt(head_dim)
            weights = np.exp(scores - scores.max())
            out[place, head] = weights / weights.sum() @ qkv[:, 2, head]
    return linear(out.reshape(height, width, size), w, f"{name}.proj")


def tower_of(config: VisionConfig = CONFIG, embedding: float = 1.0) -> tuple[VisionTower, Weights]:
    """A tower whose every weight matters; ``embedding`` scales what goes into the blocks."""
    rng = np.random.default_rng(0)
    tower = VisionTower(config)
    weights = []
    for name, value in tree_flatten(tower.parameters()):
        noise = rng.normal(size=value.shape)
        if "norm" in name and name.endswith("weight"):
            noise = 1 + 0.2 * noise
        elif name.endswith("bias"):
            noise = 0.3 * noise
        elif name != "pos_embed.weight":
            noise = 1.5 * noise * value.shape[-1] ** -0.5
        if name.startswith(("patch_embed", "pos_embed")):
            noise = embedding * noise
        weights.append((name, mx.array(noise.astype(np.float32))))
    tower.load_weights(weights)
    return tower, {name: np.array(value, dtype=np.float64) for name, value in weights}


def pictures(frames: int, height: int, width: int, seed: int = 0) -> np.ndarray:
    size = (frames, height * 4, width * 4, 3)
    return np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)


def run(tower: VisionTower, frames: np.ndarray) -> mx.array:
    rows, grid = patchify(frames, SETTINGS)
    return tower(mx.array((rows / 127.5 - 1).astype(np.float32)), grid)


def plain(weights: Weights, frames: np.ndarray, **options: Any) -> np.ndarray:
    return plain_tower(CONFIG, weights, frames / 127.5 - 1, **options)


@pytest.mark.parametrize("shape", [(2, 2, 2), (2, 4, 6), (2, 8, 2), (4, 4, 4), (6, 2, 10)])
def test_tower_is_its_definition(shape: tuple[int, int, int]) -> None:
    tower, weights = tower_of()
    frames = pictures(*shape)
    assert_close(run(tower, frames), plain(weights, frames), ATOL)


@pytest.mark.parametrize(
    ("change", "embedding"),
    [
        ({"block_gelu": gelu_exact}, 1.0),
        ({"merger_gelu": gelu_tanh}, 1.0),
        ({"eps": 1e-5}, 0.01),
    ],
    ids=["exact GELU in blocks", "tanh GELU in the merger", "another epsilon"],
)
def test_the_comparison_sees_small_differences(change: Any, embedding: float) -> None:
    tower, weights = tower_of(embedding=embedding)
    frames = pictures(2, 4, 4)
    got = np.array(run(tower, frames))
    assert_close(got, plain(weights, frames), ATOL)
    assert np.abs(got - plain(weights, frames, **change)).max() > 10 * ATOL


def test_frames_of_a_clip_do_not_see_each_other() -> None:
    tower, _ = tower_of()
    frames = pictures(6, 4, 6)
    changed = frames.copy()
    changed[2:4] = 255 - changed[2:4]
    whole, other = np.array(run(tower, frames)), np.array(run(tower, changed))
    same = (whole == other).all(axis=1).reshape(3, 6)
    assert same.tolist() == [[True] * 6, [False] * 6, [True] * 6]
    alone = np.array(run(tower, frames[2:4]))
    assert_close(alone, whole[6:12], ATOL)


def test_all_patches_of_a_frame_see_each_other() -> None:
    tower, _ = tower_of()
    frames = pictures(2, 4, 6)
    changed = frames.copy()
    changed[0, -1, -1] ^= 255
    assert (np.array(run(tower, frames)) != np.array(run(tower, changed))).any(axis=1).all()


@pytest.mark.parametrize(
    ("shape", "parts"), [((2, 16, 10), [64, 64, 32]), ((4, 16, 8), [64, 64]), ((2, 8, 6), [48])]
)
def test_attention_in_parts_is_the_whole(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, int, int], parts: list[int]
) -> None:
    tower, _ = tower_of()
    frames = pictures(*shape)
    whole = run(tower, frames)
    calls, original = [], mx.fast.scaled_dot_product_attention

    def counted(q: mx.array, *rest: mx.array, scale: float) -> mx.array:
        calls.append(q.shape[2])
        return original(q, *rest, scale=scale)

    monkeypatch.setattr(mx.fast, "scaled_dot_product_attention", counted)
    monkeypatch.setattr(vision, "SCORE_BYTES", 1)
    assert_close(run(tower, frames), whole, ATOL)
    assert calls == CONFIG.depth * parts


def test_positions_of_a_grid_as_large_as_the_table_are_its_rows() -> None:
    corners, weights, _, _ = vision._positions(8, 8, 2, 8, 16)
    strongest = corners[weights.argmax(axis=0), np.arange(64)]
    assert_close(weights.max(axis=0), np.ones(64), 1e-5)
    assert strongest[:8].tolist() == [0, 1, 8, 9, 2, 3, 10, 11]  # in merge blocks
    assert sorted(strongest.tolist()) == list(range(64))


def test_weights_of_positions_sum_to_one() -> None:
    for height, width in ((2, 2), (4, 62), (96, 34)):
        corners, weights, cos, sin = vision._positions(height, width, 2, 48, 72)
        assert_close(weights.sum(axis=0), np.ones(height * width), 1e-6)
        assert corners.max() == 48 * 48 - 1
        assert_close(cos**2 + sin**2, np.ones((height * width, 72)), 1e-6)


def test_rotation_is_float32_in_a_bfloat16_model() -> None:
    """Rounded once, at the end."""
    _, _, cos, sin = map(mx.array, vision._positions(60, 60, 2, 48, 16))
    x = mx.random.normal((1, 2, 3600, 16), key=mx.random.key(0)).astype(mx.bfloat16)
    got = vision._rotate(x, cos, sin)
    want = vision._rotate(x.astype(mx.float32), cos, sin)
    assert got.dtype == mx.bfloat16
    assert mx.array_equal(got, want.astype(mx.bfloat16))


def test_a_bfloat16_tower_is_as_close_as_its_weights() -> None:
    tower, weights = tower_of()
    frames = pictures(2, 4, 6)
    rows, grid = patchify(frames, SETTINGS)
    tower.load_weights(
        [(name, value.astype(mx.bfloat16)) for name, value in tree_flatten(tower.parameters())]
    )
    got = tower(mx.array(rows / 127.5 - 1).astype(mx.bfloat16), grid)
    want = plain(weights, frames)
    assert got.dtype == mx.bfloat16
    assert_close(got.astype(mx.float32), want, 0.05 * np.abs(want).max())


def test_a_community_tower_is_the_release_s(dense: Clef) -> None:
    """Names and layouts differ there; the numbers are the same bfloat16."""
    community = load(GOLDEN / "tiny-dense-mlx4", dtype="float32")
    want = dense.checkpoint.parameters("vision", mx.float32, expand=True)
    got = community.checkpoint.parameters("vision", mx.float32, expand=True)
    assert set(got) == set(want)
    assert any(name.endswith("patch_embed.proj.weight") for name in want)
    for name, value in want.items():
        assert mx.array_equal(got[name], value), name
