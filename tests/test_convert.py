"""Conversion: what is written, that it loads back to the same answers, that it repeats exactly."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import merged
import mlx.core as mx
import numpy as np
import pytest
from conftest import GOLDEN, golden_cases
from test_model import QUESTIONS, largest_difference

from clef_mlx import CheckpointError, Clef, load
from clef_mlx.checkpoint import open_checkpoint
from clef_mlx.convert import Recipe, convert
from clef_mlx.convert.plan import make_plan
from clef_mlx.layout import STAMP
from clef_mlx.packing import companions, unpack

EXACT = 1e-4  # float32; the same weights by another way; measured 2e-6
PACKED = 1e-3  # packed products against the unpacked weights, float32; measured 2e-5
# No token of it lies so near a tie of experts that sums in another order would route it elsewhere.
REQUEST = {"state": "My order is late.", "questions": QUESTIONS}
SOURCES: list[dict[str, Any]] = [
    {"model_type": "qwen3_5"},
    {"model_type": "qwen3_5_moe"},
    {"model_type": "qwen3_5_moe", "single_experts": True},
    {"model_type": "qwen3_omni_moe"},
    {"model_type": "qwen3_omni_moe", "single_experts": True},
]
SOURCE_IDS = ["dense", "fused experts", "single experts", "omni fused", "omni single"]
Writer = Callable[..., Path]


def stored(folder: Path) -> dict[str, mx.array]:
    """Every tensor of a folder by its stored name."""
    tensors: dict[str, mx.array] = {}
    for file in folder.glob("*.safetensors"):
        tensors.update(mx.load(str(file)))
    return tensors


def unpacked_release(folder: Path, out: Path) -> Path:
    """A published release, in float32, of the weights that a converted folder stands for.

    Made from the files and the stamp alone, without the project's loader.
    """
    config = json.loads((folder / "config.json").read_text())
    packed = config.pop(STAMP)["packed"]
    tensors, plain = stored(folder), {}
    for name, value in tensors.items():
        scales, biases = companions(name)
        if scales in tensors and name not in (scales, biases):
            how = packed["exceptions"].get(name, packed["default"])
            value = mx.dequantize(
                value,
                tensors[scales].astype(mx.float32),
                tensors[biases].astype(mx.float32),
                **how,
            )
        if not name.endswith((".scales", ".biases")):
            plain[name] = value.astype(mx.float32)
    out.mkdir()
    head = {n for n in mx.load(str(folder / "joint_head.safetensors")) if n in plain}
    for file, names in (("joint_head", head), ("model", plain.keys() - head)):
        mx.save_safetensors(
            str(out / f"{file}.safetensors"), {n: plain[n] for n in names}, {"format": "pt"}
        )
    for file in ("joint_head_config.json", "tokenizer.json"):
        (out / file).write_bytes((folder / file).read_bytes())
    (out / "config.json").write_text(json.dumps(config))
    return out


@pytest.mark.parametrize("source", SOURCES, ids=SOURCE_IDS)
@pytest.mark.parametrize("bits", [4, 8])
def test_packed_model_answers_as_its_unpacked_weights(
    miniature: Writer, tmp_path: Path, source: dict[str, Any], bits: int
) -> None:
    plan = make_plan(miniature(**source), "miniature", Recipe(bits))
    assert plan.packed_share() >= 0.95
    folder = convert(miniature(**source), tmp_path / "packed", bits=bits)
    want = load(unpacked_release(folder, tmp_path / "plain"), dtype="float32").logits(REQUEST)
    packed = load(folder, dtype="float32", expand=False)
    layers = dict(packed._backbone.named_modules())
    assert {p.bits for p in (getattr(m, "packing", None) for m in layers.values()) if p} == {bits}
    assert largest_difference(packed.logits(REQUEST), want) <= PACKED
    expanded = load(folder, dtype="float32", expand=True)
    assert largest_difference(expanded.logits(REQUEST), want) <= EXACT
    original = load(miniature(**source), dtype="float32").logits(REQUEST)
    assert largest_difference(original, want) > PACKED  # quantizing did change the weights


HEARD = {**REQUEST, "audio": [np.sin(np.arange(16_000) * 0.17).astype(np.float32)]}


def test_the_omni_miniature_in_4_bits_answers_as_its_unpacked_weights(tmp_path: Path) -> None:
    """With its towers, which stay as released; what would speak is neither read nor written."""
    source = tmp_path / "tiny-omni"
    shutil.copytree(GOLDEN / "tiny-omni", source)
    add_speech(source)
    folder = convert(source, tmp_path / "packed")
    assert not [name for name in stored(folder) if name.startswith(("talker.", "code2wav."))]
    gates = [name for name in stored(folder) if ".mlp.gate." in name]
    assert len(gates) == 4 and all(name.endswith("gate.weight") for name in gates)
    experts = [name for name in stored(folder) if name.endswith("gate_proj.scales")]
    assert len(experts) == 4 * 8
    plain = unpacked_release(folder, tmp_path / "plain")
    (plain / "processor_config.json").write_bytes((source / "processor_config.json").read_bytes())
    packed = load(folder, dtype="float32", expand=False)
    want = load(plain, dtype="float32")
    original = load(source, dtype="float32").logits(HEARD)
    for request in (REQUEST, HEARD):
        assert largest_difference(packed.logits(request), want.logits(request)) <= PACKED
    assert largest_difference(packed.logits(HEARD), original) > PACKED


def add_speech(folder: Path) -> None:
    """A last shard as the release has it: what only speaks, here with NaN to be noticed."""
    names = ("talker.model.layers.0.mlp.experts.0.up_proj.weight", "code2wav.pre.weight")
    tensors = {name: mx.full((2, 64), mx.nan) for name in names}
    mx.save_safetensors(str(folder / "model-speech.safetensors"), tensors, {"format": "pt"})
    path = folder / "model.safetensors.index.json"
    index = json.loads(path.read_text())
    index["weight_map"] |= dict.fromkeys(tensors, "model-speech.safetensors")
    path.write_text(json.dumps(index))


def test_a_shard_that_only_speaks_may_be_missing(tmp_path: Path, omni: Clef) -> None:
    source = tmp_path / "tiny-omni"
    shutil.copytree(GOLDEN / "tiny-omni", source)
    add_speech(source)
    assert load(source, dtype="float32").logits(REQUEST) == omni.logits(REQUEST)
    (source / "model-speech.safetensors").unlink()
    assert load(source, dtype="float32").logits(REQUEST) == omni.logits(REQUEST)


@pytest.mark.parametrize("name", ["dense", "moe", "omni"])
def test_unquantized_conversion_gives_the_goldens(name: str, tmp_path: Path) -> None:
    folder = convert(GOLDEN / f"tiny-{name}", tmp_path / "out", bits=16)
    clef = load(folder, dtype="float32")
    for case in golden_cases(name)[:8]:
        got = clef.logits(case["request"])
        for q in case["expected"]["questions"]:
            want = dict(zip(q["option_ids"], q["logits"], strict=True))
            assert got[q["id"]] == pytest.approx(want, abs=EXACT)


@pytest.mark.parametrize(
    "options",
    [
        {"bits": 3, "group_size": 32},
        {"bits": 5, "head_bits": 8},
        {"bits": 6, "group_size": 128},
        {"bits": 4, "head_bits": 16, "table_bits": 8},
        {"bits": 16, "head_bits": 4},
        {"bits": 8, "table_bits": 8},
    ],
)
def test_every_mix_of_widths_reloads(
    miniature: Writer, tmp_path: Path, options: dict[str, int]
) -> None:
    folder = convert(miniature(), tmp_path / "out", **options)
    clef = load(folder, dtype="float32", expand=False)
    want = load(unpacked_release(folder, tmp_path / "plain"), dtype="float32")
    assert largest_difference(clef.logits(REQUEST), want.logits(REQUEST)) <= PACKED


def test_widths_of_single_layers_are_honoured(miniature: Writer, tmp_path: Path) -> None:
    """A stamp may give any tensor its own width: here one layer of a 4-bit folder gets 8 bits."""
    folder = convert(miniature(), tmp_path / "out", bits=4)
    name = "model.language_model.layers.0.mlp.down_proj.weight"
    eight = convert(miniature(), tmp_path / "eight", bits=8)
    config = json.loads((folder / "config.json").read_text())
    config[STAMP]["packed"]["exceptions"][name] = {"bits": 8, "group_size": 64}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match="down_proj"):
        load(folder)  # the shape on disk is still that of 4 bits
    (shard,) = folder.glob("model-*.safetensors")
    tensors, wide = mx.load(str(shard)), stored(eight)
    tensors.update({n: wide[n] for n in (name, *companions(name))})
    mx.save_safetensors(str(shard), tensors, {"format": "mlx"})
    clef = load(folder, dtype="float32", expand=False)
    assert clef._backbone.layers[0].mlp.down_proj.packing.bits == 8
    assert clef._backbone.layers[1].mlp.down_proj.packing.bits == 4
    want = load(unpacked_release(folder, tmp_path / "plain"), dtype="float32")
    assert largest_difference(clef.logits(REQUEST), want.logits(REQUEST)) <= PACKED


def test_group_sizes_fall_back_and_are_listed(tmp_path: Path, miniature: Writer) -> None:
    """64 divides 192 but not 96 or 48; 32 divides 96; nothing divides 48."""
    source = miniature(text={"intermediate_size": 96}, head={"feedforward": 48})
    plan = make_plan(source, "miniature", Recipe())
    narrow = {step.spec.name.split(".")[-2] for step in plan.narrow_groups()}
    left = {step.spec.name.split(".")[-2] for step in plan.unpacked_linear()}
    assert narrow == {"down_proj"}
    assert left == {"3", "linear2"}
    folder = convert(source, tmp_path / "out")
    assert load(folder, expand=False).logits(REQUEST)


def test_what_is_never_quantized(miniature: Writer) -> None:
    source = miniature(model_type="qwen3_5_moe")
    plan = make_plan(source, "miniature", Recipe(4, table_bits=8))
    packed = {step.spec.name for step in plan.steps if step.packing is not None}
    assert {n for n in packed if n.startswith(("lm_head", "model.language_model.embed"))} == {
        "lm_head.weight",
        "model.language_model.embed_tokens.weight",
    }
    for part in (
        *("in_proj_a", "in_proj_b", "conv1d", "norm", "A_log", "dt_bias", "mlp.gate.", "bias"),
        *("shared_expert_gate", "type_embedding", "residual_scorer.3", "scale", "residual_gate"),
    ):
        assert not [name for name in packed if part in name], part
    assert any("in_proj_weight" in name for name in packed)
    assert any("experts.gate_up_proj" in name for name in packed)


def test_same_conversion_gives_the_same_bytes(miniature: Writer, tmp_path: Path) -> None:
    first, second = (convert(miniature(), tmp_path / name) for name in ("first", "second"))
    assert sorted(p.name for p in first.iterdir()) == sorted(p.name for p in second.iterdir())
    for file in first.iterdir():
        assert file.read_bytes() == (second / file.name).read_bytes(), file.name


def test_folder_is_self_contained(release: Path, tmp_path: Path) -> None:
    (release / "LICENSE").write_text("the licence")
    (release / "NOTICE").write_text("a notice")
    (release / "left.txt").write_text("not part of a model")
    folder = convert(release, tmp_path / "new" / "out")
    names = {file.name for file in folder.iterdir()}
    assert names == {
        *("config.json", "generation_config.json", "joint_head.safetensors", "tokenizer.json"),
        *("joint_head_config.json", "model-00001-of-00001.safetensors", "processor_config.json"),
        *("model.safetensors.index.json", "tokenizer_config.json", "LICENSE", "NOTICE"),
    }
    notice = (folder / "NOTICE").read_text()
    assert "Converted from release by clef-mlx" in notice and "a notice" in notice
    assert "quantized (100.0% of them" in notice
    stamp = json.loads((folder / "config.json").read_text())[STAMP]
    assert stamp["source"] == "release"
    assert stamp["recipe"] == {
        **{"bits": 4, "group_size": 64, "head_bits": None, "table_bits": 16},
        "refit": True,
        "careful": False,
    }
    release.rename(tmp_path / "gone")
    assert load(folder).decide("x", QUESTIONS)


def test_revision_of_a_hub_snapshot_is_kept(release: Path, tmp_path: Path) -> None:
    snapshot = tmp_path / "models--Cloudflare--clef-flash" / "snapshots" / "17f0b0ad"
    snapshot.parent.mkdir(parents=True)
    release.rename(snapshot)
    folder = convert(snapshot, tmp_path / "out")
    assert json.loads((folder / "config.json").read_text())[STAMP]["revision"] == "17f0b0ad"


def test_tensors_left_as_released_are_the_same_bytes(miniature: Writer, tmp_path: Path) -> None:
    folder = convert(miniature(), tmp_path / "out", refit=False)
    source, made = stored(miniature()), stored(folder)
    for name, value in source.items():
        if companions(name)[0] not in made:
            assert mx.array_equal(made[name], value, equal_nan=True), name
    name = "model.language_model.layers.0.mlp.up_proj.weight"
    want = mx.quantize(source[name], group_size=64, bits=4)
    for got, wanted in zip([name, *companions(name)], want, strict=True):
        assert mx.array_equal(made[got], wanted)


def test_blocks_of_rows_give_the_bytes_of_whole_tensors(
    miniature: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = convert(miniature(), tmp_path / "whole")
    monkeypatch.setattr("clef_mlx.convert.stream.BLOCK_BYTES", 32_000)
    monkeypatch.setattr("clef_mlx.convert.folder.SHARD_BYTES", 100_000)
    blocks = convert(miniature(), tmp_path / "blocks")
    assert len(list(blocks.glob("model-*.safetensors"))) > 2
    want = stored(whole)
    for name, value in stored(blocks).items():
        assert mx.array_equal(value, want[name]), name
    assert load(blocks).logits(REQUEST) == load(whole).logits(REQUEST)


def test_progress_reaches_the_plan_s_bytes(miniature: Writer, tmp_path: Path) -> None:
    seen: list[int] = []
    convert(miniature(), tmp_path / "out", progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == make_plan(miniature(), "m", Recipe()).bytes_in


def test_planned_bytes_are_the_bytes_written(miniature: Writer, tmp_path: Path) -> None:
    for recipe in (Recipe(4), Recipe(3, 32, 8, 8), Recipe(16)):
        options = {k: v for k, v in vars(recipe).items() if k not in ("careful", "widths")}
        folder = convert(miniature(), tmp_path / f"{recipe.bits}", **options)
        written = sum(value.nbytes for value in stored(folder).values())
        assert make_plan(miniature(), "m", recipe).bytes_out == written


@pytest.mark.parametrize("folder", ["converted", "community"])
def test_weights_are_not_quantized_twice(miniature: Writer, tmp_path: Path, folder: str) -> None:
    source = GOLDEN / "tiny-dense-mlx4"
    if folder == "converted":
        source = convert(miniature(), tmp_path / "once", bits=16)
    with pytest.raises(CheckpointError, match="already converted"):
        convert(source, tmp_path / "twice")
    assert not (tmp_path / "twice").exists()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("which", ["mlp.up_proj.weight", "input_layernorm.weight", "embed_tokens"])
def test_weights_that_are_not_numbers_are_named(
    release: Path, tmp_path: Path, value: float, which: str
) -> None:
    for shard in sorted(release.glob("model-*.safetensors")):
        tensors = mx.load(str(shard))
        hit = next((name for name in tensors if which in name), None)
        if hit is not None:
            bad = tensors[hit].flatten()
            bad[-1] = value
            tensors[hit] = bad.reshape(tensors[hit].shape)
            mx.save_safetensors(str(shard), tensors, {"format": "pt"})
            break
    with pytest.raises(CheckpointError, match="NaN or infinity") as refused:
        convert(release, tmp_path / "out")
    assert str(hit) in str(refused.value)
    assert list(tmp_path.iterdir()) == [release]


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"bits": 2}, "bits"),
        ({"bits": 7}, "bits"),
        ({"group_size": 16}, "group_size"),
        ({"head_bits": 0}, "head_bits"),
        ({"table_bits": 4}, "table_bits"),
    ],
)
def test_impossible_recipes(
    miniature: Writer, tmp_path: Path, options: dict[str, int], field: str
) -> None:
    with pytest.raises(CheckpointError, match=f"^{field} must be one of"):
        convert(miniature(), tmp_path / "out", **options)


@pytest.mark.parametrize("what", ["folder", "file", "link"])
def test_a_target_that_holds_anything_is_refused(
    miniature: Writer, tmp_path: Path, what: str
) -> None:
    target = tmp_path / "out"
    if what == "folder":
        target.mkdir()
        (target / "mine.txt").write_text("keep")
    elif what == "file":
        target.write_text("keep")
    else:
        target.symlink_to(tmp_path / "nowhere")
    with pytest.raises(CheckpointError, match="is not empty"):
        convert(miniature(), target)
    if what == "folder":
        assert (target / "mine.txt").read_text() == "keep"


def test_an_empty_target_is_taken(miniature: Writer, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert load(convert(miniature(), tmp_path / "out")).decide("x", QUESTIONS)


def test_float32_and_float16_sources(miniature: Writer, tmp_path: Path) -> None:
    for dtype in (mx.float32, mx.float16):
        source = tmp_path / f"source{dtype.size}"
        source.mkdir()
        for file in miniature().iterdir():
            if file.suffix == ".safetensors":
                tensors = {n: v.astype(dtype) for n, v in mx.load(str(file)).items()}
                mx.save_safetensors(str(source / file.name), tensors, {"format": "pt"})
            else:
                (source / file.name).write_bytes(file.read_bytes())
        folder = convert(source, tmp_path / f"out{dtype.size}")
        want = load(convert(miniature(), tmp_path / f"bf{dtype.size}"), dtype="float32")
        got = load(folder, dtype="float32")
        # The miniature's weights are bfloat16 numbers, so nothing is lost on the way.
        assert largest_difference(got.logits(REQUEST), want.logits(REQUEST)) <= EXACT


def test_newer_format_is_refused_with_the_version_it_needs(
    miniature: Writer, tmp_path: Path
) -> None:
    folder = convert(miniature(), tmp_path / "out")
    config = json.loads((folder / "config.json").read_text())
    config[STAMP].update(format=2, needs="7.0.0")
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match=r"format 2, which clef-mlx 7\.0\.0 or newer reads"):
        load(folder)


@pytest.mark.parametrize(
    "packed",
    [
        None,
        {},
        {"default": {"bits": 4}},
        {"default": {"bits": 9, "group_size": 64}, "exceptions": {}},
    ],
)
def test_broken_stamps_are_refused(miniature: Writer, tmp_path: Path, packed: Any) -> None:
    folder = convert(miniature(), tmp_path / "out")
    config = json.loads((folder / "config.json").read_text())
    config[STAMP]["packed"] = packed
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match="clef_mlx"):
        open_checkpoint(folder)


def test_bfloat16_model_keeps_16_bit_scales(miniature: Writer, tmp_path: Path) -> None:
    """float32 scales would double their size and turn activations into float32."""
    clef = load(convert(miniature(), tmp_path / "out"), dtype="bfloat16", expand=False)
    layer = merged.part(clef._backbone.layers[0].mlp, "up_proj")
    assert (layer.weight.dtype, layer.scales.dtype) == (mx.uint32, mx.bfloat16)
    assert layer(mx.zeros((1, 64), mx.bfloat16)).dtype == mx.bfloat16


def test_packed_and_unpacked_layer_agree() -> None:
    from clef_mlx.layers.linear import Linear
    from clef_mlx.packing import Packing

    plain, packed, packing = Linear(64, 24, bias=True), Linear(64, 24, bias=True), Packing(4, 32)
    weight = mx.random.normal((24, 64), key=mx.random.key(1))
    packed.pack(packing)
    packed.weight, packed.scales, packed.biases = mx.quantize(weight, group_size=32, bits=4)
    plain.weight = unpack(packed.weight, packed.scales, packed.biases, packing)
    plain.bias = packed.bias = mx.random.normal((24,), key=mx.random.key(2))
    x = mx.random.normal((5, 64), key=mx.random.key(3))
    for rows in (slice(None), slice(0, 8), slice(8, None)):
        assert mx.allclose(plain(x, rows), packed(x, rows), atol=1e-4).item()
        assert packed(x, rows).shape == plain(x, rows).shape


def test_community_build_answers_as_its_unpacked_weights(dense: Clef) -> None:
    """Names, norms that hold 1 + weight, quantized tables and gates, the tokenizer's rule."""
    build = load(GOLDEN / "tiny-dense-mlx4", dtype="float32")
    tensors = stored(GOLDEN / "tiny-dense-mlx4")
    own = dense.checkpoint.parameters("backbone", mx.float32, expand=True)
    read = build.checkpoint.parameters("backbone", mx.float32, expand=True)
    assert read.keys() == own.keys()
    for name, value in own.items():
        theirs = name.replace("backbone.", "language_model.model.")
        if theirs.removesuffix(".weight") + ".scales" in tensors:
            want = mx.dequantize(
                tensors[theirs],
                *(tensors[n].astype(mx.float32) for n in companions(theirs)),
                group_size=64,
                bits=4,
            )
            assert mx.array_equal(read[name], want), name
            assert mx.abs(want - value).max().item() < 0.2  # near the release's own
        elif name.endswith("conv1d.weight"):
            assert mx.array_equal(read[name], tensors[theirs].squeeze(2).T.astype(mx.float32))
        else:  # norms were rounded to bfloat16 by their converter: 1/256 at most
            assert mx.abs(read[name] - value).max().item() <= 2**-7, name
    for expand in (True, False):
        clef = load(GOLDEN / "tiny-dense-mlx4", dtype="float32", expand=expand)
        got = clef.logits(REQUEST)
        assert largest_difference(got, build.logits(REQUEST)) <= PACKED
    text = {"state": "हिन्दी ภาษาไทย e\u0301", "questions": {"भाषा": {"type": "noul"}}}
    assert build.encode(text).input_ids == dense.encode(text).input_ids
