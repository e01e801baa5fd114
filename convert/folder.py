"""The converted folder as a whole: made beside its target, renamed when it is complete."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mlx.core as mx

from ..certificate import KEY, Certificate
from ..checkpoint import HEAD_FILE, INDEX_FILE, Checkpoint, open_checkpoint
from ..errors import CheckpointError
from ..fields import read_json_file
from ..layout import FORMAT, NEEDS, PACKABLE, STAMP
from ..packing import Packing
from ..sizes import size
from .calibrated import Calibrated
from .plan import Plan, Step
from .refit import refit
from .stream import ShardWriter, as_mlx_packs, write_step

SHARD_BYTES = 5_000_000_000
SPARE = 256 << 20  # bytes of disk left free after a conversion
METADATA = {"format": "mlx"}
LOCK = ".lock"
COPIED = ("*.json", "*.jinja", "LICENSE*")  # beside weights; config.json and the index are new


def is_free(out: Path) -> Path:
    """``out``, made absolute. Raises ``CheckpointError`` if something is there already."""
    out = out.expanduser().absolute()
    if out.is_symlink() or out.is_file() or (out.is_dir() and any(out.iterdir())):
        raise CheckpointError(f"{out} is not empty: give the name of a new folder")
    return out


def convert_to(
    plan: Plan,
    out: Path,
    progress: Callable[[int], None] | None = None,
    certify: Callable[[Checkpoint], Certificate] | None = None,
    calibrate: Callable[[Path], Calibrated] | None = None,
) -> Path:
    """Carry out ``plan``; ``out`` appears complete, or not at all.

    ``certify`` measures the finished model; what it finds is kept in the stamp. ``calibrate``
    packs linear layers on requests, into a folder that stays beside ``out`` where it is stopped,
    so that the next run goes on from there.
    """
    out = is_free(out)
    _make_parent(out)
    check_disk(plan, out, calibrate is not None)
    limit = mx.set_cache_limit(0)  # buffers of one block are of no use to the next
    try:
        with _staging(out) as staging:
            calibrated = None
            if calibrate is not None:
                calibrated = calibrate(out.parent / f".{out.name}.calibrating")
                mx.set_cache_limit(0)
            _write_all(plan, staging, progress or (lambda done: None), calibrated)
            config = {**read_json_file(plan.checkpoint.folder / "config.json"), STAMP: stamp(plan)}
            if certify is not None:
                mx.set_cache_limit(limit)
                made = open_checkpoint(staging, out.name, config)
                config[STAMP][KEY] = certify(made).to_dict()
            # Last: without its config.json a folder does not load.
            _write_text(staging / "config.json", _json(config))
            _sync(staging)
            (staging / LOCK).unlink()
            os.rename(staging, out)
            if calibrated is not None:
                calibrated.remove()
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EACCES):
            raise
        raise CheckpointError(
            f"{out} could not be written: {error.strerror}; nothing was left there"
        ) from None
    finally:
        mx.set_cache_limit(limit)
    return out


@contextmanager
def _staging(out: Path) -> Iterator[Path]:
    """A hidden folder beside ``out``, gone again unless it was renamed.

    What a killed run left behind is removed; a lock tells it from a run that is still going.
    """
    staging = out.parent / f".{out.name}.converting"
    staging.mkdir(exist_ok=True)
    lock = os.open(staging / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CheckpointError(f"another conversion is writing {out} right now") from None
        try:
            for left in staging.iterdir():
                if left.name != LOCK:
                    left.unlink()
            yield staging
        finally:
            if staging.exists():
                shutil.rmtree(staging)
    finally:
        os.close(lock)


def _write_all(
    plan: Plan, staging: Path, progress: Callable[[int], None], calibrated: Calibrated | None
) -> None:
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        progress(done)

    pack = refit if plan.recipe.refit else as_mlx_packs

    def write(step: Step, writer: ShardWriter) -> None:
        if calibrated is not None and step.spec.name in calibrated:
            for output, data in calibrated.stored(step):
                writer.append(output, data)
            advance(step.source.bytes)
        else:
            write_step(step, writer, advance, pack)

    shards = _shards([step for step in plan.steps if step.spec.part != "head"])
    weight_map = {}
    for number, steps in enumerate(shards, start=1):
        shard = f"model-{number:05}-of-{len(shards):05}.safetensors"
        _write_file(staging / shard, steps, write)
        weight_map.update({o.name: shard for step in steps for o in step.outputs()})
    head = [step for step in plan.steps if step.spec.part == "head"]
    _write_file(staging / HEAD_FILE, head, write)
    size = sum(o.bytes for steps in shards for step in steps for o in step.outputs())
    index = {"metadata": {"total_size": size}, "weight_map": weight_map}
    _write_text(staging / INDEX_FILE, _json(index))
    source = plan.checkpoint.folder
    for pattern in COPIED:
        for file in sorted(source.glob(pattern)):
            if file.name not in ("config.json", INDEX_FILE):
                shutil.copyfile(file, staging / file.name)
    _write_text(staging / "NOTICE", _notice(plan))


def _write_file(path: Path, steps: list[Step], write: Callable[[Step, ShardWriter], None]) -> None:
    outputs = [output for step in steps for output in step.outputs()]
    with ShardWriter(path, outputs, METADATA) as writer:
        for step in steps:
            write(step, writer)


def _shards(steps: list[Step]) -> list[list[Step]]:
    """Steps in order, split so that no file is larger than it must be."""
    shards: list[list[Step]] = [[]]
    size = 0
    for step in steps:
        needed = sum(output.bytes for output in step.outputs())
        if shards[-1] and size + needed > SHARD_BYTES:
            shards.append([])
            size = 0
        shards[-1].append(step)
        size += needed
    return shards


def stamp(plan: Plan) -> dict[str, Any]:
    """What config.json says of the conversion: source, recipe, and how each tensor is packed.

    Holds no date and no path, so that the same conversion gives the same bytes.
    """
    default = None
    if plan.recipe.bits in (3, 4, 5, 6, 8):
        default = Packing(plan.recipe.bits, plan.recipe.group_size)
    exceptions = {}
    for step in plan.steps:
        usual = default if step.spec.kind in PACKABLE else None
        if step.packing != usual:
            exceptions[step.spec.name] = _described(step.packing)
    source = plan.checkpoint.folder
    return {
        "format": FORMAT,
        "needs": NEEDS,
        "written_by": version("clef-mlx"),
        "source": plan.checkpoint.name,
        "revision": source.name if source.parent.name == "snapshots" else None,
        "recipe": {key: value for key, value in vars(plan.recipe).items() if key != "widths"},
        **plan.notes,
        "packed": {"default": _described(default), "exceptions": exceptions},
    }


def _described(packing: Packing | None) -> dict[str, int] | None:
    if packing is None:
        return None
    return {"bits": packing.bits, "group_size": packing.group_size}


def _notice(plan: Plan) -> str:
    made, source = stamp(plan), plan.checkpoint.folder
    revision = f", revision {made['revision']}" if made["revision"] else ""
    changes = "no weights were changed"
    if any(step.packing is not None for step in plan.steps):
        changes = (
            f"weights of linear layers were quantized ({plan.packed_share():.1%} of them; "
            f"recipe {json.dumps(made['recipe'])}), everything else is as released"
        )
    licensed = any(source.glob("LICENSE*"))
    text = (
        f"Converted from {made['source']}{revision} by clef-mlx {made['written_by']}.\n"
        f"Changes: {changes}.\n"
        f"Licence: {'see LICENSE' if licensed else 'that of the source, which came without a file'}"
        ".\n"
    )
    for file in sorted(source.glob("NOTICE*")):
        text += f"\nThe source's own {file.name}:\n\n{file.read_text(encoding='utf-8')}"
    return text


def check_disk(plan: Plan, out: Path, calibrating: bool) -> None:
    """Raises ``CheckpointError`` where the disk has too little room for ``plan``.

    What a calibration packs lies there twice until the conversion is complete.
    """
    needed = plan.bytes_out
    if calibrating:
        packed = [step for step in plan.steps if step.packing is not None]
        needed += sum(output.bytes for step in packed for output in step.outputs())
    free = shutil.disk_usage(next(p for p in out.parents if p.exists())).free
    if needed + SPARE > free:
        raise CheckpointError(
            f"{out} would take {size(needed)} and {size(SPARE)} are kept free, but "
            f"{out.parent} has {size(free)}: make room or choose another disk"
        )


def _make_parent(out: Path) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CheckpointError(f"{out.parent} cannot be made: {error.strerror}") from None


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _sync(folder: Path) -> None:
    """Ask the disk to hold every file and the folder itself before it is renamed."""
    for path in (*folder.iterdir(), folder):
        file = os.open(path, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
