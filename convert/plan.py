"""What a conversion will do, decided from headers alone: every tensor, its width, the bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import Any

from ..checkpoint import Checkpoint, open_checkpoint
from ..errors import CheckpointError
from ..layout import PACKABLE
from ..packing import BITS, GROUP_SIZES, Packing, companions
from ..tensor_file import ITEM_BYTES, TensorEntry
from ..weights import TensorSpec
from .units import careful_widths

UNQUANTIZED = 16  # the "bits" of a tensor that is copied as released
# What a name stands for, as arguments of ``Recipe``.
RECIPES: dict[str, dict[str, Any]] = {
    "4bit": {"bits": 4},
    "4bit-careful": {"bits": 4, "head_bits": 8, "careful": True},
    "8bit": {"bits": 8},
}


@dataclass(frozen=True)
class Recipe:
    """The widths asked for. ``UNQUANTIZED`` copies as released."""

    bits: int = 4
    group_size: int = 64
    head_bits: int | None = None  # None: as bits
    table_bits: int = UNQUANTIZED
    refit: bool = True  # scales and biases by least squares, not from a group's extremes
    careful: bool = False  # what is most sensitive stays at 8 bits
    widths: Mapping[str, int] = field(default_factory=dict)  # of single tensors, by release's name

    def __post_init__(self) -> None:
        for what, value, allowed in (
            ("bits", self.bits, (*BITS, UNQUANTIZED)),
            ("group_size", self.group_size, GROUP_SIZES),
            ("head_bits", self.head_bits, (None, *BITS, UNQUANTIZED)),
            ("table_bits", self.table_bits, (8, UNQUANTIZED)),
        ):
            if value not in allowed:
                known = ", ".join(str(a) for a in allowed if a is not None)
                raise CheckpointError(f"{what} must be one of {known}, not {value!r}")

    @classmethod
    def named(
        cls, name: str | None, bits: int | None, head_bits: int | None, **others: Any
    ) -> Recipe:
        """The recipe called ``name``, or that of ``bits`` (default: 4) where none is.

        Raises ``CheckpointError`` for an unknown name, and for widths beside one.
        """
        if name is None:
            return cls(4 if bits is None else bits, head_bits=head_bits, **others)
        if name not in RECIPES:
            raise CheckpointError(f"recipe must be one of {', '.join(RECIPES)}, not {name!r}")
        if bits is not None or head_bits is not None:
            raise CheckpointError(f"recipe {name} sets the widths: leave out bits and head_bits")
        return cls(**RECIPES[name], **others)

    def settled(self, specs: Iterable[TensorSpec]) -> Recipe:
        """The recipe with the widths of single tensors that it means for a model of ``specs``."""
        if not self.careful:
            return self
        return replace(self, widths={**careful_widths(specs), **self.widths})

    @property
    def share(self) -> float:
        """At most this part of the source's bytes is written (tables and towers as released)."""
        return 1.0 if self.bits == UNQUANTIZED else 0.75

    def width(self, spec: TensorSpec) -> int:
        """The bits asked for ``spec``, whether or not its shape allows them."""
        if spec.kind == "table":
            return self.table_bits
        if spec.kind not in PACKABLE:
            return UNQUANTIZED
        if spec.name in self.widths:
            return self.widths[spec.name]
        if spec.part == "head" and self.head_bits is not None:
            return self.head_bits
        return self.bits

    def packing(self, spec: TensorSpec) -> Packing | None:
        """How ``spec`` is to be packed, or ``None``: the widest group that divides its width."""
        bits = self.width(spec)
        if bits == UNQUANTIZED:
            return None
        sizes = [size for size in GROUP_SIZES[::-1] if size <= self.group_size]
        fitting = (size for size in sizes if spec.shape[-1] % size == 0)
        size = next(fitting, None)
        return None if size is None else Packing(bits, size)


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
