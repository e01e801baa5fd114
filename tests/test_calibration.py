"""Calibrated rounding as a whole: what it hears, packs, keeps, resumes and refuses."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from click.testing import CliRunner
from conftest import GOLDEN
from test_convert import PACKED, stored, unpacked_release
from test_model import largest_difference

from clef_mlx import CheckpointError, Clef, RequestError, load
from clef_mlx.checkpoint import open_checkpoint
from clef_mlx.cli import main
from clef_mlx.compare import Figures, compare, request_set
from clef_mlx.convert import calibration, convert
from clef_mlx.convert.calibrated import Calibrated
from clef_mlx.convert.calibration_memory import calibration_bytes
from clef_mlx.convert.moments import Ear, moments
from clef_mlx.layers.linear import ExpertLinear, Linear
from clef_mlx.layout import STAMP
from clef_mlx.published import published_config

Writer = Callable[..., Path]
QUESTIONS = {
    "refund": {"type": "noul", "instructions": "Is money asked back?"},
    "team": {"type": "choice", "criteria": {"billing": None, "tech": "the app", "other": None}},
    "urgency": {"type": "score", "criteria": ["low", "mid", "high"]},
}
WORDS = ("card", "order", "charged", "twice", "please", "late", "parcel", "app", "login", "soon")


def bodies(seed: int, count: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    return [{"state": " ".join(rng.choice(WORDS, 6)), "questions": QUESTIONS} for _ in range(count)]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("asked") / "asked.jsonl"
    path.write_text("".join(json.dumps(body) + "\n" for body in bodies(1, 3)))
    return path


@pytest.fixture(scope="module")
def small(miniature: Writer) -> Path:
    """Three layers, the third attention, so that tests are quick."""
    text = {"num_hidden_layers": 3, "full_attention_interval": 3}
    return miniature(text=text, head={"layers": 1, "routing_layers": 1})


@pytest.fixture(scope="module")
def calibrated(small: Path, asked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return convert(small, tmp_path_factory.mktemp("made") / "out", calibrate=str(asked))


def changed(reference: Path, candidate: Path, requests: Path) -> Figures:
    models = (open_checkpoint(reference), open_checkpoint(candidate))
    return compare(*models, request_set(str(requests))).figures


def test_answers_move_less_than_with_the_refit(
    small: Path, asked: Path, calibrated: Path, tmp_path: Path
) -> None:
    """On requests that did not calibrate."""
    other = tmp_path / "other.jsonl"
    other.write_text("".join(json.dumps(body) + "\n" for body in bodies(2, 12)))
    plain = convert(small, tmp_path / "plain")
    before, after = (changed(small, folder, other).kl.mean for folder in (plain, calibrated))
    assert after < 0.7 * before


def test_the_folder_is_like_any_other(small: Path, calibrated: Path, tmp_path: Path) -> None:
    plain = convert(small, tmp_path / "plain")
    ours, theirs = stored(calibrated), stored(plain)
    assert {n: (v.shape, v.dtype) for n, v in ours.items()} == {
        n: (v.shape, v.dtype) for n, v in theirs.items()
    }
    for name, value in ours.items():
        if name.removesuffix(".weight") + ".scales" not in ours and "scales" not in name:
            assert name.endswith("biases") or mx.array_equal(value, theirs[name]), name
    request = bodies(3, 1)[0]
    want = load(unpacked_release(calibrated, tmp_path / "unpacked"), dtype="float32")
    packed = load(calibrated, dtype="float32", expand=False)
    assert largest_difference(packed.logits(request), want.logits(request)) <= PACKED
    assert [path.name for path in calibrated.parent.iterdir()] == ["out"]
    stamp = json.loads((calibrated / "config.json").read_text())[STAMP]
    assert stamp["calibration"]["set"] == "asked.jsonl"


def test_later_layers_make_up_for_those_before(
    small: Path, asked: Path, calibrated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hidden states stay nearer to the release's where inputs as released are counted in."""
    monkeypatch.setattr(calibration, "corrected", lambda weight, sums, crossed: weight)
    without = convert(small, tmp_path / "out", calibrate=str(asked))
    wanted, kept, lost = (load(folder, dtype="float32") for folder in (small, calibrated, without))
    errors = np.zeros(2)
    for body in bodies(1, 3):
        tokens = wanted.encode(body).input_ids
        rows = [
            clef._backbone(clef._prefill._embedded(np.array(tokens))[None])[0]
            for clef in (wanted, kept, lost)
        ]
        errors += [mx.square(other - rows[0]).sum().item() for other in rows[1:]]
    assert errors[0] < 0.7 * errors[1]  # measured 0.5


