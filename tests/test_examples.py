"""The examples, run as a reader runs them, on a miniature whose answers mean nothing."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import GOLDEN

import clef_mlx

EXAMPLES = Path(__file__).parent.parent / "examples"
RECEIPT = EXAMPLES / "receipt.py"


def test_tone_hears_what_it_makes() -> None:
    command = [sys.executable, str(EXAMPLES / "tone.py")]
    done = subprocess.run([*command, str(GOLDEN / "tiny-omni")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    heard, tokens = done.stdout.splitlines()
    assert re.fullmatch(r"heard (tone|speech|silence), pitch [012]\.\d of 0 to 2", heard)
    assert re.fullmatch(r"\d+ tokens", tokens)
    usage = subprocess.run(command, capture_output=True, text=True)
    assert usage.returncode == 1 and "python examples/tone.py MODEL" in usage.stderr


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(RECEIPT), *arguments], capture_output=True, text=True
    )


def test_receipt_prints_its_three_answers() -> None:
    done = run(str(GOLDEN / "tiny-dense"))
    assert (done.returncode, done.stderr) == (0, "")
    tokens, kind, paid, amount = done.stdout.splitlines()
    assert tokens == "384 x 436 pixels are 171 tokens"  # 12 x 14 blocks, two markers, a newline
    assert re.fullmatch(r"kind    (meal|travel|office) \([01]\.\d\d\)", kind)
    assert 0 <= float(paid.removeprefix("paid    ")) <= 1
    assert 0 <= float(amount.removeprefix("amount  ").removesuffix(" of 2")) <= 2


def test_receipt_without_a_model_says_how() -> None:
    done = run()
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "usage: python examples/receipt.py MODEL\n"


def test_receipt_uses_public_names_only() -> None:
    used = {
        node.attr
        for node in ast.walk(ast.parse(RECEIPT.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "clef_mlx"
    }
    assert used == {"load", "Choice", "ClefError", "Noul", "Score"}
    assert used <= set(clef_mlx.__all__)


@pytest.mark.parametrize("name", ["receipt", "tone"])
def test_an_example_without_its_model_ends_in_one_sentence(name: str) -> None:
    script = RECEIPT.with_name(f"{name}.py")
    done = subprocess.run(
        [sys.executable, str(script), "no/such/folder"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "neither a folder nor a Hub id" in done.stderr
