"""Questions about what a state is known to say, each with its right answer."""

from __future__ import annotations

import math
from collections.abc import Callable

from asking import Ask, Asked, Note, Question
from facts import ENTITIES, FLAGS, NUMBERS, POOLS, SCALES

TOPIC_ASKS = (
    "What is the message about?|Which topic fits?|Pick the right topic.|Who should take this?"
    "|Which team is right?|Choose the subject.|What does the writer want?|Sort this message."
    "|Where should this go?|What is the matter?|What is the problem?|Which queue is right?"
    "|Select the best option.|What kind of message is it?|What is it about?|Which category fits?"
    "|What is this?|Choose the topic.|Which department should handle it?"
    "|What is the main subject?|Classify the message.|What does the customer want?"
    "|Which kind of case is it?|Assign a category.|Route this to the right team."
    "|What is the reason for writing?|Which label is correct?|Who should answer this?"
    "|Choose the right category.|What is the intent?|Which of these fits?"
    "|What does the person ask for?|What type of request is it?|Where does this belong?"
    "|What happened?|Which option fits best?"
)
ABOUT = (
    "Is it about {m}?|Does the message concern {m}?|Is the topic {m}?"
    "|Does the writer speak of {m}?|Is {m} the subject?|Does it deal with {m}?"
    "|Is this a case of {m}?|Is {m} the topic?|Does the text speak of {m}?|Is this about {m}?"
    "|Does the person write about {m}?|Is {m} what it is about?|Does it concern {m}?"
    "|Is the message a case of {m}?|Has it to do with {m}?|Does the writer report {m}?"
    "|Is {m} the reason for writing?|Does the text mention {m}?|Is it a matter of {m}?"
    "|Does the customer ask for {m}?|Does the writer want {m}?"
    "|Does the customer complain about {m}?|Does the writer ask for {m}?|Is {m} mentioned?"
    "|Does the text say anything of {m}?|Does the customer write about {m}?"
    "|Is the matter {m}?|Is the message about {m}?"
)
MEANINGS = (
    "{m}|{m}|about {m}|anything on {m}|messages about {m}|it is about {m}"
    "|the matter is {m}|this is about {m}|for {m}|everything about {m}|{m}, nothing else"
    "|all about {m}|cases of {m}|{m}"
)
OTHER_NAMES = (
    "other|none|else|misc|something else|nothing fits|neither|no match|different"
    "|unknown|general|not listed|rest|another"
)
OTHER_MEANS = (
    "None of these|Anything else|Something else|Everything else|Not in this list|No option fits"
    "|Nothing of this|None of the options|A different topic|Another matter|Not one of these"
    "|Other topics|All other cases|Something that is not listed here|Any other matter"
    "|None of the others|None of the above"
)
YES_NO = (
    ("yes", "no"),
    ("it is so", "it is not so"),
    ("this is true", "this is false"),
    ("correct", "not correct"),
    ("the text says so", "the text does not say so"),
    ("true", "false"),
)
BANDS = (
    ("under {a}", "{a} to {c}", "{b} or more"),
    ("less than {a}", "{a} to {c}", "{b} and above"),
    ("below {a}", "between {a} and {c}", "from {b} on"),
    ("smaller than {a}", "from {a} to {c}", "{b} or above"),
    ("up to {z}", "{a} to {c}", "more than {c}"),
    ("at most {z}", "between {a} and {c}", "over {c}"),
    ("not more than {z}", "from {a} to {c}", "at least {b}"),
)


def opaque_names(ask: Ask, count: int) -> list[str]:
    """Names that say nothing; the test's look different from the training's."""
    rng = ask.rng
    if ask.split == "test":
        styles = ("opt_{n}", "G{d}", "{s}{s}{s}", "group {n}")
    else:
        styles = (
            "{l}",
            "k{n}",
            "{s}{s}",
            "team_{n}",
            "queue-{l}",
            "{n}",
            "x{d}",
            "{s}",
            "class {l}",
        )
    style = rng.choice(styles)
    first = rng.randrange(3) if count < 20 else 0
    names: list[str] = []
    while len(names) < count:
        position = first + len(names)
        name = style.format(
            n=position + 1, d=rng.randrange(10, 99), l="ABCDEFGHIJKLMNOPQRSTUVWXYZ"[position], s=""
        )
        name += "".join(
            rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(style.count("{s}"))
        )
        if name not in names:
            names.append(name)
    return names


