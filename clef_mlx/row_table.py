"""Tables that stay on disk: token ids in, their rows out."""

from __future__ import annotations

import os
import weakref

import mlx.core as mx
import numpy as np

from .errors import CheckpointError
from .packing import Packing, unpack
from .tensor_file import TensorEntry

_STORED = {
    "BF16": (np.uint16, mx.bfloat16),
    "F16": (np.uint16, mx.float16),
    "F32": (np.uint32, mx.float32),
    "U32": (np.uint32, mx.uint32),
}


class RowTable:
    """A table of which a decision reads only the rows it needs.

    A packed table has ``scales`` and ``biases`` beside it; its rows are gathered, then unpacked.
    Rows are read with ``pread``: a mapping would make far more of the file resident.
    """

    def __init__(
        self,
        entry: TensorEntry,
        packed: tuple[Packing, TensorEntry, TensorEntry] | None = None,
    ) -> None:
        self.rows = entry.shape[0]
        self._entry = entry
        self._packing = None if packed is None else packed[0]
        self._readers = [_Rows(e) for e in (entry, *(() if packed is None else packed[1:]))]

    def read(self, ids: np.ndarray) -> mx.array:
        """Rows ``ids`` (``[N]``, any order, repeats allowed) as ``[N, width]``.

        In the stored dtype; float32 where the table is packed.
        """
        outside = ids[(ids < 0) | (ids >= self.rows)]
        if outside.size:
            raise CheckpointError(
                f"token {int(outside[0])} has no row in a table of {self.rows} "
                f"({self._entry.path}); tokenizer.json belongs to another model"
            )
        unique, inverse = np.unique(ids, return_inverse=True)
        rows, *scales_and_biases = (reader.read(unique) for reader in self._readers)
        if self._packing is not None:
            scales, biases = scales_and_biases
            rows = unpack(rows, scales, biases, self._packing)
        return rows[mx.array(inverse.astype(np.uint32))]


class _Rows:
    """Reads whole rows of one tensor by their numbers."""

    def __init__(self, entry: TensorEntry) -> None:
        self._entry = entry
        self._stored, self._dtype = _STORED[entry.dtype]
        try:
            self._file = os.open(entry.path, os.O_RDONLY)
        except OSError as error:
            raise CheckpointError(f"{entry.path} cannot be read: {error.strerror}") from None
        weakref.finalize(self, os.close, self._file)

    def read(self, rows: np.ndarray) -> mx.array:
        count, width = self._entry.shape
        found = np.empty((len(rows), width), dtype=self._stored)
        row_bytes = self._entry.bytes // count
        for target, row in zip(found, rows, strict=True):
            offset = self._entry.start + int(row) * row_bytes
            try:
                read = os.preadv(self._file, [target.view(np.uint8).data], offset)
            except OSError as error:
                raise CheckpointError(
                    f"{self._entry.path} cannot be read: {error.strerror}"
                ) from None
            if read != row_bytes:
                raise CheckpointError(f"{self._entry.path} changed while it was in use")
        return mx.array(found).view(self._dtype)
