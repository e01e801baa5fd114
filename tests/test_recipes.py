"""Named recipes: which tensors stay wide, and what that costs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import GOLDEN

from clef_mlx import CheckpointError, load
from clef_mlx.cli import main
from clef_mlx.convert import Recipe, convert
from clef_mlx.convert.plan import make_plan
from clef_mlx.published import disk_bytes, published_config
from clef_mlx.recipe import RECIPES
from clef_mlx.units import Unit, units

Writer = Callable[..., Path]


def wide(folder: Path) -> set[str]:
    """Our names, within the backbone, of what ``4bit-careful`` keeps at 8 bits."""
    plan = make_plan(folder, "m", Recipe.named("4bit-careful", None, None))
    packed = {step.spec: step.packing for step in plan.steps if step.packing is not None}
    assert {p.bits for spec, p in packed.items() if spec.part == "head"} == {8}
    assert {p.bits for spec, p in packed.items() if spec.part == "backbone"} == {4, 8}
    return {
        spec.ours.removeprefix("backbone.layers.").removesuffix(".weight")
        for spec, packing in packed.items()
        if packing.bits == 8 and spec.part == "backbone"
    }


def test_careful_keeps_the_deltanet_of_the_first_half_and_every_out_proj(
    miniature: Writer,
) -> None:
    deltanet = [0, 1, 2, 4, 5, 6]  # of 8 layers; 3 and 7 are attention
    expected = {f"{i}.linear_attn.out_proj" for i in deltanet}
    expected |= {f"{i}.linear_attn.in_proj_{p}" for i in (0, 1, 2) for p in ("qkv", "z")}
    assert wide(miniature()) == expected


def test_careful_without_deltanet_keeps_attention() -> None:
    projections = ("q_proj", "k_proj", "v_proj", "o_proj")
    expected = {f"{i}.self_attn.{p}" for i in (0, 1) for p in projections}
    expected |= {f"{i}.self_attn.o_proj" for i in (2, 3)}
    assert wide(GOLDEN / "tiny-omni") == expected


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_converts_and_loads(miniature: Writer, tmp_path: Path, name: str) -> None:
    folder = convert(miniature(), tmp_path / "out", recipe=name)
    clef = load(folder, expand=False)
    bits = {
        p.bits for part in ("backbone", "head") for p in clef.checkpoint.packings(part).values()
    }
    assert bits == {"4bit": {4}, "4bit-careful": {4, 8}, "8bit": {8}}[name]
    assert clef.logits({"state": "x", "questions": {"q": {"type": "noul"}}})


def test_careful_lies_between_4_and_5_bits_for_the_published_models() -> None:
    for name in ("clef-flash", "clef", "clef-omni"):
        config = published_config(name)
        careful = disk_bytes(config, Recipe.named("4bit-careful", None, None))
        assert disk_bytes(config, Recipe(4)) < careful < disk_bytes(config, Recipe(5))


def test_names_and_widths_exclude_each_other(miniature: Writer, tmp_path: Path) -> None:
    for options in ({"bits": 4}, {"head_bits": 8}):
        with pytest.raises(CheckpointError, match="sets the widths"):
            convert(miniature(), tmp_path / "out", recipe="8bit", **options)
    with pytest.raises(CheckpointError, match="recipe must be one of 4bit, 4bit-careful, 8bit"):
        convert(miniature(), tmp_path / "out", recipe="2bit")
    arguments = ["convert", str(miniature()), str(tmp_path / "out"), "--recipe"]
    refused = CliRunner().invoke(main, [*arguments, "8bit", "--bits", "4"])
    assert refused.exit_code == 1 and "sets the widths" in refused.stderr
    assert CliRunner().invoke(main, [*arguments, "9bit"]).exit_code == 2
    assert not (tmp_path / "out").exists()


def test_units_are_projections_of_layers_with_all_their_experts(miniature: Writer) -> None:
    folder = miniature(model_type="qwen3_5_moe", single_experts=True)
    specs = [step.spec for step in make_plan(folder, "m", Recipe()).steps]
    found = units(specs)
    experts = found[Unit("backbone", "layers", 0, "mlp.experts.gate_up_proj")]
    assert len(experts) == 2 * 8
    assert len(found[Unit("head", "layers", 2, "self_attn.in_proj")]) == 1
    assert str(Unit("head", "", -1, "memory_projection")) == "head.memory_projection"
    assert sum(map(len, found.values())) == sum(s.kind in ("linear", "experts") for s in specs)
