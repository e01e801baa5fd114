"""Rounding with error feedback, against the loss it is meant to lower."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from clef_mlx.convert.feedback import DAMPING, PULL, corrected, factored, round_with_feedback
from clef_mlx.convert.refit import refit
from clef_mlx.packing import BITS, Packing, unpack

INPUTS, OUTPUTS, SEEN = 128, 96, 2000


@pytest.fixture(scope="module")
def layer() -> tuple[np.ndarray, np.ndarray]:
    """Weights, and second moments of inputs that are correlated as a model's are."""
    rng = np.random.default_rng(5)
    mixing = rng.normal(size=(INPUTS, INPUTS)) * (np.arange(1, INPUTS + 1) ** -0.7)[:, None]
    inputs = rng.normal(size=(SEEN, INPUTS)) @ mixing
    weight = 0.02 * rng.normal(size=(OUTPUTS, INPUTS))
    return weight.astype(np.float32), (inputs.T @ inputs).astype(np.float32)


def loss(
    weight: np.ndarray,
    packed: tuple[mx.array, mx.array, mx.array],
    packing: Packing,
    moments: np.ndarray,
) -> float:
    """Squared change of the layer's outputs, in float64."""
    error = np.array(unpack(*packed, packing)).astype(np.float64) - weight
    return float(np.einsum("oi,ij,oj", error, moments.astype(np.float64), error))


def test_factor_gives_the_damped_moments_back(layer: tuple[np.ndarray, np.ndarray]) -> None:
    moments = layer[1] / np.diagonal(layer[1]).mean()
    upper, diagonal = factored(mx.array(layer[1]))
    assert np.array_equal(upper, np.triu(upper)) and np.allclose(np.diagonal(upper), 1)
    want = moments + DAMPING * np.eye(INPUTS)
    assert np.abs((upper * diagonal) @ upper.T - want).max() <= 1e-4  # float32; measured 3e-6


@pytest.mark.parametrize("bits", BITS)
def test_outputs_change_far_less(layer: tuple[np.ndarray, np.ndarray], bits: int) -> None:
    weight, moments = layer
    packing = Packing(bits, 64)
    plain = refit(mx.array(weight), packing)
    made = round_with_feedback(weight, factored(mx.array(moments)), packing)
    for got, like in zip(made, plain, strict=True):
        assert (got.shape, got.dtype) == (like.shape, like.dtype)
    ratio = loss(weight, made, packing, moments) / loss(weight, plain, packing, moments)
    assert ratio <= 0.4  # measured 0.15 to 0.25


def test_without_correlation_it_is_the_refit(layer: tuple[np.ndarray, np.ndarray]) -> None:
    """With moments of equal, unrelated inputs there is no error to feed back."""
    weight, packing = layer[0], Packing(4, 64)
    made = round_with_feedback(weight, factored(mx.eye(INPUTS)), packing)
    for got, want in zip(made, refit(mx.array(weight), packing), strict=True):
        assert mx.array_equal(got, want)


def test_each_column_is_the_best_one_after_those_before(
    layer: tuple[np.ndarray, np.ndarray],
) -> None:
    """With unlimited precision of later columns, moving any one code by one raises the loss."""
    weight, moments = layer
    packing, size = Packing(3, 64), 64
    upper, importance = factored(mx.array(moments))
    packed = round_with_feedback(weight, (upper, importance), packing)
    made = unpack(*packed, packing)
    error = weight - np.array(made)
    wanted = weight + error @ np.triu(upper, 1)
    scales = np.array(
        round_with_feedback(weight, (upper, importance), packing)[1].astype(mx.float32)
    )
    step = np.abs(np.repeat(scales, size, axis=1))
    inside = np.abs(wanted - np.array(made)) <= step / 2 + 1e-5
    assert inside.mean() >= 0.97  # the rest lies outside of the range of codes
    naive = np.abs(weight - np.array(made)) <= step / 2 + 1e-5
    assert naive.mean() < 0.9


def test_moments_that_are_nearly_singular(layer: tuple[np.ndarray, np.ndarray]) -> None:
    """Inputs that repeat, and some that are always zero."""
    weight, packing = layer[0], Packing(4, 64)
    seen = np.random.default_rng(1).normal(size=(4, INPUTS)).astype(np.float32)
    seen[:, ::3] = 0
    for moments in (1e12 * seen.T @ seen, np.zeros((INPUTS, INPUTS), np.float32)):
        made = round_with_feedback(weight, factored(mx.array(moments)), packing)
        assert all(mx.isfinite(part.astype(mx.float32)).all().item() for part in made)
        assert np.abs(np.array(unpack(*made, packing)) - weight).max() < 0.1


def test_weights_make_up_for_inputs_that_changed(layer: tuple[np.ndarray, np.ndarray]) -> None:
    """Outputs come nearer to those on the inputs as released; unchanged inputs change nothing."""
    weight, rng = layer[0], np.random.default_rng(6)
    mixing = rng.normal(size=(INPUTS, INPUTS)) * (np.arange(1, INPUTS + 1) ** -0.7)[:, None]
    released = rng.normal(size=(SEEN, INPUTS)) @ mixing
    packed = released @ (np.eye(INPUTS) + 0.03 * rng.normal(size=(INPUTS, INPUTS)))
    sums, crossed = (mx.array((r.T @ packed).astype(np.float32)) for r in (packed, released))
    made = corrected(weight, sums, crossed)
    assert made.dtype == np.float32
    plain = np.array(sums, np.float64)
    pulled = plain + PULL * np.diagonal(plain).mean() * np.eye(INPUTS)
    shift = np.linalg.solve(pulled, (np.array(crossed) - plain).T @ weight.T).T
    assert np.abs(made - weight - shift).max() <= 1e-5  # measured 2e-7
    off = [np.square(packed @ w.T - released @ weight.T).sum() for w in (weight, made)]
    assert off[1] < 0.05 * off[0]  # measured 0.015
    scale = float(sums[0, 0].item())  # of the moments, of no account
    assert np.allclose(corrected(weight, sums / scale, crossed / scale), made, atol=1e-6)
    assert np.array_equal(corrected(weight, sums, sums), weight)
