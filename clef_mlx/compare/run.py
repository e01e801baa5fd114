"""Two models answer the same requests, one after the other; figures, speed and memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import mlx.core as mx
import numpy as np

from ..checkpoint import Checkpoint
from ..errors import ClefError, RequestError
from ..model import Clef
from ..request_files import RequestSet
from .figures import NEAR_TIE, Answered, Figures, figures
from .fit import encode_all


@dataclass(frozen=True)
class Run:
    """One model's answers, and what they cost on this machine."""

    model: str
    answers: tuple[Answered, ...]
    tokens: int
    seconds: float  # for all requests, after a first one that is not counted
    peak_bytes: int  # of MLX's memory, weights included
    disk_bytes: int  # of the tensors

    def costs(self) -> dict[str, Any]:
        """Plain JSON; differs from run to run."""
        return {
            "model": self.model,
            "disk_bytes": self.disk_bytes,
            "peak_bytes": self.peak_bytes,
            "seconds": self.seconds,
            "tokens": self.tokens,
        }


@dataclass(frozen=True)
class Comparison:
    """A reference and a candidate on one set of requests."""

    requests: RequestSet
    figures: Figures
    reference: Run
    candidate: Run
    dtype: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "set": self.requests.name,
            "sha256": self.requests.sha256,
            "dtype": self.dtype,
            "figures": self.figures.to_dict(),
            "reference": self.reference.costs(),
            "candidate": self.candidate.costs(),
        }


Progress = Callable[[str, int], None]  # model and requests answered


def compare(
    reference: Checkpoint,
    candidate: Checkpoint,
    requests: RequestSet,
    *,
    dtype: str | None = None,
    near_tie: float = NEAR_TIE,
    progress: Progress | None = None,
) -> Comparison:
    """Answer ``requests`` with both, never holding both in memory.

    Raises ``RequestError``, with the request's place, for one that a model refuses.
    """
    for checkpoint in (reference, candidate):
        encode_all(checkpoint, requests)
    told = progress or (lambda model, done: None)
    runs = [run(checkpoint, requests, dtype, told) for checkpoint in (reference, candidate)]
    found = figures(runs[0].answers, runs[1].answers, near_tie)
    used = dtype or ("bfloat16" if mx.default_device() == mx.gpu else "float32")
    return Comparison(requests, found, runs[0], runs[1], used)


def run(checkpoint: Checkpoint, requests: RequestSet, dtype: str | None, progress: Progress) -> Run:
    """Load a model, answer every request, forget the model."""
    mx.clear_cache()
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    clef = Clef(checkpoint, dtype, state_cache_bytes=0)
    answer(clef, replace(requests, requests=requests.requests[:1]))  # warms up
    began = time.perf_counter()
    answers = answer(clef, requests, lambda done: progress(checkpoint.name, done))
    seconds = time.perf_counter() - began
    tokens = sum(len(clef.encode(request).input_ids) for request in requests.requests)
    return Run(
        model=checkpoint.name,
        answers=tuple(answers),
        tokens=tokens,
        seconds=seconds,
        peak_bytes=mx.get_peak_memory() - before,
        disk_bytes=sum(checkpoint.disk_bytes(spec) for spec in checkpoint.specs.values()),
    )


def answer(
    clef: Clef, requests: RequestSet, progress: Callable[[int], None] | None = None
) -> list[Answered]:
    """Every question of ``requests``, in order.

    Raises ``RequestError`` for a request that the model refuses and ``ClefError`` for logits that
    are not finite, both with the request's place.
    """
    found = []
    for number, (place, request) in enumerate(
        zip(requests.places, requests.requests, strict=False)
    ):
        try:
            logits = clef.logits(request)
        except RequestError as error:
            raise RequestError(f"{place}: {error}", error.param) from None
        for question in request.questions:
            values = _finite(clef, place, question.id, logits[question.id])
            found.append(Answered(number, question.type, values))
        if progress is not None:
            progress(number + 1)
    return found


def _finite(clef: Clef, place: str, id: str, logits: Mapping[str, float]) -> np.ndarray:
    values = np.array(list(logits.values()), dtype=np.float64)
    if not np.isfinite(values).all():
        raise ClefError(
            f"{place}, question {id!r}: {clef.checkpoint.name} computed a logit that is not finite"
        )
    return values
