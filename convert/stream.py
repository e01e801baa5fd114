"""Tensors from the source's shards to the target's, a block of rows at a time."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import mlx.core as mx
import numpy as np

from ..errors import CheckpointError
from ..packing import Packing
from ..tensor_file import ITEM_BYTES
from .plan import Output, Step

BLOCK_BYTES = 64 << 20  # of the source, read at once: bounds memory whatever the model's size
PACKED_SHARE = 16  # packing takes so much more memory than copying: smaller blocks
_FLOATS = {
    "BF16": (np.uint16, mx.bfloat16),
    "F16": (np.uint16, mx.float16),
    "F32": (np.uint32, mx.float32),
}
# Weights [..., I] to packed ones, scales and biases.
Pack = Callable[[mx.array, Packing], tuple[mx.array, mx.array, mx.array]]


class ShardWriter(AbstractContextManager["ShardWriter"]):
    """Writes one safetensors file whose tensors are all known before the first byte.

    Parts of several tensors may be written in turn, each at its own place.
    """

    def __init__(self, path: Path, outputs: Sequence[Output], metadata: Mapping[str, str]) -> None:
        header: dict[str, object] = {"__metadata__": dict(metadata)}
        offsets, end = {}, 0
        for output in outputs:
            offsets[output.name] = end
            end += output.bytes
            header[output.name] = {
                "dtype": output.dtype,
                "shape": list(output.shape),
                "data_offsets": [offsets[output.name], end],
            }
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)  # data starts at a multiple of 8, as the format asks
        start = 8 + len(text)
        self._next = {name: start + offset for name, offset in offsets.items()}
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        _write(self._file, struct.pack("<Q", len(text)) + text, 0)
        os.ftruncate(self._file, start + end)

    def append(self, name: str, data: np.ndarray) -> None:
        """Write the next bytes of tensor ``name``."""
        buffer = np.ascontiguousarray(data).reshape(-1).view(np.uint8).data
        _write(self._file, buffer, self._next[name])
        self._next[name] += len(buffer)

    def __exit__(self, kind: type[BaseException] | None, *failure: object) -> None:
        try:
            if kind is None:
                os.fsync(self._file)
        finally:
            os.close(self._file)


def write_step(step: Step, writer: ShardWriter, done: Callable[[int], None], pack: Pack) -> None:
    """Read ``step``'s tensor in blocks of rows, pack or copy each, and append it to ``writer``.

    ``done`` is told the bytes read. Raises ``CheckpointError``, naming the tensor, for a weight
    that is NaN or infinite and for a file that ends early.
    """
    source, name = step.source, step.spec.name
    stored, dtype = _FLOATS[source.dtype]
    width = source.shape[-1] if source.shape else 1
    row_bytes = width * ITEM_BYTES[source.dtype]
    rows = source.bytes // row_bytes
    block_bytes = BLOCK_BYTES if step.packing is None else BLOCK_BYTES // PACKED_SHARE
    block_rows = max(1, block_bytes // row_bytes)
    with source.path.open("rb", buffering=0) as file:
        for first in range(0, rows, block_rows):
            count = min(block_rows, rows - first)
            raw = np.empty((count, width), dtype=stored)
            offset = source.start + first * row_bytes
            if os.preadv(file.fileno(), [raw.view(np.uint8).data], offset) != raw.nbytes:
                raise CheckpointError(f"{source.path} ended early, in {name}: fetch it again")
            values = mx.array(raw).view(dtype)
            if not mx.isfinite(values).all().item():
                raise CheckpointError(
                    f"{source.path}: {name} holds NaN or infinity; such a model cannot decide"
                )
            for output, data in zip(
                step.outputs(), _stored_parts(step, values, raw, pack), strict=True
            ):
                writer.append(output.name, data)
            done(raw.nbytes)
    mx.clear_cache()


def _stored_parts(step: Step, values: mx.array, raw: np.ndarray, pack: Pack) -> list[np.ndarray]:
    """What one block becomes: itself, or packed weights, scales and biases."""
    if step.packing is None:
        return [raw]
    weight, scales, biases = pack(values, step.packing)
    return [np.array(weight), *(np.array(part.view(mx.uint16)) for part in (scales, biases))]


def as_mlx_packs(weight: mx.array, packing: Packing) -> tuple[mx.array, mx.array, mx.array]:
    """MLX's own packing: a group's scale is told by its extremes."""
    # Scales and biases take the weights' dtype, and bfloat16 is what the product wants.
    packed = mx.quantize(
        weight.astype(mx.bfloat16), group_size=packing.group_size, bits=packing.bits
    )
    return packed[0], packed[1], packed[2]


def _write(file: int, data: bytes | memoryview, offset: int) -> None:
    """Write all of ``data``: one call may take less of it, at the end of a disk for one."""
    view = memoryview(data)
    while len(view):
        written = os.pwrite(file, view, offset)
        view, offset = view[written:], offset + written
