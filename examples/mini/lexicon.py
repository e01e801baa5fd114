"""Which words go with which class, told from the lists of the training split alone.

A class is a topic, a kind of fact, or what a fact says. Words that speak for the same classes
begin with token rows that lie close, so that a wish for *money back* is near a *refund* at once.
"""

from __future__ import annotations

import math
from functools import cache
from random import Random

import torch
from asking import Ask
from decisions import DOMAINS
from facts import ENTITIES, FLAGS, NUMBERS, POOLS, SCALES
from questions import OTHER_MEANS, OTHER_NAMES, TOPIC_ASKS
from states import DENIALS, FILLERS
from tokenizers import Tokenizer

FITTED, UNSEEN = 250, 0.3  # steps of the classifier; share of the tokens that each one hides


@cache
def about_classes() -> tuple[str, ...]:
    """What a piece of text can be about."""
    topics = {f"topic {key}" for domain in DOMAINS.values() for key in domain}
    facts = (("entity", ENTITIES), ("flag", FLAGS), ("number", NUMBERS), ("scale", SCALES))
    keys = {f"{kind} {key}" for kind, table in facts for key in table}
    return ("nothing", "topic", "other", *sorted(topics), *sorted(keys))


@cache
def says_classes() -> tuple[str, ...]:
    """What it can say of that."""
    values = {value for pool in POOLS.values() for value in pool.split("|")}
    levels = {f"{key} {i}" for key, scale in SCALES.items() for i in range(len(scale.levels))}
    return ("yes", "no", *sorted(values), *sorted(levels), *(f"size {i}" for i in range(31)))


def training_phrases() -> list[tuple[str, str]]:
    """Every phrase that training may use, with its class."""
    ask = Ask(Random(0), "train")
    found: list[tuple[str, str]] = []

    def add(name: str, *lists: str) -> None:
        found.extend((phrase, name) for bars in lists for phrase in ask.allowed(bars.split("|")))

    for domain in DOMAINS.values():
        for key, lists in domain.items():
            add(f"topic {key}", *lists)
    for key, entity in ENTITIES.items():
        add(f"entity {key}", entity.says, entity.keys.replace("_", " "), entity.asks)
    for key, number in NUMBERS.items():
        add(f"number {key}", number.says, number.keys.replace("_", " "), number.above)
        add(f"number {key}", number.below, number.scale)
    for key, flag in FLAGS.items():
        add(f"flag {key}", flag.true, flag.false, flag.keys.replace("_", " "), flag.asks)
        add(f"flag {key}", flag.denies)
    for key, scale in SCALES.items():
        add(f"scale {key}", scale.asks, *(said for said, _ in scale.levels))
        for i, (said, named) in enumerate(scale.levels):
            add(f"{key} {i}", said, named)
    for name, bars in (("nothing", FILLERS), ("nothing", DENIALS), ("topic", TOPIC_ASKS)):
        add(name, bars)
    add("other", OTHER_NAMES, OTHER_MEANS)
    return found


def class_codes(width: int) -> dict[str, torch.Tensor]:
    """A direction of length 1 for every class, random but for sizes."""
    generator = torch.Generator().manual_seed(0)
    names = dict.fromkeys((*about_classes(), *says_classes()))
    codes = torch.nn.functional.normalize(torch.randn(len(names), width, generator=generator))
    found = dict(zip(names, codes, strict=True))
    small, large = found["size 0"].clone(), found["size 30"].clone()
    for i in range(31):  # on an arc, so that near sizes have near codes and can be compared
        angle = torch.tensor(math.pi * i / 30)
        code = -angle.cos() * large + angle.sin() * small + 0.4 * found[f"size {i}"]
        found[f"size {i}"] = torch.nn.functional.normalize(code, dim=0)
    return found


def class_rows(tokenizer: Tokenizer, size: int, width: int) -> torch.Tensor:
    """Token rows by class, ``[size, width]``: 0 for a token that speaks for none.

    A linear classifier learns to tell a phrase's class from its set of tokens, some of them hidden
    from it; a token's row is the sum of the classes' codes by the classifier's weights, and has a
    length of about 1.
    """
    phrases = training_phrases()
    names = list(dict.fromkeys(name for _, name in phrases))
    codes = class_codes(width)
    texts = [" ".join(part for part in phrase.split() if "{" not in part) for phrase, _ in phrases]
    table = torch.zeros(len(phrases), size)
    for row, text in enumerate(texts):
        for variant in (text, f" {text}"):
            table[row, tokenizer.encode(variant, add_special_tokens=False).ids] = 1
    used = table.any(0)
    known, answers = table[:, used], torch.tensor([names.index(name) for _, name in phrases])
    weight = torch.relu(_fit(known, answers, len(names)))  # what speaks for a class, not against
    rows = torch.zeros(size, width)
    rows[used] = weight.T @ torch.stack([codes[name] for name in names])
    return rows / rows[used].norm(dim=1).mean()


def _fit(known: torch.Tensor, answers: torch.Tensor, classes: int) -> torch.Tensor:
    """A classifier's weights, ``[classes, T]``, for phrases by tokens ``[N, T]``."""
    generator = torch.Generator().manual_seed(0)
    layer = torch.nn.Linear(known.shape[1], classes)
    torch.nn.init.zeros_(layer.weight)
    optimizer = torch.optim.AdamW(layer.parameters(), lr=0.03, weight_decay=0.01)
    for _ in range(FITTED):
        some = torch.randint(len(known), (512,), generator=generator)
        seen = known[some] * (torch.rand(512, known.shape[1], generator=generator) > UNSEEN)
        torch.nn.functional.cross_entropy(layer(seen), answers[some]).backward()
        optimizer.step()
        optimizer.zero_grad()
    weight = layer.weight.detach()
    return weight - weight.mean(0)
