"""The scripts in ``examples/`` run as their first lines say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conftest import GOLDEN

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_tone_hears_what_it_makes() -> None:
    command = [sys.executable, str(EXAMPLES / "tone.py")]
    done = subprocess.run([*command, str(GOLDEN / "tiny-omni")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    heard, tokens = done.stdout.splitlines()
    assert heard.startswith(("heard tone, pitch", "heard speech, pitch", "heard silence, pitch"))
    assert tokens.endswith(" tokens")
    usage = subprocess.run(command, capture_output=True, text=True)
    assert usage.returncode == 1 and "python examples/tone.py MODEL" in usage.stderr
