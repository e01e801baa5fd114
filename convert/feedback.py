"""Rounding with error feedback: each column makes up for what rounding the ones before it lost.

With the second moments ``H`` of a layer's inputs, rounding ``W`` to ``Q`` changes its outputs by
``(W - Q) H (W - Q)^T``. With ``H = U D U^T``, ``U`` unit upper triangular, that is a sum over
columns, in which column ``k`` meets the errors before it through ``U[:k, k]``: so each column is
rounded after those errors have been added to it. It is GPTQ's result (Frantar et al., 2022) in the
form of Chee et al., 2023, which needs no inverse.

The layers before it have changed the inputs already. What is rounded is therefore not ``W`` but
what comes closest, on the inputs as they are, to what ``W`` gave on the inputs as released.
"""

from __future__ import annotations

import mlx.core as mx
import numpy as np

from ..packing import Packing
from .refit import pack, refit

PULL = 0.1  # towards W, in the same unit; 0.01, 0.3 and 1 kept less of the answers (on mini)
DAMPING = 0.01  # of the moments' mean diagonal, added to it: for directions that were never seen


def round_with_feedback(
    weight: np.ndarray, factor: tuple[np.ndarray, np.ndarray], packing: Packing
) -> tuple[mx.array, mx.array, mx.array]:
    """Pack ``weight`` ``[O, I]`` float32 so that the layer's outputs change little.

    ``factor`` is ``factored`` second moments of the inputs. Returns weights, scales and biases as
    ``refit`` does.
    """
    upper, importance = factor
    size, most = packing.group_size, 2**packing.bits - 1
    error = np.zeros_like(weight)
    codes = np.empty(weight.shape, np.uint32)
    scales, biases = [], []
    for first in range(0, weight.shape[1], size):
        block = slice(first, first + size)
        wanted = weight[:, block] + error[:, :first] @ upper[:first, block]
        _, scale, bias = refit(mx.array(wanted), packing, mx.array(importance[block]))
        scales.append(scale)
        biases.append(bias)
        step, least = (np.array(part.astype(mx.float32))[:, 0] for part in (scale, bias))
        divisor = np.where(step == 0, 1, step)
        inner = np.ascontiguousarray(upper[block, block])
        wanted = np.asfortranarray(wanted)
        for k in range(size):
            code = np.clip(np.rint((wanted[:, k] - least) / divisor), 0, most)
            codes[:, first + k] = code
            lost = weight[:, first + k] - (code * step + least)
            error[:, first + k] = lost
            wanted[:, k + 1 :] += lost[:, None] * inner[k, k + 1 :]
    packed = pack(mx.array(codes), packing.bits)
    return packed, mx.concatenate(scales, axis=-1), mx.concatenate(biases, axis=-1)


def factored(moments: mx.array) -> tuple[np.ndarray, np.ndarray]:
    """``U`` ``[I, I]`` and the diagonal of ``D`` ``[I]`` of damped second moments ``[I, I]``.

    float32; inputs that are always zero count as if they were seldom seen.
    """
    damping = DAMPING
    while True:
        # Upper triangular from lower: the factor of the moments in reverse order, reversed.
        lower = _cholesky(moments[::-1, ::-1], damping)
        upper = lower[::-1, ::-1]
        diagonal = mx.diagonal(upper)
        if (mx.isfinite(diagonal) & (diagonal > 0)).all().item():
            # A view, no copy: matrices of a wide layer take gigabytes.
            factor: np.ndarray = np.asarray(upper / diagonal)
            return factor, np.array(diagonal) ** 2
        damping *= 10  # float32 is too short for moments so nearly singular


def _cholesky(moments: mx.array, damping: float) -> mx.array:
    """Of moments over their mean diagonal, and ``damping`` added to it; evaluated, on the CPU."""
    damped = moments / _mean(moments) + damping * mx.eye(moments.shape[0])
    lower = mx.linalg.cholesky(damped, stream=mx.cpu)
    mx.eval(lower)
    return lower


def _mean(moments: mx.array) -> mx.array:
    return mx.maximum(mx.diagonal(moments).mean(), 1e-20)


def corrected(weight: np.ndarray, sums: mx.array, crossed: mx.array) -> np.ndarray:
    """The weights ``[O, I]`` to round: least squares of ``V x - weight r`` over inputs.

    ``x`` are the inputs as they are, ``sums`` of ``x x^T``; ``r`` those as released, ``crossed``
    of ``r x^T``, both ``[I, I]``. Directions that inputs seldom take are left as they were.
    """
    wrong = mx.array(weight) @ (crossed - sums)
    if not wrong.any().item():  # nothing before this layer is packed
        return weight
    inverse = mx.linalg.tri_inv(_cholesky(sums, PULL), stream=mx.cpu)
    made: np.ndarray = weight + np.array(wrong / _mean(sums) @ inverse.T @ inverse)
    return made
