"""Turn a published Clef release into a smaller folder: quantized to few bits, written safely.

Installed as ``clef_mlx.convert``; the runtime never imports it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..recipe import Recipe
from .order import Listener, Order
from .plan import Plan

__all__ = ["Listener", "Order", "Plan", "Recipe", "convert"]


def convert(
    source: str | Path,
    out: str | Path,
    *,
    recipe: str | None = None,
    bits: int | None = None,
    group_size: int = 64,
    head_bits: int | None = None,
    table_bits: int = 16,
    refit: bool = True,
    target_bits: float | None = None,
    measure: str | None = None,
    calibrate: str | None = None,
    check: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Path:
    """Convert ``source`` (a folder or Hub id of a published release) into the new folder ``out``.

    ``recipe`` is ``"4bit"``, ``"4bit-careful"`` or ``"8bit"``; in its place ``bits`` may be 3, 4
    (the default), 5, 6, 8 or 16 (unquantized) for the backbone's linear layers and, unless
    ``head_bits`` says otherwise, the joint head's; ``group_size`` 32, 64 or 128 weights share a
    scale and a bias; ``table_bits`` is 16 (as released) or 8 for the two token tables;
    ``refit`` fits scales and biases by least squares, where MLX takes them from the extremes.
    ``target_bits`` measures how much each projection moves the answers and chooses a width for
    each, so many bits a weight on average, scales and biases included.
    ``measure``, ``calibrate`` and ``check`` name files of requests (``"builtin"``: ours): by the
    first ``target_bits`` are spent (default: what ``calibrate`` names), on the second rounding is
    calibrated, on the third the result is held against the release, and its certificate then says
    what changed.
    ``progress`` is told the bytes of the source read so far. Returns ``out``, which is complete or
    was never there.
    Raises ``CheckpointError`` for what cannot be converted and where it cannot be written.
    """
    chosen = Recipe.named(
        recipe, bits, head_bits, group_size=group_size, table_bits=table_bits, refit=refit
    )
    order = Order(chosen, check, calibrate, target_bits, measure)
    return order.carry_out(source, out, _Reading(progress))


class _Reading(Listener):
    """Tells how much of the source was read, and nothing else."""

    def __init__(self, progress: Callable[[int], None] | None) -> None:
        self._progress = progress

    def reading(self, total: int) -> Callable[[int], None]:
        return self._progress or super().reading(total)
