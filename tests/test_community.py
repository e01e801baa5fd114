"""Folders as the mlx-community builds look, of other widths than the golden one's 4 bits."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import merged
import mlx.core as mx
import pytest
from conftest import GOLDEN
from test_model import QUESTIONS, largest_difference

from clef_mlx import CheckpointError, Clef, load
from clef_mlx.packing import Packing, companions

REQUEST = {"state": "I was billed twice.", "questions": QUESTIONS}
RENAMED = (
    ("model.language_model.", "language_model.model."),
    ("lm_head.", "language_model.lm_head."),
    ("model.visual.", "vision_tower."),
)
NORMS = ("layernorm.weight", "q_norm.weight", "k_norm.weight", "language_model.norm.weight")
PACKED = 1e-3  # packed products against the unpacked weights, float32; measured 2e-5


def write_build(folder: Path, bits: int, overrides: dict[str, Any]) -> None:
    """``tiny-dense`` as mlx-vlm converts it; ``overrides`` are entries of its config."""
    shutil.copytree(GOLDEN / "tiny-dense-mlx4", folder)
    tensors: dict[str, mx.array] = {}
    for shard in (GOLDEN / "tiny-dense").glob("model-*.safetensors"):
        for name, value in mx.load(str(shard)).items():
            if name.endswith(NORMS):
                value = value + 1  # in bfloat16, as theirs
            if value.ndim == 5 or name.endswith("conv1d.weight"):
                value = value.moveaxis(1, -1)
            for theirs, own in RENAMED:
                name = own + name.removeprefix(theirs) if name.startswith(theirs) else name
            how = overrides.get(name.removesuffix(".weight"), {"bits": bits, "group_size": 64})
            text = name.startswith("language_model") and value.ndim == 2
            if text and how and value.shape[-1] % 64 == 0:
                packed = mx.quantize(value, group_size=how["group_size"], bits=how["bits"])
                tensors.update(zip((name, *companions(name)), packed, strict=True))
            else:
                tensors[name] = value
    mx.save_safetensors(str(folder / "model.safetensors"), tensors, {"format": "mlx"})
    (folder / "model.safetensors.index.json").unlink()
    config = json.loads((folder / "config.json").read_text())
    config["quantization"] = {"group_size": 64, "bits": bits, "mode": "affine", **overrides}
    (folder / "config.json").write_text(json.dumps(config))


def test_eight_bits_are_close_to_the_release(dense: Clef, tmp_path: Path) -> None:
    """Weight by weight: the random miniature amplifies any rounding, so its answers tell little."""
    write_build(tmp_path / "build", 8, {})
    build = load(tmp_path / "build", dtype="float32")
    for part in ("backbone", "head", "vision"):
        own = dense.checkpoint.parameters(part, mx.float32, expand=True)  # type: ignore[arg-type]
        read = build.checkpoint.parameters(part, mx.float32, expand=True)  # type: ignore[arg-type]
        assert read.keys() == own.keys()
        for name, value in own.items():
            # Two steps of the widest group: its scale and bias are rounded to bfloat16 as well.
            step = 2 * 2 / 255 * mx.abs(value).max().item()
            assert mx.abs(read[name] - value).max().item() <= step, name
    packed = load(tmp_path / "build", dtype="float32", expand=False).logits(REQUEST)
    assert largest_difference(packed, build.logits(REQUEST)) <= PACKED


def test_widths_of_single_layers_are_read_from_the_config(tmp_path: Path) -> None:
    layer = "language_model.model.layers.0.mlp"
    wide = {f"{layer}.up_proj": {"bits": 8, "group_size": 32}, f"{layer}.down_proj": False}
    write_build(tmp_path / "build", 4, wide)
    clef = load(tmp_path / "build", dtype="float32", expand=False)
    mlp = clef._backbone.layers[0].mlp
    assert merged.part(mlp, "up_proj").packing == Packing(8, 32)
    assert mlp.down_proj.packing is None
    assert merged.part(mlp, "gate_proj").packing.bits == 4
    want = load(tmp_path / "build", dtype="float32", expand=True).logits(REQUEST)
    assert largest_difference(clef.logits(REQUEST), want) <= PACKED


@pytest.mark.parametrize(
    ("quantization", "said"),
    [
        ({"group_size": 64, "bits": 4, "mode": "mxfp4"}, "mode 'mxfp4'; only 'affine'"),
        ({"group_size": 64, "bits": 2, "mode": "affine"}, "has 2 bits in groups of 64"),
        ({}, "does not say how"),
        ([], "must be a JSON object"),
        ({"group_size": 32, "bits": 4, "mode": "affine"}, "has shape"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, quantization: Any, said: str) -> None:
    write_build(tmp_path / "build", 4, {})
    config = json.loads((tmp_path / "build" / "config.json").read_text())
    config["quantization"] = quantization
    (tmp_path / "build" / "config.json").write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match=said):
        load(tmp_path / "build")


def test_mixture_of_experts_builds_are_refused_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "build"
    shutil.copytree(GOLDEN / "tiny-moe", folder)
    for shard in folder.glob("model-*.safetensors"):
        mx.save_safetensors(str(shard), mx.load(str(shard)), {"format": "mlx"})
    with pytest.raises(CheckpointError, match="mlx-community build of a mixture of experts"):
        load(folder)
