"""The README's Python and commands, run as they stand; their output compared."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from clef_mlx.published import NAMES, disk_bytes, memory_bytes, published_config
from clef_mlx.recipe import Recipe

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, flags=re.S)
PLACES = 0.006  # of a probability: what another BLAS or chip may move it
_NUMBER = re.compile(r"\d+\.\d+")


def assert_same(got: str, want: str) -> None:
    """Equal but for trailing blanks, the bars, free disk, and the last places of decimals."""
    for text in (got, want):
        assert "Traceback" not in text
    lines = [
        [
            re.sub(r"[█▏▎▍▌▋▊▉━]+|; [\d.,]+ [GM]B free in \S+", "", line).split()
            for line in text.split("\n")
        ]
        for text in (got.strip(), want.strip())
    ]
    words = [[_NUMBER.sub("#", " ".join(line)) for line in part] for part in lines]
    assert words[0] == words[1]
    numbers = [
        [float(n) for line in part for n in _NUMBER.findall(" ".join(line))] for part in lines
    ]
    assert numbers[0] == pytest.approx(numbers[1], abs=PLACES, rel=0.01)


def test_blocks_do_what_they_show(tmp_path: Path) -> None:
    """In the order of the page, in one folder, as a reader would."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100"}

    def run(command: list[str]) -> str:
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    output, tried = "", 0
    for kind, text in BLOCKS:
        if kind == "python":
            output = run([sys.executable, "-c", text])
        elif kind == "output":
            assert_same(output, text)
            tried += 1
        elif kind == "console":
            command, _, shown = text.removeprefix("$ ").partition("\n")
            assert_same(run(["sh", "-c", command]), shown)
            tried += 1
    assert tried == 10


def test_size_table_is_computed() -> None:
    for row in size_rows():
        assert row in README


def size_rows() -> list[str]:
    rows = []
    for name in NAMES:
        config = published_config(name)
        for bits in (4, 5, 6, 8, 16):
            recipe = Recipe(bits)
            weights = memory_bytes(config, recipe)[0]
            prompts = [memory_bytes(config, recipe, n)[1] for n in (1_024, 4_096, 16_384)]
            sizes = (disk_bytes(config, recipe), weights, *prompts)
            rows.append(
                f"| {name} | {bits} | " + " | ".join(f"{s / 1e9:.1f} GB" for s in sizes) + " |"
            )
    return rows


def test_every_command_and_option_is_explained() -> None:
    from clef_mlx.cli import main

    for name, command in main.commands.items():
        assert f"clef-mlx {name}" in README
        for param in command.params:
            if isinstance(param, click.Option):
                assert param.help, f"{name} {param.name} has no help"


def test_top_level_holds_what_the_design_says() -> None:
    command = ["git", "ls-files"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    top = {name.split("/")[0] for name in listed.stdout.splitlines() if not name.startswith(".")}
    assert top == {
        *("pyproject.toml", "README.md", "LICENSE", "NOTICE", "clef_mlx", "convert", "tests"),
        "examples",
    }