@pytest.mark.parametrize(
    "options",
    [
        {"model_type": "qwen3_5_moe"},
        {"model_type": "qwen3_5_moe", "single_experts": True},
        {"model_type": "qwen3_omni_moe"},
    ],
)
def test_mixtures_of_experts(
    miniature: Writer, asked: Path, tmp_path: Path, options: dict[str, Any]
) -> None:
    text = {"num_hidden_layers": 2, "full_attention_interval": 2}
    if options["model_type"] == "qwen3_omni_moe":
        del text["full_attention_interval"]
    source = miniature(**options, text=text, head={"layers": 1, "routing_layers": 1})
    folder = convert(source, tmp_path / "out", calibrate=str(asked))
    plain = convert(source, tmp_path / "plain")
    made, theirs = stored(folder), stored(plain)
    assert {n: v.shape for n, v in made.items()} == {n: v.shape for n, v in theirs.items()}
    experts = [n for n in made if ".experts." in n and made[n].dtype == mx.uint32]
    assert any(not mx.array_equal(made[n], theirs[n]) for n in experts)
    request = bodies(3, 1)[0]
    want = load(unpacked_release(folder, tmp_path / "unpacked"), dtype="float32")
    packed = load(folder, dtype="float32", expand=False)
    assert largest_difference(packed.logits(request), want.logits(request)) <= PACKED


