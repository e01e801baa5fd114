"""The gated delta rule: queries, keys, values, decays and betas in, outputs and state out.

For every value head, with a state ``S`` of ``[Dv, Dk]``, token by token::

    S = exp(log_decay) * S
    S = S + beta * (v - S k) k^T
    y = S q

``gated_delta`` picks the fast form for the device: mlx-lm's Metal kernel on a GPU, else the
chunked matrix form below, which does the same sums as products of 32-token blocks.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

import mlx.core as mx

from ..errors import ClefError

CHUNK = 32  # tokens solved together; 16 takes a fifth more time and 64 a quarter (CPU)
SEGMENT = 32  # chunks whose matrices live at once: bounds memory for long inputs
_BASE = 8  # rows inverted by a power series: few enough that its terms stay small
_GONE = -30.0  # a log decay below which nothing is left; products of less are slow denormals
_NOTHING = 1e-18  # of the inverse, whose entries are at most about 1


def gated_delta(
    q: mx.array,
    k: mx.array,
    v: mx.array,
    log_decay: mx.array,
    beta: mx.array,
    state: mx.array | None = None,
) -> tuple[mx.array, mx.array]:
    """Run the gated delta rule over ``L`` tokens.

    Shapes: ``q``, ``k`` ``[B, L, Hk, Dk]`` (L2-normalised, ``q`` scaled); ``v`` ``[B, L, H, Dv]``;
    ``log_decay`` (at most 0), ``beta`` ``[B, L, H]`` float32; ``state`` ``[B, H, Dv, Dk]`` float32
    or ``None`` for zeros -> ``y`` ``[B, L, H, Dv]`` in ``v``'s dtype and the new state.
    Value head ``h`` reads key head ``h // (H / Hk)``.
    Reference: transformers 5.10.2, ``torch_recurrent_gated_delta_rule``.
    """
    if state is None:
        state = mx.zeros((v.shape[0], v.shape[2], v.shape[3], k.shape[3]), mx.float32)
    on_metal = mx.default_device() == mx.gpu and mx.metal.is_available()
    if on_metal and k.shape[-1] % 32 == 0 and v.shape[-1] % 4 == 0:
        # The decay goes in as float32: rounded to bfloat16, 0.999 would be 1.
        y, state = _metal_kernel()(q, k, v, mx.exp(log_decay), beta, state)
        return y, state
    return gated_delta_chunked(q, k, v, log_decay, beta, state)


@cache
def _metal_kernel() -> Any:
    """mlx-lm's kernel, from its file alone.

    Importing ``mlx_lm`` would load transformers and lower the process's open-file limit.
    """
    package = importlib.util.find_spec("mlx_lm")
    if package is None or package.origin is None:
        raise ClefError("mlx-lm is not installed: run pip install mlx-lm")
    path = Path(package.origin).parent / "models" / "gated_delta.py"
    spec = importlib.util.spec_from_file_location("clef_mlx._mlx_lm_gated_delta", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ClefError(f"mlx-lm has no {path}: install the version clef-mlx asks for")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.gated_delta_kernel


def gated_delta_chunked(
    q: mx.array,
    k: mx.array,
    v: mx.array,
    log_decay: mx.array,
    beta: mx.array,
    state: mx.array,
) -> tuple[mx.array, mx.array]:
    """``gated_delta`` in plain MLX ops, float32 inside, for any device.

    Within a chunk the rule is a triangular system: ``(I + A) delta = beta (v - decay S k)`` with
    ``A[i, j] = beta_i (k_i . k_j) decay_ij`` below the diagonal. Its inverse is formed for all
    chunks of a segment at once; only the state then walks from chunk to chunk.
    """
    batch, length, key_heads, key_dim = k.shape
    heads, value_dim = v.shape[2:]
    shared = heads // key_heads  # value heads that read one key head
    pad = -length % CHUNK
    state = state.reshape(batch, key_heads, shared, value_dim, key_dim)

    def chunks(x: mx.array, *tail: int) -> mx.array:
        """``[B, L, ...]`` -> ``[B, N, C, Hk, R, ...]`` -> ``[B, Hk, R, N, C, ...]``, float32."""
        x = mx.pad(x.astype(mx.float32), [(0, 0), (0, pad)] + [(0, 0)] * (x.ndim - 2))
        x = x.reshape(batch, -1, CHUNK, key_heads, *tail)
        return mx.contiguous(x.transpose((0, 3, 4, 1, 2, 5)[: x.ndim]))

    # A padded token has beta 0 and log decay 0: it leaves the state as it is.
    queries, keys = chunks(q, 1, key_dim), chunks(k, 1, key_dim)
    values = chunks(v, shared, value_dim)
    decays, betas = chunks(log_decay, shared), chunks(beta, shared)
    outputs = []
    for first in range(0, keys.shape[-3], SEGMENT):
        rows = slice(first, first + SEGMENT)
        out, state = _segment(
            queries[..., rows, :, :],
            keys[..., rows, :, :],
            values[..., rows, :, :],
            decays[..., rows, :],
            betas[..., rows, :],
            state,
        )
        outputs.extend(out)
    y = mx.stack(outputs, axis=1)  # [B, N, Hk, R, C, Dv]
    y = mx.moveaxis(y, 4, 2).reshape(batch, -1, heads, value_dim)
    return y[:, :length].astype(v.dtype), state.reshape(batch, heads, value_dim, key_dim)


def _segment(
    q: mx.array,
    k: mx.array,
    v: mx.array,
    log_decay: mx.array,
    beta: mx.array,
    state: mx.array,
) -> tuple[list[mx.array], mx.array]:
    """Outputs of each chunk and the state after the last.

    Shapes: ``q``, ``k`` ``[B, Hk, 1, N, C, Dk]``; ``v`` ``[B, Hk, R, N, C, Dv]``; ``log_decay``,
    ``beta`` ``[B, Hk, R, N, C]``; ``state`` ``[B, Hk, R, Dv, Dk]`` -> ``N`` outputs
    ``[B, Hk, R, C, Dv]`` and the state.
    """
    between = _decay_between(log_decay)  # [..., C, C]: what is left at i of what was at j
    from_start = _exp(mx.cumsum(log_decay, axis=-1))[..., None]
    to_end = between[..., -1, :, None]
    beta = beta[..., None]
    k_transposed = k.swapaxes(-1, -2)
    solve = _unit_lower_inverse(mx.tril((k @ k_transposed) * between * beta, -1))
    from_values = solve @ (beta * v)
    from_state = solve @ (beta * from_start * k)
    scores = (q @ k_transposed) * between
    q_start, k_end = q * from_start, k * to_end
    kept = from_start[..., -1:, :]
    outputs = []
    for c in range(k.shape[-3]):
        state_transposed = state.swapaxes(-1, -2)
        delta = from_values[..., c, :, :] - from_state[..., c, :, :] @ state_transposed
        outputs.append(q_start[..., c, :, :] @ state_transposed + scores[..., c, :, :] @ delta)
        state = state * kept[..., c, :, :] + delta.swapaxes(-1, -2) @ k_end[..., c, :, :]
    return outputs, state


def _decay_between(log_decay: mx.array) -> mx.array:
    """What is left at ``i`` of the state at ``j``: ``exp(sum of log_decay[j + 1 : i + 1])``.

    Shapes: ``[..., C]`` -> ``[..., C, C]``, 0 above the diagonal.

    Each sum is formed from its own terms. Differences of one running sum would lose the small
    decays that follow a large one.
    """
    size = log_decay.shape[-1]
    lower = mx.tril(mx.ones((size, size)))
    strictly = mx.tril(mx.ones((size, size)), -1)
    sums = (lower * log_decay[..., None, :]) @ strictly
    return _exp(sums) * lower


def _exp(log_decay: mx.array) -> mx.array:
    """What is left of the state: 0 where it is less than ``exp(_GONE)``."""
    return mx.where(log_decay > _GONE, mx.exp(log_decay), 0.0)


def _unit_lower_inverse(a: mx.array) -> mx.array:
    """``(I + a)^-1`` for strictly lower triangular ``a``.

    Shapes: ``[..., C, C]`` -> ``[..., C, C]``; ``C`` is 8 times a power of 2.

    Blocks of 8 rows by their finite power series (entries of ``a`` are at most 1, so its terms
    stay small), then pairs of blocks: ``[[P, 0], [X, Q]]^-1 = [[P^-1, 0], [-Q^-1 X P^-1, Q^-1]]``.
    A series over all rows at once would grow like binomials where keys are nearly parallel.
    """
    lead, size = a.shape[:-2], a.shape[-1]

    def blocks(count: int, rows: slice, columns: slice) -> mx.array:
        """The same corner of each of ``count`` blocks on the diagonal."""
        grid = a.reshape(*lead, count, size // count, count, size // count)
        picked = [grid[..., i, rows, i, columns] for i in range(count)]
        return mx.stack(picked, axis=-3)

    count, half = size // _BASE, _BASE
    diagonal = blocks(count, slice(None), slice(None))
    identity = mx.eye(_BASE)
    inverse = identity - diagonal
    for _ in range(_BASE - 2):
        inverse = identity - diagonal @ inverse
    while count > 1:
        count //= 2
        below = blocks(count, slice(half, None), slice(None, half))
        first, second = inverse[..., 0::2, :, :], inverse[..., 1::2, :, :]
        corner = -(second @ (below @ first))
        inverse = mx.concatenate(
            [
                mx.concatenate([first, mx.zeros_like(first)], axis=-1),
                mx.concatenate([corner, second], axis=-1),
            ],
            axis=-2,
        )
        half *= 2
    inverse = inverse.squeeze(-3)
    return mx.where(mx.abs(inverse) > _NOTHING, inverse, 0.0)
