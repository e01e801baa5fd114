"""How much the answers move when one unit alone is packed, everything else being as released."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import mlx.core as mx

from ..checkpoint import Checkpoint
from ..compare.figures import Answered, figures
from ..compare.run import answer
from ..model import Clef
from ..packing import Packing, unpack
from ..recipe import Recipe
from ..request_files import RequestSet
from ..units import Unit, units
from ..weights import Part
from .refit import refit

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
        return {
            n: self.altered[n].astype(dtype) if n in self.altered else v for n, v in found.items()
        }


class Trials:
    """A release of which units are packed in turn, one in memory at a time."""

    def __init__(self, checkpoint: Checkpoint, recipe: Recipe, requests: RequestSet) -> None:
        first = requests.requests[:REQUESTS]
        self._checkpoint, self._recipe = checkpoint, recipe
        self._requests = replace(requests, requests=first, places=requests.places[: len(first)])
        self._reference = self._answers({})

    def damages(self, progress: Callable[[int, int], None]) -> dict[Unit, Damage]:
        """Every unit that can be packed, measured at ``TRIED`` widths; told done and total."""
        found = units(self._checkpoint.specs.values())
        packings = {unit: self._recipe.packing(specs[0]) for unit, specs in found.items()}
        fitting = {unit: packing for unit, packing in packings.items() if packing is not None}
        damages = {}
        for done, (unit, packing) in enumerate(fitting.items()):
            progress(done, len(fitting))
            names = {spec.ours for spec in found[unit]}
            kl = {b: self.kl(dict.fromkeys(names, replace(packing, bits=b))) for b in TRIED}
            size = sum(self._checkpoint.stored(spec.name).size for spec in found[unit])
            damages[unit] = Damage(size, packing.group_size, kl)
        progress(len(fitting), len(fitting))
        return damages

    def kl(self, packings: Mapping[str, Packing]) -> float:
        """Mean KL of the answers with some parameters packed, by our names."""
        altered = {}
        for name, packing in packings.items():
            part: Part = "head" if name.startswith("head.") else "backbone"
            plain = self._checkpoint.parameters(part, mx.float32, True, name)[name]
            altered[name] = unpack(*refit(plain, packing), packing)
        return figures(self._reference, self._answers(altered)).kl.mean

    def _answers(self, altered: Mapping[str, mx.array]) -> list[Answered]:
        """Of the release, loaded anew, since a loaded model's layers are merged."""
        checkpoint = _Altered(**vars(self._checkpoint), altered=altered)
        return answer(Clef(checkpoint, expand=True, state_cache_bytes=0), self._requests)
