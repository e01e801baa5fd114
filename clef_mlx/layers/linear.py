"""Linear layers whose weights may be packed into few bits, one matrix or one an expert."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

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
        y = self._product(x, {name: part[rows] for name, part in self._matrix().items()})
        return y + self.bias[rows] if "bias" in self else y

    def by_head(self, x: mx.array, rows: slice, transpose: bool = True) -> mx.array:
        """``H`` heads, each with its own ``d`` of the outputs ``rows``; the bias is left out.

        Shapes: ``x`` ``[H, N, inputs]`` -> ``[H, N, d]``; without ``transpose`` the way back,
        ``[H, N, d]`` -> ``[H, N, inputs]``.
        """
        heads = {n: p[rows].reshape(len(x), -1, p.shape[-1]) for n, p in self._matrix().items()}
        return self._product(x, heads, transpose)

    def _matrix(self) -> dict[str, mx.array]:
        names = ("weight",) if self.packing is None else ("weight", "scales", "biases")
        return {name: self[name] for name in names}

    def _product(
        self, x: mx.array, matrix: dict[str, mx.array], transpose: bool = True
    ) -> mx.array:
        if self.packing is None:
            weight = matrix["weight"]
            return x @ (weight.swapaxes(-1, -2) if transpose else weight)
        return mx.quantized_matmul(
            x,
            matrix["weight"],
            matrix["scales"],
            matrix["biases"],
            transpose=transpose,
            group_size=self.packing.group_size,
            bits=self.packing.bits,
        )


def join(layers: Sequence[Linear]) -> Linear:
    """One layer with the outputs of all ``layers``, which have no bias and the same packing."""
    joined = Linear(1, 1)
    joined.packing = layers[0].packing
    for name in layers[0].parameters():
        joined[name] = mx.concatenate([layer[name] for layer in layers])
    mx.eval(joined.parameters())
    return joined


class SharesInput(nn.Module):
    """A layer that begins with several linear layers on one input.

    ``merge`` makes one product of neighbours that are packed alike: the same numbers, fewer and
    larger products. Without it each runs by itself.
    """

    shared: tuple[str, ...] = ()  # names of these layers

    def merge(self) -> None:
        """To be called once the weights are loaded; the layers' own names are gone afterwards."""
        layers = [self.pop(name) for name in self.shared]
        self._sizes = [layer.weight.shape[0] for layer in layers]
        alike = groupby(layers, key=lambda layer: (layer.packing, layer.weight.dtype))
        self.merged = [join(list(group)) for _, group in alike]

    def outputs(self, x: mx.array) -> list[mx.array]:
        """What each of the layers makes of ``x`` ``[..., D]``, in the order of ``shared``."""
        if "merged" not in self:
            return [self[name](x) for name in self.shared]
        parts = []
        sizes = iter(self._sizes)
        for layer in self.merged:
            y, first = layer(x), 0
            while first < y.shape[-1]:
                size = next(sizes)
                parts.append(y[..., first : first + size])
                first += size
        return parts


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
