"""Decisions as padded batches for training: tokenizer, encoding, layout."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import torch
from decisions import decisions
from evidence import Hints, Marks, OffsetEncoder, collate_marks, read_notes
from facts import POOLS
from joint_head import ALWAYS, CHANGES, OUTSIDE, Batch
from lexicon import class_rows
from tokenizers import AddedToken, Encoding, Tokenizer, decoders, models, normalizers, trainers
from tokenizers.pre_tokenizers import ByteLevel

from clef_mlx import parse_request
from clef_mlx.encoding import (
    FIELD_END,
    OPTION_HEADER,
    OPTIONS_HEADER,
    PREFIX,
    SCHEMA_HEADER,
    SUFFIX,
    EncodedRequest,
    word_splitter,
)
from clef_mlx.layout import PUBLISHED_WORD_RULE
from clef_mlx.miniature import PLAIN_ADDED, SPECIAL
from clef_mlx.request import NOUL_DEFAULTS, TYPES

BARE_WORD_RULE = r"\p{L}+|\p{N}|\s+|[^\s\p{L}\p{N}]+"
SPACE = "Ġ"  # before a word, as byte-level tokens spell it
LETTERLESS = 200  # pieces, at least, that have no twin with a space
COUNTED, COMMON = 1000, 0.002  # records counted; share that makes a token common
# What every prompt repeats, each a single token: a prompt is half as long for it.
LITERALS = (
    *(PREFIX, SCHEMA_HEADER, OPTIONS_HEADER, FIELD_END, SUFFIX, "\nFIELD ", "\nID: "),
    *(f"\nTYPE: {kind}\nINSTRUCTION: " for kind in TYPES),
    *(OPTION_HEADER.format(number=number) for number in range(1, 25)),
    *('{"description":"', '{"option_id":"', '","option_id":"', '"}'),
    *NOUL_DEFAULTS.values(),
)
MEANT = 1.5  # of a token's first row, the part that comes from its classes
KEPT = (
    "not no never nobody nothing none without un in less more under over above below least most "
    "than between from to or and up at true false yes other else rest another s t"
)
OWN = 0.2  # of a token's first row, the part that no other token shares
PIECES = 100_000  # texts whose tokens are remembered


@dataclass(frozen=True)
class Example:
    """An encoded request; ``answers`` are option positions, one a question."""

    encoded: EncodedRequest
    answers: list[int]
    marks: Marks | None = None  # of generated examples alone


class RememberingTokenizer:
    """A ``Tokenizer`` that looks up the pieces it has seen: prompts repeat most of theirs."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.no_padding, self.no_truncation = tokenizer.no_padding, tokenizer.no_truncation
        self._encode = lru_cache(PIECES)(tokenizer.encode)

    def encode(self, text: str, add_special_tokens: bool) -> Encoding:
        return self._encode(text, add_special_tokens=add_special_tokens)


def train_tokenizer(size: int, records: int = 6000) -> Tokenizer:
    """A byte-level BPE of at most ``size`` tokens on the generator's text, split as the release.

    Words are merged without what stands before them, and every piece of letters exists with a
    space and without: a word of the state is as many tokens as the same word in an option.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = word_splitter(BARE_WORD_RULE)
    tokenizer.decoder = decoders.ByteLevel()
    added = len(SPECIAL) + len(PLAIN_ADDED) + len(LITERALS)
    trainer = trainers.BpeTrainer(
        vocab_size=(size - added + LETTERLESS) // 2,
        initial_alphabet=sorted(ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_texts(records), trainer)
    state = json.loads(tokenizer.to_str())
    vocabulary, merges = state["model"]["vocab"], state["model"]["merges"]
    for piece in [piece for piece in vocabulary if piece.isascii() and piece.isalpha()]:
        vocabulary[SPACE + piece] = len(vocabulary)
        merges.append([SPACE, piece])
    tokenizer = Tokenizer.from_str(json.dumps(state))
    tokenizer.pre_tokenizer = word_splitter(PUBLISHED_WORD_RULE)
    tokenizer.add_special_tokens([AddedToken(t, normalized=False, special=True) for t in SPECIAL])
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in (*PLAIN_ADDED, *LITERALS)])
    return tokenizer


def first_rows(tokenizer: Tokenizer, size: int, width: int) -> torch.Tensor:
    """Token rows to begin with, ``[size, width]``: words that are spelled alike lie close.

    The sum of one random vector for each of the letter groups of a token, its space and case left
    aside, and one of its own.
    """
    rows = torch.randn(size, width)
    for token, row in tokenizer.get_vocab().items():
        word = token.removeprefix(SPACE).lower()
        if not (word.isascii() and word.isalpha()):
            continue
        whole = f"<{word}>"
        groups = [whole] + [
            whole[i : i + n] for n in (3, 4, 5) for i in range(max(0, len(whole) - n + 1))
        ]
        parts = [_random_row(group, width) for group in groups]
        shared = parts[0] + torch.stack(parts).sum(0) * len(parts) ** -0.5
        rows[row] = shared * 2**-0.5 + OWN * rows[row]
    rows += MEANT * width**0.5 * class_rows(tokenizer, size, width)
    rows *= _rarity(tokenizer, size)[:, None]
    rows[:, ALWAYS], rows[:, OUTSIDE], rows[:, CHANGES] = 1, 0, 0
    for text, is_outside in ((PREFIX, -1), (SCHEMA_HEADER, 1)):
        first = tokenizer.encode(text, add_special_tokens=False).ids[0]
        rows[first, OUTSIDE], rows[first, CHANGES] = 3 * is_outside, 3
    return rows


def can_hide(tokenizer: Tokenizer, size: int) -> torch.Tensor:
    """The tokens without which a text means about the same, bool ``[size]``: not those of
    numbers, names, punctuation and denials."""
    found = torch.zeros(size, dtype=torch.bool)
    kept = {word.lower() for pool in POOLS.values() for word in pool.replace("|", " ").split()}
    kept |= set(KEPT.split())
    for token, row in tokenizer.get_vocab().items():
        word = token.removeprefix(SPACE).lower()
        found[row] = word.isascii() and word.isalpha() and word not in kept
    return found


def _rarity(tokenizer: Tokenizer, size: int) -> torch.Tensor:
    """Of every token, from nearly 0 for the most frequent to 1: ``[size]``."""
    found = Counter(
        token
        for text in _texts(COUNTED)
        for token in tokenizer.encode(text, add_special_tokens=False).ids
    )
    share = torch.tensor([found[row] for row in range(size)]) / found.total()
    return (COMMON / (COMMON + share)).clamp_min(0.4)


@cache
def _random_row(text: str, width: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(zlib.crc32(text.encode()))
    return torch.randn(width, generator=generator)


def _texts(records: int) -> Iterator[str]:
    for example in islice(decisions(0, "train"), records):
        request = parse_request(example["request"])
        yield request.state
        for number, question in enumerate(request.questions, start=1):
            yield f"\nFIELD {number}\nID: {question.id}\nTYPE: {question.type}\nINSTRUCTION: "
            yield question.instruction
            yield OPTIONS_HEADER
            for k, option in enumerate(question.options, start=1):
                yield OPTION_HEADER.format(number=k)
                yield option.text
        yield PREFIX
        yield SUFFIX


def encode_examples(encoder: OffsetEncoder, examples: Iterable[dict[str, Any]]) -> list[Example]:
    """Every example's prompt and the positions of its answers among the options as scored."""
    found = []
    for example in examples:
        request = parse_request(example["request"])
        encoded = encoder.encode(request, max_length=4096)
        answers = [q.option_ids.index(example["expected"][q.id]) for q in encoded.questions]
        marks = read_notes(encoder, request, encoded, example) if "notes" in example else None
        found.append(Example(encoded, answers, marks))
    return found


