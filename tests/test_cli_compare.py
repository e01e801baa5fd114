"""``clef-mlx compare`` and ``convert --check``: figures, gates, certificates, near ties."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from conftest import GOLDEN

from clef_mlx import CheckpointError, load
from clef_mlx.certificate import KEY
from clef_mlx.cli import main
from clef_mlx.convert import check, convert
from clef_mlx.layout import STAMP

Writer = Callable[..., Path]
QUESTIONS = {
    "refund": {"type": "noul", "instructions": "Is money asked back?"},
    "team": {"type": "choice", "criteria": {"billing": None, "tech": "the app"}},
    "urgency": {"type": "score", "criteria": ["low", "mid", "high"]},
}
BODIES = [{"state": f"Note {n}: I was billed twice.", "questions": QUESTIONS} for n in range(6)]


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    path = tmp_path / "asked.jsonl"
    path.write_text("".join(json.dumps(body) + "\n" for body in BODIES))
    return path


@pytest.fixture(scope="module")
def packed(miniature: Writer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return convert(miniature(), tmp_path_factory.mktemp("packed") / "mini4")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_table_and_json_tell_what_the_models_themselves_say(
    miniature: Writer, packed: Path, asked: Path
) -> None:
    result = run("compare", miniature(), packed, "--requests", asked, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    reference, candidate = (load(folder) for folder in (miniature(), packed))
    moved = []
    for body in BODIES:
        before, after = (model.respond(body).answers for model in (reference, candidate))
        for id, answer in before.items():
            moved += [
                max(abs(p - after[id].probabilities[o]) for o, p in answer.probabilities.items())
            ]
    assert found["figures"]["questions"] == len(moved)
    assert found["figures"]["drift"][0] == pytest.approx(np.mean(moved), abs=1e-6)
    assert found["figures"]["drift_max"] == pytest.approx(max(moved), abs=1e-6)
    assert found["candidate"]["disk_bytes"] < found["reference"]["disk_bytes"]
    table = run("compare", miniature(), packed, "--requests", asked).stdout
    for said in ("mini4 against release", "of near ties", "KL divergence", "tokens a second"):
        assert said in table
    assert f"{found['figures']['kl'][0]:.6f}" in table


@pytest.mark.parametrize(("gate", "said"), [("changed", "answers changed"), ("drift", "moved by")])
def test_gates_set_the_exit_status(
    miniature: Writer, packed: Path, asked: Path, gate: str, said: str
) -> None:
    arguments = ("compare", miniature(), packed, "--requests", asked, f"--max-{gate}")
    assert run(*arguments, 1).exit_code == 0
    if gate == "changed":  # nothing changed is not more than nothing
        bad = convert(miniature(), packed.parent / "mini3", bits=3, group_size=128)
        arguments = ("compare", miniature(), bad, "--requests", asked, "--max-changed")
    result = run(*arguments, 0)
    assert result.exit_code == 1 and said in result.stderr
    assert "KL divergence" in result.stdout


def test_a_model_is_itself(miniature: Writer, asked: Path) -> None:
    same = ("compare", miniature(), miniature(), "--requests", asked)
    assert run(*same, "--max-drift", 0, "--max-changed", 0).exit_code == 0


def test_faults_name_the_request(miniature: Writer, packed: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    for body, said in (
        ({**BODIES[0], "images": ["x.png"]}, "line 1: release takes no images"),
        ({**BODIES[0], "state": "a" * 20_000}, "line 1: the request needs"),
    ):
        path.write_text(json.dumps(body))
        result = run("compare", miniature(), packed, "--requests", path)
        assert result.exit_code == 1 and said in result.stderr
        assert result.stderr.count("\n") == 1


def test_picture(miniature: Writer, packed: Path, asked: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    arguments = ("compare", miniature(), packed, "--requests", asked, "--plot")
    target = tmp_path / "plots" / "drift.png"
    refused = run(*arguments, target)
    assert refused.exit_code == 1 and "drift.png cannot be written" in refused.stderr
    target.parent.mkdir()
    assert run(*arguments, target).exit_code == 0
    assert target.read_bytes()[:4] == b"\x89PNG"
    wrong = run(*arguments, tmp_path / "plots" / "drift.docx")
    assert wrong.exit_code == 1 and "drift.docx cannot be written" in wrong.stderr
    assert [path.name for path in target.parent.iterdir()] == ["drift.png"]


def test_picture_without_its_extra(
    miniature: Writer, asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = run(
        *("compare", miniature(), miniature(), "--requests", asked, "--plot", tmp_path / "a.png")
    )
    assert result.exit_code == 1 and "pip install 'clef-mlx[plots]'" in result.stderr


def test_certificate_is_kept_shown_and_used(miniature: Writer, asked: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    result = run("convert", miniature(), target, "--check", asked)
    assert result.exit_code == 0, result.output
    clef = load(target)
    found = json.loads(run("compare", miniature(), target, "--requests", asked, "--json").stdout)
    assert clef.certificate is not None
    assert clef.certificate.figures == found["figures"]
    assert (clef.certificate.sha256, clef.certificate.dtype) == (found["sha256"], "float32")
    shown = run("info", target).stdout
    assert f"measured on {found['figures']['questions']} questions, asked.jsonl" in shown
    again = convert(miniature(), tmp_path / "again", check=str(asked))
    assert (again / "config.json").read_bytes() == (target / "config.json").read_bytes()


def test_answers_closer_than_the_drift_are_marked(
    miniature: Writer, packed: Path, asked: Path, tmp_path: Path
) -> None:
    target = convert(miniature(), tmp_path / "out", check=str(asked))
    certified, plain = load(target), load(packed)
    assert certified.certificate is not None and plain.certificate is None
    drift, marked = certified.certificate.drift, 0
    for body in BODIES:
        answers = certified.respond(body).answers
        for answer in answers.values():
            second, first = sorted(answer.probabilities.values())[-2:]
            assert answer.near_tie == (first - second < drift)
            marked += answer.near_tie
        assert not any(answer.near_tie for answer in plain.respond(body).answers.values())
        assert "near_tie" not in json.dumps(certified.systemone(body))
        wired = certified.systemone(body, near_ties=True)["answers"]
        assert {id: a["near_tie"] for id, a in wired.items()} == {
            id: a.near_tie for id, a in answers.items()
        }
    assert marked > 0


def test_near_ties_at_the_command_line(miniature: Writer, asked: Path, tmp_path: Path) -> None:
    target = convert(miniature(), tmp_path / "out", check=str(asked))
    config = json.loads((target / "config.json").read_text())
    config[STAMP][KEY]["figures"]["drift_99"] = 1.0  # every answer is closer than that
    (target / "config.json").write_text(json.dumps(config))
    body = tmp_path / "body.json"
    body.write_text(json.dumps(BODIES[0]))
    assert "near tie" in run("decide", body, "-m", target, "--table").stdout
    assert "near_tie" not in run("decide", body, "-m", target, "--json").stdout
    wired = json.loads(run("decide", body, "-m", target, "--json", "--near-ties").stdout)
    assert all(answer["near_tie"] is True for answer in wired["answers"].values())


@pytest.mark.parametrize(
    "broken", [[], {}, {"set": "x"}, "figures", {"figures": {"drift_99": "much"}}]
)
def test_broken_certificates_are_refused(
    miniature: Writer, asked: Path, tmp_path: Path, broken: object
) -> None:
    target = convert(miniature(), tmp_path / "out", check=str(asked))
    config = json.loads((target / "config.json").read_text())
    if isinstance(broken, dict) and "figures" in broken:
        broken = {**config[STAMP][KEY], **broken}
    config[STAMP][KEY] = broken
    (target / "config.json").write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match="certificate that is not whole"):
        load(target)


def test_a_check_that_cannot_run_stops_the_conversion_before_it_starts(
    miniature: Writer, asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(json.dumps({**BODIES[0], "audio": ["x.wav"]}))
    out = tmp_path / "out"
    assert (
        "line 1: release takes no audio" in run("convert", miniature(), out, "--check", bad).stderr
    )
    monkeypatch.setattr(check, "machine_bytes", lambda: 1000)
    result = run("convert", miniature(), out, "--check", asked)
    assert result.exit_code == 1 and "--check runs the release itself, which needs" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["asked.jsonl", "bad.jsonl"]


def test_a_check_that_is_stopped_leaves_nothing(
    miniature: Writer, asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "compare", stop)
    with pytest.raises(KeyboardInterrupt):
        convert(miniature(), tmp_path / "out", check=str(asked))
    assert [path.name for path in tmp_path.iterdir()] == ["asked.jsonl"]


def test_the_golden_miniature_reads_pictures_in_a_comparison(tmp_path: Path) -> None:
    """Media of requests are found beside the file and reach both models."""
    path = tmp_path / "seen.jsonl"
    picture = GOLDEN / "media" / "receipt.png"
    (tmp_path / "receipt.png").write_bytes(picture.read_bytes())
    path.write_text(json.dumps({**BODIES[0], "images": ["receipt.png"]}))
    dense = GOLDEN / "tiny-dense"
    result = run("compare", dense, dense, "--requests", path, "--max-drift", 0)
    assert result.exit_code == 0, result.output
