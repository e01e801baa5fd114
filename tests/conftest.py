"""Set-up that every test shares: arithmetic, the golden miniatures, and releases to break."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Full float32 on every chip, and on Linux a BLAS that is 30 times faster than the one in the wheel.
# Both must come before MLX is loaded; without OpenBLAS the tests are only slower.
os.environ.setdefault("MLX_ENABLE_TF32", "0")
with contextlib.suppress(OSError):
    ctypes.CDLL("libopenblas.so.0", mode=ctypes.RTLD_GLOBAL)

import mlx.core as mx
import pytest

from clef_mlx import Clef, load
from clef_mlx.miniature import write_release

GOLDEN = Path(__file__).parent / "golden"


def golden_cases(name: str) -> list[dict[str, Any]]:
    """The publisher's own results on ``dense``, ``moe`` or ``omni``, one dict a case."""
    lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").rstrip("\n").split("\n")
    return [json.loads(line) for line in lines]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not mx.metal.is_available():
        skip = pytest.mark.skip(reason="needs a GPU with Metal")
        for item in items:
            if "metal" in item.keywords:
                item.add_marker(skip)


# Nothing is kept between decisions: what a test breaks must show.
@pytest.fixture(scope="session")
def dense() -> Clef:
    return load(GOLDEN / "tiny-dense", dtype="float32", state_cache_bytes=0)


@pytest.fixture(scope="session")
def moe() -> Clef:
    return load(GOLDEN / "tiny-moe", dtype="float32", state_cache_bytes=0)


@pytest.fixture(scope="session")
def omni() -> Clef:
    return load(GOLDEN / "tiny-omni", dtype="float32", state_cache_bytes=0)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A copy of the dense golden miniature that a test may damage."""
    folder = tmp_path / "release"
    shutil.copytree(GOLDEN / "tiny-dense", folder)
    return folder


@pytest.fixture(scope="session")
def miniature(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Writes a random release; arguments as ``write_release`` takes them, each written once."""
    written: dict[str, Path] = {}

    def write(**options: Any) -> Path:
        key = json.dumps(options, sort_keys=True)
        if key not in written:
            written[key] = tmp_path_factory.mktemp("miniature") / "release"
            write_release(written[key], **options)
        return written[key]

    return write
