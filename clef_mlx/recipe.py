"""What widths a conversion is asked for, and what each tensor's is then."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import CheckpointError
from .layout import PACKABLE
from .packing import BITS, GROUP_SIZES, Packing
from .weights import TensorSpec

UNQUANTIZED = 16  # the "bits" of a tensor that is copied as released


@dataclass(frozen=True)
class Recipe:
    """The widths asked for. ``UNQUANTIZED`` copies as released."""

    bits: int = 4
    group_size: int = 64
    head_bits: int | None = None  # None: as bits
    table_bits: int = UNQUANTIZED

    def __post_init__(self) -> None:
        for field, value, allowed in (
            ("bits", self.bits, (*BITS, UNQUANTIZED)),
            ("group_size", self.group_size, GROUP_SIZES),
            ("head_bits", self.head_bits, (None, *BITS, UNQUANTIZED)),
            ("table_bits", self.table_bits, (8, UNQUANTIZED)),
        ):
            if value not in allowed:
                known = ", ".join(str(a) for a in allowed if a is not None)
                raise CheckpointError(f"{field} must be one of {known}, not {value!r}")

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
