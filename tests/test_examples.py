"""The examples, run as a reader runs them: on ``mini``, or on a miniature with random weights."""

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
SCRIPTS = ("async_decide", "many_questions", "receipt", "threshold", "tone", "triage")
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


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_uses_public_names_only(name: str) -> None:
    tree = ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "clef_mlx"
    }
    imported = [
        (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if str(node.module).startswith("clef_mlx")
    ]
    assert {module for module, _ in imported} <= {"clef_mlx"}
    used |= {alias for _, alias in imported}
    assert {"load", "ClefError"} <= used <= set(clef_mlx.__all__)


def lines_of(name: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_triage_puts_the_urgent_message_first() -> None:
    lines = lines_of("triage")
    levels = [float(line[:3]) for line in lines]
    assert len(lines) == 4 and levels == sorted(levels, reverse=True)
    queues = {line.split(maxsplit=5)[5]: line.split()[3] for line in lines}
    assert queues["The vase arrived broken. I need it today, please act at once!"] == "shipping"
    assert queues["Thank you, your team was great."] == "praise"
    assert lines[-1].endswith("It can wait, there is no hurry.")


def test_many_questions_are_answered_in_one_pass() -> None:
    *answers, empty, times = lines_of("many_questions")
    assert [line.split()[0] for line in answers] == [
        *("topic", "photo", "paid", "heavy", "mood", "city")
    ]
    assert answers[0].split()[1] == "damaged" and answers[-1].split()[1] == "Lisbon"
    assert empty == ""
    assert re.fullmatch(r"6 questions in one pass took \d+ ms, one after another \d+ ms", times)


def test_messages_are_answered_from_asyncio() -> None:
    assert sorted(line.split(maxsplit=1)[0] for line in lines_of("async_decide")) == [
        *("app", "billing", "plan")
    ]


def test_threshold_hands_what_is_unsure_to_a_person() -> None:
    first, empty, *answers = lines_of("threshold")
    found = re.fullmatch(r"sorted by hand: (\d) of 8 right; .* above ([01]\.\d\d)", first)
    assert found and int(found[1]) >= 6 and empty == ""
    threshold = float(found[2])
    for line in answers:
        topic, sure = line[:9].strip(), float(line[9:].split()[0])
        assert (topic == "a person") == (sure <= threshold) or abs(sure - threshold) < 0.01
    assert answers[0].startswith("login")


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_without_its_model_ends_in_one_sentence(name: str) -> None:
    script = RECEIPT.with_name(f"{name}.py")
    done = subprocess.run(
        [sys.executable, str(script), "no/such/folder"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "neither a folder nor a Hub id" in done.stderr
