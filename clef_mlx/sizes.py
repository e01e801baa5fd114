"""Bytes for people."""

from __future__ import annotations


def size(count: float) -> str:
    """``4312000000`` as ``4.31 GB``: decimal units, as disks are sold."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6)):
        if abs(count) >= factor:
            return f"{count / factor:,.2f} {unit}"
    return f"{count / 1e3:,.0f} kB"
