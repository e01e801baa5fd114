"""What ``mini`` can do, and what 8 and 4 bits change: prints the figures of the README.

    python examples/mini/evaluate.py

Needs nothing but clef-mlx. Intervals are 95 %, from a bootstrap over requests.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from decisions import decisions

import clef_mlx
from clef_mlx.convert import convert

HANDWRITTEN = Path(__file__).with_name("handwritten.jsonl")
SEED = 7  # of the examples; training and calibration use others
BINS = 10  # of confidence, equally wide
RESAMPLES = 1000
TYPES = ("noul", "choice", "score")


@dataclass(frozen=True)
class Outcome:
    """One answered question. ``probabilities`` in the order of its options."""

    request: int
    type: str
    probabilities: np.ndarray  # [O]
    right: int  # index of the expected option

    @property
    def hit(self) -> float:
        return float(self.probabilities.argmax() == self.right)


def answer(clef: Any, examples: Iterable[dict[str, Any]]) -> list[Outcome]:
    """Every question of ``examples``, answered."""
    found = []
    for number, example in enumerate(examples):
        for id, result in clef.respond(example["request"]).answers.items():
            ids = list(result.probabilities)
            values = np.array(list(result.probabilities.values()))
            right = ids.index(example["expected"][id])
            found.append(Outcome(number, result.type, values, right))
    return found


def interval(
    outcomes: list[Outcome], measure: Callable[[np.ndarray], float]
) -> tuple[float, float]:
    """95 % of ``measure`` over resampled requests; it is given indices into ``outcomes``."""
    owner = np.array([outcome.request for outcome in outcomes])
    requests, rows = np.unique(owner, return_inverse=True)
    of_request = [np.flatnonzero(rows == i) for i in range(len(requests))]
    rng = np.random.default_rng(0)
    values = []
    for _ in range(RESAMPLES):
        drawn = rng.integers(len(requests), size=len(requests))
        values.append(measure(np.concatenate([of_request[i] for i in drawn])))
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def calibration_error(sure: np.ndarray, hits: np.ndarray) -> float:
    """Mean distance of confidence and accuracy over bins of confidence."""
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    gaps = [
        abs(hits[bins == b].mean() - sure[bins == b].mean()) * (bins == b).mean()
        for b in np.unique(bins)
    ]
    return float(sum(gaps))


def baselines(outcomes: list[Outcome]) -> tuple[float, float]:
    """Accuracy of chance, and of always the position that is right most often for its size."""
    chance = float(np.mean([1 / len(o.probabilities) for o in outcomes]))
    best = 0
    for size in {len(o.probabilities) for o in outcomes}:
        rights = [o.right for o in outcomes if len(o.probabilities) == size]
        best += np.bincount(rights).max()
    return chance, best / len(outcomes)


def print_quality(title: str, outcomes: list[Outcome]) -> None:
    """A table: one line a question type, one for choices of 4 options, one for all."""
    print(f"\n{title}: {len(outcomes):,} questions")
    print(f"  {'':16}{'questions':>9}  {'accuracy':>20}{'majority':>10}{'random':>8}")
    groups = {name: [o for o in outcomes if o.type == name] for name in TYPES}
    groups["choice of 4"] = [o for o in groups["choice"] if len(o.probabilities) == 4]
    groups["all"] = outcomes
    for name, group in groups.items():
        if not group:
            continue
        hits = np.array([o.hit for o in group])
        low, high = interval(group, lambda rows, hits=hits: hits[rows].mean())
        chance, majority = baselines(group)
        print(
            f"  {name:16}{len(group):>9,}  {hits.mean():>6.1%} ({low:.1%}-{high:.1%})"
            f"{majority:>10.1%}{chance:>8.1%}"
        )
    sure = np.array([o.probabilities.max() for o in outcomes])
    hits = np.array([o.hit for o in outcomes])
    low, high = interval(outcomes, lambda rows: calibration_error(sure[rows], hits[rows]))
    error = calibration_error(sure, hits)
    print(f"  expected calibration error {error:.3f} ({low:.3f}-{high:.3f})")


def print_change(title: str, before: list[Outcome], after: list[Outcome]) -> None:
    """What a conversion changed of the same questions."""
    pairs = list(zip(before, after, strict=True))
    changed = np.array([a.probabilities.argmax() != b.probabilities.argmax() for a, b in pairs])
    moved = np.array([np.abs(a.probabilities - b.probabilities).max() for a, b in pairs])
    low, high = interval(before, lambda rows: changed[rows].mean())
    print(
        f"  {title}: {changed.mean():.2%} of answers changed ({low:.2%}-{high:.2%}); a question's "
        f"largest probability change is {moved.mean():.4f} on average, {moved.max():.3f} at most"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure mini and its conversions.")
    parser.add_argument("--release", default=None, help="a folder; the shipped mini by default")
    parser.add_argument("--requests", type=int, default=1200, help="with held-out wording")
    arguments = parser.parse_args()
    release = Path(arguments.release or Path(clef_mlx.__file__).parent / "mini")
    lines = HANDWRITTEN.read_text(encoding="utf-8").splitlines()
    sets = {
        "Held-out wording": list(islice(decisions(SEED, "test"), arguments.requests)),
        "Held-out domain (hotel)": list(islice(decisions(SEED, "domain"), arguments.requests // 2)),
        "Written by hand": [json.loads(line) for line in lines],
    }
    clef = clef_mlx.load(release)
    began = time.perf_counter()
    plain = {title: answer(clef, examples) for title, examples in sets.items()}
    seconds = (time.perf_counter() - began) / sum(map(len, sets.values()))
    print(f"{release.name} as shipped, {seconds * 1000:.0f} ms a request")
    for title, outcomes in plain.items():
        print_quality(title, outcomes)
    for bits in (8, 4):
        with tempfile.TemporaryDirectory() as folder:
            packed = clef_mlx.load(convert(release, Path(folder) / f"mini-{bits}bit", bits=bits))
            print(f"\nConverted to {bits} bits")
            for title, examples in sets.items():
                outcomes = answer(packed, examples)
                print_change(title, plain[title], outcomes)
                if title == "Held-out wording":
                    print_quality(f"{title}, {bits} bits", outcomes)


if __name__ == "__main__":
    main()
