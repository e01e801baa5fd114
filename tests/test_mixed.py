"""Mixed widths: what is measured, how a budget is spent, and what is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_calibration import bodies

from clef_mlx import CheckpointError, load
from clef_mlx.cli import main
from clef_mlx.compare import request_set
from clef_mlx.compare.figures import figures
from clef_mlx.compare.run import answer
from clef_mlx.convert import Order, convert, sensitivity
from clef_mlx.convert.mixed import spend
from clef_mlx.convert.order import Listener
from clef_mlx.convert.plan import Plan, make_plan
from clef_mlx.convert.sensitivity import TRIED, Damage, Trials
from clef_mlx.layout import STAMP
from clef_mlx.packing import BITS
from clef_mlx.recipe import Recipe
from clef_mlx.units import Unit, units

Writer = Callable[..., Path]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("asked") / "asked.jsonl"
    path.write_text("".join(json.dumps(body) + "\n" for body in bodies(1, 2)))
    return path


@pytest.fixture(scope="module")
def small(miniature: Writer) -> Path:
    text = {"num_hidden_layers": 1, "full_attention_interval": 2}
    return miniature(text=text, head={"layers": 1, "routing_layers": 1})


@pytest.fixture(scope="module")
def plan(small: Path) -> Plan:
    return make_plan(small, "small", Recipe())


def damages_of(plan: Plan, kl: Callable[[Unit], float]) -> dict[Unit, Damage]:
    """Made up: ``kl`` at 4 bits, and what theory makes of it at 3."""
    found = units(step.spec for step in plan.steps)
    sizes = {step.spec.name: step.source.size for step in plan.steps}
    return {
        unit: Damage(sum(sizes[s.name] for s in specs), 64, {3: 5 * kl(unit), 4: kl(unit)})
        for unit, specs in found.items()
    }


def test_damage_is_the_kl_of_that_unit_alone(small: Path, plan: Plan, asked: Path) -> None:
    """Against a folder converted so that all else is as released."""
    unit = Unit("backbone", "layers", 0, "linear_attn.out_proj")
    trials = Trials(plan.checkpoint, Recipe(), request_set(str(asked)))
    (spec,) = units(step.spec for step in plan.steps)[unit]
    packing = plan.recipe.packing(spec)
    assert packing is not None
    found = trials.kl({spec.ours: replace(packing, bits=3)})
    order = Order(Recipe(16, widths={spec.name: 3}))
    folder = order.carry_out(small, asked.parent / "alone", Listener())
    before, after = (answer(load(f), request_set(str(asked))) for f in (small, folder))
    assert found == pytest.approx(figures(before, after).kl.mean, rel=0.02)
    assert found > 1e-6


def test_other_widths_follow_from_the_steps_between_codes() -> None:
    damage = Damage(1024, 64, {3: 4.9, 4: 1.0})
    assert TRIED == (3, 4) and damage.at(3) == 4.9
    want = (1.0 + 4.9 * (7 / 15) ** 2) / 2  # the mean of what either measurement says of 4 bits
    assert damage.at(4) == pytest.approx(want)
    assert damage.at(8) == pytest.approx(want * (15 / 255) ** 2)
    assert [damage.at(b) for b in BITS] == sorted((damage.at(b) for b in BITS), reverse=True)
    assert damage.bytes(4) == 1024 * 4.5 / 8


def test_budget_goes_to_what_matters(plan: Plan) -> None:
    favourite = Unit("backbone", "layers", 0, "linear_attn.in_proj_z")
    mix = spend(plan, damages_of(plan, lambda unit: 1.0 if unit == favourite else 1e-6), 4.5)
    assert mix.bits[favourite] == 8
    assert 4.3 < mix.mean_bits <= 4.5
    even = spend(plan, damages_of(plan, lambda unit: 1e-6), 4.5)
    assert even.mean_bits <= 4.5
    assert mix.kl < sum(mix.damages[unit].at(4) for unit in mix.bits)  # better than all at 4


def test_no_single_change_within_the_budget_is_better(plan: Plan) -> None:
    """The mix cannot be improved by widening any one unit with what is left."""
    kl: Mapping[Unit, float] = {
        unit: 10.0 ** -(n % 5) for n, unit in enumerate(damages_of(plan, lambda unit: 0))
    }
    damages = damages_of(plan, kl.__getitem__)
    mix = spend(plan, damages, 5.0)
    total = sum(damage.weights for damage in damages.values())
    left = 5.0 * total / 8 - sum(damages[u].bytes(b) for u, b in mix.bits.items())
    assert left >= 0
    for unit, bits in mix.bits.items():
        wider = [b for b in BITS if b > bits]
        assert all(damages[unit].bytes(b) - damages[unit].bytes(bits) > left for b in wider)


def test_large_budgets_and_small_ones(plan: Plan) -> None:
    damages = damages_of(plan, lambda unit: 1.0)
    assert set(spend(plan, damages, 99).bits.values()) == {8}
    assert set(spend(plan, damages, 3.5).bits.values()) == {3}
    with pytest.raises(CheckpointError, match=r"target_bits 3\.4 is too low: .* takes 3\.50"):
        spend(plan, damages, 3.4)


def test_mixed_conversion_end_to_end(small: Path, asked: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["convert", str(small), str(out), "--target-bits", "5", "--explain"]
    result = CliRunner().invoke(main, [*arguments, "--measure", str(asked)])
    assert result.exit_code == 0, result.output
    assert "linear_attn.in_proj_qkv" in result.stderr and "KL at 3 bits" in result.stderr
    assert "bits a weight, scales and biases included; expected mean KL" in result.stderr
    clef = load(out, expand=False)
    packings = {**clef.checkpoint.packings("backbone"), **clef.checkpoint.packings("head")}
    bits = {packing.bits for packing in packings.values()}
    assert len(bits) > 1
    stamp = json.loads((out / "config.json").read_text())[STAMP]
    assert stamp["target_bits"] == 5.0 and 4.5 < stamp["mean_bits"] <= 5.0
    linear = [s for s in clef.checkpoint.specs.values() if s.kind == "linear"]
    size = sum(clef.checkpoint.disk_bytes(spec) for spec in linear)
    weights = sum(spec.shape[0] * spec.shape[1] for spec in linear)
    assert 8 * size / weights == pytest.approx(stamp["mean_bits"], abs=1e-3)
    assert clef.logits(bodies(1, 1)[0])


def test_faults_come_before_the_measuring(
    small: Path, asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sensitivity.Trials, "damages", lambda *_: pytest.fail("work was started"))
    out = tmp_path / "out"
    for options, said in (
        ({"target_bits": 3.2}, "target_bits 3.2 is too low"),
        ({"target_bits": 5, "recipe": "4bit-careful"}, "leave out recipe 4bit-careful"),
    ):
        with pytest.raises(CheckpointError, match=said):
            convert(small, out, measure=str(asked), **options)
    monkeypatch.setattr("clef_mlx.convert.check.machine_bytes", lambda: 1000)
    with pytest.raises(CheckpointError, match="--target-bits runs the release itself"):
        convert(small, out, target_bits=5, measure=str(asked))
    for wrong in (["--explain"], ["--measure", str(asked)], ["--target-bits", "0"]):
        result = CliRunner().invoke(main, ["convert", str(small), str(out), *wrong])
        assert result.exit_code == 2, result.output
    assert not out.exists()
