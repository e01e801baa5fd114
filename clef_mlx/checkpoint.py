"""A model folder to a checked ``Checkpoint``, and its tensors to our parameters.

Everything that can be wrong with a folder is found from its JSON files and tensor headers, before
any weight is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from .architecture import OMNI, ModelConfig
from .certificate import Certificate, read_certificate
from .config import parse_config
from .errors import CheckpointError
from .fields import read_json_file
from .layout import Layout, check_kind, declared_layout
from .naming import assemble, to_parameter
from .packing import Packing, companions, unpack
from .row_table import RowTable
from .tensor_file import TensorEntry, TensorFile, read_header
from .weights import SPEECH, Part, TensorSpec, expected_tensors

ABOUT = "clef_mlx_about"  # in config.json: what ``mini`` and its conversions say of themselves
HEAD_FILE, HEAD_CONFIG = "joint_head.safetensors", "joint_head_config.json"
SINGLE_FILE, INDEX_FILE = "model.safetensors", "model.safetensors.index.json"
FLOATS = ("BF16", "F16", "F32")
EMBEDDINGS, LM_HEAD = "embed_tokens.weight", "lm_head.weight"  # ends of the tables' names


@dataclass(frozen=True)
class Checkpoint:
    """A folder whose files, names and shapes have all been checked."""

    folder: Path
    name: str  # what a response calls the model
    layout: Layout
    config: ModelConfig
    specs: Mapping[str, TensorSpec]  # by the release's name
    entries: Mapping[str, TensorEntry]  # by the name stored
    certificate: Certificate | None = None  # of a converted folder that was measured
    about: str = ""  # lines that the folder says of itself

    def stored(self, name: str) -> TensorEntry:
        """Where the tensor with the release's ``name`` lies."""
        return self.entries[self.layout.naming.stored_name(self.specs[name])]

    def disk_bytes(self, spec: TensorSpec) -> int:
        """Bytes of one tensor of the catalogue in the files, scales and biases included."""
        name = self.layout.naming.stored_name(spec)
        packed = () if self.layout.packing(spec) is None else companions(name)
        return sum(self.entries[stored].bytes for stored in (name, *packed))

    def packings(self, part: Part) -> dict[str, Packing]:
        """Our names of the packed parameters of ``part``. Gates are small: unpacked at load."""
        found = {}
        for spec in self.specs.values():
            packing = self.layout.packing(spec) if spec.part == part else None
            if packing is not None and spec.kind != "gate":
                found[spec.ours] = packing
        return found

    def fill(self, module: nn.Module, part: Part, dtype: mx.Dtype, expand: bool) -> None:
        """Load ``part``'s parameters into ``module``, every one and no other."""
        if not expand:
            layers = dict(module.named_modules())
            for name, packing in self.packings(part).items():
                layers[name.removeprefix(f"{part}.").removesuffix(".weight")].pack(packing)
        parameters = self.parameters(part, dtype, expand)
        module.load_weights([(k.removeprefix(f"{part}."), v) for k, v in parameters.items()])

    def parameters(
        self, part: Part, dtype: mx.Dtype, expand: bool, under: str = ""
    ) -> dict[str, mx.array]:
        """Every parameter of ``part`` whose name begins with ``under``, evaluated, by our name.

        With ``expand`` packed weights are unpacked to ``dtype``. One parameter is read at a time,
        so that little more than the result is ever in memory.
        """
        groups: dict[str, list[TensorSpec]] = defaultdict(list)
        for spec in self.specs.values():
            if spec.part == part and spec.ours.startswith(under):
                groups[spec.ours].append(spec)
        files: dict[Path, Any] = {}

        def read(specs: list[TensorSpec], names: list[str]) -> mx.array:
            arrays = []
            for name in names:
                path = self.entries[name].path
                if path not in files:
                    files[path] = mx.load(str(path), format="safetensors")  # lazy: only the header
                arrays.append(files[path].pop(name))
            return assemble(specs, arrays)

        loaded: dict[str, mx.array] = {}
        for ours, specs in groups.items():
            loaded.update(self._parameter(ours, specs, read, dtype, expand))
            mx.eval(loaded)
        return loaded

    def _parameter(
        self,
        ours: str,
        specs: list[TensorSpec],
        read: Callable[[list[TensorSpec], list[str]], mx.array],
        dtype: mx.Dtype,
        expand: bool,
    ) -> dict[str, mx.array]:
        kind, naming, packing = specs[0].kind, self.layout.naming, self.layout.packing(specs[0])
        names = [naming.stored_name(spec) for spec in specs]
        weight = read(specs, names)
        if packing is None:
            return {ours: to_parameter(kind, weight, naming, dtype)}
        scales, biases = (
            read(specs, list(column))
            for column in zip(*(companions(name) for name in names), strict=True)
        )
        if not expand and kind != "gate":
            scales_name, biases_name = companions(ours)
            return {
                ours: weight,
                scales_name: scales.astype(dtype),
                biases_name: biases.astype(dtype),
            }
        unpacked = unpack(weight, scales, biases, packing)
        return {ours: to_parameter(kind, unpacked, naming, dtype)}

    def table(self, which: str) -> RowTable:
        """``EMBEDDINGS`` or ``LM_HEAD``, left on disk; tied tables are one."""
        tables = [spec for spec in self.specs.values() if spec.part == "tables"]
        if not any(spec.name.endswith(LM_HEAD) for spec in tables):
            which = EMBEDDINGS
        (spec,) = (spec for spec in tables if spec.name.endswith(which))
        packing = self.layout.packing(spec)
        if packing is None:
            return RowTable(self.stored(spec.name))
        scales, biases = companions(self.layout.naming.stored_name(spec))
        return RowTable(
            self.stored(spec.name), (packing, self.entries[scales], self.entries[biases])
        )


