"""What widths a conversion is asked for, and what each tensor's is then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .errors import CheckpointError
from .layout import PACKABLE
from .packing import BITS, GROUP_SIZES, Packing
from .units import careful_widths
from .weights import TensorSpec

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
