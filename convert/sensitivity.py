"""How much the answers move when one unit alone is packed, everything else being as released."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import mlx.core as mx

from ..checkpoint import Checkpoint
from ..compare.figures import figures
from ..compare.run import answer
from ..model import Clef
from ..packing import Packing, unpack
from ..request_files import RequestSet
from ..weights import Part
from .plan import Recipe
from .refit import refit
from .units import Unit, units

TRIED = (3, 4)  # bits, measured; other widths follow from the steps between their codes
REQUESTS = 60  # at most, of a set: each unit answers them once a width


@dataclass(frozen=True)
class Damage:
    """What packing one unit alone was measured to do."""

    weights: int
    group_size: int
    kl: Mapping[int, float]  # mean KL of the answers, by bits, of ``TRIED``

    def at(self, bits: int) -> float:
        """The mean KL to expect of ``bits``.

        KL grows with the square of the error, the error with the step between two codes.
        """
        if bits == TRIED[0]:
            return self.kl[bits]
        scaled: list[float] = [
            self.kl[tried] * ((2**tried - 1) / (2**bits - 1)) ** 2 for tried in TRIED
        ]
        return sum(scaled) / len(scaled)

    def bytes(self, bits: int) -> int:
        return Packing(bits, self.group_size).bytes(self.weights)


@dataclass(frozen=True)
class _Altered(Checkpoint):
    """A checkpoint some of whose parameters are others than the files hold."""

    altered: Mapping[str, mx.array] = field(default_factory=dict)

    def parameters(
        self, part: Part, dtype: mx.Dtype, expand: bool, under: str = ""
    ) -> dict[str, mx.array]:
        found = super().parameters(part, dtype, expand, under)
        return {name: self.altered.get(name, value) for name, value in found.items()}


class Trials:
    """A release in memory of which units are packed in turn."""

    def __init__(self, checkpoint: Checkpoint, recipe: Recipe, requests: RequestSet) -> None:
        first = requests.requests[:REQUESTS]
        self._checkpoint, self._recipe = checkpoint, recipe
        self._requests = replace(requests, requests=first, places=requests.places[: len(first)])
        self._clef = Clef(checkpoint, expand=True)
        self._reference = answer(self._clef, self._requests)

    def damages(self, progress: Callable[[int, int], None]) -> dict[Unit, Damage]:
        """Every unit that can be packed, measured at ``TRIED`` widths; told done and total."""
        found = units(self._checkpoint.specs.values())
        packings = {unit: self._recipe.packing(specs[0]) for unit, specs in found.items()}
        fitting = {unit: packing for unit, packing in packings.items() if packing is not None}
        damages = {}
        for done, (unit, packing) in enumerate(fitting.items()):
            progress(done, len(fitting))
            names = {spec.ours for spec in found[unit]}
            kl = {
                b: self.kl(unit.part, dict.fromkeys(names, replace(packing, bits=b))) for b in TRIED
            }
            size = sum(self._checkpoint.stored(spec.name).size for spec in found[unit])
            damages[unit] = Damage(size, packing.group_size, kl)
        progress(len(fitting), len(fitting))
        return damages

    def kl(self, part: Part, packings: Mapping[str, Packing]) -> float:
        """Mean KL with some parameters of ``part`` packed, by our names."""
        self._fill(part, packings)
        found = answer(self._clef, self._requests)
        self._fill(part, {})
        return figures(self._reference, found).kl.mean

    def _fill(self, part: Part, packings: Mapping[str, Packing]) -> None:
        altered = {}
        for name, packing in packings.items():
            plain = self._checkpoint.parameters(part, mx.float32, True, name)[name]
            altered[name] = unpack(*refit(plain, packing), packing).astype(self._clef.dtype)
        checkpoint = _Altered(**vars(self._checkpoint), altered=altered)
        module = self._clef._head if part == "head" else self._clef._backbone
        checkpoint.fill(module, part, self._clef.dtype, True)