def open_checkpoint(
    folder: Path, name: str | None = None, config_json: Mapping[str, Any] | None = None
) -> Checkpoint:
    """Check ``folder`` from top to bottom without reading a weight.

    ``config_json`` stands for the folder's config.json where that is not written yet.
    Raises ``CheckpointError`` in one sentence for a folder that is not a whole Clef model in a
    layout supported here.
    """
    if not folder.is_dir():
        raise CheckpointError(f"{folder} is not a folder")
    raw = config_json or read_json_file(folder / "config.json")
    if not isinstance(raw, dict):
        raise CheckpointError(f"{folder / 'config.json'} must hold a JSON object")
    check_kind(raw, folder)
    partial = sorted(folder.glob("*.incomplete"))
    if partial:
        raise CheckpointError(
            f"{partial[0]} is an unfinished download: fetch the model again to complete it"
        )
    for needed in (HEAD_CONFIG, HEAD_FILE):
        if not (folder / needed).exists():
            raise CheckpointError(
                f"{folder} has no {needed}: a Clef model carries a joint head beside the backbone "
                "(a plain Qwen3.5 folder cannot decide)"
            )
    config = parse_config(raw, read_json_file(folder / HEAD_CONFIG), folder)
    skipped = SPEECH if config.model_type == OMNI else ()
    files = _weight_files(folder, skipped)
    head = read_header(folder / HEAD_FILE)
    twice = sorted(name for file in files for name in file.tensors if name in head.tensors)
    if twice:
        raise CheckpointError(f"{head.path} holds {_some(twice)}, which a shard holds too")
    entries = {
        tensor: entry
        for file in (*files, head)
        for tensor, entry in file.tensors.items()
        if not tensor.startswith(skipped)
    }
    formats = {file.path: file.metadata.get("format") for file in files}
    layout = declared_layout(raw, formats, entries, folder)
    specs = expected_tensors(config, entries)
    _check_tensors(specs, layout, entries, folder)
    certificate = read_certificate(layout.stamp, str(folder / "config.json"))
    about = raw.get(ABOUT)
    about = about if isinstance(about, str) else ""
    return Checkpoint(
        folder, name or folder.name, layout, config, specs, entries, certificate, about
    )


def _weight_files(folder: Path, skipped: tuple[str, ...]) -> list[TensorFile]:
    """Headers of the backbone's shards, held to the index where there is one.

    A shard that holds nothing but names beginning with ``skipped`` may be left out.
    """
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
        is_name = isinstance(shard, str) and Path(shard).name == shard
        if not is_name or not shard.endswith(".safetensors"):
            raise CheckpointError(f"{folder / INDEX_FILE}: {shard!r} is not a shard's file name")
        by_shard[shard].add(tensor)
    by_shard = {
        shard: names
        for shard, names in by_shard.items()
        if not all(name.startswith(skipped) for name in names)
    }
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
    specs: Mapping[str, TensorSpec],
    layout: Layout,
    entries: Mapping[str, TensorEntry],
    folder: Path,
) -> None:
    expected: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {}
    for spec in specs.values():
        expected.update(_stored_tensors(spec, layout))
    missing = [name for name in expected if name not in entries]
    unknown = [name for name in entries if name not in expected]
    if missing:
        raise CheckpointError(f"{folder} lacks {_some(missing)}, which its config asks for")
    if unknown:
        raise CheckpointError(f"{folder} holds {_some(unknown)}, which no part of Clef uses")
    for name, (shape, dtypes) in expected.items():
        entry = entries[name]
        if entry.shape != shape:
            raise CheckpointError(
                f"{entry.path}: {name} has shape {list(entry.shape)}, and the config asks for "
                f"{list(shape)}"
            )
        if entry.dtype not in dtypes:
            raise CheckpointError(
                f"{entry.path}: {name} is {entry.dtype}, where {' or '.join(dtypes)} is read"
            )


def _stored_tensors(
    spec: TensorSpec, layout: Layout
) -> dict[str, tuple[tuple[int, ...], tuple[str, ...]]]:
    """Names, shapes and dtypes in which ``layout`` stores one tensor of the catalogue."""
    name, shape = layout.naming.stored_name(spec), layout.naming.stored_shape(spec)
    packing = layout.packing(spec)
    if packing is None:
        return {name: (shape, FLOATS)}
    *lead, inputs = shape
    if inputs % packing.group_size:
        raise CheckpointError(
            f"{name} is said to be packed in groups of {packing.group_size}, which do not divide "
            f"its width {inputs}"
        )
    groups = ((*lead, packing.groups(inputs)), FLOATS)
    packed = ((*lead, packing.packed_width(inputs)), ("U32",))
    return {name: packed, **dict.fromkeys(companions(name), groups)}


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"tensor {names[0]}{more}"
