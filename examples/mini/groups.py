"""Broad subjects, such as a team would have, and messages as people write them; for training alone.

Tests ask for single topics in the generator's own wording. What is here makes the network useful
beyond that: options that cover several topics, subject lines, and fields that do not matter.
"""

from __future__ import annotations

from typing import Any

from asking import Ask, Asked, Note
from questions import choice, noul, opaque_names, with_other

# Per subject: option names, meanings, and the topics it covers; no topic is in two.
GROUPS = {
    "money": (
        "billing|accounting|finance|payments|money|invoices",
        "payments, invoices and refunds|charges and bills|money matters|bills, charges and refunds"
        "|invoices and payments|anything to do with payment|problems with a bill|charges, refunds"
        "|refunds and double charges|payment questions|a problem with a payment or bill",
        "double_charge refund wrong_amount tax copy late_payment installments recipient",
    ),
    "parcels": (
        "shipping|delivery|logistics|courier|parcels|transport",
        "parcels and delivery|shipping and couriers|deliveries|parcels and couriers"
        "|where a parcel is|the delivery of goods|late or lost parcels|delivery problems"
        "|shipping questions|a parcel that is late or was left elsewhere",
        "late neighbour depot",
    ),
    "goods": (
        "goods|claims|complaints|returns|quality",
        "faulty, wrong or missing goods|something wrong with the goods|broken or wrong items"
        "|complaints about goods|items that are damaged, wrong or missing|the goods are not right"
        "|damaged or incomplete orders",
        "damaged wrong_item missing",
    ),
    "tech": (
        "tech|technical|it|engineering|technical support|systems",
        "technical problems|errors and bugs|faults of the software|trouble with computers"
        "|errors in the app or on the server|systems that do not work|technical faults"
        "|faults of the product|software and servers|the product does not work",
        "crash slow database deploy network disk certificate",
    ),
    "account": (
        "account|login|accounts|users|profile",
        "accounts and passwords|trouble with the account|account data and sign in"
        "|the user's account|login and account details",
        "login address",
    ),
    "sales": (
        "sales|offers|plans|presales",
        "plans and prices|sales and offers|questions about plans|buying more|interest in the offer"
        "|a customer who wants to buy or know more",
        "upgrade question",
    ),
    "feedback": (
        "feedback|praise|compliments|positive",
        "compliments|nice feedback|happy customers|praise and thanks|the customer is happy"
        "|positive feedback",
        "praise thanks",
    ),
    "people": (
        "hr|personnel|people|human resources|staff office",
        "staff matters|employees and leave|human resources|holidays, sickness and pay"
        "|questions of employees|matters of the staff",
        "holiday sick training salary resignation conflict",
    ),
    "house": (
        "facility|caretaker|maintenance|building|repairs",
        "repairs in the building|the house and its rooms|something to repair in the house"
        "|heating, water, light and doors|building maintenance|the caretaker's work",
        "heating water electric lock lift cleaning garden",
    ),
    "security": (
        "security|safety|crime",
        "security|attacks and fraud|criminals and misuse|theft and fraud|security matters",
        "attack fraud lost_card",
    ),
    "rights": (
        "access|permissions|rights|admin desk",
        "rights and permissions|access to files and systems|who may do what|access rights"
        "|giving, changing or ending access",
        "read write admin remove extend",
    ),
    "review": (
        "product|product team|features|design",
        "complaints about a product|how good a product is|weak points of a product"
        "|the product is bad|a buyer is not content with the product",
        "battery noise size quality price",
    ),
    "dates": (
        "calendar|schedule|appointments|events",
        "dates and appointments|meetings and events|calendar matters|planning of meetings",
        "reschedule invitation",
    ),
}
GROUP_OF = {topic: name for name, row in GROUPS.items() for topic in row[2].split()}
GROUP_ASKS = (
    "Which team should deal with it?|Who handles this?|Which team takes this message?"
    "|Which department is right for this?|Where does this message go?|Which area is it?"
    "|What is it about?|Who is responsible?|Route the message.|Which queue should get it?"
    "|Pick a category.|Which team is in charge?"
)
GROUP_ABOUT = (
    "Is it about {m}?|Does the customer ask about {m}?|Does this concern {m}?|Is this {m}?"
    "|Is the message about {m}?|Has it to do with {m}?|Should the team for {m} see it?"
)
PARTNERS = {
    **{"double_charge": "refund", "cancel": "refund", "damaged": "return", "wrong_item": "return"},
    **{"lost_card": "fraud", "slow": "database", "deploy": "slow", "lock": "electric"},
}
TAILS = (  # of the levels of urgency
    "when there is time|whenever you like|some time|when it suits you",
    "this week|by Friday|in the next days|before the weekend|within a few days",
    "today|by tonight|before this evening|today, please|still today",
    "at once|immediately|right now|this minute|as fast as you can",
)
SUBJECT_KEYS = ("subject", "title", "topic", "headline")
NOISE: dict[str, tuple[Any, ...]] = {
    "customer": ({"plan": "pro", "since": 2019}, {"plan": "free"}, {"vip": False}, "private"),
    "lang": ("en", "english"),
    "date": ("2026-02-03", "2025-11-30", "2026-07-19"),
    "ticket": (4417, 90211, "T-883", "A-20"),
    "channel": ("mail", "phone", "web", "chat"),
    "version": ("1.2", "3.0.1"),
    "tags": ([], ["new"], ["web", "mail"]),
    "order": (8123, "8841", "N-551"),
}


