"""mlx-lm's own text model on the weights of a published release, to compare times with."""

from __future__ import annotations

import importlib
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np

from ..architecture import OMNI, TextConfig
from ..checkpoint import EMBEDDINGS, Checkpoint
from ..errors import CheckpointError
from ..model import Clef
from .latency import alternate, decide
from .prompts import request

SAME_NAME = (
    *("hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads"),
    *("head_dim", "linear_num_key_heads", "linear_num_value_heads", "linear_key_head_dim"),
    *("linear_value_head_dim", "linear_conv_kernel_dim", "rms_norm_eps"),
)
PREFIX = "model.language_model."  # of a published release's text stack


@dataclass(frozen=True)
class Comparison:
    """Seconds of a whole Clef decision and of mlx-lm's text model alone, run by run."""

    tokens: int
    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """The median of each run's own ratio: below 1 Clef is faster."""
        return statistics.median(a / b for a, b in zip(self.ours, self.theirs, strict=True))

    def to_dict(self) -> dict[str, Any]:
        return {
            "tokens": self.tokens,
            "clef_s": statistics.median(self.ours),
            "mlx_lm_s": statistics.median(self.theirs),
            "ratio": self.ratio,
        }


class TextModel:
    """mlx-lm's Qwen3.5 text stack with a release's weights in ``dtype``, without tables.

    Raises ``CheckpointError`` for a folder that is no published release of that kind.
    """

    def __init__(self, checkpoint: Checkpoint, dtype: mx.Dtype) -> None:
        if checkpoint.layout.title != "published release" or checkpoint.config.model_type == OMNI:
            raise CheckpointError(
                f"{checkpoint.name} cannot be compared with mlx-lm: that takes a published release "
                f"of clef-flash's kind, and this is {checkpoint.layout.title} of "
                f"{checkpoint.config.model_type}"
            )
        qwen3_5 = import_module("qwen3_5")
        args = qwen3_5.TextModelArgs.from_dict(_arguments(checkpoint.config.text))
        self._model = qwen3_5.Qwen3_5TextModel(args)
        table = mx.zeros((1, checkpoint.config.text.hidden_size))
        weights = [(name, value.astype(dtype)) for name, value in _weights(checkpoint)]
        self._model.load_weights([*weights, ("embed_tokens.weight", table)])
        mx.eval(self._model.parameters())
        self._embeddings, self._dtype = checkpoint.table(EMBEDDINGS), dtype

    def embed(self, ids: list[int]) -> mx.array:
        """Embedded tokens ``[1, L, D]``, evaluated: reading them is no part of mlx-lm's time."""
        rows = self._embeddings.read(np.array(ids)).astype(self._dtype)[None]
        mx.eval(rows)
        return rows

    def __call__(self, embedded: mx.array) -> mx.array:
        """Hidden states ``[1, L, D]`` after the final norm, evaluated."""
        ids = mx.zeros(embedded.shape[:2], mx.int32)  # not looked at where embeddings are given
        hidden: mx.array = self._model(ids, input_embeddings=embedded)
        mx.eval(hidden)
        return hidden


def compare(
    clef: Clef, model: TextModel, tokens: int, runs: int, done: Callable[[], None]
) -> Comparison:
    """Alternate whole decisions with mlx-lm's text stack alone on the same prompts."""

    def theirs(seed: int) -> float:
        encoded = clef.encode(request(tokens, seed), max_length=tokens, truncate=True)
        embedded = model.embed(encoded.input_ids)
        started = time.perf_counter()
        model(embedded)
        seconds = time.perf_counter() - started
        done()
        return seconds

    pairs = list(alternate(lambda seed: decide(clef, tokens, seed), theirs, runs))
    return Comparison(tokens, *(tuple(column) for column in zip(*pairs, strict=True)))


def _arguments(text: TextConfig) -> dict[str, Any]:
    arguments: dict[str, Any] = {name: getattr(text, name) for name in SAME_NAME}
    if text.moe is not None:
        arguments.update(vars(text.moe))
    return {
        **arguments,
        "model_type": "qwen3_5_text",
        "vocab_size": 1,  # of a table that is never read
        "intermediate_size": text.intermediate_size or 0,
        "full_attention_interval": text.layer_types.index("full_attention") + 1,
        "rope_parameters": {
            "type": "default",
            "mrope_section": list(text.mrope_section),
            "rope_theta": text.rope_theta,
            "partial_rotary_factor": text.rotary_dim / text.head_dim,
        },
    }


def _weights(checkpoint: Checkpoint) -> Iterator[tuple[str, mx.array]]:
    """mlx-lm's names and float32 values, formed from the files and not from our parameters."""
    files: dict[str, Any] = {}
    for spec in checkpoint.specs.values():
        if spec.part != "backbone":
            continue
        path = str(checkpoint.stored(spec.name).path)
        if path not in files:
            files[path] = mx.load(path)
        value = files[path][spec.name].astype(mx.float32)
        name = spec.name.removeprefix(PREFIX)
        stem = name.rpartition("experts.")[0] + "switch_mlp."
        if spec.kind == "norm":
            yield name, 1 + value
        elif spec.kind == "conv":
            yield name, value.swapaxes(1, 2)
        elif name.endswith("experts.gate_up_proj"):
            gate, up = mx.split(value, 2, axis=1)
            yield f"{stem}gate_proj.weight", gate
            yield f"{stem}up_proj.weight", up
        elif name.endswith("experts.down_proj"):
            yield f"{stem}down_proj.weight", value
        else:
            yield name, value


def import_module(name: str) -> Any:
    """One of the modules of ``mlx_lm.models``."""
    with _limits_kept():
        return importlib.import_module(f"mlx_lm.models.{name}")


@contextmanager
def _limits_kept() -> Iterator[None]:
    """mlx-lm lowers the process's limit of open files when imported, for good: not here."""
    lower = resource.setrlimit
    resource.setrlimit = lambda kind, limits: None
    try:
        yield
    finally:
        resource.setrlimit = lower
