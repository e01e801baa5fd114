"""``row_table``: single rows of a table on disk, exactly as if the whole table were loaded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from clef_mlx import CheckpointError
from clef_mlx.row_table import RowTable
from clef_mlx.tensor_file import read_header

ROWS, WIDTH = 97, 20
IDS = [*([0], [96], [5, 5, 5], [96, 0, 96, 1, 0], list(range(ROWS)), list(range(ROWS))[::-1], [])]


def table_file(folder: Path, dtype: mx.Dtype = mx.float32) -> Path:
    """A table between two other tensors, so that its rows do not start where the data does."""
    mx.random.seed(1)
    arrays = {
        "before": mx.ones((7,)),
        "table": mx.random.normal((ROWS, WIDTH)).astype(dtype),
        "last": mx.ones((3, 3)),
    }
    path = folder / "table.safetensors"
    mx.save_safetensors(str(path), arrays)
    return path


def open_table(path: Path) -> RowTable:
    return RowTable(read_header(path).tensors["table"])


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16])
@pytest.mark.parametrize("ids", IDS, ids=len)
def test_rows_are_those_of_the_loaded_table(
    tmp_path: Path, dtype: mx.Dtype, ids: list[int]
) -> None:
    path = table_file(tmp_path, dtype)
    rows = open_table(path).read(np.array(ids, dtype=np.int64))
    assert (rows.shape, rows.dtype) == ((len(ids), WIDTH), dtype)
    if ids:
        whole = mx.load(str(path))["table"]
        assert mx.array_equal(rows, whole[mx.array(ids)])


def test_bits_survive_that_arithmetic_would_change(tmp_path: Path) -> None:
    values = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1e-40, 3.4e38, 2.0**-133]
    for dtype in (mx.float32, mx.bfloat16):
        path = tmp_path / "bits.safetensors"
        mx.save_safetensors(str(path), {"table": mx.array([values]).astype(dtype)})
        whole = mx.load(str(path))["table"]
        rows = open_table(path).read(np.array([0, 0]))
        as_bits = mx.uint32 if dtype == mx.float32 else mx.uint16
        for row in (rows[0], rows[1]):
            assert mx.array_equal(row.view(as_bits), whole[0].view(as_bits))


@pytest.mark.parametrize(
    ("ids", "named"),
    [([ROWS], ROWS), ([3, 2**31], 2**31), ([0, -1], -1), ([-(2**40), 5], -(2**40))],
)
def test_ids_outside_the_table_are_refused(tmp_path: Path, ids: list[int], named: int) -> None:
    path = table_file(tmp_path)
    with pytest.raises(CheckpointError) as caught:
        open_table(path).read(np.array(ids))
    assert str(caught.value) == (
        f"token {named} has no row in a table of {ROWS} ({path}); tokenizer.json belongs to "
        "another model"
    )


def test_a_file_shortened_while_in_use_is_an_error_where_rows_are_lost(tmp_path: Path) -> None:
    path = table_file(tmp_path)
    table = open_table(path)
    whole = mx.load(str(path))["table"]
    mx.eval(whole)
    entry = read_header(path).tensors["table"]
    row_bytes = entry.bytes // ROWS
    os.truncate(path, entry.start + 50 * row_bytes + row_bytes // 2)
    assert mx.array_equal(table.read(np.array([49, 0])), whole[mx.array([49, 0])])
    for lost in (50, 51, 96):
        with pytest.raises(CheckpointError) as caught:
            table.read(np.array([0, lost]))
        assert str(caught.value) == f"{path} changed while it was in use"


def test_a_file_replaced_while_in_use_still_gives_the_rows_it_had(tmp_path: Path) -> None:
    path = table_file(tmp_path)
    table = open_table(path)
    before = table.read(np.array([7]))
    (tmp_path / "other").write_bytes(b"")
    os.replace(tmp_path / "other", path)
    assert mx.array_equal(table.read(np.array([7])), before)


def test_a_file_that_has_gone_is_named(tmp_path: Path) -> None:
    path = table_file(tmp_path)
    entry = read_header(path).tensors["table"]
    path.unlink()
    with pytest.raises(CheckpointError) as caught:
        RowTable(entry)
    assert str(caught.value) == f"{path} cannot be read: No such file or directory"


def test_a_disk_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table_file(tmp_path)
    table = open_table(path)

    def fail(*_: object) -> int:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "preadv", fail)
    with pytest.raises(CheckpointError) as caught:
        table.read(np.array([0]))
    assert str(caught.value) == f"{path} cannot be read: Input/output error"


def test_only_the_rows_asked_for_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = open_table(table_file(tmp_path))
    read = []
    preadv = os.preadv

    def counted(file: int, buffers: list[memoryview], offset: int) -> int:
        read.append(offset)
        return preadv(file, buffers, offset)

    monkeypatch.setattr(os, "preadv", counted)
    table.read(np.array([5, 90, 5, 5, 0]))
    assert len(read) == 3


def test_the_file_is_closed_with_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []
    plain_open = os.open

    def recorded(*arguments: Any) -> int:
        opened.append(plain_open(*arguments))
        return opened[-1]

    path = table_file(tmp_path)
    monkeypatch.setattr(os, "open", recorded)
    table = open_table(path)
    (file,) = opened
    assert os.fstat(file).st_size == path.stat().st_size
    del table
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(file)
