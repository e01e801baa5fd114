"""Layers that share an input: merged into fewer products, with the same numbers."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest
from merged import part

from clef_mlx.layers.linear import Linear, SharesInput
from clef_mlx.packing import BITS, Packing, unpack

SIZES = (96, 32, 4, 4)
ATOL = 2e-5  # another shape of product may add in another order; measured 4e-6 on outputs up to 30


class Four(SharesInput):
    shared = ("a", "b", "c", "d")

    def __init__(self, packings: tuple[Packing | None, ...]) -> None:
        super().__init__()
        rng = np.random.default_rng(3)
        for name, size, packing in zip(self.shared, SIZES, packings, strict=True):
            layer = Linear(64, size)
            layer.weight = mx.array(rng.normal(size=(size, 64)).astype(np.float32))
            if packing is not None:
                dense = layer.weight
                layer.pack(packing)
                layer.weight, layer.scales, layer.biases = mx.quantize(
                    dense, packing.group_size, packing.bits
                )
            self[name] = layer


EIGHT, FOUR = Packing(8, 64), Packing(4, 64)


@pytest.mark.parametrize(
    ("packings", "products"),
    [
        ((None, None, None, None), 1),
        ((FOUR, FOUR, None, None), 2),
        ((FOUR, EIGHT, EIGHT, FOUR), 3),
        ((EIGHT, FOUR, EIGHT, None), 4),
    ],
)
def test_merged_layers_give_what_each_gave(
    packings: tuple[Packing | None, ...], products: int
) -> None:
    layer, x = Four(packings), mx.array(np.random.default_rng(4).normal(size=(2, 5, 64)))
    want = layer.outputs(x.astype(mx.float32))
    weights = {name: np.array(layer[name].weight) for name in layer.shared}
    layer.merge()
    assert len(layer.merged) == products
    assert [name for name in layer.shared if name in layer] == []  # nothing is held twice
    got = layer.outputs(x.astype(mx.float32))
    assert [y.shape for y in got] == [(2, 5, size) for size in SIZES]
    for mine, theirs in zip(got, want, strict=True):
        assert mx.abs(mine - theirs).max().item() <= ATOL
    for name, weight in weights.items():
        assert np.array_equal(np.array(part(layer, name).weight), weight)


@pytest.mark.parametrize("bits", [None, *BITS])
def test_heads_go_through_their_own_outputs_there_and_back(bits: int | None) -> None:
    """Three heads of 8 outputs each, behind 16 outputs of something else."""
    rng = np.random.default_rng(5)
    layer = Linear(64, 40, bias=True)
    weight = layer.weight = mx.array(rng.normal(size=(40, 64)).astype(np.float32))
    if bits is not None:
        packing = Packing(bits, 64)
        layer.pack(packing)
        layer.weight, layer.scales, layer.biases = mx.quantize(weight, 64, bits)
        weight = unpack(layer.weight, layer.scales, layer.biases, packing)
    heads = np.array(weight, np.float64)[16:].reshape(3, 8, 64)
    there, back = rng.normal(size=(3, 5, 64)), rng.normal(size=(3, 5, 8))
    rows = slice(16, None)
    got = layer.by_head(mx.array(there.astype(np.float32)), rows)
    assert np.abs(np.array(got) - there @ heads.swapaxes(1, 2)).max() <= ATOL
    got = layer.by_head(mx.array(back.astype(np.float32)), rows, transpose=False)
    assert np.abs(np.array(got) - back @ heads).max() <= ATOL
