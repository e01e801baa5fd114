"""MLX's affine quantization: how many bits in what groups, and back to plain numbers."""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx

BITS = (3, 4, 5, 6, 8)
GROUP_SIZES = (32, 64, 128)


@dataclass(frozen=True)
class Packing:
    """``group_size`` weights of a row share a scale and a bias; each weight has ``bits``."""

    bits: int
    group_size: int

    def packed_width(self, inputs: int) -> int:
        """32-bit words of a packed row."""
        return inputs * self.bits // 32

    def groups(self, inputs: int) -> int:
        """Scales (and biases) of a row."""
        return inputs // self.group_size

    def bytes(self, numbers: int) -> int:
        """Bytes of that many weights with their 16-bit scales and biases."""
        return numbers * self.bits // 8 + 2 * 2 * (numbers // self.group_size)


def unpack(weight: mx.array, scales: mx.array, biases: mx.array, packing: Packing) -> mx.array:
    """The float32 weights that packed ones stand for."""
    return mx.dequantize(
        weight,
        scales.astype(mx.float32),
        biases.astype(mx.float32),
        group_size=packing.group_size,
        bits=packing.bits,
    )


def companions(name: str) -> tuple[str, str]:
    """The names of the scales and biases of a packed tensor, as MLX spells them."""
    stem = name.removesuffix(".weight")
    return f"{stem}.scales", f"{stem}.biases"
