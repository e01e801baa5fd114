"""``load`` and ``Clef``: whole decisions on a miniature."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from conftest import GOLDEN

import clef_mlx
from clef_mlx import CheckpointError, Choice, Clef, ClefError, Noul, RequestError, Score, load
from clef_mlx.miniature import write_release

ATOL = 1e-4  # float32; measured 1e-5 on logits up to 5
QUESTIONS = {
    "refund": Noul("Is money asked back?"),
    "team": Choice("Which team?", {"tech": None, "billing": "charges"}),
    "urgency": Score("How urgent?", ["low", "mid", "high"]),
}
STATE = {"subject": "Double charge", "body": "I was billed twice. " * 12}


def largest_difference(a: dict[str, dict[str, float]], b: dict[str, dict[str, float]]) -> float:
    return max(abs(a[q][o] - b[q][o]) for q in a for o in a[q])


def test_answers_in_python(dense: Clef) -> None:
    result = dense.decide(STATE, QUESTIONS)
    assert list(result) == ["refund", "team", "urgency"]
    assert 0 <= result["refund"].noul <= 1
    assert list(result["team"].probabilities) == ["tech", "billing"]
    assert result["team"].choice == max(
        result["team"].probabilities, key=result["team"].probabilities.get
    )
    expected = sum(int(k) * p for k, p in result["urgency"].probabilities.items())
    assert result["urgency"].score == pytest.approx(expected)
    for answer in result.answers.values():
        assert sum(answer.probabilities.values()) == pytest.approx(1, abs=1e-6)
    assert result.model == "tiny-dense"


def test_wire_and_python_agree(dense: Clef) -> None:
    body = {
        "model": "mine",
        "state": STATE,
        "questions": {
            "refund": {"type": "noul", "instructions": "Is money asked back?"},
            "team": {
                "type": "choice",
                "instructions": "Which team?",
                "criteria": {"tech": None, "billing": "charges"},
            },
            "urgency": {
                "type": "score",
                "instructions": "How urgent?",
                "criteria": ["low", "mid", "high"],
            },
        },
    }
    wire = dense.systemone(body)
    assert wire["model"] == "mine"
    assert wire["answers"] == dense.decide(STATE, QUESTIONS).to_dict()["answers"]


def test_same_request_gives_the_same_bytes(dense: Clef) -> None:
    first = dense.logits({"state": STATE, "questions": QUESTIONS})
    dense.logits({"state": "another", "questions": QUESTIONS})
    assert dense.logits({"state": STATE, "questions": QUESTIONS}) == first


@pytest.mark.parametrize("block", [1, 37, 64, 200])
def test_any_block_size_gives_the_same_answer(
    dense: Clef, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    request = {"state": "short", "questions": {"q": Noul("Is it?")}}
    want = dense.logits(request)
    monkeypatch.setattr("clef_mlx.prefill.BLOCK", block)
    assert largest_difference(dense.logits(request), want) <= ATOL


def test_threads_get_the_answers_of_one(dense: Clef) -> None:
    requests = [{"state": f"message {i}" * (i + 1), "questions": QUESTIONS} for i in range(4)]
    want = [dense.logits(request) for request in requests]
    got: list[Any] = [None] * len(requests)

    def work(i: int) -> None:
        got[i] = dense.logits(requests[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(requests))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == want


def test_loaded_in_one_thread_decides_in_another() -> None:
    result: list[Any] = []

    def work() -> None:
        result.append(load(GOLDEN / "tiny-dense"))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert result[0].decide("text", {"q": Noul("Is it?")})["q"].noul > 0


def test_too_long_is_refused_with_counts_or_cut(dense: Clef) -> None:
    body = {"state": "word " * 400, "questions": {"q": Noul("Is it long?")}}
    tokens = len(dense.encode(body).input_ids)
    with pytest.raises(RequestError, match=f"needs {tokens} tokens and the limit is 300"):
        dense.systemone(body, max_length=300)
    response = dense.respond(body, max_length=300, truncate=True)
    assert response.usage["input_tokens"] == 300
    assert response.truncated_tokens == tokens - 300
    assert str(tokens - 300) in response.warnings[0]


@pytest.mark.parametrize("max_length", [0, -1, 262_145, 3.5, True, "300"])
def test_impossible_max_length(dense: Clef, max_length: Any) -> None:
    with pytest.raises(RequestError) as refused:
        dense.encode({"state": "x", "questions": QUESTIONS}, max_length=max_length)
    assert refused.value.param == "max_length"


def test_max_length_reaches_the_checkpoint_s_positions(dense: Clef) -> None:
    body = {"state": "x " * 20_000, "questions": QUESTIONS}
    with pytest.raises(RequestError, match="16384"):
        dense.encode(body)
    assert len(dense.encode(body, max_length=262_144).input_ids) > 20_000


@pytest.mark.parametrize("kind", ["images", "videos"])
def test_media_without_a_tower_is_refused(miniature: Callable[..., Path], kind: str) -> None:
    clef = load(miniature())
    with pytest.raises(RequestError, match="has no vision tower") as refused:
        clef.decide("x", QUESTIONS, **{kind: ["picture.png"]})  # type: ignore[arg-type]
    assert refused.value.param == kind
    assert clef.decide("x", QUESTIONS, **{kind: []})  # type: ignore[arg-type]


def test_sound_is_for_clef_omni(dense: Clef) -> None:
    with pytest.raises(RequestError, match="hears nothing; clef-omni does") as refused:
        dense.decide("x", QUESTIONS, audio=["sound.wav"])
    assert refused.value.param == "audio"


def test_unknown_confidence_and_dtype(dense: Clef) -> None:
    with pytest.raises(RequestError, match="reference, typesafe, entropy"):
        dense.decide("x", QUESTIONS, confidence="best")
    with pytest.raises(CheckpointError, match="float32, float16, bfloat16"):
        load(GOLDEN / "tiny-dense", dtype="int8")


def test_non_finite_logits_are_an_error(miniature: Callable[..., Path]) -> None:
    clef = load(miniature())
    clef._head.prior_logit_scale = mx.array(float("nan"))
    with pytest.raises(ClefError, match="not a finite logit"):
        clef.decide("x", QUESTIONS)


def test_equal_logits_answer_with_the_first_in_request_order(
    miniature: Callable[..., Path],
) -> None:
    clef = load(miniature())
    clef._head.residual_gate = mx.array(-1e9)  # sigmoid 0
    clef._head.prior_logit_scale = mx.array(-1e9)  # exp 0
    answer = clef.decide("x", {"q": Choice("Which?", {"z": None, "b": None, "a": None})})["q"]
    assert answer.probabilities == pytest.approx({"z": 1 / 3, "b": 1 / 3, "a": 1 / 3})
    assert answer.choice == "z"


@pytest.mark.parametrize(
    "sizes",
    [
        {"linear_num_key_heads": 1, "linear_num_value_heads": 3},
        {"linear_num_key_heads": 3, "linear_num_value_heads": 3, "linear_key_head_dim": 16},
        {"num_attention_heads": 6, "num_key_value_heads": 1, "head_dim": 16},
        {"linear_key_head_dim": 128, "linear_value_head_dim": 64, "linear_conv_kernel_dim": 2},
        {"head_dim": 256, "num_attention_heads": 2, "num_key_value_heads": 1},
        {"layer_types": ["full_attention"] * 2 + ["linear_attention"], "num_hidden_layers": 3},
    ],
)
@pytest.mark.parametrize("model_type", ["qwen3_5", "qwen3_5_moe"])
def test_sizes_come_from_the_config(
    miniature: Callable[..., Path], sizes: dict[str, Any], model_type: str
) -> None:
    text = {"num_hidden_layers": 2, "full_attention_interval": 2, **sizes}
    clef = load(miniature(model_type=model_type, text=text))
    assert np.isfinite(clef.decide("some text", QUESTIONS)["refund"].noul)


@pytest.mark.slow
def test_many_options_and_questions(dense: Clef) -> None:
    options = {f"option {i}": None for i in range(255)}
    answer = dense.decide("x", {"q": Choice("Which?", options)})["q"]
    assert list(answer.probabilities) == list(options)
    many = dense.decide("x", {f"q{i}": Noul("Is it?") for i in range(64)})
    assert len(many) == 64


def test_float16_runs() -> None:
    clef = load(GOLDEN / "tiny-dense", dtype="float16")
    want = load(GOLDEN / "tiny-dense", dtype="float32").decide("x", QUESTIONS)
    got = clef.decide("x", QUESTIONS)
    assert got["refund"].noul == pytest.approx(want["refund"].noul, abs=0.01)


def test_public_names() -> None:
    assert set(clef_mlx.__all__) <= set(dir(clef_mlx)) | set(
        name for names in clef_mlx._HOMES.values() for name in names
    )
    for name in clef_mlx.__all__:
        assert getattr(clef_mlx, name).__name__ == name


PICTURE = np.random.default_rng(0).integers(0, 256, (256, 288, 3), dtype=np.uint8)  # 72 tokens
CLIP = np.random.default_rng(1).integers(0, 256, (8, 64, 96, 3), dtype=np.uint8)  # 2 times 6
READ = {"state": "short", "questions": {"q": Noul("Is it?")}}
SEEN = {**READ, "images": [PICTURE], "videos": [CLIP]}


def test_text_and_pictures_in_turn_give_the_bytes_of_each_alone() -> None:
    clef = load(GOLDEN / "tiny-dense", dtype="float32")
    text, seen = clef.logits(READ), clef.logits(SEEN)
    assert [clef.logits(body) for body in (READ, SEEN, READ)] == [text, seen, text]
    other = load(GOLDEN / "tiny-dense", dtype="float32")
    assert [other.logits(body) for body in (SEEN, READ)] == [seen, text]
    assert largest_difference(text, seen) > 100 * ATOL


@pytest.mark.parametrize("name", ["dense", "moe"])
def test_pictures_and_clips_in_one_request(request: pytest.FixtureRequest, name: str) -> None:
    """Every one of them, and their order, matters."""
    clef: Clef = request.getfixturevalue(name)
    media = {"images": [PICTURE, PICTURE[:, ::-1]], "videos": [CLIP, CLIP[::-1]]}
    encoded = clef.encode({**READ, **media})
    assert encoded.is_media.sum() == 2 * 72 + 2 * 12
    want = clef.logits({**READ, **media})
    assert clef.decide("short", READ["questions"], **media).usage == {
        "input_tokens": len(encoded.input_ids),
        "output_tokens": 0,
    }
    for change in (
        {"images": media["images"][::-1]},
        {"videos": media["videos"][::-1]},
        {"images": media["images"][:1]},
        {"videos": []},
    ):
        assert largest_difference(clef.logits({**READ, **media, **change}), want) > 10 * ATOL


@pytest.mark.parametrize("block", [50, 64, 131])
def test_any_block_size_gives_a_picture_s_answer(
    dense: Clef, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    """Blocks end within a picture and between two, and some hold none."""
    body = {**SEEN, "images": [PICTURE, PICTURE[::-1]]}
    want = dense.logits(body)
    monkeypatch.setattr("clef_mlx.prefill.BLOCK", block)
    assert largest_difference(dense.logits(body), want) <= ATOL


def test_names_for_people_at_a_prompt(dense: Clef) -> None:
    assert set(clef_mlx.__all__) < set(dir(clef_mlx))
    assert clef_mlx.__version__ == version("clef-mlx")
    assert repr(dense).startswith("<Clef tiny-dense, mlx.core.float32, from ")
    with pytest.raises(AttributeError, match="has no attribute 'lode'"):
        clef_mlx.lode  # noqa: B018


def test_a_miniature_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for taken in (tmp_path, tmp_path / "file"):
        with pytest.raises(CheckpointError, match="is not empty"):
            write_release(taken)
    assert (tmp_path / "file").read_text() == "mine"
