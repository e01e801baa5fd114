"""What is timed: prompts of an exact number of tokens, and a release where none is given."""

from __future__ import annotations

import random
import tempfile
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from ..hub import MINI_FOLDER
from ..miniature import write_release
from ..model import Clef

WORDS = (
    *("the", "order", "was", "late", "and", "my", "card", "is", "charged", "twice", "please"),
    *("send", "one", "back", "to", "me", "today", "we", "wait", "for", "a", "reply", "by", "mail"),
)
QUESTIONS: dict[str, Any] = {"refund": {"type": "noul", "instructions": "Is money asked back?"}}
# Wide enough for real head sizes to be met, small enough for a CPU.
SHAPE = {
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "num_hidden_layers": 8,
    "linear_num_key_heads": 4,
    "linear_num_value_heads": 8,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "num_attention_heads": 4,
    "num_key_value_heads": 1,
    "head_dim": 256,
}
HEAD = {"width": 256, "feedforward": 1024}


def request(tokens: int, seed: int) -> dict[str, Any]:
    """A request whose state has at least ``tokens`` tokens; each ``seed`` has its own words.

    Answered with ``max_length=tokens`` and ``truncate`` its prompt has exactly ``tokens``.
    """
    words = random.Random(seed).choices(WORDS, k=tokens)
    return {"state": " ".join(words), "questions": QUESTIONS}


def schema(clef: Clef, tokens: int, seed: int) -> dict[str, Any]:
    """As few questions as need at least ``tokens`` tokens; each ``seed`` asks for other things."""
    chance = random.Random(seed)
    questions: dict[str, Any] = {}
    while True:
        options = {f"team {n}": " ".join(chance.choices(WORDS, k=8)) for n in range(3)}
        questions[f"q{len(questions)}"] = {
            "type": "choice",
            "instructions": f"Which team takes {' '.join(chance.choices(WORDS, k=6))}?",
            "criteria": options,
        }
        encoded = clef.encode({"state": "", "questions": questions})
        if len(encoded.input_ids) - encoded.schema_start >= tokens:
            return questions


def fitting_state(clef: Clef, tokens: int, seed: int, questions: dict[str, Any] = QUESTIONS) -> str:
    """The longest state of ``request`` with which a whole prompt has at most ``tokens`` tokens."""
    body = {**request(tokens, seed), "questions": questions}
    words = body["state"].split()

    def length(count: int) -> int:
        shorter = {**body, "state": " ".join(words[:count])}
        return len(clef.encode(shorter, max_length=tokens + 1, truncate=True).input_ids)

    return " ".join(words[: bisect_right(range(len(words)), tokens, key=length) - 1])


@contextmanager
def release_of(model: str | None) -> Iterator[str]:
    """``model`` itself, or for ``None`` a release of ``SHAPE`` with random weights, while open."""
    if model is not None:
        yield model
        return
    tokenizer = Tokenizer.from_file(str(MINI_FOLDER / "tokenizer.json"))  # words, as users write
    text = {**SHAPE, "vocab_size": tokenizer.get_vocab_size()}
    with tempfile.TemporaryDirectory(prefix="clef-mlx-") as folder:
        release = Path(folder) / "random-weights"
        write_release(release, text=text, head=HEAD, tokenizer=tokenizer)
        yield str(release)
