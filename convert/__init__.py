"""Turn a published Clef release into a smaller folder: quantized to few bits, written safely.

Installed as ``clef_mlx.convert``; the runtime never imports it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..compare import request_set
from ..hub import resolve
from .check import certifier
from .folder import convert_to, is_free
from .plan import Plan, Recipe, make_plan

__all__ = ["Plan", "Recipe", "certifier", "convert", "convert_to", "prepare"]


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
    check: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Path:
    """Convert ``source`` (a folder or Hub id of a published release) into the new folder ``out``.

    ``recipe`` is ``"4bit"``, ``"4bit-careful"`` or ``"8bit"``; in its place ``bits`` may be 3, 4
    (the default), 5, 6, 8 or 16 (unquantized) for the backbone's linear layers and, unless
    ``head_bits`` says otherwise, the joint head's; ``group_size`` 32, 64 or 128 weights share a
    scale and a bias; ``table_bits`` is 16 (as released) or 8 for the two token tables;
    ``refit`` fits scales and biases by least squares, where MLX takes them from the extremes.
    ``check`` names a file of requests (``"builtin"``: ours) on which the result is held against
    the release; its certificate then holds what changed.
    ``progress`` is told the bytes of the source read so far. Returns ``out``, which is complete or
    was never there.
    Raises ``CheckpointError`` for what cannot be converted and where it cannot be written.
    """
    asked = None if check is None else request_set(check)
    chosen = Recipe.named(
        recipe, bits, head_bits, group_size=group_size, table_bits=table_bits, refit=refit
    )
    plan, target = prepare(source, out, chosen)
    certify = None if asked is None else certifier(plan, asked)
    return convert_to(plan, target, progress, certify)


def prepare(source: str | Path, out: str | Path, recipe: Recipe) -> tuple[Plan, Path]:
    """The plan of a conversion and its target, made absolute; a Hub id is fetched first.

    Raises ``CheckpointError`` where the conversion could not be carried out.
    """
    target = is_free(Path(out))
    folder, name = resolve(source, copy=(target, recipe.share))
    return make_plan(folder, name, recipe), target
