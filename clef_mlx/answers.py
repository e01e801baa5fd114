"""Logits of the allowed options to answers: probabilities, confidence, the System One body."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .errors import ClefError, RequestError
from .json_text import Json
from .request import Question, Request

DECIMALS = 4  # on the wire, as the reference rounds; Python answers are not rounded


@dataclass(frozen=True)
class NoulAnswer:
    """``noul`` is the probability of yes, 0 to 1."""

    noul: float
    probabilities: Mapping[str, float]  # "true" and "false"; not on the wire
    type: str = "noul"
    near_tie: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {"type": self.type, "noul": round(self.noul, DECIMALS)}


@dataclass(frozen=True)
class ChoiceAnswer:
    """``choice`` is the most probable option; of equals, the first in request order."""

    choice: str
    confidence: float
    probabilities: Mapping[str, float]  # in request order
    type: str = "choice"
    near_tie: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "type": self.type,
            "choice": self.choice,
            "confidence": round(self.confidence, DECIMALS),
            "probabilities": _rounded(self.probabilities),
        }


@dataclass(frozen=True)
class ScoreAnswer:
    """``score`` is the expected level, 0 to the number of levels less one."""

    score: float
    confidence: float
    legend: Mapping[str, Json]  # level number as text to the level as given
    probabilities: Mapping[str, float]  # by level number as text
    type: str = "score"
    near_tie: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "type": self.type,
            "score": round(self.score, DECIMALS),
            "confidence": round(self.confidence, DECIMALS),
            "legend": dict(self.legend),
            "probabilities": _rounded(self.probabilities),
        }


Answer = NoulAnswer | ChoiceAnswer | ScoreAnswer


@dataclass(frozen=True)
class Response:
    """Answers by question id, in request order. ``response["team"].choice`` reads one.

    An answer is a ``near_tie`` if its two best options are closer than a measured quantized model
    drifts from its release: the release may have answered otherwise.
    """

    model: str
    answers: Mapping[str, Answer]
    usage: Mapping[str, int]
    warnings: tuple[str, ...] = field(default=())
    truncated_tokens: int = 0

    def __getitem__(self, question_id: str) -> Any:
        return self.answers[question_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self.answers)

    def __len__(self) -> int:
        return len(self.answers)

    def to_dict(self, near_ties: bool = False, cached_tokens: bool = False) -> dict[str, Any]:
        """The System One body: floats rounded to 4 decimals, and nothing beyond the contract.

        Unless it is asked for: with ``near_ties`` every answer has a ``near_tie``, true or false;
        with ``cached_tokens`` the usage says how many input tokens were not read anew.
        """
        answers = {id: answer.to_dict() for id, answer in self.answers.items()}
        if near_ties:
            for id, answer in self.answers.items():
                answers[id]["near_tie"] = answer.near_tie
        hidden = () if cached_tokens else ("cached_tokens",)
        usage = {name: count for name, count in self.usage.items() if name not in hidden}
        return {"model": self.model, "answers": answers, "usage": usage}


def build_answers(
    request: Request,
    logits: Mapping[str, Mapping[str, float]],
    confidence: str,
    drift: float = 0.0,
) -> dict[str, Answer]:
    """Answer every question of ``request``.

    ``logits`` maps question id to option id to logit; ``confidence`` names one of ``CONFIDENCE``;
    answers whose two best options are closer than ``drift`` in probability are near ties.
    Raises ``ClefError`` for a logit that is not finite: there is no honest answer then.
    """
    check_confidence(confidence)
    return {q.id: _answer(q, logits[q.id], confidence, drift) for q in request.questions}


def check_confidence(name: str) -> None:
    """Raise ``RequestError`` unless ``name`` is a confidence formula."""
    if name not in CONFIDENCE:
        allowed = ", ".join(CONFIDENCE)
        raise RequestError(f"confidence must be one of {allowed}, not {name!r}", "confidence")


def _answer(
    question: Question, logits: Mapping[str, float], confidence: str, drift: float
) -> Answer:
    ids = [option.id for option in question.options]
    values = np.array([logits[id] for id in ids], dtype=np.float32)
    if not np.isfinite(values).all():
        worst = ids[int(np.argmin(np.isfinite(values)))]
        raise ClefError(
            f"question {question.id!r}, option {worst!r}: the model computed {logits[worst]}, not "
            "a finite logit; the weights or this machine's arithmetic are at fault"
        )
    # float32 like the reference's last step, so that its ties are ties here too.
    weights = np.exp(values - values.max())
    probabilities = [float(p) for p in weights / weights.sum()]
    by_id = dict(zip(ids, probabilities, strict=True))
    best = sorted(probabilities)[-2:]
    near_tie = len(best) == 2 and best[1] - best[0] < drift
    if question.type == "noul":
        return NoulAnswer(by_id["true"], by_id, near_tie=near_tie)
    sure = _CONFIDENCE[confidence](probabilities, question.type)
    if question.type == "choice":
        likeliest = max(by_id, key=by_id.__getitem__)
        return ChoiceAnswer(likeliest, sure, by_id, near_tie=near_tie)
    expected = sum(level * p for level, p in enumerate(probabilities))
    legend = dict(zip(ids, question.legend, strict=True))
    return ScoreAnswer(expected, sure, legend, by_id, near_tie=near_tie)


def _reference(p: Sequence[float], _: str) -> float:
    """The largest probability, as the release's own code reports it."""
    return max(p)


def _typesafe(p: Sequence[float], kind: str) -> float:
    """TypeSafe's: 0 at a uniform choice; for a score, 0 where levels spread as if uniform."""
    n = len(p)
    if n == 1:
        return 1.0
    if kind == "choice":
        return max(0.0, (max(p) - 1 / n) / (1 - 1 / n))  # float32 may lie just below 1 / n
    mode = p.index(max(p))
    spread = sum(q * abs(i - mode) for i, q in enumerate(p))
    uniform = sum(abs(i - (n - 1) / 2) for i in range(n)) / n
    return max(0.0, 1 - spread / uniform)


def _entropy(p: Sequence[float], _: str) -> float:
    """Workers AI's and Ollama's: one less the entropy as a share of the largest possible."""
    if len(p) == 1:
        return 1.0
    return max(0.0, 1 + sum(q * math.log(q) for q in p if q > 0) / math.log(len(p)))


_CONFIDENCE = {"reference": _reference, "typesafe": _typesafe, "entropy": _entropy}
CONFIDENCE = tuple(_CONFIDENCE)


def _rounded(probabilities: Mapping[str, float]) -> dict[str, float]:
    return {id: round(p, DECIMALS) for id, p in probabilities.items()}
