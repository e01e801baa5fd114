"""Widths of single units from a budget of bits, spent where it keeps most of the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..errors import CheckpointError
from ..layout import PACKABLE
from ..packing import BITS
from ..units import Unit, units
from .plan import Plan
from .sensitivity import Damage


@dataclass(frozen=True)
class Mix:
    """A width for every unit, and what it takes. Bits are a weight's, scales and biases included.

    The mean is over all weights of linear layers, the few that cannot be packed included.
    """

    bits: Mapping[Unit, int]
    damages: Mapping[Unit, Damage]
    mean_bits: float

    @property
    def kl(self) -> float:
        """The mean KL to expect, if units add up."""
        return sum(self.damages[unit].at(bits) for unit, bits in self.bits.items())

    def widths(self, plan: Plan) -> dict[str, int]:
        """By the release's names of tensors."""
        found = units(step.spec for step in plan.steps)
        return {spec.name: bits for unit, bits in self.bits.items() for spec in found[unit]}


def check_budget(plan: Plan, target_bits: float) -> None:
    """Raises ``CheckpointError`` where even the narrowest widths take more than ``target_bits``."""
    narrow, total = 0, 0
    for step in plan.steps:
        if step.spec.kind in PACKABLE:
            size = step.source.size
            packing = step.packing and replace(step.packing, bits=BITS[0])
            narrow += 2 * size if packing is None else packing.bytes(size)
            total += size
    if target_bits * total < 8 * narrow:
        raise CheckpointError(
            f"target_bits {target_bits:g} is too low: with every projection at {BITS[0]} bits, "
            f"scales and biases included, a weight takes {8 * narrow / total:.2f}"
        )


def spend(plan: Plan, damages: Mapping[Unit, Damage], target_bits: float) -> Mix:
    """The mix of at most ``target_bits`` a weight, from the narrowest width of each unit upwards.

    Each step takes what lowers the expected KL most for its bytes.
    """
    check_budget(plan, target_bits)
    linear = [step for step in plan.steps if step.spec.kind in PACKABLE]
    total = sum(step.source.size for step in linear)
    fixed = 2 * sum(s.source.size for s in linear if Unit.of(s.spec) not in damages)
    bits = dict.fromkeys(damages, BITS[0])
    taken = fixed + sum(damage.bytes(BITS[0]) for damage in damages.values())
    budget = target_bits * total / 8
    while True:
        best, best_gain = None, 0.0
        for unit, damage in damages.items():
            for wider in BITS:
                more = damage.bytes(wider) - damage.bytes(bits[unit])
                if wider <= bits[unit] or taken + more > budget:
                    continue
                gain = (damage.at(bits[unit]) - damage.at(wider)) / more
                if gain > best_gain:
                    best, best_gain = (unit, wider, more), gain
        if best is None:
            return Mix(bits, damages, 8 * taken / total)
        unit, wider, more = best
        bits[unit], taken = wider, taken + more