def choice(ask: Ask, options: list[tuple[str, str | None]], text: str) -> Question:
    """A choice question over ``(name, description)`` pairs, in any order."""
    order = list(range(len(options)))
    ask.rng.shuffle(order)
    criteria = {options[i][0]: options[i][1] for i in order}
    return {"type": "choice", "instructions": text, "criteria": criteria}


def with_other(ask: Ask, options: list[tuple[str, str | None]], opaque: bool) -> str:
    """Append "none of these" to ``options``; returns its name."""
    name = opaque_names(ask, 26)[25] if opaque else ask.pick(OTHER_NAMES)
    if any(name == other for other, _ in options):
        name = f"{name} {len(options)}"
    bare = not opaque and ask.chance(0.3)
    options.append((name, None if bare else ask.case(ask.pick(OTHER_MEANS))))
    return name


def topic_choice(
    ask: Ask, topics: dict[str, tuple[str, str, str]], right: str | None, wrong: list[str]
) -> Asked:
    """Which of some topics a state is about; ``right`` is ``None`` where it is none of them."""
    asked_other = right is None or ask.chance(0.2)
    chosen = wrong[: ask.size(len(wrong) + 1) - 1]
    if right is not None:
        chosen = [right, *chosen]
    opaque = ask.chance(0.4)
    bare = not opaque and ask.split != "test" and ask.chance(0.15)
    names = opaque_names(ask, len(chosen)) if opaque else _own_names(ask, topics, chosen)
    options: list[tuple[str, str | None]] = []
    notes: dict[str, Note] = {}
    for name, key in zip(names, chosen, strict=True):
        meaning = ask.say(topics[key][2], " or ")
        notes[name] = Note("", f"topic {key}")
        unused = [other for other in wrong if other not in chosen]
        if unused and ask.chance(0.12):
            pair = [meaning, ask.pick(topics[ask.rng.choice(unused)][2])]
            ask.rng.shuffle(pair)
            notes[name] = Note("" if bare else meaning, f"topic {key}")
            meaning = " or ".join(pair)
        text = ask.case(ask.pick(MEANINGS).format(m=meaning))
        options.append((name, None if bare else text))
    expected = names[0]
    if asked_other:
        other = with_other(ask, options, opaque)
        notes[other] = Note("", "other")
        expected = other if right is None else expected
    question = choice(ask, options, ask.pick(TOPIC_ASKS))
    return Asked(ask.id("topic", "kind"), question, expected, "topic", options=notes)


def _own_names(ask: Ask, topics: dict[str, tuple[str, str, str]], keys: list[str]) -> list[str]:
    names: list[str] = []
    for key in keys:
        name = ask.pick(topics[key][0]).replace(" ", ask.rng.choice((" ", "_", "_", "-")))
        names.append(name if name not in names else f"{name} {len(names)}")
    return names


def noul(ask: Ask, id: str, text: str, answer: bool, about: str, says: bool = True) -> Asked:
    """A yes/no question; now and then with its own words for yes and no.

    ``says`` is what a state would have to say for a yes.
    """
    question: Question = {"type": "noul", "instructions": text}
    if ask.chance(0.5):
        yes, no = ask.one(YES_NO)
        question["criteria"] = {"true": ask.case(yes), "false": ask.case(no)}
    return Asked(id, question, "true" if answer else "false", about, "yes" if says else "no")


def about_topic(ask: Ask, topic: str, meanings: str, answer: bool) -> Asked:
    """Whether the state is about a topic."""
    text = ask.pick(ABOUT).format(m=ask.say(meanings, " or "))
    return noul(ask, ask.id("about", "check"), text, answer, f"topic {topic}")


