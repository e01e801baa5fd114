"""A safetensors file's header, and single rows of its tables read straight from disk."""

from __future__ import annotations

import json
import os
import struct
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

import mlx.core as mx
import numpy as np

from .errors import CheckpointError

MAX_HEADER = 100_000_000  # bytes; the format's own limit
ITEM_BYTES = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "BF16": 2, "U8": 1}
_ROW_DTYPES = {
    "BF16": (np.uint16, mx.bfloat16),
    "F16": (np.uint16, mx.float16),
    "F32": (np.float32, mx.float32),
}


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
        metadata = header.pop("__metadata__", {})
        tensors = {name: _entry(path, 8 + length, info) for name, info in header.items()}
    except FileNotFoundError:
        raise CheckpointError(f"{path} is missing") from None
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise CheckpointError(f"{path} has no readable safetensors header") from None
    end = max((entry.start + entry.bytes for entry in tensors.values()), default=8 + length)
    if end > size:
        raise CheckpointError(
            f"{path} is cut short: its header promises {end} bytes and it has {size}; "
            "fetch it again"
        )
    return TensorFile(path, metadata, tensors)


def _entry(path: Path, data_start: int, info: Mapping[str, object]) -> TensorEntry:
    dtype, shape, offsets = info["dtype"], info["shape"], info["data_offsets"]
    if not (isinstance(dtype, str) and isinstance(shape, list) and isinstance(offsets, list)):
        raise TypeError(info)
    first, last = (int(offset) for offset in offsets)
    entry = TensorEntry(path, dtype, tuple(shape), data_start + first, last - first)
    expected = entry.size * ITEM_BYTES.get(dtype, 0)
    if dtype in ITEM_BYTES and expected != entry.bytes:
        raise ValueError(info)
    return entry


class RowTable:
    """A ``[rows, width]`` table that stays on disk; a decision reads only the rows it needs.

    Rows are read with ``pread``: a mapping would make far more of the file resident.
    """

    def __init__(self, entry: TensorEntry) -> None:
        self.rows, self.width = entry.shape
        self._entry = entry
        self._stored, self.dtype = _ROW_DTYPES[entry.dtype]
        try:
            self._file = os.open(entry.path, os.O_RDONLY)
        except OSError as error:
            raise CheckpointError(f"{entry.path} cannot be read: {error.strerror}") from None
        weakref.finalize(self, os.close, self._file)

    def read(self, ids: np.ndarray) -> mx.array:
        """Rows ``ids`` (``[N]``, any order, repeats allowed) as ``[N, width]``, stored dtype."""
        if ids.size and not (ids.min() >= 0 and ids.max() < self.rows):
            raise CheckpointError(
                f"token {int(ids.max())} has no row in a table of {self.rows} "
                f"({self._entry.path}); tokenizer.json belongs to another model"
            )
        unique, inverse = np.unique(ids, return_inverse=True)
        found = np.empty((len(unique), self.width), dtype=self._stored)
        row_bytes = self._entry.bytes // self.rows
        for target, row in zip(found, unique, strict=True):
            offset = self._entry.start + int(row) * row_bytes
            if os.preadv(self._file, [target.view(np.uint8).data], offset) != row_bytes:
                raise CheckpointError(f"{self._entry.path} changed while it was in use")
        table = mx.array(found)
        if table.dtype != self.dtype:
            table = table.view(self.dtype)
        return table[mx.array(inverse.astype(np.uint32))]
