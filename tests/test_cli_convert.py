"""``clef-mlx convert`` as a person at a terminal meets it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import GOLDEN
from test_model import QUESTIONS

from clef_mlx import load
from clef_mlx.cli import main

Writer = Callable[..., Path]


def test_plan_first_then_the_folder_s_name_alone_on_stdout(
    miniature: Writer, tmp_path: Path
) -> None:
    target = tmp_path / "out"
    result = CliRunner().invoke(main, ["convert", str(miniature()), str(target)])
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{target}\n"
    plan = result.stderr
    for said in ("tensors, ", " in, ", " out; ", " free in ", "widths: 4 bits in groups of 64"):
        assert said in plan
    assert "a text decision will need" in plan and "at 4,096 tokens" in plan
    assert load(target).decide("x", QUESTIONS)


def test_exceptions_are_listed(miniature: Writer, tmp_path: Path) -> None:
    source = miniature(text={"intermediate_size": 96}, head={"feedforward": 48})
    plan = CliRunner().invoke(main, ["convert", str(source), str(tmp_path / "out")]).stderr
    assert "8 linear layers packed in groups smaller than 64:" in plan
    assert "layers.0.mlp.down_proj.weight (width 96)" in plan
    assert "and 2 more" in plan
    assert "5 linear layers left unquantized: no group size divides their width:" in plan


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--bits", "7"], "'7' is not one of '3', '4', '5', '6', '8', '16'"),
        (["--group-size", "16"], "'16' is not one of '32', '64', '128'"),
        (["--head-bits", "3"], "'3' is not one of '4', '8', '16'"),
        (["--table-bits", "4"], "'4' is not one of '8', '16'"),
    ],
)
def test_wrong_usage(miniature: Writer, tmp_path: Path, arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(
        main, ["convert", str(miniature()), str(tmp_path / "out"), *arguments]
    )
    assert result.exit_code == 2
    assert said in result.stderr


def test_faults_are_one_sentence(miniature: Writer, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")
    for source, out, said in (
        (str(miniature()), tmp_path / "full", "is not empty"),
        (str(GOLDEN / "tiny-dense-mlx4"), tmp_path / "out", "already converted"),
        (str(tmp_path / "nowhere" / "at" / "all"), tmp_path / "out", "neither a folder nor a Hub"),
    ):
        result = CliRunner().invoke(main, ["convert", source, str(out)])
        assert result.exit_code == 1
        assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1
        assert said in result.stderr
        assert result.stdout == ""


def test_help_says_what_a_width_costs_and_what_suits_this_machine() -> None:
    result = CliRunner().invoke(main, ["convert", "--help"])
    for said in ("clef-flash --bits 4", "clef --bits 8", "GB", "This machine has", "not faster"):
        assert said in result.output


def test_info_shows_a_converted_folder(miniature: Writer, tmp_path: Path) -> None:
    target = tmp_path / "out"
    CliRunner().invoke(main, ["convert", str(miniature()), str(target), "--bits", "5"])
    result = CliRunner().invoke(main, ["info", str(target)])
    assert result.exit_code == 0, result.output
    assert "converted by clef-mlx in" in result.output
    assert "written by clef-mlx 0.1.0 from release (format 1)" in result.output
    assert "5 bits in groups of 64: 83 tensors" in result.output


def test_info_shows_a_community_build() -> None:
    output = CliRunner().invoke(main, ["info", str(GOLDEN / "tiny-dense-mlx4")]).output
    assert "mlx-community build" in output
    assert "the published ones are put back on load" in output
