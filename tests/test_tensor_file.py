"""``tensor_file``: a safetensors header believed only where it fits its file."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from conftest import GOLDEN

from clef_mlx import CheckpointError
from clef_mlx.tensor_file import ITEM_BYTES, MAX_HEADER, read_header


def tensor(dtype: Any, shape: Any, first: Any, last: Any) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [first, last]}


GOOD = {
    "__metadata__": {"format": "pt"},
    "a": tensor("F32", [2, 3], 0, 24),
    "b": tensor("BF16", [4], 24, 32),
}
DATA = bytes(range(32))


def write(path: Path, header: Any, data: bytes = DATA, length: int | None = None) -> Path:
    """A file with any header, given as an object or as bytes."""
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(raw) if length is None else length) + raw + data)
    return path


def refusal(path: Path) -> str:
    """What is said of ``path``, which it names first."""
    with pytest.raises(CheckpointError) as caught:
        read_header(path)
    assert str(caught.value).startswith(str(path))
    return str(caught.value).removeprefix(str(path)).strip(": ")


def test_names_shapes_and_places(tmp_path: Path) -> None:
    file = read_header(write(tmp_path / "x.safetensors", GOOD))
    start = 8 + len(json.dumps(GOOD))
    assert file.metadata == {"format": "pt"}
    assert list(file.tensors) == ["a", "b"]
    a, b = file.tensors.values()
    assert (a.dtype, a.shape, a.size, a.start, a.bytes) == ("F32", (2, 3), 6, start, 24)
    assert (b.dtype, b.shape, b.size, b.start, b.bytes) == ("BF16", (4,), 4, start + 24, 8)


def test_headers_that_mlx_and_the_golden_files_have(tmp_path: Path) -> None:
    kinds = {"F32": mx.float32, "F16": mx.float16, "BF16": mx.bfloat16, "U32": mx.uint32}
    kinds |= {"I32": mx.int32, "I64": mx.int64, "U8": mx.uint8}
    arrays = {name: mx.ones((3, 5)).astype(dtype) for name, dtype in kinds.items()}
    arrays |= {"scalar": mx.array(1.0), "empty": mx.zeros((0, 4))}
    path = tmp_path / "x.safetensors"
    mx.save_safetensors(str(path), arrays, metadata={"format": "mlx"})
    file = read_header(path)
    assert file.metadata["format"] == "mlx"
    assert {name: entry.dtype for name, entry in file.tensors.items() if name in kinds} == {
        name: name for name in kinds
    }
    assert all(entry.bytes == arrays[name].nbytes for name, entry in file.tensors.items())
    assert file.tensors["scalar"].shape == ()
    for golden in sorted(GOLDEN.glob("*/*.safetensors")):
        loaded = mx.load(str(golden))
        shapes = {name: tuple(array.shape) for name, array in loaded.items()}
        assert {name: entry.shape for name, entry in read_header(golden).tensors.items()} == shapes


def test_metadata_and_tensors_may_be_absent(tmp_path: Path) -> None:
    for header in ({}, {"__metadata__": {}}, {"__metadata__": None}):
        file = read_header(write(tmp_path / "x.safetensors", header, b""))
        assert (dict(file.metadata), dict(file.tensors)) == ({}, {})


def test_a_dtype_unknown_here_is_kept_by_its_name(tmp_path: Path) -> None:
    header = {"a": tensor("F8_E4M3", [2, 4], 0, 8)}
    assert "F8_E4M3" not in ITEM_BYTES
    file = read_header(write(tmp_path / "x.safetensors", header, bytes(8)))
    assert (file.tensors["a"].dtype, file.tensors["a"].bytes) == ("F8_E4M3", 8)


@pytest.mark.parametrize("kept", [0, 1, 7, 8, 9, 100])
def test_a_file_cut_within_its_header(tmp_path: Path, kept: int) -> None:
    path = write(tmp_path / "x.safetensors", GOOD)
    path.write_bytes(path.read_bytes()[:kept])
    assert refusal(path) == f"is not a whole safetensors file ({kept} bytes)"


@pytest.mark.parametrize("length", [0, 1, 10**6, MAX_HEADER + 1, 2**63, 2**64 - 1])
def test_a_header_length_that_cannot_be(tmp_path: Path, length: int) -> None:
    path = write(tmp_path / "x.safetensors", GOOD, length=length)
    assert refusal(path) == f"is not a whole safetensors file ({path.stat().st_size} bytes)"


@pytest.mark.parametrize("lost", [1, 8, 9, 31, 32])
def test_a_file_cut_within_its_data(tmp_path: Path, lost: int) -> None:
    path = write(tmp_path / "x.safetensors", GOOD, DATA[:-lost])
    size = path.stat().st_size
    assert refusal(path) == (
        f"is cut short: its header promises {size + lost} bytes and it has {size}; fetch it again"
    )


def test_a_file_longer_than_its_header_says(tmp_path: Path) -> None:
    path = write(tmp_path / "x.safetensors", GOOD, DATA + b"\0")
    size = path.stat().st_size
    assert refusal(path) == (
        f"is too long: its header promises {size - 1} bytes and it has {size}; fetch it again"
    )


NONSENSE = [
    *(b"[]", b"null", b"12", b'"text"', b"not JSON", b"{ ", b"\xff\xfe", b"{}}", b"  ", b"\0\0"),
    b"[" * 100_000,
    b'{"a":' + b"9" * 5000 + b"}",
    *({"a": None}, {"a": 5}, {"a": []}, {"a": "F32"}, {"a": {}}),
    {"a": {"dtype": "F32", "shape": [8]}},
    {"a": {"shape": [8], "data_offsets": [0, 32]}},
    {"a": {"dtype": "F32", "data_offsets": [0, 32]}},
    *({"__metadata__": wrong, **{"a": GOOD["a"]}} for wrong in ("pt", 5, ["format"], True)),
]
NONSENSE_TENSORS = [
    *(tensor(dtype, [8], 0, 32) for dtype in (None, 4, ["F32"], {})),
    *(tensor("F32", shape, 0, 32) for shape in (None, 8, "8", {"0": 8}, ["8"], [8.0], [True, 8])),
    *(tensor("F32", shape, 0, 32) for shape in ([-8], [-2, -4], [None], [[8]], [10**30], [1e400])),
    *(tensor("F32", [8], first, last) for first, last in ((None, 32), ("0", "32"), (0.0, 32.0))),
    *(tensor("F32", [8], first, last) for first, last in ((32, 0), (-32, 0), (True, 33))),
    *({**tensor("F32", [8], 0, 32), "data_offsets": o} for o in ([0], [], [0, 16, 32], 32, None)),
    *(tensor("F32", [8], 0, last) for last in (28, 31, 36)),  # 8 numbers take 32 bytes
    *(tensor("BF16", [8], 0, 32), tensor("U8", [8], 0, 32), tensor("F64", [8], 0, 32)),
    tensor("F8_E4M3", [32], 32, 0),
]


@pytest.mark.parametrize("header", [*NONSENSE, *({"a": entry} for entry in NONSENSE_TENSORS)])
def test_nonsense_in_a_header_is_refused(tmp_path: Path, header: Any) -> None:
    path = write(tmp_path / "x.safetensors", header)
    assert refusal(path) == "has no readable safetensors header"


@pytest.mark.parametrize(
    ("a", "b"),
    [((0, 16), (8, 24)), ((0, 24), (0, 24)), ((0, 8), (16, 24)), ((8, 16), (16, 24))],
    ids=["overlap", "the same bytes", "a gap", "a gap before the first"],
)
def test_tensors_lie_side_by_side(tmp_path: Path, a: tuple[int, int], b: tuple[int, int]) -> None:
    header = {
        name: tensor("U8", [last - first], first, last)
        for name, (first, last) in (("a", a), ("b", b))
    }
    path = write(tmp_path / "x.safetensors", header, bytes(24))
    message = refusal(path)
    assert message.startswith("tensor ") and "the one before it ends at" in message


def test_order_in_the_header_is_free(tmp_path: Path) -> None:
    header = {"b": tensor("U8", [8], 24, 32), "z": tensor("U8", [0], 24, 24), "a": GOOD["a"]}
    assert list(read_header(write(tmp_path / "x", header)).tensors) == ["b", "z", "a"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "is missing"),
        (lambda path: path.symlink_to(path.parent / "gone"), "is missing"),
        (Path.mkdir, "cannot be read: Is a directory"),
    ],
)
def test_no_file_at_all(tmp_path: Path, make: Callable[[Path], Any], message: str) -> None:
    make(tmp_path / "x.safetensors")
    assert refusal(tmp_path / "x.safetensors") == message