def test_experts_that_see_too_few_tokens_get_the_refit(
    miniature: Writer, asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = {"num_hidden_layers": 2, "full_attention_interval": 2}
    head = {"layers": 1, "routing_layers": 1}
    source = miniature(model_type="qwen3_5_moe", text=text, head=head)
    monkeypatch.setattr(calibration, "SEEN", 10**9)
    folder = convert(source, tmp_path / "out", calibrate=str(asked))
    plain = stored(convert(source, tmp_path / "plain"))
    for name, value in stored(folder).items():
        assert mx.array_equal(value, plain[name]), name


def test_moments_are_those_of_the_inputs() -> None:
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = Linear(4, 6), Linear(3, 2)
            self.first.weight = mx.random.normal((6, 4), key=mx.random.key(0))

        def __call__(self, x: mx.array) -> mx.array:
            left, right = self.first(x, slice(0, 3)), self.first(2 * x, slice(3, None))
            return self.second(left + right)

    module, x = Two(), mx.random.normal((1, 9, 4), key=mx.random.key(1))
    ear = Ear(module, ["first", "second"])
    stages = ear.stages(lambda: module(x))
    assert [[(r.name, r.start, r.stop) for r in stage] for stage in stages] == [
        [("first", 0, 3)],
        [("first", 3, 6)],
        [("second", 0, 2)],
    ]
    other, half = Two(), 0.5 * x
    plain = Ear(other, ["first", "second"])
    pairs = [(lambda: module(x), lambda: other(half))] * 2
    twice = moments(stages[1][0], ear, plain, pairs)
    assert twice.counts == {0: 18}
    assert mx.allclose(twice.sums[0], 2 * (2 * x[0]).T @ (2 * x[0]), atol=1e-4)
    assert mx.allclose(twice.crossed[0], twice.sums[0] / 2, atol=1e-4)
    ear.leave()
    assert isinstance(module.first, Linear)


def test_moments_of_experts_are_those_of_the_tokens_routed_to_them() -> None:
    class One(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.experts = ExpertLinear(3, 4, 2)

        def __call__(self, x: mx.array) -> mx.array:
            return self.experts(x, mx.array([0, 0, 2, 2, 2]), True)

    module, x = One(), mx.random.normal((5, 4), key=mx.random.key(1))
    ear = Ear(module, ["experts"])
    (stage,) = ear.stages(lambda: module(x))
    heard = moments(stage[0], ear, ear, [(lambda: module(x), lambda: module(x))])
    assert heard.counts == {0: 2, 2: 3} and heard.crossed == {}
    assert mx.allclose(heard.sums[2], x[2:].T @ x[2:], atol=1e-5)


def test_calibration_goes_on_where_it_was_stopped(
    small: Path, asked: Path, calibrated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, written = Calibrated.write, []

    def stopping(self: Calibrated, module: str, tensors: dict[str, mx.array]) -> None:
        if written == ["backbone.layers.0"]:
            written.append("stopped")
            raise KeyboardInterrupt
        written.append(module)
        original(self, module, tensors)

    monkeypatch.setattr(Calibrated, "write", stopping)
    with pytest.raises(KeyboardInterrupt):
        convert(small, tmp_path / "out", calibrate=str(asked))
    (left,) = tmp_path.iterdir()
    assert left.name == ".out.calibrating"
    names = {file.name for file in left.iterdir()}
    assert names == {"backbone.layers.0.safetensors", "calibration.json"}
    with pytest.raises(CheckpointError):
        load(left)  # what is left is no model
    folder = convert(small, tmp_path / "out", calibrate=str(asked))
    assert written == [
        *("backbone.layers.0", "stopped", "backbone.layers.1", "backbone.layers.2", "head"),
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    for file in calibrated.iterdir():
        assert file.read_bytes() == (folder / file.name).read_bytes(), file.name


def test_what_another_run_left_is_not_taken(
    small: Path, asked: Path, calibrated: Path, tmp_path: Path
) -> None:
    left = tmp_path / ".out.calibrating"
    left.mkdir()
    (left / "calibration.json").write_text('{"algorithm": 0}')
    mx.save_safetensors(str(left / "backbone.layers.0.safetensors"), {"x": mx.zeros(1)})
    folder = convert(small, tmp_path / "out", calibrate=str(asked))
    for file in calibrated.iterdir():
        assert file.read_bytes() == (folder / file.name).read_bytes(), file.name


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "bad.jsonl holds no request"),
        ([bodies(1, 1)[0], "{"], "line 2 is not JSON"),
        ([{**bodies(1, 1)[0], "state": "a" * 5000}], "every request is longer than the 4,096"),
        ([{**bodies(1, 1)[0], "images": ["x.png"]}], "line 1 has images: calibration reads text"),
    ],
    ids=["empty", "unreadable", "too long", "media"],
)
def test_requests_that_cannot_calibrate(
    small: Path, tmp_path: Path, lines: list[Any], said: str
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("".join(f"{x if isinstance(x, str) else json.dumps(x)}\n" for x in lines))
    result = CliRunner().invoke(
        main, ["convert", str(small), str(tmp_path / "out"), "--calibrate", str(path)]
    )
    assert result.exit_code == 1 and said in result.stderr
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["bad.jsonl"]


def test_requests_beyond_the_bound_are_left_out(small: Path, asked: Path) -> None:
    checkpoint, requests = open_checkpoint(small), request_set(str(asked))
    whole = calibration.material(checkpoint, requests)
    assert (len(whole.prompts), whole.left_out) == (3, 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibration, "TOKENS", whole.tokens - 1)
        assert calibration.material(checkpoint, requests).left_out == 1


def test_too_little_memory_or_disk_is_said_before_the_work_starts(
    small: Path, asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, "calibrate", lambda *_: pytest.fail("work was started"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibration, "machine_bytes", lambda: 1000)
        with pytest.raises(CheckpointError, match=r"calibration needs .* of memory and 1 kB are"):
            convert(small, tmp_path / "out", calibrate=str(asked))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("clef_mlx.convert.folder.SPARE", 10**18)
        with pytest.raises(CheckpointError, match="make room or choose another disk"):
            convert(small, tmp_path / "out", calibrate=str(asked))
    assert list(tmp_path.iterdir()) == []


def filled(release: Path, copy: Path, which: str, value: float) -> Path:
    """A copy whose tensors with ``which`` in their names hold ``value`` alone."""
    shutil.copytree(release, copy)
    for file in copy.glob("*.safetensors"):
        tensors = mx.load(str(file))
        for name in tensors:
            if which in name:
                tensors[name] = mx.full(tensors[name].shape, value, mx.bfloat16)
        mx.save_safetensors(str(file), tensors, {"format": "pt"})
    return copy


@pytest.mark.parametrize("which", ["layers.1.mlp.up_proj.weight", "memory_projection.weight"])
def test_weights_that_are_not_numbers_are_named(
    small: Path, asked: Path, tmp_path: Path, which: str
) -> None:
    source = filled(small, tmp_path / "source", which, mx.nan)
    with pytest.raises(CheckpointError, match=rf"NaN or infinity in \S*{which}"):
        convert(source, tmp_path / "out", calibrate=str(asked))


def test_activations_that_are_not_numbers_name_their_layer(
    small: Path, asked: Path, tmp_path: Path
) -> None:
    """Weights that are finite, and overflow float32 when they are multiplied."""
    source = filled(small, tmp_path / "source", "layers.1.mlp.", 1e20)
    with pytest.raises(
        CheckpointError, match=r"NaN or infinity in what enters backbone\.layers\.1\.mlp"
    ):
        convert(source, tmp_path / "out", calibrate=str(asked))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "gigabytes"), [("clef-flash", 16), ("clef", 32), ("clef-omni", 32)]
)
def test_published_models_fit_common_macs(name: str, gigabytes: int) -> None:
    """Computed: 65,536 tokens, prompts of up to 4,096, weights in bfloat16."""
    needed = calibration_bytes(published_config(name), 65_536, 4096, 2)
    assert needed <= 0.7 * gigabytes * 2**30


def test_a_check_on_the_same_requests_says_so(small: Path, asked: Path, tmp_path: Path) -> None:
    folder = convert(small, tmp_path / "out", calibrate=str(asked), check=str(asked))
    shown = CliRunner().invoke(main, ["info", str(folder)]).stdout
    assert "asked.jsonl, which it was calibrated on" in shown


def test_pictures_are_refused_by_a_model_that_sees_too(tmp_path: Path, dense: Clef) -> None:
    path = tmp_path / "seen.jsonl"
    path.write_text(json.dumps({**bodies(1, 1)[0], "images": ["x.png"]}))
    with pytest.raises(RequestError, match="line 1 has images"):
        convert(GOLDEN / "tiny-dense", tmp_path / "out", calibrate=str(path))
