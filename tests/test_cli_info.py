"""``clef-mlx info``: what a folder holds and costs, from its headers alone."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path

import mlx.core as mx
import pytest
from click.testing import CliRunner
from conftest import GOLDEN

from clef_mlx.checkpoint import open_checkpoint
from clef_mlx.cli import main
from clef_mlx.memory import PROMPT_LENGTHS, decision_bytes
from clef_mlx.sizes import size


def info(folder: Path | str) -> str:
    result = CliRunner().invoke(main, ["info", str(folder)])
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


def refusal(*arguments: str, code: int = 1) -> str:
    result = CliRunner().invoke(main, ["info", *arguments])
    assert (result.exit_code, result.stdout) == (code, "")
    return result.stderr.split("Error: ", 1)[1].rstrip("\n")


def row(output: str, first: str) -> list[str]:
    """The cells of the one line that starts with ``first``."""
    (line,) = (line for line in output.splitlines() if line.startswith(f"{first} "))
    return [cell.strip() for cell in line.removeprefix(first).split("  ") if cell.strip()]


@pytest.mark.parametrize(
    ("name", "kind"), [("tiny-dense", "dense"), ("tiny-moe", "8 experts, 2 active and one shared")]
)
def test_what_a_release_is(name: str, kind: str) -> None:
    lines = info(GOLDEN / name).splitlines()
    assert lines[0] == f"{name}: published release in {GOLDEN / name}"
    assert f"backbone: 8 layers of width 64 (6 Gated DeltaNet, 2 attention), {kind}" in lines
    assert "joint head: 2 evidence and 3 joint layers of width 64" in lines
    assert any(
        line.startswith("limit: 16,384 tokens, --max-length up to 262,144") for line in lines
    )


def test_what_clef_omni_is() -> None:
    output = info(GOLDEN / "tiny-omni")
    assert "backbone: 4 layers of width 64 (4 attention), 8 experts, 2 active\n" in output
    assert (
        "limit: 64,000 tokens, --max-length up to 65,536; reads text and JSON, pictures" in output
    )
    assert "with or without sound, and sounds\n" in output
    assert "(each tower is loaded when the first picture or sound comes; tables stay" in output
    config = open_checkpoint(GOLDEN / "tiny-omni").config
    wanted = [size(decision_bytes(config, 64_000, item)) for item in (2, 4)]
    assert row(output, "at 64,000 tokens") == wanted


@pytest.mark.parametrize("name", ["tiny-dense", "tiny-moe", "tiny-omni"])
def test_sizes_are_those_of_the_tensors(name: str) -> None:
    output = info(GOLDEN / name)
    stored: dict[str, mx.array] = {}
    for file in (GOLDEN / name).glob("*.safetensors"):
        stored.update(mx.load(str(file)))
    parts = dict.fromkeys(("backbone", "head", "vision", "tables"), 0)
    if name == "tiny-omni":
        parts["audio"] = 0
    for tensor, value in stored.items():
        part = "head"
        tensor = tensor.removeprefix("thinker.")
        if tensor.startswith(("model.visual.", "visual.")):
            part = "vision"
        elif tensor.startswith("audio_tower."):
            part = "audio"
        elif "embed_tokens" in tensor or tensor.startswith("lm_head."):
            part = "tables"
        elif tensor.startswith("model."):
            part = "backbone"
        parts[part] += prod(value.shape)
    for part, count in {**parts, "all": sum(parts.values())}.items():
        assert row(output, part)[:2] == [f"{count:,}", size(2 * count)]
    assert row(output, "tables")[2:] == ["0 kB", "0 kB"]
    assert row(output, "vision")[2:] == [size(2 * parts["vision"]), size(4 * parts["vision"])]


def test_memory_of_a_decision_is_the_one_formula() -> None:
    output = info(GOLDEN / "tiny-dense")
    config = open_checkpoint(GOLDEN / "tiny-dense").config
    for tokens in PROMPT_LENGTHS:
        wanted = [size(decision_bytes(config, tokens, item)) for item in (2, 4)]
        assert row(output, f"at {tokens:,} tokens") == wanted


def test_no_weight_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mx, "load", lambda *_, **__: pytest.fail("a weight was loaded"))
    info(GOLDEN / "tiny-dense")


def test_limits_are_the_checkpoints_own(release: Path) -> None:
    config = json.loads((release / "config.json").read_bytes())
    config["text_config"]["max_position_embeddings"] = 2048
    (release / "config.json").write_text(json.dumps(config))
    assert "limit: 2,048 tokens, --max-length up to 2,048" in info(release)


def test_the_model_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEF_MODEL", str(GOLDEN / "tiny-moe"))
    result = CliRunner().invoke(main, ["info"])
    assert result.stdout == info(GOLDEN / "tiny-moe")


def test_what_cannot_be_shown(release: Path) -> None:
    assert refusal(code=2) == "Missing argument 'MODEL'."
    assert refusal("./missing").startswith("'./missing' is neither a folder nor a Hub id")
    assert refusal(str(GOLDEN)) == f"{GOLDEN / 'config.json'} is missing"
    (release / "joint_head.safetensors").write_bytes(b"")
    assert refusal(str(release)) == (
        f"{release / 'joint_head.safetensors'} is not a whole safetensors file (0 bytes)"
    )


def test_a_folder_with_odd_letters_is_shown(release: Path) -> None:
    odd = release.with_name("[bold]é 日本")
    release.rename(odd)
    assert info(odd).startswith(f"[bold]é 日本: published release in {odd}\n")


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 kB"),
        (999_499, "999 kB"),
        (1_000_000, "1.00 MB"),
        (-32_772_000, "-32.77 MB"),
        (18_100_000_000, "18.10 GB"),
    ],
)
def test_sizes_in_words(count: int, words: str) -> None:
    assert size(count) == words
