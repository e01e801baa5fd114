"""``weights``: the catalogue of tensors, and what each becomes as a parameter."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import pytest
from conftest import GOLDEN
from mlx.utils import tree_flatten
from test_checkpoint import REQUEST, edit_release

from clef_mlx import CheckpointError, Clef, load
from clef_mlx.backbone import Backbone
from clef_mlx.checkpoint import open_checkpoint
from clef_mlx.config import parse_config
from clef_mlx.head import JointHead
from clef_mlx.towers.audio import AudioTower
from clef_mlx.towers.vision import VisionTower
from clef_mlx.weights import Part, expected_tensors


def split_experts(tensors: dict[str, mx.array]) -> dict[str, mx.array]:
    """Fused experts, gate first, to one tensor per expert and projection."""
    single = {}
    for name, value in tensors.items():
        stem, last = name.rsplit(".", 1)
        if last not in ("gate_up_proj", "down_proj") or not stem.endswith(".experts"):
            single[name] = value
            continue
        for number, expert in enumerate(value):
            parts = {"down_proj": expert}
            if last == "gate_up_proj":
                parts = dict(zip(("gate_proj", "up_proj"), mx.split(expert, 2), strict=True))
            single |= {f"{stem}.{number}.{part}.weight": half for part, half in parts.items()}
    return single


def test_single_experts_give_the_logits_of_fused_ones(tmp_path: Path, moe: Clef) -> None:
    folder = tmp_path / "single"
    shutil.copytree(GOLDEN / "tiny-moe", folder)
    edit_release(folder, split_experts)
    assert load(folder, dtype="float32").logits(REQUEST) == moe.logits(REQUEST)


def test_one_expert_missing_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "single"
    shutil.copytree(GOLDEN / "tiny-moe", folder)
    lost = "model.language_model.layers.3.mlp.experts.2.up_proj.weight"
    edit_release(folder, lambda t: {k: v for k, v in split_experts(t).items() if k != lost})
    with pytest.raises(CheckpointError) as caught:
        open_checkpoint(folder)
    assert str(caught.value) == f"{folder} lacks tensor {lost}, which its config asks for"


@pytest.mark.parametrize("single", [False, True], ids=["fused", "single"])
@pytest.mark.parametrize("name", ["tiny-dense", "tiny-moe", "tiny-omni"])
def test_the_catalogue_is_the_models_own_parameters(name: str, single: bool) -> None:
    folder = GOLDEN / name
    raw, head = (
        json.loads((folder / f).read_bytes()) for f in ("config.json", "joint_head_config.json")
    )
    config = parse_config(raw, head, folder)
    specs = expected_tensors(config, [".experts.0."] if single else []).values()
    assert config.vision is not None
    modules = {
        "backbone": Backbone(config.text),
        "head": JointHead(config.head),
        "vision": VisionTower(config.vision),
    }
    if config.audio is not None:
        modules["audio"] = AudioTower(config.audio)
    for part, module in modules.items():
        named = {spec.ours for spec in specs if spec.part == part}
        assert named == {f"{part}.{name}" for name, _ in tree_flatten(module.parameters())}
    assert {spec.ours for spec in specs if spec.part not in modules} == {""}
    assert len({spec.name for spec in specs}) == len(list(specs))


@pytest.mark.parametrize("name", ["tiny-dense", "tiny-moe", "tiny-omni"])
def test_every_parameter_is_evaluated_and_has_its_shape(name: str) -> None:
    checkpoint = open_checkpoint(GOLDEN / name)
    assert checkpoint.config.vision is not None
    modules: list[tuple[Part, nn.Module]] = [
        ("backbone", Backbone(checkpoint.config.text)),
        ("head", JointHead(checkpoint.config.head)),
        ("vision", VisionTower(checkpoint.config.vision)),
    ]
    if checkpoint.config.audio is not None:
        modules.append(("audio", AudioTower(checkpoint.config.audio)))
    for part, module in modules:
        loaded = checkpoint.parameters(part, mx.bfloat16, True)
        own = {f"{part}.{key}": value for key, value in tree_flatten(module.parameters())}
        assert {key: value.shape for key, value in loaded.items()} == {
            key: value.shape for key, value in own.items()
        }


def test_clef_omni_s_norms_are_used_as_stored() -> None:
    checkpoint, stored = open_checkpoint(GOLDEN / "tiny-omni"), {}
    for file in (GOLDEN / "tiny-omni").glob("model-*.safetensors"):
        stored.update(mx.load(str(file)))
    loaded = checkpoint.parameters("backbone", mx.bfloat16, True)
    for name in ("norm", "layers.0.input_layernorm", "layers.3.self_attn.k_norm"):
        value = loaded[f"backbone.{name}.weight"]
        assert value.dtype == mx.float32
        want = stored[f"thinker.model.{name}.weight"].astype(mx.float32)
        assert mx.array_equal(value, want)
    filters = checkpoint.parameters("audio", mx.float32, True)["audio.conv2d2.weight"]
    want = stored["thinker.audio_tower.conv2d2.weight"].astype(mx.float32)
    assert mx.array_equal(filters, want.transpose(0, 2, 3, 1))


def test_speech_is_unknown_to_the_other_models(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    shutil.copytree(GOLDEN / "tiny-dense", folder)
    edit_release(folder, lambda tensors: {**tensors, "talker.x": mx.zeros((2, 2))})
    with pytest.raises(CheckpointError, match=r"holds tensor talker\.x, which no part of Clef"):
        open_checkpoint(folder)


SHIFTED = ("layernorm.weight", "q_norm.weight", "k_norm.weight", "backbone.norm.weight")
PLAIN = ("linear_attn.norm.weight", "A_log", "dt_bias")


def test_what_each_stored_tensor_becomes() -> None:
    loaded = open_checkpoint(GOLDEN / "tiny-dense").parameters("backbone", mx.bfloat16, True)
    stored: dict[str, mx.array] = {}
    for file in (GOLDEN / "tiny-dense").glob("model-*.safetensors"):
        stored.update(mx.load(str(file)))
    for name, got in loaded.items():
        value = stored[name.replace("backbone.", "model.language_model.", 1)]
        if name.endswith(SHIFTED):
            want = 1 + value.astype(mx.float32)
        elif name.endswith(PLAIN):
            want = value.astype(mx.float32)
        elif name.endswith("conv1d.weight"):
            want = value[:, 0, :].T
        else:
            want = value
        assert got.dtype == want.dtype, name
        assert mx.array_equal(got, want), name
