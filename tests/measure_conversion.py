"""Memory of a conversion: ``python tests/measure_conversion.py [LAYERS [BITS [NAME]]]``.

With ``--calibrate FILE`` it rounds by these requests, which takes minutes a layer on a CPU.

Writes a synthetic release with the shapes of NAME (default clef-flash) and LAYERS layers (default
8: 8.6 GB in all), converts it in a process of its own, and samples that process's anonymous memory
(Linux: RssAnon; file pages, which the system may drop at any time, are not counted). Needs twice
the disk.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from clef_mlx.checkpoint import HEAD_CONFIG, HEAD_FILE, SINGLE_FILE, open_checkpoint
from clef_mlx.compare import request_set
from clef_mlx.config import parse_config
from clef_mlx.convert.calibration import material
from clef_mlx.convert.calibration_memory import needed_bytes
from clef_mlx.convert.plan import Output
from clef_mlx.convert.stream import ShardWriter
from clef_mlx.miniature import byte_tokenizer
from clef_mlx.published import published_json
from clef_mlx.weights import TensorSpec, expected_tensors

BLOCK = 1 << 24  # weights drawn once and written again and again


def write_synthetic_release(folder: Path, name: str, layers: int) -> int:
    """Write the release without holding it; returns its bytes."""
    config, head = published_json(name, layers)
    specs = expected_tensors(parse_config(config, head, folder), ()).values()
    drawn = np.random.default_rng(0).normal(scale=0.02, size=BLOCK).astype(np.float32)
    weights = (drawn.view(np.uint32) >> 16).astype(np.uint16)  # the upper half is bfloat16
    size = 0
    for file, part in ((SINGLE_FILE, False), (HEAD_FILE, True)):
        size += write_file(folder / file, [s for s in specs if (s.part == "head") == part], weights)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / HEAD_CONFIG).write_text(json.dumps(head))
    byte_tokenizer().save(str(folder / "tokenizer.json"))
    return size


def write_file(path: Path, specs: list[TensorSpec], weights: np.ndarray) -> int:
    counts = [int(np.prod(spec.shape, dtype=int)) for spec in specs]
    outputs = [
        Output(spec.name, "BF16", spec.shape, 2 * count)
        for spec, count in zip(specs, counts, strict=True)
    ]
    with ShardWriter(path, outputs, {"format": "pt"}) as writer:
        for spec, count in zip(specs, counts, strict=True):
            for first in range(0, count, BLOCK):
                writer.append(spec.name, weights[: min(BLOCK, count - first)])
    return 2 * sum(counts)


def anonymous_bytes(process: int) -> int:
    status = Path(f"/proc/{process}/status")
    found = re.search(r"RssAnon:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return 1024 * int(found[1]) if found else 0


def peak_of(command: list[str]) -> tuple[int, float]:
    """Largest anonymous memory of a command in bytes, and the seconds it took."""
    started, peak = time.monotonic(), 0
    with subprocess.Popen(command) as running:
        while running.poll() is None:
            peak = max(peak, anonymous_bytes(running.pid))
            time.sleep(0.01)
    if running.returncode:
        sys.exit(f"the conversion failed with status {running.returncode}")
    return peak, time.monotonic() - started


def estimate(source: Path, requests: str) -> str:
    """What the converter reckons with before it starts."""
    checkpoint = open_checkpoint(source)
    given = material(checkpoint, request_set(requests))
    longest = max(len(prompt.input_ids) for prompt in given.prompts)
    needed = needed_bytes(checkpoint, given.tokens, longest)
    return f"calibration by {given.tokens:,} tokens: {needed / 1e6:.0f} MB computed"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the memory of a conversion.")
    parser.add_argument("layers", type=int, nargs="?", default=8)
    parser.add_argument("bits", nargs="?", default="4")
    parser.add_argument("name", nargs="?", default="clef-flash")
    parser.add_argument("--calibrate", metavar="FILE")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clef-mlx-") as scratch:
        source = Path(scratch) / "release"
        source.mkdir()
        size = write_synthetic_release(source, asked.name, asked.layers)
        idle, _ = peak_of([sys.executable, "-c", "import clef_mlx.convert, time; time.sleep(0.5)"])
        command = [sys.executable, "-m", "clef_mlx", "convert", str(source), f"{scratch}/out"]
        command += ["--bits", asked.bits]
        if asked.calibrate is not None:
            command += ["--calibrate", asked.calibrate]
            print(estimate(source, asked.calibrate), flush=True)
        peak, seconds = peak_of(command)
    print(
        f"{size / 1e9:.2f} GB converted in {seconds:.0f} s: {peak / 1e6:.0f} MB of anonymous "
        f"memory at the peak, {idle / 1e6:.0f} MB of them the interpreter with its imports"
    )


if __name__ == "__main__":
    main()
