"""The vision tower's deepstack: features of earlier blocks behind each token."""

from __future__ import annotations

from dataclasses import replace
from math import erf

import mlx.core as mx
import numpy as np
from close import assert_close
from mlx.utils import tree_flatten

from clef_mlx.architecture import VisionConfig
from clef_mlx.towers.vision import DeepstackMerger, VisionTower

ATOL = 1e-5  # float32 against float64; measured 1e-6
CONFIG = VisionConfig(
    depth=3,
    hidden_size=8,
    intermediate_size=12,
    num_heads=2,
    out_hidden_size=6,
    in_channels=3,
    num_position_embeddings=16,
    patch_size=2,
    spatial_merge_size=2,
    temporal_patch_size=2,
    deepstack_visual_indexes=(0, 2),
)


def randomised(module: VisionTower | DeepstackMerger, seed: int) -> None:
    mx.random.seed(seed)
    weights = [(k, mx.random.normal(v.shape) * 0.5) for k, v in tree_flatten(module.parameters())]
    module.load_weights(weights)


def test_merger_norms_the_merged_patches() -> None:
    """Block by block, float64; the plain merger norms each patch before it is merged."""
    merger = DeepstackMerger(CONFIG)
    randomised(merger, 1)
    patches = np.random.default_rng(0).normal(size=(2, 8, 8))

    def weight(name: str) -> np.ndarray:
        return np.array(dict(tree_flatten(merger.parameters()))[name], dtype=np.float64)

    want = []
    for block in patches.reshape(4, 32):
        normed = (block - block.mean()) / np.sqrt(block.var() + 1e-6)
        x = weight("linear_fc1.weight") @ (normed * weight("norm.weight") + weight("norm.bias"))
        x = x + weight("linear_fc1.bias")
        x = x * 0.5 * (1 + np.vectorize(erf)(x / 2**0.5))
        want.append(weight("linear_fc2.weight") @ x + weight("linear_fc2.bias"))
    assert_close(merger(mx.array(patches.astype(np.float32))), np.array(want), ATOL)


def test_features_stand_behind_each_token_in_the_order_of_blocks() -> None:
    tower = VisionTower(CONFIG)
    randomised(tower, 2)
    pixels = mx.array(np.random.default_rng(1).normal(size=(32, 24)).astype(np.float32))
    got = tower(pixels, (2, 4, 4))
    assert got.shape == (8, 18)
    for blocks, columns in ((1, slice(6, 12)), (3, slice(12, 18))):
        # A tower that ends after the block, its last merger in place of the plain one.
        short = VisionTower(replace(CONFIG, depth=blocks, deepstack_visual_indexes=()))
        own, known = dict(tree_flatten(tower.parameters())), tree_flatten(short.parameters())
        short.load_weights([(name, own[name]) for name, _ in known])
        short.merger = tower.deepstack[0 if blocks == 1 else 1]
        assert_close(short(pixels, (2, 4, 4)), got[:, columns], ATOL)
    plain = VisionTower(replace(CONFIG, deepstack_visual_indexes=()))
    own = dict(tree_flatten(tower.parameters()))
    plain.load_weights([(name, own[name]) for name, _ in tree_flatten(plain.parameters())])
    assert_close(plain(pixels, (2, 4, 4)), got[:, :6], ATOL)
