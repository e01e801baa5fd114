"""What a conversion will do, decided from headers alone: every tensor, its width, the bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

from ..checkpoint import Checkpoint, open_checkpoint
from ..errors import CheckpointError
from ..layout import PACKABLE
from ..packing import Packing, companions
from ..recipe import UNQUANTIZED, Recipe
from ..tensor_file import ITEM_BYTES, TensorEntry
from ..weights import TensorSpec


@dataclass(frozen=True)
class Output:
    """One tensor to be written."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int


@dataclass(frozen=True)
class Step:
    """One tensor of the source: where it lies, how it is packed, what it becomes."""

    spec: TensorSpec
    source: TensorEntry
    packing: Packing | None

    def outputs(self) -> list[Output]:
        """The tensor itself and, where it is packed, its scales and biases."""
        name, shape = self.spec.name, self.spec.shape
        if self.packing is None:
            return [Output(name, self.source.dtype, shape, self.source.bytes)]
        *lead, inputs = shape
        packed = (*lead, self.packing.packed_width(inputs))
        groups = (*lead, self.packing.groups(inputs))
        made = [(name, "U32", packed), *((other, "BF16", groups) for other in companions(name))]
        return [Output(n, kind, size, ITEM_BYTES[kind] * prod(size)) for n, kind, size in made]


@dataclass(frozen=True)
class Plan:
    """A whole conversion, in the order in which the source is read."""

    checkpoint: Checkpoint
    recipe: Recipe
    steps: tuple[Step, ...]
    notes: Mapping[str, Any] = field(default_factory=dict)  # more that the stamp says, plain JSON

    @property
    def bytes_in(self) -> int:
        return sum(step.source.bytes for step in self.steps)

    @property
    def bytes_out(self) -> int:
        return sum(output.bytes for step in self.steps for output in step.outputs())

    def unpacked_linear(self) -> list[Step]:
        """Linear layers that stay as released because no group size divides their width."""
        return [
            step
            for step in self.steps
            if step.packing is None and self.recipe.width(step.spec) != UNQUANTIZED
        ]

    def narrow_groups(self) -> list[Step]:
        """Tensors packed in smaller groups than asked for."""
        return [
            step
            for step in self.steps
            if step.packing is not None and step.packing.group_size < self.recipe.group_size
        ]

    def packed_share(self) -> float:
        """Part of the linear layers' weights that is packed, 0 to 1."""
        linear = [step for step in self.steps if step.spec.kind in PACKABLE]
        packed = sum(step.source.size for step in linear if step.packing is not None)
        return packed / sum(step.source.size for step in linear)


def make_plan(folder: Path, name: str, recipe: Recipe) -> Plan:
    """Check the source and lay out its conversion; reads no weight.

    Raises ``CheckpointError`` if ``folder`` is not a published release.
    """
    checkpoint = open_checkpoint(folder, name)
    if checkpoint.layout.title != "published release":
        raise CheckpointError(
            f"{folder} is already converted ({checkpoint.layout.title}): weights cannot be "
            "quantized twice; give the published release"
        )
    recipe = recipe.settled(checkpoint.specs.values())
    steps = [
        Step(spec, checkpoint.stored(spec.name), recipe.packing(spec))
        for spec in checkpoint.specs.values()
    ]
    steps.sort(key=lambda step: (step.spec.part == "head", step.source.path, step.source.start))
    return Plan(checkpoint, recipe, tuple(steps))
