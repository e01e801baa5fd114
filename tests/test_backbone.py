"""The stack in blocks, and against mlx-lm's own Qwen3.5 text model on the same weights."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest
from close import assert_close

from clef_mlx import Clef
from clef_mlx.backbone import Deepstack

ATOL = 1e-4  # float32; measured 1e-5 on hidden states up to 4
HARSH_ATOL = 5e-4  # two float32 implementations on random weights; measured 1.1e-4


def embedded(clef: Clef, length: int) -> mx.array:
    ids = np.random.default_rng(0).integers(0, 1000, length)
    return clef._prefill._embeddings.read(ids).astype(mx.float32)[None]


@pytest.mark.parametrize("cuts", [(1,), (5, 6, 7), (63,), (64, 128), (100, 190)])
def test_blocks_give_the_hidden_states_of_one_call(dense: Clef, cuts: tuple[int, ...]) -> None:
    x = embedded(dense, 200)
    whole, _ = dense._backbone(x)
    state, parts = None, []
    for first, last in zip((0, *cuts), (*cuts, 200), strict=True):
        hidden, state = dense._backbone(x[:, first:last], state)
        parts.append(hidden)
    assert_close(mx.concatenate(parts, axis=1), whole, ATOL)


def test_deepstack_adds_after_the_first_layers_at_its_tokens(omni: Clef) -> None:
    """Layer by layer, with the sum written out."""
    rng = np.random.default_rng(2)
    x, at = mx.array(rng.normal(size=(1, 9, 64)).astype(np.float32)), [2, 3, 7]
    features = mx.array(rng.normal(size=(3, 128)).astype(np.float32))
    got, _ = omni._backbone(x, deepstack=Deepstack(mx.array(at), features))
    hidden = x
    for i, layer in enumerate(omni._backbone.layers):
        hidden, _ = layer(hidden, None, mx.float32, None)
        added = np.zeros((1, 9, 64), np.float32)
        if i < 2:
            added[0, at] = np.array(features)[:, 64 * i : 64 * (i + 1)]
        hidden = hidden + mx.array(added)
    assert_close(got, omni._backbone.norm(hidden), 1e-5)
    plain, _ = omni._backbone(x)
    assert_close(got[:, :2], plain[:, :2], 1e-6)  # tokens before them see nothing of it
    assert mx.abs(got[:, 2:] - plain[:, 2:]).min(axis=-1).max().item() > 0


def test_a_state_can_be_resumed_twice(dense: Clef) -> None:
    x = embedded(dense, 90)
    _, state = dense._backbone(x[:, :70])
    first, _ = dense._backbone(x[:, 70:], state)
    again, _ = dense._backbone(x[:, 70:], state)
    assert_close(again, first, 0)
