"""Whether a machine computes Clef correctly: every fast path against its plain twin.

The plain twin is the definition, in numpy on the CPU, or the same model on MLX's CPU device.
"""

from __future__ import annotations

from . import decisions, elementwise, products, sequences
from .check import Check, Finding, run

__all__ = ["Check", "Finding", "all_checks", "run"]


def all_checks() -> list[Check]:
    """In the order in which they are shown; those that need Metal are among them everywhere."""
    return [
        *sequences.checks(),
        *elementwise.checks(),
        *products.checks(),
        *decisions.checks(),
    ]
