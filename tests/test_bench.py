"""What the benchmark counts and times, on miniatures; that its gates can fail."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from click.testing import CliRunner, Result
from conftest import GOLDEN

from clef_mlx import Clef, EncodedRequest, RequestError, load
from clef_mlx.bench import mlx_lm, prompts, soak
from clef_mlx.bench.graph import SCHEMAS, backbone_graph, graph_size, head_graph
from clef_mlx.bench.latency import Latency, alternate, cold, warm
from clef_mlx.bench.mlx_lm import Comparison
from clef_mlx.bench.prompts import QUESTIONS, fitting_state, request, schema
from clef_mlx.bench.recurrence import Recurrence, recurrence
from clef_mlx.bench.reuse import Reuse, reuse
from clef_mlx.bench.soak import Soak
from clef_mlx.cli import main
from clef_mlx.head import JointHead
from clef_mlx.machine import own_bytes
from clef_mlx.prefill import Prefill

DENSE, MB = GOLDEN / "tiny-dense", 1 << 20


@pytest.fixture(scope="module")
def clef(miniature: Callable[..., Path]) -> Clef:
    """Its tokens are bytes, so that the questions alone take 490."""
    return load(miniature(), dtype="float32")


def bench(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", *arguments], env={"CLEF_MODEL": ""})


@pytest.mark.parametrize("tokens", [490, 491, 600, 777])
def test_prompts_have_the_length_asked_for(clef: Clef, tokens: int) -> None:
    first, second = (
        clef.encode(request(tokens, seed), max_length=tokens, truncate=True) for seed in (0, 1)
    )
    assert len(first.input_ids) == len(second.input_ids) == tokens
    assert tokens == 490 or first.input_ids != second.input_ids


def test_cold_times_every_run_but_the_first(clef: Clef) -> None:
    done: list[bool] = []
    got = cold(clef, 500, 2, lambda: done.append(True))
    assert len(done) == 3
    assert (got.tokens, len(got.seconds)) == (500, 2) and min(got.seconds) > 0
    weights = mx.get_active_memory()
    assert weights < got.peak_bytes < weights + 100 * MB
    with pytest.raises(RequestError, match=r"schema requires 490 tokens .* maximum is 400"):
        cold(clef, 400, 1, lambda: None)


@pytest.mark.parametrize("tokens", [490, 493, 600])
def test_a_fitting_state_is_the_longest_in_whole_words(clef: Clef, tokens: int) -> None:
    state = fitting_state(clef, tokens, 0)
    words = request(tokens, 0)["state"].split()
    assert state.split() == words[: len(state.split())]
    longer = " ".join(words[: len(state.split()) + 1])
    sizes = [
        len(clef.encode({"state": text, "questions": QUESTIONS}).input_ids)
        for text in (state, longer)
    ]
    assert sizes[0] <= tokens < sizes[1]


def test_warm_times_the_questions_alone(clef: Clef) -> None:
    done: list[bool] = []
    got = warm(clef, 600, 2, lambda: done.append(True))
    whole = clef.encode({"state": "", "questions": QUESTIONS})
    assert got.schema_tokens == len(whole.input_ids) - whole.schema_start
    assert len(done) == 3 and len(got.seconds) == 2 and min(got.seconds) > 0


def test_figures_follow_from_the_times() -> None:
    got = Latency(200, tuple(float(n) for n in range(1, 22)), 0)
    assert (got.median, got.p95, got.tokens_per_second) == (11, 20, 200 / 11)
    # The median of the runs' own ratios, not the ratio of medians: 0.5 here, not 1.
    assert Comparison(1, (1, 2, 30), (2, 4, 3)).ratio == 0.5
    assert Comparison(1, (1, 2, 30), (2, 4, 3)).to_dict()["clef_s"] == 2


def test_schemas_have_the_length_asked_for_and_differ(clef: Clef) -> None:
    schemas = [schema(clef, tokens, seed) for tokens, seed in ((1, 0), (1500, 0), (1500, 1))]
    sizes = [len(s.input_ids) - s.schema_start for s in map(encode(clef), schemas)]
    assert len(schemas[0]) == 1 and min(sizes[1:]) >= 1500
    schemas[1].popitem()
    assert len(schemas[1]) == len(schemas[2]) - 1
    shorter = encode(clef)(schemas[1])
    assert len(shorter.input_ids) - shorter.schema_start < 1500
    assert schemas[1]["q0"] != schemas[2]["q0"]


def encode(clef: Clef) -> Callable[[dict[str, Any]], EncodedRequest]:
    return lambda questions: clef.encode({"state": "", "questions": questions})


def test_reuse_reads_the_state_once_where_it_is_held(
    clef: Clef, monkeypatch: pytest.MonkeyPatch
) -> None:
    clef = load(clef.checkpoint.folder, dtype="float32", state_cache_bytes=0)
    tokens: list[int] = []
    whole, together = Prefill._block, Prefill.read_together

    def block(self: Prefill, encoded: EncodedRequest, features: Any, part: slice) -> Any:
        tokens.append(part.stop - part.start)
        return whole(self, encoded, features, part)

    def side_by_side(self: Prefill, prompts: Any, kept: Any, shared: int) -> Any:
        tokens.extend(len(prompt.input_ids) - shared for prompt in prompts)
        return together(self, prompts, kept, shared)

    monkeypatch.setattr(Prefill, "_block", block)
    monkeypatch.setattr(Prefill, "read_together", side_by_side)
    sums: list[int] = []

    def done() -> None:
        sums.append(sum(tokens))
        tokens.clear()

    got = reuse(clef, 1_200, 3, 1, done)
    assert len(sums) == 6 and min(*got.cold, *got.held, *got.together) > 0
    cold, held, side = sums[3:]
    assert cold - held == cold - side == 2 * got.state_tokens
    assert got.schemas == 3 and 1_200 - 10 < got.state_tokens + got.schema_tokens <= 1_200
    three = Reuse(1, 1, 3, (4.0, 9.0, 1.0), (2.0, 3.0, 1.0), (1.0, 9.0, 1.0)).to_dict()
    assert (three["cold_s"], three["held_times"], three["together_times"]) == (4, 2, 1)


def test_recurrence_is_timed_on_the_heads_of_the_model(clef: Clef) -> None:
    done: list[bool] = []
    got = recurrence(clef.checkpoint.config.text, 70, 2, lambda: done.append(True))
    assert len(done) == 3 and len(got.ours) == len(got.theirs) == 2
    assert 0 < got.largest_difference < 1e-5  # float32 beside float32; measured 4e-7
    assert Recurrence((1, 2), (4, 4), 0).to_dict()["recurrence_ratio"] == 0.375


def test_engines_take_turns_and_warm_up() -> None:
    order: list[tuple[str, int]] = []

    def engine(name: str) -> Callable[[int], float]:
        return lambda run: order.append((name, run)) or float(run)  # type: ignore[func-returns-value]

    assert list(alternate(engine("a"), engine("b"), 2)) == [(1.0, 1.0), (2.0, 2.0)]
    assert order == [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2), ("b", 2)]


def test_graph_counts_operations_once_and_no_results() -> None:
    x = mx.ones((3,))
    mx.eval(x)
    assert graph_size(x) == 0
    y = mx.sin(x)
    assert graph_size(mx.exp(y) + y) == 3
    assert graph_size(mx.exp(y), mx.cos(y)) == 3


def test_graph_does_not_grow_with_options_or_questions(
    clef: Clef, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = [head_graph(clef, *schema).operations for schema in SCHEMAS]
    # 2, 77 and 255 options, 64 questions: attention from many has a form of fewer operations.
    assert sizes[0] >= sizes[1] == sizes[2] > 0.9 * sizes[0]
    assert sizes[3] <= sizes[0]
    assert backbone_graph(clef, 100) < backbone_graph(clef, 1_000)
    score = JointHead._score

    def one_by_one(self: JointHead, *given: mx.array) -> mx.array:
        rows = range(given[0].shape[0])
        return mx.concatenate([score(self, *(x[i : i + 1] for x in given)) for i in rows])

    monkeypatch.setattr(JointHead, "_score", one_by_one)
    assert head_graph(clef, 1, 77).operations > sizes[1] + 500


def test_own_memory_grows_with_what_is_held_and_not_with_files(tmp_path: Path) -> None:
    before = own_bytes()
    held = np.ones(8 * MB)  # 64 MB
    assert own_bytes() - before > 60 * MB
    del held
    file = tmp_path / "file"
    file.write_bytes(bytes(64 * MB))
    before = own_bytes()
    mapped = np.memmap(file, mode="r")
    assert mapped.sum() == 0
    assert own_bytes() - before < 30 * MB


@pytest.mark.parametrize(
    ("settled", "end", "flat"),
    [
        (100 * MB, 116 * MB, True),
        (100 * MB, 117 * MB, False),
        (1000 * MB, 1050 * MB, True),
        (1000 * MB, 1051 * MB, False),
    ],
)
def test_growth_allowed_is_a_share_or_a_floor(settled: int, end: int, flat: bool) -> None:
    assert Soak(100, 1, 100, settled, end).is_flat == flat


@pytest.mark.parametrize("leak", [0, 16 * MB])
def test_soak_finds_a_leak(clef: Clef, monkeypatch: pytest.MonkeyPatch, leak: int) -> None:
    lengths: list[int] = []
    kept: list[np.ndarray] = []
    real = soak.decide

    def leaky(clef: Clef, tokens: int, seed: int) -> float:
        lengths.append(tokens)
        kept.append(np.ones(leak, dtype=np.uint8))
        return real(clef, tokens, seed)

    monkeypatch.setattr(soak, "decide", leaky)
    monkeypatch.setattr(soak, "SETTLED", 2)
    got = soak.soak(clef, 5, lambda: None)
    assert sorted(lengths) == list(range(491, 496)) and lengths != sorted(lengths)
    assert (got.shortest, got.longest) == (491, 495)
    assert got.is_flat == (leak == 0), f"{got.growth:,} bytes"


@pytest.fixture
def small_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "SHAPE", {})
    monkeypatch.setattr(prompts, "HEAD", {})


@pytest.mark.usefixtures("small_shape")
def test_command_times_a_release_of_its_own() -> None:
    result = bench("--lengths", "500,600", "--runs", "1", "--dtype", "float32")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert f"MLX {mx.__version__}" in lines[0] and lines[1].startswith("random-weights, float32")
    assert [line.split()[0] for line in lines[-2:]] == ["500", "600"]
    result = bench("--lengths", "500", "--runs", "2", "--json")
    body = json.loads(result.stdout)
    (row,) = body["rows"]
    assert row["tokens"] == 500 and 0 < row["median_s"] <= row["p95_s"]
    assert 0 < row["schema_tokens"] < 490 and 0 < row["warm_median_s"] <= row["warm_p95_s"]
    assert row["tokens_per_s"] == pytest.approx(500 / row["median_s"])
    assert body["load_s"] > 0 and body["machine"]["packages"]["mlx"] == mx.__version__


@pytest.mark.usefixtures("small_shape")
def test_command_compares_ways_to_ask_one_state() -> None:
    result = bench("--reuse", "--lengths", "600", "--runs", "1", "--dtype", "float32", "--json")
    (row,) = json.loads(result.stdout)["rows"]
    assert row["schemas"] == 10 and 590 < row["state_tokens"] + row["schema_tokens"] <= 600
    assert 200 <= row["schema_tokens"] < 300 and row["held_times"] > 1


def test_command_counts_the_graph_of_a_model() -> None:
    result = bench(str(DENSE), "--graph", "--json")
    rows = json.loads(result.stdout)["rows"]
    assert [(row["questions"], row["options"]) for row in rows] == list(SCHEMAS)
    assert rows[0]["head_operations"] >= rows[2]["head_operations"] > 0
    assert rows[0]["backbone_operations"] > 0


def test_command_fails_where_memory_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    grown: Iterator[int] = iter((100 * MB, 200 * MB, 100 * MB, 101 * MB))
    monkeypatch.setattr(soak, "decide", lambda *given: 0.0)
    monkeypatch.setattr(soak, "own_bytes", lambda: next(grown))
    result = bench(str(DENSE), "--soak")  # 1,000 requests
    assert result.exit_code == 1 and "1,000" in result.stdout and " NO" in result.stdout
    result = bench(str(DENSE), "--soak", "51", "--json")
    assert result.exit_code == 0 and json.loads(result.stdout)["rows"][0]["flat"] is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--lengths", "1k"), "'1k' is no list such as 1024,4096"),
        (("--lengths", "0"), "0 is no number of tokens"),
        (("--runs", "0"), "0 is not in the range x>=1"),
        (("--soak", "50"), "50 is not in the range x>=51"),
        (("--graph", "--soak", "60"), "give one of --against, --reuse, --graph and --soak"),
        (("--reuse", "1"), "1 is not in the range x>=2"),
        (("--against", "torch"), "'torch' is not 'mlx-lm'"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], message: str) -> None:
    result = bench(str(DENSE), *arguments)
    assert result.exit_code == 2 and message in result.stderr


@pytest.mark.parametrize("folder", ["tiny-omni", "tiny-dense-mlx4"])
def test_only_a_published_release_is_compared_with_mlx_lm(folder: str) -> None:
    result = bench(str(GOLDEN / folder), "--against", "mlx-lm")
    assert result.exit_code == 1
    assert "cannot be compared with mlx-lm: that takes a published release" in result.stderr


def test_no_import_may_lower_the_limit_of_open_files() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with mlx_lm._limits_kept():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, before[1]))
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[0] - 1, before[1]))  # works again
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == before[0] - 1
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


AGREEMENT = """
import json, resource, sys
import mlx.core as mx
from clef_mlx import load
from clef_mlx.bench.mlx_lm import TextModel, compare

