"""What a state says: topics, facts and sentences that do not matter; as text or an object."""

from __future__ import annotations

import json
from typing import Any

from asking import Ask, Note
from facts import ENTITIES, FLAGS, NUMBERS, POOLS, SCALES
from groups import SUBJECT_KEYS, add_noise, glue, hasten

OPENERS = (
    "Hello,|Hi,|Dear team,|Good morning,|Good day,|Hi all,|To whom it may concern,|Dear all,"
    "|Dear Sir or Madam,|Good evening,|Hello there,|Hi there,|Dear support,|Greetings,"
    "|Hello team,|Hey,"
)
CLOSERS = (
    "Thanks.|Kind regards|Best wishes|Thank you in advance.|Greetings|Thank you|Yours"
    "|Regards|See you|Cheers|All the best|Have a nice day.|Yours sincerely"
    "|Thanks in advance|Bye|Many greetings"
)
FILLERS = (
    "The weather is fine.|I write from my phone.|I hope you are well.|We met last year."
    "|My cat is asleep.|I read about you in the paper.|Sorry for my English.|The sun is shining."
    "|I have been here for years.|My brother told me about you.|You have a nice website."
    "|I will be in the garden later.|It is a long day.|We have two children.|Music is playing."
    "|I had a coffee before.|The bus was full.|It rained this morning."
    "|I have a dog and two cats.|My mother lives near the lake.|I like to cook on Sundays."
    "|We had soup for lunch.|The train was on time.|I am new here.|My friends know you too."
    "|I read the news every day.|The birds are singing.|I hope this finds you well."
    "|I write this in the evening.|It is my first message to you.|My children go to school."
    "|I have been your customer for a long time.|The film was long.|I saw your advert."
    "|It is windy outside.|I will go for a walk later.|Your office is near my home."
    "|My uncle works in a bakery.|We live in a small village.|I play football with my sons."
    "|It is almost noon.|My desk is by the window.|I had a good breakfast.|The radio is on."
    "|Today I wear a green hat.|We often talk about you.|I found your address on the web."
    "|I do not write often.|My daughter draws a horse.|The tea is still hot."
    "|It snowed in the hills.|We painted the fence last spring.|I take the bus to work."
    "|The shops close at six.|My grandfather was a sailor.|There is a market in our street."
    "|I hope you had a nice weekend.|My sister says hello.|The sky is blue today."
)
DENIALS = (
    "This is not about {m}.|It has nothing to do with {m}.|I do not write because of {m}."
    "|{m} is not the issue.|The trouble with {m} was solved last week."
    "|There was {m} last year, but that is over.|It is not about {m}."
    "|I am not writing about {m}.|My message does not concern {m}.|We do not talk about {m}."
    "|{m} is not the problem.|This has nothing to do with {m}.|{m} is not what I write about."
    "|The matter of {m} is already solved.|I have no trouble with {m}."
    "|Do not think of {m}, that is settled.|Last month it was {m}, but not today."
    "|Once there was {m}, that is done now.|Forget {m}, it is no longer a problem."
    "|I know you often hear of {m}, but this is different."
    "|Other people write about {m}, I do not.|It does not concern {m}.|I do not write about {m}."
)
TEXT_KEYS = "text|message|body|note|comment|description|content|msg"
FACT_KINDS = {"entity": ENTITIES, "flag": FLAGS, "number": NUMBERS, "scale": SCALES}
FACT_WEIGHTS = {"entity": 34, "flag": 28, "number": 16, "scale": 28}
PRACTISED = {**FACT_WEIGHTS, "number": 36, "scale": 36}  # in training: what is learned last
Fact = tuple[str, str, Any]  # kind, key, value


def make_facts(ask: Ask) -> list[Fact]:
    """Up to three facts, or four where two belong together."""
    count = ask.rng.choices((0, 1, 2, 3), (22, 34, 28, 16))[0]
    weights = PRACTISED if ask.split == "train" else FACT_WEIGHTS
    facts: dict[str, Fact] = {}
    for _ in range(count):
        kind = ask.rng.choices(list(weights), list(weights.values()))[0]
        key = ask.rng.choice(list(FACT_KINDS[kind]))
        facts[key] = (kind, key, _value(ask, kind, key))
        partner = {"origin": "goal", "goal": "origin", "writer": "helper"}.get(key)
        if partner is not None and ask.chance(0.6):
            facts[partner] = ("entity", partner, _value(ask, "entity", partner))
    kept: list[Fact] = []
    for fact in facts.values():  # two roles never share a value: the answer would be open
        if all(fact[2] != other[2] for other in kept if other[0] == fact[0] == "entity"):
            kept.append(fact)
    return kept


