"""Which words go with which class, told from the lists of the training split alone.

A class is a topic, a kind of fact, or what a fact says. Words that speak for the same classes
begin with token rows that lie close, so that a wish for *money back* is near a *refund* at once.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random

import torch
from decisions import DENIALS, DOMAINS, FILLERS
from facts import ENTITIES, FLAGS, NUMBERS, POOLS, SCALES
from questions import OTHER_MEANS, OTHER_NAMES, TOPIC_ASKS, Ask
from tokenizers import Tokenizer

SMOOTH = 0.3  # added to the count of a token in a class


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
    """A random direction of length 1 for every class."""
    generator = torch.Generator().manual_seed(0)
    names = dict.fromkeys((*about_classes(), *says_classes()))
    codes = torch.nn.functional.normalize(torch.randn(len(names), width, generator=generator))
    return dict(zip(names, codes, strict=True))


def class_rows(tokenizer: Tokenizer, size: int, width: int) -> torch.Tensor:
    """Token rows by class, ``[size, width]``: 0 for a token that speaks for none.

    The codes of the classes, weighted by how much likelier the token is there than elsewhere;
    a row's length is from 0, where all classes use the token alike, to about 1.
    """
    counts: dict[str, Counter[int]] = {}
    for phrase, name in training_phrases():
        text = " ".join(part for part in phrase.split() if "{" not in part)
        for variant in (text, f" {text}"):
            ids = tokenizer.encode(variant, add_special_tokens=False).ids
            counts.setdefault(name, Counter()).update(set(ids))
    names = list(counts)
    table = torch.zeros(len(names), size)
    for row, name in enumerate(names):
        for token, count in counts[name].items():
            table[row, token] = count
    share = table / table.sum(1, keepdim=True)
    given = share / (share.sum(0) + SMOOTH / table.sum(1).mean())  # class by token
    codes = class_codes(width)
    return given.T @ torch.stack([codes[name] for name in names])
