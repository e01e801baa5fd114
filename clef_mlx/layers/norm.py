"""RMS norms whose scale stays in float32."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn

from .activations import silu_times


class RMSNorm(nn.Module):
    """Scale each row to unit mean square, times ``weight``.

    ``weight`` is the whole scale, formed once at load (``1 + stored`` for Qwen3.5's text norms, as
    stored for Qwen3-Omni's), and stays float32 in a bfloat16 model: rounding ``1 + stored`` to
    bfloat16 alone makes half of the noise of a bfloat16 run.

    Shapes: ``x`` ``[..., D]`` -> ``[..., D]`` in ``dtype``, or the input's.
    Reference: transformers 5.10.2, ``Qwen3_5RMSNorm``.
    """

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = mx.ones((size,), mx.float32)
        self.eps = eps

    def __call__(self, x: mx.array, dtype: mx.Dtype | None = None) -> mx.array:
        return mx.fast.rms_norm(x, self.weight, self.eps).astype(dtype or x.dtype)


class GatedRMSNorm(RMSNorm):
    """``RMSNorm`` (plain scale) times ``silu(gate)``, all in float32.

    Shapes: ``x``, ``gate`` ``[..., D]`` -> ``[..., D]`` in the gate's dtype.
    Reference: transformers 5.10.2, ``Qwen3_5RMSNormGated``.
    """

    def __call__(self, x: mx.array, gate: mx.array) -> mx.array:  # type: ignore[override]
        normed = mx.fast.rms_norm(x.astype(mx.float32), self.weight, self.eps)
        return silu_times(gate.astype(mx.float32), normed).astype(gate.dtype)
