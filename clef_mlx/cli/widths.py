"""Widths of packed tensors in words for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # packing loads MLX, and --help should not
    from ..packing import Packing


def widths(packings: Iterable[Packing | None]) -> str:
    """``4 bits in groups of 64: 187 tensors; as released: 573 tensors``."""
    counts = Counter(
        "as released"
        if packing is None
        else f"{packing.bits} bits in groups of {packing.group_size}"
        for packing in packings
    )
    return "; ".join(f"{width}: {count:,} tensors" for width, count in sorted(counts.items()))