def _value(ask: Ask, kind: str, key: str) -> Any:
    rng = ask.rng
    if kind == "entity":
        return rng.choice(POOLS[ENTITIES[key].pool].split("|"))
    if kind == "flag":
        return rng.random() < 0.5
    if kind == "number":
        most = NUMBERS[key].most
        return rng.randint(2, most if ask.chance(0.6) else max(9, most // 10))
    return rng.randrange(len(SCALES[key].levels))


def _sentence(ask: Ask, fact: Fact) -> str:
    kind, key, value = fact
    if kind == "flag":
        return ask.say(FLAGS[key].true if value else FLAGS[key].false)
    if kind == "scale":
        return ask.say(SCALES[key].levels[value][0])
    said = ENTITIES[key].says if kind == "entity" else NUMBERS[key].says
    text = ask.pick(said).format(v=value)
    return text[:1].upper() + text[1:]


def make_state(
    ask: Ask,
    topics: dict[str, tuple[str, str, str]],
    said: list[str],
    denied: str | None,
    facts: list[Fact],
) -> tuple[Any, list[Note]]:
    """A text, or an object in which some facts are fields; and what its parts mean."""
    is_object = ask.chance(0.35)
    fields: dict[str, Any] = {}
    sentences = [ask.say(topics[topic][1]) for topic in said]
    notes = [
        Note(text, f"topic {topic}", "yes") for topic, text in zip(said, sentences, strict=True)
    ]
    if denied is not None:
        denial = ask.pick(DENIALS).format(m=ask.pick(topics[denied][2]))
        sentences.append(denial[:1].upper() + denial[1:])
        notes.append(Note(sentences[-1], f"topic {denied}", "no"))
    for fact in facts:
        if is_object and ask.chance(0.7):
            name, value = _entry(ask, fact)
            fields[name] = value
            text = f'"{name}":{json.dumps(value, ensure_ascii=False)}'
        else:
            text = _sentence(ask, fact)
            sentences.append(text)
        notes.append(Note(text, f"{fact[0]} {fact[1]}", _saying(fact)))
    fillers = ask.rng.choices((0, 1, 2), (45, 40, 15))[0]
    idle = [ask.pick(FILLERS) for _ in range(fillers or not sentences)]
    sentences += idle
    notes += [Note(text, "nothing") for text in idle]
    ask.rng.shuffle(sentences)
    if ask.split == "train":
        sentences, notes = glue(ask, *hasten(ask, sentences, notes, facts))
        if is_object and said and ask.chance(0.3):
            topic = said[0]
            subject = ask.case(ask.pick(topics[topic][ask.rng.choice((0, 2))]))
            fields[ask.rng.choice(SUBJECT_KEYS)] = subject
            notes.append(Note(subject, f"topic {topic}", "yes"))
        if is_object:
            add_noise(ask, fields)
    if is_object:
        fields[ask.pick(TEXT_KEYS)] = " ".join(sentences)
        keys = list(fields)
        ask.rng.shuffle(keys)
        return {key: fields[key] for key in keys}, notes
    if ask.chance(0.3):
        sentences.insert(0, ask.pick(OPENERS))
    if ask.chance(0.2):
        sentences.append(ask.pick(CLOSERS))
    return " ".join(sentences), notes


def _saying(fact: Fact) -> str:
    """The class of what ``fact`` says; that of a number is told from its digits."""
    kind, key, value = fact
    if kind == "flag":
        return "yes" if value else "no"
    if kind == "scale":
        return f"{key} {value}"
    return value if kind == "entity" else ""


def _entry(ask: Ask, fact: Fact) -> tuple[str, Any]:
    """A fact as a field of an object."""
    kind, key, value = fact
    if kind == "scale":
        return SCALES[key].key, ask.pick(SCALES[key].levels[value][1])
    if kind == "flag":
        return ask.pick(FLAGS[key].keys), value if ask.chance(0.7) else ("no", "yes")[value]
    return ask.pick(ENTITIES[key].keys if kind == "entity" else NUMBERS[key].keys), value