limits = resource.getrlimit(resource.RLIMIT_NOFILE)
clef = load(sys.argv[1], dtype="float32")
model = TextModel(clef.checkpoint, mx.float32)
embedded = model.embed([7 * i % 256 for i in range(130)])
hidden, _ = clef._backbone(embedded)
result = compare(clef, model, 500, 2, lambda: None)
print(json.dumps({
    "limits_kept": limits == resource.getrlimit(resource.RLIMIT_NOFILE),
    "difference": mx.abs(model(embedded) - hidden).max().item(),
    "runs": [len(result.ours), len(result.theirs)],
    "ratio": result.ratio,
}))
"""
AGREEMENT_ATOL = 2e-3  # float32, random weights, hidden states around 1; 3e-5, experts 6e-4


@pytest.mark.slow
@pytest.mark.parametrize("model_type", ["qwen3_5", "qwen3_5_moe"])
def test_mlx_lm_computes_the_same_and_changes_no_limit(
    miniature: Callable[..., Path], model_type: str
) -> None:
    """Also a contract for the mlx-lm pin. In a process of its own: it loads transformers."""
    arguments = [sys.executable, "-c", AGREEMENT, str(miniature(model_type=model_type))]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    got: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert got["limits_kept"] and got["runs"] == [2, 2] and got["ratio"] > 0
    assert got["difference"] < AGREEMENT_ATOL
