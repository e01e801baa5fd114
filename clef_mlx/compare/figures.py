"""What two models' answers to the same questions differ by. Pure functions over numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..request import TYPES

NEAR_TIE = 0.05  # of probability: closer best options are a near tie, unless asked otherwise
RESAMPLES = 1000
SURE = (2.5, 97.5)  # percentiles of a 95 % interval


@dataclass(frozen=True)
class Answered:
    """One question as one model answered it."""

    request: int  # its number in the set
    type: str
    logits: np.ndarray  # [O] float64

    @property
    def log_probabilities(self) -> np.ndarray:
        shifted = self.logits - self.logits.max()
        log: np.ndarray = shifted - np.log(np.exp(shifted).sum())
        return log

    @property
    def margin(self) -> float:
        """How far the best option is ahead of the next, in probability; 1 where it is alone."""
        if len(self.logits) == 1:
            return 1.0
        second, first = np.sort(np.exp(self.log_probabilities))[-2:]
        return float(first - second)


@dataclass(frozen=True)
class Changes:
    """How often another option came out best, of clear answers and of near ties."""

    clear: int
    clear_changed: int
    ties: int
    ties_changed: int

    @property
    def questions(self) -> int:
        return self.clear + self.ties

    @property
    def changed(self) -> int:
        return self.clear_changed + self.ties_changed

    @property
    def share(self) -> float:
        """Changed answers of all, 0 to 1."""
        return self.changed / self.questions if self.questions else 0.0


@dataclass(frozen=True)
class Estimate:
    """A mean and its 95 % interval, from a bootstrap over requests."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Figures:
    """Everything deterministic that a comparison says. Probabilities are 0 to 1, KL in nats.

    A question's *drift* is the largest change of any of its options' probabilities.
    """

    requests: int
    near_tie: float  # the reference's margin below which an answer counts as a near tie
    changes: dict[str, Changes]  # by question type, and "all"
    changed_share: Estimate  # of all answers
    drift: Estimate
    drift_99: float  # 99th percentile
    drift_max: float
    kl: Estimate  # of the candidate's distribution from the reference's
    overconfidence: Estimate  # candidate's probability of its answer, less the reference's of it

    @property
    def questions(self) -> int:
        return self.changes["all"].questions

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, rounded to 6 significant digits: what is past them is noise."""
        estimates = {
            name: [_rounded(v) for v in (value.mean, value.low, value.high)]
            for name, value in vars(self).items()
            if isinstance(value, Estimate)
        }
        return {
            "requests": self.requests,
            "questions": self.questions,
            "near_tie": self.near_tie,
            "changes": {name: dict(vars(changes)) for name, changes in self.changes.items()},
            **estimates,
            "drift_99": _rounded(self.drift_99),
            "drift_max": _rounded(self.drift_max),
        }


def figures(
    reference: Sequence[Answered], candidate: Sequence[Answered], near_tie: float = NEAR_TIE
) -> Figures:
    """Hold two models' answers to the same questions, in the same order, against each other."""
    pairs = list(zip(reference, candidate, strict=True))
    logs = [(a.log_probabilities, b.log_probabilities) for a, b in pairs]
    changed = np.array([a.logits.argmax() != b.logits.argmax() for a, b in pairs])
    drift = np.array([np.abs(np.exp(p) - np.exp(q)).max() for p, q in logs])
    kl = np.array([(np.exp(p) * (p - q)).sum() for p, q in logs])
    over = np.array([np.exp(q.max()) - np.exp(p[q.argmax()]) for p, q in logs])
    close = np.array([a.margin < near_tie for a, _ in pairs])
    types = np.array([a.type for a, _ in pairs])

    def changes(rows: np.ndarray) -> Changes:
        counts = [
            int(part.sum())
            for side in (rows & ~close, rows & close)
            for part in (side, side & changed)
        ]
        return Changes(*counts)

    estimate = resampler([a.request for a, _ in pairs])
    return Figures(
        requests=len({a.request for a, _ in pairs}),
        near_tie=near_tie,
        changes={
            **{name: changes(types == name) for name in TYPES},
            "all": changes(np.ones(len(pairs), bool)),
        },
        changed_share=estimate(changed.astype(float)),
        drift=estimate(drift),
        drift_99=float(np.percentile(drift, 99)),
        drift_max=float(drift.max()),
        kl=estimate(kl),
        overconfidence=estimate(over),
    )


def resampler(owners: Sequence[int]) -> Callable[[np.ndarray], Estimate]:
    """Means with intervals, over requests drawn anew: one request's questions are no strangers.

    ``owners`` is the request of each question. The draws are seeded: the same each time.
    """
    _, rows = np.unique(np.array(owners), return_inverse=True)
    sizes = np.bincount(rows)
    rng = np.random.default_rng(0)
    counts = rng.multinomial(len(sizes), np.full(len(sizes), 1 / len(sizes)), size=RESAMPLES)

    def estimate(values: np.ndarray) -> Estimate:
        sums = np.bincount(rows, weights=values)
        low, high = np.percentile(counts @ sums / (counts @ sizes), SURE)
        return Estimate(float(values.mean()), float(low), float(high))

    return estimate


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")
