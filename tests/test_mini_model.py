"""``mini``: found by its name, whole, small, and right where its answers are plain."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import clef_mlx
from clef_mlx import CheckpointError, Choice, Noul, Score, hub
from clef_mlx.cli import main

EXAMPLES = Path(__file__).parent.parent / "examples"
TICKET = json.loads((EXAMPLES / "ticket.json").read_text(encoding="utf-8"))
LARGEST = 4_000_000  # bytes of the whole folder


@pytest.fixture(scope="module")
def mini():
    began = time.perf_counter()
    clef = clef_mlx.load("mini")
    print(f"mini is loaded in {time.perf_counter() - began:.2f} s")
    return clef


def test_the_ticket_is_a_refund_for_billing(mini):
    result = mini.respond(TICKET)
    assert result.model == "mini"
    assert result["refund"].noul > 0.5
    assert result["team"].choice == "billing"


def test_the_schema_is_read_and_not_learned_by_heart(mini):
    """The same state, the options renamed and turned round: the answer follows its meaning."""
    state = "The parcel was damaged on the way and the glass is broken."
    meanings = {"goods that are broken": True, "a forgotten PIN": False, "cleaning": False}
    for names in (("a", "b", "c"), ("c", "a", "b"), ("z9", "k2", "m4")):
        criteria = dict(zip(names, meanings, strict=True))
        answer = mini.decide(state, {"q": Choice("Which option fits best?", criteria)})["q"]
        assert criteria[answer.choice] == "goods that are broken"


def test_another_state_gives_another_answer(mini):
    questions = {
        "photo": Noul("Is a photo attached?"),
        "urgency": Score("How urgent is it?", ["no hurry", "this week", "at once"]),
    }
    calm = mini.decide("I have no photo. There is no hurry.", questions)
    tense = mini.decide("A photo is attached. Please help at once.", questions)
    assert calm["photo"].noul < 0.5 < tense["photo"].noul
    assert calm["urgency"].score < 1 < tense["urgency"].score


def test_name_means_the_shipped_model_whatever_lies_here(tmp_path, monkeypatch):
    (tmp_path / "mini").mkdir()
    monkeypatch.chdir(tmp_path)
    assert hub.resolve("mini") == (hub.MINI_FOLDER, "mini")
    assert hub.resolve("./mini") == (Path("mini"), "mini")
    assert hub.resolve(Path("mini")) == (Path("mini"), "mini")


@pytest.mark.parametrize(
    "name",
    [
        *("config.json", "joint_head_config.json", "tokenizer.json"),
        *("model.safetensors", "joint_head.safetensors"),
    ],
)
def test_missing_file_is_a_clear_error_and_no_download(name, tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "MINI_FOLDER", tmp_path / "mini")
    monkeypatch.setattr(hub, "_fetch", lambda *_: pytest.fail("a download"))
    shutil.copytree(Path(clef_mlx.__file__).parent / "mini", tmp_path / "mini")
    (tmp_path / "mini" / name).unlink()
    with pytest.raises(CheckpointError) as caught:
        clef_mlx.load("mini")
    said = str(caught.value)
    assert said.startswith("mini is part of clef-mlx, but ") and name in said
    assert said.endswith(": install clef-mlx again")


def test_missing_folder_is_a_clear_error(tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "MINI_FOLDER", tmp_path / "mini")
    with pytest.raises(CheckpointError, match="mini is missing: install clef-mlx again"):
        clef_mlx.load("mini")


def test_folder_is_small():
    files = list(hub.MINI_FOLDER.iterdir())
    assert sum(file.stat().st_size for file in files) <= LARGEST
    assert "not Cloudflare's" in (hub.MINI_FOLDER / "LICENSE").read_text(encoding="utf-8")


def test_info_says_that_it_is_not_clef_and_so_does_a_conversion(tmp_path):
    for arguments in (["info", "mini"], ["info", str(tmp_path / "mini-8bit")]):
        if arguments[1] != "mini":
            command = ["convert", "mini", arguments[1], "--bits", "8"]
            assert CliRunner().invoke(main, command).exit_code == 0
        shown = CliRunner().invoke(main, arguments)
        assert shown.exit_code == 0, shown.output
        assert (
            "mini is NOT Clef" in shown.output and "has no knowledge of the world" in shown.output
        )


def test_conversion_keeps_the_plain_answers(tmp_path):
    CliRunner().invoke(main, ["convert", "mini", str(tmp_path / "m"), "--bits", "8"])
    assert clef_mlx.load(tmp_path / "m").respond(TICKET)["team"].choice == "billing"


def test_torch_twin_computes_the_shipped_logits(monkeypatch):
    """1e-3 of a logit, both float32 from the same bfloat16 weights."""
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(EXAMPLES / "mini")
    from encoded import collate, encode_examples
    from evidence import OffsetEncoder
    from export import read_release

    model = read_release(hub.MINI_FOLDER)
    encoder = OffsetEncoder.from_file(hub.MINI_FOLDER / "tokenizer.json")
    clef = clef_mlx.load("mini", dtype="float32")
    lines = (EXAMPLES / "mini" / "handwritten.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines[:20]:
        example = json.loads(line)
        batch, _ = collate(encode_examples(encoder, [example]))
        with torch.no_grad():
            twin = model(batch)[0].numpy()
        ours = clef.logits(example["request"]).values()
        ours = np.array([value for options in ours for value in options.values()])
        np.testing.assert_allclose(twin, ours, atol=1e-3)
