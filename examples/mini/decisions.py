"""Synthetic decisions by seed: requests in many everyday domains, each with its right answers.

A state says what it is about (a topic of a domain) and a few facts, in sentences or as JSON, among
sentences that do not matter. Questions are made from what it says. Held out of training are the
last wording of every list, the look of option names, and the hotel domain.

    python examples/mini/decisions.py --split test --count 3
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import topics_field as field
import topics_office as office
from asking import SPLITS, Ask, Asked
from facts import ENTITIES
from groups import GROUP_OF, about_group, group_choice, second_topic
from questions import FACT_QUESTIONS, about_topic, entity_question, topic_choice
from states import Fact, make_facts, make_state

DOMAINS: dict[str, dict[str, tuple[str, str, str]]] = {
    "support": office.SUPPORT,
    "invoice": office.INVOICE,
    "email": office.EMAIL,
    "access": office.ACCESS,
    "staff": office.STAFF,
    "incident": field.INCIDENT,
    "delivery": field.DELIVERY,
    "review": field.REVIEW,
    "building": field.BUILDING,
    "bank": field.BANK,
}
HELD_OUT_DOMAIN = {"hotel": field.HOTEL}
# Topics that a fact would make true as well, or nearly so.
CLASHES = {
    "mood": {"praise", "thanks"},
    "signed": {"contract"},
    "paid": {"late_payment", "installments"},
    "days": {"late", "late_payment"},
    "percent": {"disk"},
    "hurt": {"sick"},
    "fragile": {"damaged"},
    "amount": {"price", "wrong_amount", "loan"},
    "pieces": {"quantity"},
    "answered": {"question"},
    "cause": {"attack", "lost_card"},
    "writer": {"conflict"},
    "device": {"crash"},
}
# Topics of different domains that mean nearly the same.
NEAR = (
    {"login", "pin", "attack", "lock"},
    {"praise", "thanks"},
    {"refund", "return", "double_charge", "fraud", "transfer"},
    {"power", "electric"},
    {"quality", "damaged", "size", "wrong_item"},
    {"price", "wrong_amount", "question"},
    {"cancel", "resignation", "remove"},
    {"address", "recipient", "copy"},
    {"crash", "deploy", "slow", "network", "vpn"},
    {"missing", "quantity", "wrong_item", "late"},
    {"upgrade", "extend", "limit", "write", "admin"},
    {"late_payment", "installments", "loan", "salary"},
    {"invitation", "training", "application", "holiday"},
    {"staff", "conflict"},
    {"cleaning", "water"},
)


def decisions(seed: int, split: str) -> Iterator[dict[str, Any]]:
    """Endless examples ``{"request": body, "expected": {question id: option id}, "notes": ...}``.

    The notes tell training what the pieces of state and schema mean.
    """
    if split not in SPLITS:
        raise ValueError(f"split must be one of {', '.join(SPLITS)}, not {split!r}")
    rng = Random(f"{split} {seed}")
    while True:
        yield make_decision(Ask(rng, split))


def make_decision(ask: Ask) -> dict[str, Any]:
    """One request and its answers."""
    rng = ask.rng
    domains = HELD_OUT_DOMAIN if ask.split == "domain" else DOMAINS
    topics = domains[rng.choice(list(domains))]
    facts = make_facts(ask)
    clashing = {topic for _, key, _ in facts for topic in CLASHES.get(key, ())}
    usable = [key for key in topics if key not in clashing]
    topic = None if ask.chance(0.06) else rng.choice(usable)
    wrong = [key for key in usable if key != topic]
    rng.shuffle(wrong)
    said = [] if topic is None else [topic]
    if ask.split == "train" and topic is not None and len(wrong) > 3:
        said += second_topic(ask, topic, wrong)
    every = dict(topics)
    if ask.split != "domain" and ask.chance(0.25):
        wrong += _strangers(ask, topics, topic, clashing)
        every = {key: value for domain in DOMAINS.values() for key, value in domain.items()} | every
    denied = wrong[0] if wrong and ask.chance(0.2) else None
    state, notes = make_state(ask, every, said, denied, facts)
    asked = _questions(ask, every, said, wrong, denied, facts)
    return {
        "request": {"state": state, "questions": {id: a.question for id, a in asked.items()}},
        "expected": {id: a.expected for id, a in asked.items()},
        "notes": {
            "state": notes,
            "questions": {
                id: {"about": a.about, "says": a.says, "options": a.options}
                for id, a in asked.items()
            },
        },
    }


def _strangers(
    ask: Ask, topics: dict[str, Any], topic: str | None, clashing: set[str]
) -> list[str]:
    """Topics of other domains that cannot be mistaken for ``topic``."""
    near = {key for group in NEAR if topic in group for key in group} | clashing | {topic}
    found = [
        key
        for domain in DOMAINS.values()
        for key in domain
        if key not in near and key not in topics
    ]
    ask.rng.shuffle(found)
    return found[:6]


def _questions(
    ask: Ask,
    topics: dict[str, tuple[str, str, str]],
    said: list[str],
    wrong: list[str],
    denied: str | None,
    facts: list[Fact],
) -> dict[str, Asked]:
    """1 to 5 questions by their ids."""
    rng = ask.rng
    kinds: list[Any] = ["choice", "choice", "about", *facts, *facts]
    rng.shuffle(kinds)
    count = rng.choices((1, 2, 3, 4, 5), (48, 27, 14, 7, 4))[0]
    asked: dict[str, Asked] = {}
    done: list[Any] = []
    for kind in kinds:
        if len(asked) == count:
            break
        if kind in done:
            continue
        done.append(kind)
        new = _ask(ask, kind, topics, said, wrong, denied, facts)
        asked.setdefault(new.id, new)
    return asked


def _ask(
    ask: Ask,
    kind: Any,
    topics: dict[str, tuple[str, str, str]],
    said: list[str],
    wrong: list[str],
    denied: str | None,
    facts: list[Fact],
) -> Asked:
    topic = ask.rng.choice(said) if len(said) > 1 else said[0] if said else None
    broad = ask.split == "train" and topic in GROUP_OF and kind in ("choice", "about")
    if broad and ask.chance(0.2):
        return (group_choice if kind == "choice" else about_group)(ask, topic, said)
    if kind == "choice":
        hidden = topic is None or (len(wrong) > 2 and ask.chance(0.1))
        first = [denied] if denied is not None and ask.chance(0.7) else []
        rest = [key for key in wrong if key not in first]
        return topic_choice(ask, topics, None if hidden else topic, first + rest)
    if kind == "about":
        if topic is not None and ask.chance(0.5):
            return about_topic(ask, topic, topics[topic][2], True)
        other = denied if denied is not None and ask.chance(0.5) else ask.rng.choice(wrong)
        return about_topic(ask, other, topics[other][2], False)
    name, key, value = kind
    if name == "entity":
        pool = ENTITIES[key].pool
        rivals = [v for n, k, v in facts if n == "entity" and k != key and ENTITIES[k].pool == pool]
        return entity_question(ask, key, value, rivals)
    return FACT_QUESTIONS[name](ask, key, value)


def main() -> None:
    parser = argparse.ArgumentParser(description="Print synthetic decisions, one a line.")
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=5)
    arguments = parser.parse_args()
    source = decisions(arguments.seed, arguments.split)
    for _ in range(arguments.count):
        print(json.dumps(next(source), ensure_ascii=False))


if __name__ == "__main__":
    main()