def entity_question(ask: Ask, key: str, value: str, rivals: list[str]) -> Asked:
    """Which name is meant; ``rivals`` are other names from its pool that the state holds."""
    entity = ENTITIES[key]
    pool = [v for v in POOLS[entity.pool].split("|") if v != value and v not in rivals]
    ask.rng.shuffle(pool)
    size = ask.size(len(pool))
    wrong = (rivals + pool)[: size - 1] or pool[:1]
    opaque = ask.chance(0.3)
    is_other = ask.chance(0.1)
    values = wrong if is_other else [value, *wrong]
    if opaque:
        names = opaque_names(ask, len(values))
        template = ask.rng.choice(("{v}", "the {v}", "it is {v}", "{v}"))
        options = [(n, template.format(v=v)) for n, v in zip(names, values, strict=True)]
    else:
        options = [(v, None) for v in values]
    expected = options[0][0]
    notes = {name: Note("", "", v) for (name, _), v in zip(options, values, strict=True)}
    if is_other or ask.chance(0.1):
        other = with_other(ask, options, opaque)
        notes[other] = Note("", "other")
        expected = other if is_other else expected
    question = choice(ask, options, ask.pick(entity.asks))
    id = ask.id(key, *entity.keys.split("|")[:-1])
    return Asked(id, question, expected, f"entity {key}", options=notes)


def flag_question(ask: Ask, key: str, value: bool) -> Asked:
    """Whether a flag holds, sometimes asked the other way round."""
    flag = FLAGS[key]
    if ask.chance(0.2):
        return noul(ask, ask.id(), ask.pick(flag.denies), not value, f"flag {key}", False)
    return noul(ask, ask.id(key), ask.pick(flag.asks), value, f"flag {key}")


def number_question(ask: Ask, key: str, value: int) -> Asked:
    """A threshold, or the band in which a number lies."""
    number, rng = NUMBERS[key], ask.rng
    if ask.chance(0.6):
        above = rng.random() < 0.5  # the number lies above the threshold
        low, high = (1, value - 1) if above and value > 1 else (value + 1, number.most + 10)
        threshold = _round(rng.randint(low, high), low, high)
        over = ask.chance(0.6)
        text = ask.pick(number.above if over else number.below).format(t=threshold)
        return noul(ask, ask.id(key), text, (value > threshold) == over, f"number {key}", over)
    first = _round(rng.randint(2, number.most // 2), 2, number.most // 2)
    second = _round(rng.randint(first + 2, number.most), first + 2, number.most)
    words = ask.one(BANDS)
    unit = f" {number.unit}" if ask.chance(0.5) else ""
    numbers = {"a": first, "b": second, "c": second - 1, "z": first - 1}
    levels = [word.format(**numbers) + unit for word in words]
    right = (value >= first) + (value >= second)
    question = {"type": "score", "instructions": ask.pick(number.scale), "criteria": levels}
    return Asked(ask.id(key), question, str(right), f"number {key}")


def size_class(value: int) -> str:
    """One class for each size of about a quarter more."""
    return f"size {min(30, round(3 * math.log2(max(1, value))))}"


def _round(value: int, low: int, high: int) -> int:
    """The roundest number near ``value`` from ``low`` to ``high``."""
    for step in (100, 50, 10, 5):
        near = round(value / step) * step
        if low <= near <= high and abs(near - value) <= max(2, value // 4):
            return near
    return value


def scale_question(ask: Ask, key: str, level: int) -> Asked:
    """Which of some ordered levels holds, the true one among them."""
    scale = SCALES[key]
    count = len(scale.levels)
    others = [i for i in range(count) if i != level]
    size = count if ask.chance(0.5) else ask.rng.randint(2, count)
    kept = sorted([level, *ask.rng.sample(others, size - 1)])
    capital = ask.chance(0.5)
    texts = [ask.pick(scale.levels[i][1]) for i in kept]
    levels = [t[:1].upper() + t[1:] if capital else t for t in texts]
    question = {"type": "score", "instructions": ask.pick(scale.asks), "criteria": levels}
    notes = {str(n): Note("", f"scale {key}", f"{key} {i}") for n, i in enumerate(kept)}
    return Asked(ask.id(key), question, str(kept.index(level)), f"scale {key}", options=notes)


FACT_QUESTIONS: dict[str, Callable[..., Asked]] = {
    "flag": flag_question,
    "number": number_question,
    "scale": scale_question,
}
