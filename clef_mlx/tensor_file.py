"""A safetensors file's header: which tensors it holds, and where."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

from .errors import CheckpointError

MAX_HEADER = 100_000_000  # bytes; the format's own limit
ITEM_BYTES = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "BF16": 2, "U8": 1}


@dataclass(frozen=True)
class TensorEntry:
    """Where one tensor lies. ``start`` and ``bytes`` count within ``path``."""

    path: Path
    dtype: str  # safetensors' word, e.g. "BF16"
    shape: tuple[int, ...]
    start: int
    bytes: int

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return prod(self.shape)


@dataclass(frozen=True)
class TensorFile:
    """A header that has been checked against the file's length."""

    path: Path
    metadata: Mapping[str, str]
    tensors: Mapping[str, TensorEntry]


def read_header(path: Path) -> TensorFile:
    """Read and check a safetensors header; no tensor data is touched.

    Raises ``CheckpointError`` where the file is missing, cut short or not in the format.
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            start = file.read(8)
            length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
            if not 2 <= length <= min(MAX_HEADER, size - 8):
                raise CheckpointError(f"{path} is not a whole safetensors file ({size} bytes)")
            header = json.loads(file.read(length))
        metadata = header.pop("__metadata__", None)
        if metadata is None:  # left out, or written as null by MLX
            metadata = {}
        if not isinstance(metadata, dict):
            raise TypeError(metadata)
        tensors = {name: _entry(path, 8 + length, info) for name, info in header.items()}
    except FileNotFoundError:
        raise CheckpointError(f"{path} is missing") from None
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise CheckpointError(f"{path} has no readable safetensors header") from None
    _check_layout(path, tensors, 8 + length, size)
    return TensorFile(path, metadata, tensors)


def _check_layout(path: Path, tensors: Mapping[str, TensorEntry], start: int, size: int) -> None:
    """The format allows no gap, no overlap and nothing behind the last tensor."""
    end = max((entry.start + entry.bytes for entry in tensors.values()), default=start)
    if end != size:
        what = "is cut short" if end > size else "is too long"
        raise CheckpointError(
            f"{path} {what}: its header promises {end} bytes and it has {size}; fetch it again"
        )
    for name, entry in sorted(tensors.items(), key=lambda item: (item[1].start, item[1].bytes)):
        if entry.start != start:
            raise CheckpointError(
                f"{path}: tensor {name} starts at byte {entry.start}, and the one before it ends "
                f"at {start}; fetch it again"
            )
        start += entry.bytes


def _entry(path: Path, data_start: int, info: Mapping[str, object]) -> TensorEntry:
    dtype, shape, offsets = info["dtype"], info["shape"], info["data_offsets"]
    if not (isinstance(dtype, str) and isinstance(shape, list) and isinstance(offsets, list)):
        raise TypeError(info)
    if not all(type(number) is int and number >= 0 for number in (*shape, *offsets)):
        raise ValueError(info)
    first, last = offsets
    entry = TensorEntry(path, dtype, tuple(shape), data_start + first, last - first)
    expected = entry.size * ITEM_BYTES.get(dtype, 0)
    if entry.bytes < 0 or (dtype in ITEM_BYTES and expected != entry.bytes):
        raise ValueError(info)
    return entry
