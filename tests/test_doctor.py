"""The doctor finds a path that is off, and every one of its checks can fail."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from click.testing import CliRunner

from clef_mlx import Clef, RequestError, doctor
from clef_mlx.architecture import DENSE
from clef_mlx.cli import main
from clef_mlx.doctor import decisions, elementwise, products, sequences
from clef_mlx.doctor.check import Check, Pair, bound_of, run
from clef_mlx.packing import Packing
from clef_mlx.published import NAMES

FLOAT32 = bound_of("float32")  # the doctor's own: 1e-4 on a CPU; measured there at most 2e-5
PACKED = Packing(4, 64)
LONG_ROWS = 32_801


def check(pairs: Callable[..., Iterator[Pair]], *arguments: Any) -> Check:
    return Check("a path", FLOAT32, partial(pairs, *arguments))


# Small twins of the doctor's checks: the same code, fewer numbers.
DELTA = check(sequences._delta, sequences._chunks, (1, 2), 32, (1, 150), "float32")
KERNEL = check(sequences._delta, sequences._kernel, (1, 2), 32, (1, 150), "float32")
ATTENTION = check(sequences._attention, [(2, 32)], ((3, 77),), "float32")
ROTARY = Check("a path", 1e-2, partial(sequences._rotary, "clef-flash", "float32"))
NORMS = check(elementwise._norms, ((33, 64),), "float32")
GATES = check(elementwise._gates, (3, 50), "float32")
CONVOLUTION = check(elementwise._convolution, 4, 16, "float32")
LINEAR = check(products._packed, [(128, 48)], PACKED, "float32")
PLAIN = check(products._packed, [(128, 48)], None, "float32")
EXPERTS = check(products._gathered, [(8, 16, 64)], PACKED, "float32")
PLAIN_EXPERTS = check(products._gathered, [(8, 16, 64)], None, "float32")
MANY = check(products._packed, [(32, 8)], Packing(4, 32), "float32", (LONG_ROWS,))
MANY_ROUTED = check(products._gathered, [(5, 8, 32)], None, "float32", (LONG_ROWS,))
MANY_PACKED = check(products._gathered, [(5, 8, 32)], Packing(4, 32), "float32", (LONG_ROWS,))
WIDTHS = check(products._widths, "float32")
BLOCKS = check(decisions._blocks, DENSE)
REUSED = check(decisions._reused, DENSE)
DEVICES = check(decisions._devices, DENSE)

Twisted = Callable[..., mx.array]


def rounded_decay(real: Twisted, q: Any, k: Any, v: Any, log_decay: mx.array, *rest: Any) -> Any:
    """What ``mx.fast.gated_delta_update`` does in bfloat16: a decay of 0.999 becomes 1."""
    decay = mx.exp(log_decay).astype(mx.bfloat16).astype(mx.float32)
    return real(q, k, v, mx.log(decay), *rest)


def without_mask(real: Twisted, *arrays: mx.array, mask: str, **named: Any) -> mx.array:
    return real(*arrays, mask=None, **named)


def without_offset(real: Twisted, *given: Any, offset: int, **named: Any) -> mx.array:
    return real(*given, offset=0, **named)


def epsilon_of_the_sum(real: Twisted, x: mx.array, weight: Any, eps: float) -> mx.array:
    return real(x, weight, eps * x.shape[-1])


def without_gate(real: Twisted, gate: mx.array, x: mx.array) -> mx.array:
    return real(mx.zeros_like(gate), x)


def one_token_late(real: Twisted, self: Any, x: mx.array) -> mx.array:
    return real(self, mx.roll(x, 1, axis=1))


def last_row_lost(real: Twisted, x: mx.array, *given: Any, **named: Any) -> mx.array:
    y = real(x, *given, **named)
    y[-1] = 0
    return y


def late_rows_wrap(real: Twisted, x: mx.array, *given: Any, **named: Any) -> mx.array:
    y = real(x, *given, **named)
    return y if y.shape[0] <= 2**15 else mx.concatenate([y[: 2**15], y[: y.shape[0] - 2**15]])


def next_expert(real: Twisted, *given: Any, rhs_indices: mx.array, **named: Any) -> mx.array:
    return real(*given, rhs_indices=(rhs_indices + 1) % 5, **named)


FAULTS = [
    (DELTA, sequences, "gated_delta_chunked", rounded_decay),
    (KERNEL, sequences, "gated_delta", rounded_decay),
    (ATTENTION, mx.fast, "scaled_dot_product_attention", without_mask),
    (ROTARY, mx.fast, "rope", without_offset),
    (NORMS, mx.fast, "rms_norm", epsilon_of_the_sum),
    (GATES, elementwise, "sigmoid_times", without_gate),
    (GATES, elementwise, "silu_times", without_gate),
    (CONVOLUTION, elementwise.DepthwiseConv, "__call__", one_token_late),
    (LINEAR, mx, "quantized_matmul", last_row_lost),
    (WIDTHS, mx, "quantized_matmul", last_row_lost),
    (MANY, mx, "quantized_matmul", late_rows_wrap),
    (MANY_ROUTED, mx, "gather_mm", late_rows_wrap),
    (MANY_PACKED, mx, "gather_qmm", late_rows_wrap),
    (EXPERTS, mx, "gather_qmm", next_expert),
    (PLAIN_EXPERTS, mx, "gather_mm", next_expert),
]


@pytest.mark.parametrize(
    ("small", "home", "name", "fault"), FAULTS, ids=[f"{f[2]}-{f[3].__name__}" for f in FAULTS]
)
def test_a_wrong_path_is_found(
    monkeypatch: pytest.MonkeyPatch, small: Check, home: Any, name: str, fault: Any
) -> None:
    assert run(small).agrees
    real = getattr(home, name)
    monkeypatch.setattr(home, name, lambda *given, **named: fault(real, *given, **named))
    found = run(small)
    assert found.ran and not found.agrees and found.case


def test_a_plain_product_that_is_off_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(PLAIN).agrees
    multiply = products.Linear.__call__
    monkeypatch.setattr(products.Linear, "__call__", lambda *given: multiply(*given) * 1.001)
    assert run(PLAIN).difference == pytest.approx(1e-3, rel=1e-2)


def test_a_state_that_is_lost_between_blocks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(BLOCKS).agrees
    forward = decisions.Backbone.__call__
    monkeypatch.setattr(
        decisions.Backbone, "__call__", lambda self, x, state=None: forward(self, x)
    )
    assert not run(BLOCKS).agrees


def test_a_state_that_another_left_behind_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "LENGTHS", (8, 0))
    body = {"state": "Refunded", "questions": {"q": {"type": "noul", "instructions": "Paid?"}}}
    monkeypatch.setattr(decisions, "BODY", body)
    assert run(REUSED).agrees
    hold, together = Clef.state, Clef.decide_many
    monkeypatch.setattr(Clef, "state", lambda self, state: hold(self, state[1:]))
    assert run(REUSED).case == "held" and not run(REUSED).agrees
    monkeypatch.setattr(Clef, "state", hold)
    monkeypatch.setattr(Clef, "decide_many", lambda *given: together(*given)[::-1])
    assert not run(REUSED).agrees
    refusal = [RequestError("too long", "state")]
    monkeypatch.setattr(Clef, "decide_many", lambda *given: refusal * len(decisions.LENGTHS))
    assert run(REUSED).error == "too long"


def test_a_device_that_decides_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(DEVICES).agrees
    given = iter(([1.0, 2.0], [1.0, 2.01]))
    monkeypatch.setattr(decisions, "_logits", lambda release: next(given))
    assert run(DEVICES).difference == pytest.approx(0.01 / 2.01)


def test_no_number_and_no_answer_disagree() -> None:
    def nothing() -> Iterator[Pair]:
        yield Pair("one", mx.array([1.0, float("nan")]), np.ones(2))

    def refused() -> Iterator[Pair]:
        yield Pair("one", mx.array([1.0, 1.0]), np.ones(2))
        raise RuntimeError("Unable to load kernel affine_qmm")

    found = run(check(nothing))
    assert (found.difference, found.agrees, found.case) == (inf, False, "one")
    found = run(check(refused))
    assert (found.agrees, found.error) == (False, "Unable to load kernel affine_qmm")
    assert found.to_dict()["difference"] is None


def test_checks_cover_what_the_releases_hold() -> None:
    assert sequences.delta_shapes() == [((16, 32), 128), ((16, 48), 128)]
    assert sequences.attention_shapes() == {
        (4, 256): ["clef-flash"],
        (6, 256): ["clef"],
        (8, 128): ["clef-omni"],
    }
    # Queries with gates, keys, values; DeltaNet's q, k, v and z; the MLP's gate and up; the head's.
    flash = {(4096, 8192 + 2 * 1024), (4096, 8192 + 4096), (4096, 2 * 12_288), (12_288, 4096)}
    assert flash | {(4096, 1024), (1024, 4096)} <= set(products.linear_shapes("clef-flash"))
    assert (2048, 4096 + 2 * 512) in products.linear_shapes("clef-omni")
    assert products.expert_shapes() == [(128, 1536, 2048), (128, 2048, 768)]
    made = doctor.all_checks()
    assert len({one.name for one in made}) == len(made)
    assert all("Metal" in one.name or "this device" in one.name for one in made if one.only_metal)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command with a handful of small checks in place of all."""
    kernel = next(made for made in doctor.all_checks() if made.only_metal)
    monkeypatch.setattr(doctor, "all_checks", lambda: [DELTA, LINEAR, kernel])


