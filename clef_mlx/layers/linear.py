"""Linear layers whose weights may be packed into few bits, one matrix or one an expert."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn

from ..packing import Packing


class Linear(nn.Module):
    """``x @ weight.T + bias``, in the dtype of ``x``.

    ``weight`` is ``[outputs, inputs]``, or packed once ``pack`` has been called: then ``scales``
    and ``biases`` stand beside it.
    """

    def __init__(self, inputs: int, outputs: int, bias: bool = False) -> None:
        super().__init__()
        self.weight = mx.zeros((outputs, inputs))
        if bias:
            self.bias = mx.zeros((outputs,))
        self.packing: Packing | None = None

    def pack(self, packing: Packing) -> None:
        """Expect packed weights: they are loaded afterwards, like any others."""
        *lead, inputs = self.weight.shape
        groups = (*lead, packing.groups(inputs))
        self.weight = mx.zeros((*lead, packing.packed_width(inputs)), mx.uint32)
        self.scales, self.biases = mx.zeros(groups), mx.zeros(groups)
        self.packing = packing

    def __call__(self, x: mx.array, rows: slice = slice(None)) -> mx.array:
        """Shapes: ``x`` ``[..., inputs]`` -> ``[..., outputs]``, or only the outputs ``rows``."""
        if self.packing is None:
            y = x @ self.weight[rows].T
        else:
            y = mx.quantized_matmul(
                x,
                self.weight[rows],
                self.scales[rows],
                self.biases[rows],
                transpose=True,
                group_size=self.packing.group_size,
                bits=self.packing.bits,
            )
        return y + self.bias[rows] if "bias" in self else y


class ExpertLinear(Linear):
    """``E`` linear layers in one stacked weight ``[E, outputs, inputs]``."""

    def __init__(self, experts: int, inputs: int, outputs: int) -> None:
        super().__init__(inputs, outputs)
        self.weight = mx.zeros((experts, outputs, inputs))

    def __call__(  # type: ignore[override]
        self, x: mx.array, experts: mx.array, is_sorted: bool
    ) -> mx.array:
        """Each row through its own expert.

        Shapes: ``x`` ``[N, inputs]``, ``experts`` ``[N]`` (ascending if ``is_sorted``) ->
        ``[N, outputs]``.
        """
        # MLX's CPU backend gathers unpacked matrices in float32 only.
        dtype = mx.float32 if mx.default_device() == mx.cpu else x.dtype
        rows = x[:, None, :]
        if self.packing is None:
            y = mx.gather_mm(
                rows.astype(dtype),
                self.weight.astype(dtype).swapaxes(-1, -2),
                rhs_indices=experts,
                sorted_indices=is_sorted,
            ).astype(x.dtype)
        else:
            y = mx.gather_qmm(
                rows,
                self.weight,
                self.scales,
                self.biases,
                rhs_indices=experts,
                transpose=True,
                group_size=self.packing.group_size,
                bits=self.packing.bits,
                sorted_indices=is_sorted,
            )
        return y.squeeze(1)
