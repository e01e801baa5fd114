"""``clef-mlx decide FILE.jsonl``: a line out for each line in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from conftest import GOLDEN

from clef_mlx import Clef
from clef_mlx.cli import main

QUESTION = {"q": {"type": "noul", "instructions": "Is it paid?"}}
Run = Callable[..., Result]


@pytest.fixture
def run(dense: Clef, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setattr("clef_mlx.model.load", lambda model, dtype: dense)

    def command(lines: list[Any], *arguments: str) -> Result:
        path = tmp_path / "requests.jsonl"
        path.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines))
        return CliRunner().invoke(main, ["decide", str(path), "-m", "any", *arguments])

    return command


def test_answers_come_in_order_and_bad_lines_in_their_place(run: Run, dense: Clef) -> None:
    good = [{"state": f"Invoice {i}", "questions": QUESTION} for i in range(3)]
    result = run([good[0], "", "{", good[1], {"state": "x", "questions": {}}, good[2]])
    assert result.exit_code == 1
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert ["error" in answer for answer in answers] == [False, True, False, True, False]
    for request, answer in zip(good, answers[::2], strict=True):
        assert list(answer) == ["model", "answers", "usage"]
        noul = dense.systemone(request)["answers"]["q"]["noul"]
        assert answer["answers"]["q"]["noul"] == pytest.approx(noul, abs=2e-4)
    assert answers[3]["error"]["param"] == "questions"
    said = result.stderr.splitlines()
    assert said[0].startswith("Error: ") and "requests.jsonl, line 3" in said[0]
    assert "requests.jsonl, line 5" in said[1]


def test_good_lines_end_well_and_take_the_options(run: Run) -> None:
    long = {"state": "word " * 300, "questions": QUESTION}
    result = run([long], "--max-length", "250", "--truncate", "--near-ties")
    assert result.exit_code == 0, result.output
    (line,) = result.stdout.splitlines()
    assert json.loads(line)["answers"]["q"]["near_tie"] is False
    assert "Warning: " in result.stderr and "line 1: the state was cut" in result.stderr


def test_media_lie_beside_the_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes((GOLDEN / "media" / "unresized.png").read_bytes())
    seen = {"state": "", "images": ["a.png"], "questions": QUESTION}
    result = run([seen, {**seen, "images": ["missing.png"]}])
    first, second = (json.loads(line) for line in result.stdout.splitlines())
    assert "answers" in first
    assert "missing.png" in second["error"]["message"]


def test_a_file_without_requests_and_a_table_are_refused(run: Run) -> None:
    empty = run(["", " "])
    assert (empty.exit_code, empty.stdout) == (1, "")
    assert "holds no request" in empty.stderr
    table = run([{"state": "x", "questions": QUESTION}], "--table")
    assert table.exit_code == 2 and "not a table" in table.stderr