@pytest.mark.usefixtures("few")
def test_command_says_what_it_found() -> None:
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exit_code == 0, result.output
    lines = result.stdout.rstrip().splitlines()
    assert f"mlx {mx.__version__}" in lines[2]
    assert sum(line.split()[-1] == "agrees" for line in lines if line) == 2
    assert lines[-1].startswith("This machine computes Clef correctly")


@pytest.mark.usefixtures("few")
def test_command_fails_where_a_path_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    real = sequences.gated_delta_chunked
    monkeypatch.setattr(sequences, "gated_delta_chunked", partial(rounded_decay, real))
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exit_code == 1
    assert "DISAGREES" in result.stdout and "does NOT compute Clef correctly: 1 of" in result.stdout
    result = CliRunner().invoke(main, ["doctor", "--json"])
    body = json.loads(result.stdout)
    assert (result.exit_code, body["correct"]) == (1, False)
    assert [path["agrees"] for path in body["paths"]] == [False, True, True]
    assert [path["ran"] for path in body["paths"]][:2] == [True, True]
    assert set(body["fits"]) == set(NAMES) and body["machine"]["packages"]["mlx"] == mx.__version__


@pytest.mark.slow
def test_this_machine_computes_clef_correctly() -> None:
    """Every check at its full size: about half a minute of two cores."""
    wrong = [finding for finding in map(run, doctor.all_checks()) if not finding.agrees]
    assert not wrong
