"""A model folder to a checked ``Checkpoint``, and its tensors to our parameters.

Everything that can be wrong with a folder is found from its JSON files and tensor headers, before
any weight is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

from .config import DENSE, MOE, ModelConfig, parse_config, read_json_file
from .errors import CheckpointError
from .tensor_file import RowTable, TensorEntry, TensorFile, read_header
from .weights import Part, TensorSpec, expected_tensors, to_parameter

HEAD_FILE, HEAD_CONFIG = "joint_head.safetensors", "joint_head_config.json"
SINGLE_FILE, INDEX_FILE = "model.safetensors", "model.safetensors.index.json"
STAMP = "clef_mlx"  # our key in the config.json of a converted folder
FLOATS = ("BF16", "F16", "F32")
EMBEDDINGS = "model.language_model.embed_tokens.weight"
LM_HEAD = "lm_head.weight"


@dataclass(frozen=True)
class Checkpoint:
    """A folder whose files, names and shapes have all been checked."""

    folder: Path
    name: str  # what a response calls the model
    layout: str  # in words, for people
    config: ModelConfig
    specs: Mapping[str, TensorSpec]  # by name in the folder
    entries: Mapping[str, TensorEntry]

    def parameters(self, part: Part, dtype: mx.Dtype) -> dict[str, mx.array]:
        """Every parameter of ``part``, evaluated, by our name.

        One tensor is read at a time, so that little more than the result is ever in memory.
        """
        groups: dict[str, list[str]] = defaultdict(list)
        for name, spec in self.specs.items():
            if spec.part == part:
                groups[spec.ours].append(name)
        files: dict[Path, Any] = {}
        loaded = {}
        for ours, names in groups.items():
            arrays = []
            for name in names:
                path = self.entries[name].path
                if path not in files:
                    files[path] = mx.load(str(path))  # lazy: reads the header only
                arrays.append(files[path].pop(name))
            loaded[ours] = to_parameter([self.specs[name] for name in names], arrays, dtype)
            mx.eval(loaded[ours])
        return loaded

    def table(self, which: str) -> RowTable:
        """``EMBEDDINGS`` or ``LM_HEAD``, left on disk."""
        if which == LM_HEAD and self.config.text.tie_word_embeddings:
            which = EMBEDDINGS
        return RowTable(self.entries[which])


def open_checkpoint(folder: Path, name: str | None = None) -> Checkpoint:
    """Check ``folder`` from top to bottom without reading a weight.

    Raises ``CheckpointError`` in one sentence for a folder that is not a whole Clef model in a
    layout supported here.
    """
    if not folder.is_dir():
        raise CheckpointError(f"{folder} is not a folder")
    raw = read_json_file(folder / "config.json")
    if not isinstance(raw, dict):
        raise CheckpointError(f"{folder / 'config.json'} must hold a JSON object")
    _check_kind(raw, folder)
    for needed in (HEAD_CONFIG, HEAD_FILE):
        if not (folder / needed).exists():
            raise CheckpointError(
                f"{folder} has no {needed}: a Clef model carries a joint head beside the backbone "
                "(a plain Qwen3.5 folder cannot decide)"
            )
    partial = sorted(folder.glob("*.incomplete"))
    if partial:
        raise CheckpointError(
            f"{partial[0]} is an unfinished download: fetch the model again to complete it"
        )
    config = parse_config(raw, read_json_file(folder / HEAD_CONFIG), folder)
    files = _weight_files(folder)
    for file in files:
        _check_declared_layout(file)
    head = read_header(folder / HEAD_FILE)
    entries = {tensor: entry for file in (*files, head) for tensor, entry in file.tensors.items()}
    specs = expected_tensors(config, entries)
    _check_tensors(specs, entries, folder)
    return Checkpoint(folder, name or folder.name, "published release", config, specs, entries)


def _check_kind(raw: Mapping[str, Any], folder: Path) -> None:
    """Refuse, by name, the layouts and architectures that are not read here."""
    kind = raw.get("model_type")
    if STAMP in raw:
        raise CheckpointError(
            f"{folder} is a folder converted by clef-mlx, not read by this version"
        )
    if kind == "clef":
        raise CheckpointError(
            f"{folder} is in mlx-vlm's own clef layout; use the published release"
        )
    if kind == "qwen3_omni_moe":
        raise CheckpointError(f"{folder} holds clef-omni, which this version does not run")
    if kind not in (DENSE, MOE):
        raise CheckpointError(
            f"{folder} has model_type {kind!r}; a Clef backbone is {DENSE!r} or {MOE!r}"
        )


def _check_declared_layout(file: TensorFile) -> None:
    declared = file.metadata.get("format")
    if declared == "mlx":
        raise CheckpointError(
            f"{file.path} declares format 'mlx': an mlx-community build, not read by this "
            "version; use the published release"
        )
    if declared != "pt":
        raise CheckpointError(
            f"{file.path} declares format {declared!r}; a published release declares 'pt' (the "
            "layout is never guessed, since norms are stored differently in each)"
        )


def _weight_files(folder: Path) -> list[TensorFile]:
    """Headers of the backbone's shards, held to the index where there is one."""
    if not (folder / INDEX_FILE).exists():
        if not (folder / SINGLE_FILE).exists():
            raise CheckpointError(f"{folder} has neither {INDEX_FILE} nor {SINGLE_FILE}")
        return [read_header(folder / SINGLE_FILE)]
    index = read_json_file(folder / INDEX_FILE)
    weight_map = index.get("weight_map") if isinstance(index, dict) else None
    if not isinstance(weight_map, dict) or not weight_map:
        raise CheckpointError(f"{folder / INDEX_FILE} has no weight_map")
    by_shard: dict[str, set[str]] = defaultdict(set)
    for tensor, shard in weight_map.items():
        if not isinstance(shard, str) or Path(shard).name != shard:
            raise CheckpointError(f"{folder / INDEX_FILE}: {shard!r} is not a shard's file name")
        by_shard[shard].add(tensor)
    missing = sorted(shard for shard in by_shard if not (folder / shard).exists())
    if missing:
        raise CheckpointError(
            f"{folder} lacks {len(missing)} of {len(by_shard)} shards ({missing[0]}): "
            "fetch the model again to complete it"
        )
    files = [read_header(folder / shard) for shard in sorted(by_shard)]
    for file in files:
        listed = by_shard[file.path.name]
        absent, extra = sorted(listed - set(file.tensors)), sorted(set(file.tensors) - listed)
        if absent:
            raise CheckpointError(
                f"{file.path} lacks {_some(absent)}, which the index places there"
            )
        if extra:
            raise CheckpointError(f"{file.path} holds {_some(extra)}, unknown to the index")
    return files


def _check_tensors(
    specs: Mapping[str, TensorSpec], entries: Mapping[str, TensorEntry], folder: Path
) -> None:
    missing = [name for name in specs if name not in entries]
    unknown = [name for name in entries if name not in specs]
    if missing:
        raise CheckpointError(f"{folder} lacks {_some(missing)}, which its config asks for")
    if unknown:
        raise CheckpointError(f"{folder} holds {_some(unknown)}, which no part of Clef uses")
    for name, spec in specs.items():
        entry = entries[name]
        if entry.shape != spec.shape:
            raise CheckpointError(
                f"{entry.path}: {name} has shape {list(entry.shape)}, and the config asks for "
                f"{list(spec.shape)}"
            )
        if entry.dtype not in FLOATS:
            raise CheckpointError(
                f"{entry.path}: {name} is {entry.dtype}; a release holds {', '.join(FLOATS)}"
            )


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"tensor {names[0]}{more}"
