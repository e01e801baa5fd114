"""The memory formula against what MLX really takes on this machine's CPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from clef_mlx import Clef, Noul, load
from clef_mlx.memory import BLOCK, decision_bytes, parameter_bytes

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