def read_examples(path: Path) -> list[dict[str, Any]]:
    """The examples of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def batches(examples: list[Example], tokens: int, rng: Random) -> list[list[Example]]:
    """Groups of similar length, at most ``tokens`` long when padded, in random order."""
    ordered = sorted(examples, key=lambda e: (len(e.encoded.input_ids), rng.random()))
    groups: list[list[Example]] = [[]]
    for example in ordered:
        length = len(example.encoded.input_ids)
        if groups[-1] and length * (len(groups[-1]) + 1) > tokens:
            groups.append([])
        groups[-1].append(example)
    rng.shuffle(groups)
    return groups


@dataclass(frozen=True)
class Targets:
    """Per question its options as indices into the batch's flattened ``[B, O]`` logits."""

    slots: torch.Tensor  # [N, K], 0 where there is no option
    real: torch.Tensor  # [N, K] bool
    answers: torch.Tensor  # [N]
    types: torch.Tensor  # [N]
    hints: Hints | None


def collate(examples: list[Example]) -> tuple[Batch, Targets]:
    """Pad ``examples`` on the right to one batch."""
    size, encoded = len(examples), [example.encoded for example in examples]
    lengths = [len(e.input_ids) for e in encoded]
    counts = [[len(q.option_spans) for q in e.questions] for e in encoded]
    length, questions = max(lengths), max(map(len, counts))
    options, widest = max(map(sum, counts)), max(map(max, counts))
    ids = torch.zeros(size, length, dtype=torch.long)
    question_mean = torch.zeros(size, questions, length)
    option_mean = torch.zeros(size, options, length)
    owner = torch.zeros(size, options, dtype=torch.long)
    members = torch.zeros(size, questions, options, dtype=torch.bool)
    types = torch.zeros(size, questions, dtype=torch.long)
    asked = torch.zeros(size, questions, dtype=torch.bool)
    slots: list[list[int]] = []
    for b, e in enumerate(encoded):
        ids[b, : lengths[b]] = torch.tensor(e.input_ids)
        position = 0
        for q, question in enumerate(e.questions):
            start, end = question.span
            question_mean[b, q, start:end] = 1 / (end - start)
            types[b, q], asked[b, q] = TYPES.index(question.type), True
            slots.append([])
            for start, end in question.option_spans:
                option_mean[b, position, start:end] = 1 / (end - start)
                owner[b, position], members[b, q, position] = q, True
                slots[-1].append(b * options + position)
                position += 1
    real = torch.tensor([[k < len(row) for k in range(widest)] for row in slots])
    batch = Batch(
        ids=ids,
        tokens=torch.arange(length) < torch.tensor(lengths)[:, None],
        last=torch.tensor(lengths) - 1,
        question_mean=question_mean,
        option_mean=option_mean,
        owner=owner,
        members=members,
        types=types,
        asked=asked,
    )
    return batch, Targets(
        slots=torch.tensor([row + [0] * (widest - len(row)) for row in slots]),
        real=real,
        answers=torch.tensor([answer for e in examples for answer in e.answers]),
        types=types[asked],
        hints=None
        if any(example.marks is None for example in examples)
        else collate_marks([e.marks for e in examples], length, questions, options),
    )
