"""The refit of scales and biases: how much closer it comes, and that no group gets worse."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from clef_mlx.convert.refit import pack, refit
from clef_mlx.convert.stream import as_mlx_packs
from clef_mlx.packing import BITS, GROUP_SIZES, Packing, unpack

GAIN = 0.08  # of the relative weight error at 4 bits in groups of 64; measured 0.089 to 0.091
ROUNDING = 1e-4  # of a group's squared error: what float32 sums in another order may differ by


def weights(kind: str, rows: int = 512, width: int = 1024) -> mx.array:
    """bfloat16 weights as a model might have them."""
    rng = np.random.default_rng(3)
    drawn = rng.normal(size=(rows, width))
    if kind == "heavy tails":
        drawn = rng.standard_t(5, size=(rows, width))
    if kind == "outlier columns":
        drawn[:, rng.choice(width, width // 100, replace=False)] *= 8
    return mx.array((0.02 * drawn).astype(np.float32)).astype(mx.bfloat16)


def squares(
    weight: mx.array, packed: tuple[mx.array, mx.array, mx.array], packing: Packing
) -> np.ndarray:
    """Squared error of each group, summed in float64 from what the packed weights stand for."""
    error = np.array(unpack(*packed, packing)).astype(np.float64)
    error -= np.array(weight.astype(mx.float32))
    return (error**2).reshape(-1, packing.group_size).sum(axis=-1)


@pytest.mark.parametrize("kind", ["gaussian", "heavy tails", "outlier columns"])
def test_error_falls_by_eight_percent(kind: str) -> None:
    weight, packing = weights(kind), Packing(4, 64)
    before, after = (
        squares(weight, how(weight, packing), packing) for how in (as_mlx_packs, refit)
    )
    assert np.sqrt(after.sum() / before.sum()) <= 1 - GAIN


@pytest.mark.parametrize("kind", ["gaussian", "heavy tails", "outlier columns"])
@pytest.mark.parametrize("size", GROUP_SIZES)
@pytest.mark.parametrize("bits", BITS)
def test_no_group_gets_worse(bits: int, size: int, kind: str) -> None:
    weight, packing = weights(kind, rows=64), Packing(bits, size)
    before, after = (
        squares(weight, how(weight, packing), packing) for how in (as_mlx_packs, refit)
    )
    assert (after <= before * (1 + ROUNDING)).all()
    assert after.sum() < before.sum()


def test_the_guarantee_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without MLX's codes among the candidates some groups do come out worse."""
    monkeypatch.setattr(mx, "quantize", lambda w, **_: (w, w[:, ::64] * 0, w[:, ::64] * 0))
    weight, packing = weights("gaussian"), Packing(4, 64)
    after = squares(weight, refit(weight, packing), packing)
    monkeypatch.undo()
    before = squares(weight, as_mlx_packs(weight, packing), packing)
    assert (after > before * (1 + ROUNDING)).any()


def test_odd_groups() -> None:
    """Constant, zero, two-valued and tiny groups; nothing overflows or divides by zero."""
    rows = [np.zeros(64), np.full(64, 3.0), np.repeat([1.0, -2.0], 32), np.full(64, 1e-30)]
    rows += [np.r_[1e4, np.zeros(63)], -np.arange(64.0), np.arange(64.0)]
    weight = mx.array(np.array(rows, dtype=np.float32)).astype(mx.bfloat16)
    for bits in BITS:
        packing = Packing(bits, 64)
        before = squares(weight, as_mlx_packs(weight, packing), packing)
        after = squares(weight, refit(weight, packing), packing)
        assert np.isfinite(after).all() and (after <= before * (1 + ROUNDING) + 1e-12).all()


@pytest.mark.parametrize("bits", BITS)
def test_codes_are_stored_as_mlx_stores_them(bits: int) -> None:
    codes = np.random.default_rng(0).integers(2**bits, size=(3, 5, 128))
    ones, zeros = mx.ones((3, 5, 2)), mx.zeros((3, 5, 2))
    packed = pack(mx.array(codes.astype(np.uint32)), bits)
    assert packed.shape == (3, 5, Packing(bits, 64).packed_width(128))
    assert np.array_equal(np.array(unpack(packed, ones, zeros, Packing(bits, 64))), codes)


def test_float32_weights_are_met_themselves_not_their_bfloat16() -> None:
    fine = mx.array(np.random.default_rng(1).normal(size=(64, 256)).astype(np.float32))
    packing = Packing(8, 64)
    met = squares(fine, refit(fine, packing), packing).sum()
    rounded = squares(fine, refit(fine.astype(mx.bfloat16), packing), packing).sum()
    assert met < 0.95 * rounded
