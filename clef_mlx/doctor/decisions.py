"""Whole decisions of miniatures with random weights: this device against the CPU."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

from ..answers import Response
from ..architecture import DENSE, MOE, OMNI
from ..backbone import Backbone
from ..checkpoint import EMBEDDINGS, open_checkpoint
from ..errors import ClefError
from ..miniature import write_release
from ..model import load
from .check import Check, Pair, bound_of

TITLES = {DENSE: "dense", MOE: "with experts", OMNI: "as clef-omni"}
BODY: dict[str, Any] = {
    "state": "My card was charged twice for order 8841, please send one back. " * 4,
    "questions": {
        "refund": {"type": "noul", "instructions": "Is money asked back?"},
        "team": {
            "type": "choice",
            "instructions": "Which team?",
            "criteria": {"billing": "charges", "shipping": None, "tech": None},
        },
        "urgency": {"type": "score", "instructions": "How urgent?", "criteria": ["low", "high"]},
    },
}
TOKENS = 150
LENGTHS = (256, 0, 1, 33)  # letters of states; the first is all of it
BLOCKS = (1, 33, 64, 65)  # tokens of a first block


def checks() -> list[Check]:
    """All checks of this module."""
    bound = bound_of("float32")
    made = []
    for kind, title in TITLES.items():
        name = f"a decision on this device and on the CPU, {title}, float32"
        made.append(Check(name, bound, partial(_devices, kind), only_metal=True))
        name = f"a prompt in blocks and merged, {title}, float32"
        made.append(Check(name, bound, partial(_blocks, kind)))
        name = f"decisions on a held state and side by side, {title}, float32"
        made.append(Check(name, bound, partial(_reused, kind)))
    return made


@contextmanager
def _on_cpu() -> Iterator[None]:
    device = mx.default_device()
    mx.set_default_device(mx.cpu)
    try:
        yield
    finally:
        mx.set_default_device(device)


def _devices(kind: str) -> Iterator[Pair]:
    with tempfile.TemporaryDirectory(prefix="clef-mlx-") as folder:
        release = Path(folder) / "miniature"
        write_release(release, model_type=kind)
        fast = _logits(release)
        with _on_cpu():
            plain = _logits(release)
    yield Pair("logits", mx.array(fast), np.array(plain))


def _logits(release: Path) -> list[float]:
    logits = load(release, dtype="float32").logits(BODY)
    return [value for options in logits.values() for value in options.values()]


def _blocks(kind: str) -> Iterator[Pair]:
    with tempfile.TemporaryDirectory(prefix="clef-mlx-") as folder:
        release = Path(folder) / "miniature"
        write_release(release, model_type=kind)
        checkpoint = open_checkpoint(release)
        backbone = Backbone(checkpoint.config.text)
        checkpoint.fill(backbone, "backbone", mx.float32, expand=True)
        ids = np.random.default_rng(0).integers(0, 256, TOKENS)
        x = checkpoint.table(EMBEDDINGS).read(ids).astype(mx.float32)[None]
    whole = np.array(backbone(x)[0])
    backbone.merge()
    for cut in BLOCKS:
        first, state = backbone(x[:, :cut])
        second, _ = backbone(x[:, cut:], state)
        yield Pair(f"cut at {cut}", mx.concatenate([first, second], axis=1), whole)


def _reused(kind: str) -> Iterator[Pair]:
    with tempfile.TemporaryDirectory(prefix="clef-mlx-") as folder:
        release = Path(folder) / "miniature"
        write_release(release, model_type=kind)
        clef = load(release, dtype="float32", state_cache_bytes=0)
        bodies = [{**BODY, "state": BODY["state"][:length]} for length in LENGTHS]
        alone = [_probabilities(clef.respond(body)) for body in bodies]
        with clef.state(BODY["state"]) as state:
            held = _probabilities(state.decide(BODY["questions"]))
        together = clef.decide_many(bodies)
    yield Pair("held", mx.array(held), np.array(alone[0]))
    for length, answer, plain in zip(LENGTHS, together, alone, strict=True):
        if isinstance(answer, ClefError):
            raise RuntimeError(str(answer))
        found = mx.array(_probabilities(answer))
        yield Pair(f"{length} letters beside others", found, np.array(plain))


def _probabilities(response: Response) -> list[float]:
    return [p for answer in response.answers.values() for p in answer.probabilities.values()]
