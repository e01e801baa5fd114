"""What the makers of states and questions share: chance, the wording a split may use, results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

SPLITS = ("train", "valid", "test", "domain")
Question = dict[str, Any]


class Note(NamedTuple):
    """What a piece of text is about and what it says of that: names of classes, or nothing."""

    text: str  # of an option, empty: all of it
    about: str
    says: str = ""


@dataclass(frozen=True)
class Asked:
    """A question and the option expected; what question and options mean is for training alone."""

    id: str
    question: Question
    expected: str
    about: str
    says: str = ""
    options: dict[str, Note] = field(default_factory=dict)


IDS = (
    *("kind", "topic", "about", "team", "queue", "route", "reason", "case", "field", "point"),
    *("check", "item", "q1", "q2", "q7", "first", "answer", "value", "a", "b", "x", "subject"),
    *("intent", "result", "label", "slot"),
)
JOINED = 0.2  # of the phrases in training, those that are two in one


@dataclass(frozen=True)
class Ask:
    """What the makers of questions share: a source of chance and the wording allowed."""

    rng: Random
    split: str

    def pick(self, bars: str) -> str:
        return self.one(tuple(bars.split("|")))

    def say(self, bars: str, joint: str = " and ") -> str:
        """One phrase of ``bars``; in training now and then two of them in one."""
        text = self.pick(bars)
        if self.split != "train" or not self.chance(JOINED):
            return text
        other = self.pick(bars)
        if other == text or text[-1:] != other[-1:] or "{" in text:
            return text
        end = text[-1:] if text[-1:] in ".!?" else ""
        first = other if other[:2] in ("I ", "I'") or other[:2].isupper() else _lower(other)
        return text.removesuffix(end) + self.rng.choice((joint, joint, ", ")) + first

    def one(self, pool: tuple[Any, ...]) -> Any:
        """One of ``pool``."""
        return self.rng.choice(self.allowed(pool))

    def allowed(self, pool: Sequence[Any]) -> Sequence[Any]:
        """What this split may use: the last is the test's, the last but one calibration's."""
        if len(pool) < 3 or self.split == "domain":
            return pool
        if self.split == "test":
            return pool[-1:]
        if self.split == "valid" and len(pool) > 3:
            return pool[-2:-1]
        return pool[:-1] if len(pool) == 3 else pool[:-2]

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def id(self, *natural: str) -> str:
        """A question's id: one that means something, or any."""
        return self.rng.choice(natural) if natural and self.chance(0.4) else self.rng.choice(IDS)

    def size(self, most: int) -> int:
        """Number of options: mostly 3 to 5, at most 11 or ``most`` ("none of these" may follow)."""
        sizes = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
        weights = (12, 22, 26, 14, 9, 5, 4, 3, 2, 3)
        return min(most, self.rng.choices(sizes, weights)[0])

    def case(self, text: str) -> str:
        return text[:1].upper() + text[1:] if self.chance(0.5) else text


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
