"""Bytes and widths in words for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # packing loads MLX, and --help should not
    from ..packing import Packing


def size(count: float) -> str:
    """``4312000000`` as ``4.31 GB``: decimal units, as disks are sold."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6)):
        if count >= factor:
            return f"{count / factor:,.2f} {unit}"
    return f"{count / 1e3:,.0f} kB"


def widths(packings: Iterable[Packing | None]) -> str:
    """``4 bits in groups of 64: 187 tensors; as released: 573 tensors``."""
    counts = Counter(
        "as released"
        if packing is None
        else f"{packing.bits} bits in groups of {packing.group_size}"
        for packing in packings
    )
    return "; ".join(f"{width}: {count:,} tensors" for width, count in sorted(counts.items()))
