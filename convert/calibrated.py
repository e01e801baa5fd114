"""Packed tensors of a calibration on disk: what one run finished, the next need not repeat."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

from ..fields import read_json_file
from .plan import Plan, Step

MARK = "calibration.json"
ALGORITHM = 2  # raised when other packed tensors come out of the same input


class Calibrated:
    """Packed tensors by stored name, in one file a module, written whole or not at all.

    The folder is kept when a run is stopped. One that belongs to another release, recipe or set
    of requests is emptied.
    """

    def __init__(self, folder: Path, plan: Plan, requests: str) -> None:
        self._folder = folder
        depends = fingerprint(plan, requests)
        mark = folder / MARK
        if not mark.exists() or read_json_file(mark) != depends:
            self.remove()
            folder.mkdir(parents=True)
            mark.write_text(json.dumps(depends))
        self._files: dict[str, Path] = {}
        for file in sorted(folder.glob("*.safetensors")):
            self._files.update(dict.fromkeys(_loaded(file), file))

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def read(self, names: list[str]) -> list[mx.array]:
        """Tensors of one file, e.g. packed weights, scales and biases."""
        found = _loaded(self._files[names[0]])
        return [found[name] for name in names]

    def stored(self, step: Step) -> Iterator[tuple[str, np.ndarray]]:
        """What ``step`` becomes: names and data, as they are written."""
        names = [output.name for output in step.outputs()]
        for name, tensor in zip(names, self.read(names), strict=True):
            yield name, np.array(tensor.view(mx.uint16) if tensor.dtype == mx.bfloat16 else tensor)

    def write(self, module: str, tensors: dict[str, mx.array]) -> None:
        """Keep what was found for ``module``."""
        file = self._folder / f"{module}.safetensors"
        unfinished = file.with_suffix(".unfinished")
        with unfinished.open("wb") as opened:
            mx.save_safetensors(opened, tensors)
        os.replace(unfinished, file)
        self._files.update(dict.fromkeys(tensors, file))

    def remove(self) -> None:
        """Forget everything."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _loaded(file: Path) -> dict[str, mx.array]:
    found = mx.load(str(file), format="safetensors")
    assert isinstance(found, dict)
    return found


def fingerprint(plan: Plan, requests: str) -> dict[str, Any]:
    """What a calibration depends on: the source's files, the widths, the requests' hash."""
    widths = [
        [step.spec.name, step.packing and [step.packing.bits, step.packing.group_size]]
        for step in plan.steps
    ]
    files = sorted({step.source.path for step in plan.steps})
    return {
        "algorithm": ALGORITHM,
        "requests": requests,
        "widths": hashlib.sha256(json.dumps(widths).encode()).hexdigest(),
        "files": [[f.name, f.stat().st_size, f.stat().st_mtime_ns] for f in files],
    }