def group_choice(ask: Ask, topic: str, said: list[str]) -> Asked:
    """Which of some broad subjects ``topic`` belongs to, or none; ``said`` are all of the state."""
    rng, right = ask.rng, GROUP_OF[topic]
    wrong = _others(said)
    rng.shuffle(wrong)
    is_other = ask.chance(0.12)
    chosen = wrong[: ask.size(6) - 1]
    chosen = chosen if is_other else [right, *chosen]
    opaque = ask.chance(0.25)
    names = opaque_names(ask, len(chosen))
    if not opaque:
        names = [rng.choice(GROUPS[name][0].split("|")) for name in chosen]
    bare = not opaque and ask.chance(0.2)
    options: list[tuple[str, str | None]] = [
        (name, None if bare else ask.case(rng.choice(GROUPS[group][1].split("|"))))
        for name, group in zip(names, chosen, strict=True)
    ]
    expected, notes = names[0], {}
    if is_other or ask.chance(0.3):
        other = with_other(ask, options, opaque)
        notes[other] = Note("", "other")
        expected = other if is_other else expected
    question = choice(ask, options, rng.choice(GROUP_ASKS.split("|")))
    notes |= {name: Note("", "") for name in names}
    return Asked(ask.id("team", "queue"), question, expected, "topic", options=notes)


def about_group(ask: Ask, topic: str, said: list[str]) -> Asked:
    """Whether the state is about a broad subject."""
    answer = ask.chance(0.5)
    right = GROUP_OF[topic]
    name = right if answer else ask.rng.choice(_others(said))
    text = ask.rng.choice(GROUP_ABOUT.split("|"))
    meaning = ask.rng.choice(GROUPS[name][1].split("|"))
    return noul(ask, ask.id("about"), text.format(m=meaning), answer, "")


def _others(said: list[str]) -> list[str]:
    """Subjects that none of the topics ``said`` belongs to."""
    return [name for name in GROUPS if name not in {GROUP_OF.get(topic) for topic in said}]


def second_topic(ask: Ask, topic: str, wrong: list[str]) -> list[str]:
    """Now and then a second topic of the state, taken out of ``wrong``: often what goes with it."""
    partner = PARTNERS.get(topic)
    if partner in wrong and ask.chance(0.35):
        wrong.remove(partner)
        return [partner]
    return [wrong.pop()] if ask.chance(0.12) else []


def hasten(
    ask: Ask, sentences: list[str], notes: list[Note], facts: list[Any]
) -> tuple[list[str], list[Note]]:
    """Say how urgent it is in the same breath as something else."""
    levels = [value for _, key, value in facts if key == "urgency"]
    places = [i for i, text in enumerate(sentences) if text.endswith(".")]
    if not levels or not places or not ask.chance(0.4):
        return sentences, notes
    i, tail = ask.rng.choice(places), ask.rng.choice(TAILS[levels[0]].split("|"))
    joint = ask.rng.choice((" ", ", please ", ", please do it ", ", I need it "))
    notes = [
        note._replace(text=note.text[:-1]) if note.text == sentences[i] else note for note in notes
    ]
    whole = f"{sentences[i][:-1]}{joint}{tail}."
    notes.append(Note(tail, "scale urgency", f"urgency {levels[0]}"))
    return [*sentences[:i], whole, *sentences[i + 1 :]], notes


def add_noise(ask: Ask, fields: dict[str, Any]) -> None:
    """Fields that no question is about."""
    for key in ask.rng.sample(list(NOISE), ask.rng.choice((0, 0, 0, 1, 2))):
        fields.setdefault(key, ask.rng.choice(NOISE[key]))


def glue(ask: Ask, sentences: list[str], notes: list[Note]) -> tuple[list[str], list[Note]]:
    """Some sentences run into the next, as people write; the notes follow."""
    found: list[str] = []
    for sentence in sentences:
        before = found[-1] if found else ""
        if not before.endswith(".") or not ask.chance(0.2):
            found.append(sentence)
            continue
        ended = before.lower()
        notes = [
            note._replace(text=note.text[:-1]) if ended.endswith(note.text.lower()) else note
            for note in notes
        ]
        keeps = sentence[:2] in ("I ", "I'") or sentence[:2].isupper()
        after = sentence if keeps else sentence[:1].lower() + sentence[1:]
        found[-1] = before[:-1] + ask.rng.choice((", ", " and ", ", and ", "; ", " - ")) + after
    return found, notes
