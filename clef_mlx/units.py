"""Units of a model that may have a width of their own: a kind of projection in one layer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .layout import PACKABLE
from .weights import Part, TensorSpec


@dataclass(frozen=True, order=True)
class Unit:
    """One projection of one layer, with all its experts; ``layer`` is -1 outside of layers."""

    part: Part
    stack: str  # "layers", "evidence_layers", or "" outside of layers
    layer: int
    kind: str  # "linear_attn.out_proj", "mlp.experts.down_proj", "memory_projection", ...

    @classmethod
    def of(cls, spec: TensorSpec) -> Unit:
        """The unit of a packable tensor, told by our name of its parameter."""
        part, path = spec.part, spec.ours.removesuffix(".weight").split(".")[1:]
        if len(path) > 2 and path[0].endswith("layers"):
            return cls(part, path[0], int(path[1]), ".".join(path[2:]))
        return cls(part, "", -1, ".".join(path))

    def __str__(self) -> str:
        place = f"{self.stack}.{self.layer}." if self.stack else ""
        return f"{'head.' if self.part == 'head' else ''}{place}{self.kind}"


def units(specs: Iterable[TensorSpec]) -> dict[Unit, list[TensorSpec]]:
    """Every unit with its tensors, in the order of the layers."""
    found: dict[Unit, list[TensorSpec]] = {}
    for spec in specs:
        if spec.kind in PACKABLE:
            found.setdefault(Unit.of(spec), []).append(spec)
    return found


def careful_widths(specs: Iterable[TensorSpec]) -> dict[str, int]:
    """Tensors that ``4bit-careful`` keeps at 8 bits beside the head, by the release's name.

    The mixing projections (Gated DeltaNet's, or attention's in a model without it) of the first
    half of the layers, and every output projection of that kind.
    """
    found = {u: s for u, s in units(specs).items() if u.part == "backbone"}
    mixers = ("linear_attn", "self_attn")
    mixer = next((m for m in mixers if any(u.kind.startswith(m) for u in found)), mixers[0])
    half = (1 + max((u.layer for u in found), default=0)) / 2
    return {
        spec.name: 8
        for unit, specs in found.items()
        if unit.kind.startswith(f"{mixer}.")
        and (unit.layer < half or unit.kind.endswith((".out_proj", ".o_proj")))
        for spec in specs
    }
