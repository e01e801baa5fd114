"""The memory formula against what MLX really takes on this machine's CPU."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from clef_mlx import Clef, Noul, RequestError, load
from clef_mlx.memory import BLOCK, check_room, decision_bytes, parameter_bytes

TEXT = {
    "hidden_size": 256,
    "intermediate_size": 768,
    "num_hidden_layers": 4,
    "head_dim": 64,
    "num_attention_heads": 8,
    "linear_num_value_heads": 8,
    "linear_num_key_heads": 4,
    "linear_key_head_dim": 64,
    "linear_value_head_dim": 64,
}


def peak_of(clef: Clef, words: int) -> tuple[int, int]:
    """Tokens of a decision, and the bytes it took beside the parameters."""
    request = {"state": "word " * words, "questions": {"q": Noul("Is it long?")}}
    tokens = len(clef.encode(request).input_ids)
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    clef.logits(request)
    return tokens, mx.get_peak_memory() - before


@pytest.mark.slow
@pytest.mark.parametrize("words", [10, 300, 900])
def test_estimate_holds_and_is_not_wasteful(miniature: Callable[..., Path], words: int) -> None:
    clef = load(miniature(text=TEXT), dtype="float32")
    tokens, peak = peak_of(clef, words)
    estimate = decision_bytes(clef.checkpoint.config, tokens, 4)
    assert peak <= estimate <= 4 * peak, f"{tokens} tokens: {peak:,} of {estimate:,} estimated"


def test_parameters_take_what_is_said(dense: Clef) -> None:
    specs = [s for s in dense.checkpoint.specs.values() if s.part in ("backbone", "head")]
    held = sum(
        array.nbytes
        for part in ("backbone", "head")
        for array in dense.checkpoint.parameters(part, mx.float32, expand=True).values()
    )
    assert parameter_bytes(specs, 4) == held


def test_long_prompts_grow_with_what_is_kept_not_with_the_square(dense: Clef) -> None:
    config = dense.checkpoint.config
    sizes = [decision_bytes(config, n * BLOCK, 2) for n in (4, 8, 16)]
    assert np.diff(sizes)[1] <= 2.1 * np.diff(sizes)[0]


def test_a_request_without_room_is_refused_with_the_numbers(
    miniature: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what is said to fit does fit; kept states make room first."""
    clef = load(miniature(), dtype="float32")
    config = clef.checkpoint.config
    question = {"q": Noul("Is it long?")}
    clef.decide("a short state " * 20, question)
    assert clef._prefill.cache.nbytes > 0
    room = decision_bytes(config, 1_000, 4)
    monkeypatch.setattr("clef_mlx.memory.device_bytes", lambda: mx.get_active_memory() + room)
    with pytest.raises(RequestError) as refused:
        clef.decide("word " * 3_000, question)
    assert refused.value.param == "state"
    assert clef._prefill.cache.nbytes == 0
    told = re.fullmatch(
        r"the request's ([\d,]+) tokens need about [\d.,]+ [MG]B of memory, and .* of the .* that "
        r"this machine allows are free: about ([\d,]+) tokens would fit",
        str(refused.value),
    )
    assert told is not None
    asked, fitting = (int(number.replace(",", "")) for number in told.groups())
    assert asked == len(clef.encode({"state": "word " * 3_000, "questions": question}).input_ids)
    # What MLX holds may differ by the head's few rows between the two looks.
    assert 900 <= fitting <= 1_100
    assert decision_bytes(config, fitting, 4) <= 1.1 * room
    clef.decide("word " * 20, question)


def test_the_last_tokens_that_fit_are_found(dense: Clef, monkeypatch: pytest.MonkeyPatch) -> None:
    config = dense.checkpoint.config
    monkeypatch.setattr("clef_mlx.memory.device_bytes", lambda: 10**9)
    monkeypatch.setattr(mx, "get_active_memory", lambda: 10**9 - decision_bytes(config, 500, 4))
    check_room(config, 500, 4)
    with pytest.raises(RequestError, match="about 500 tokens would fit"):
        check_room(config, 501, 4)
    with pytest.raises(RequestError, match="about 500 tokens would fit"):
        check_room(config, 60_000, 4)
