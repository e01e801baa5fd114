"""A few hundred requests of our own wording, by seed: types, lengths, languages, JSON and text.

They have no expected answers: two models are held against each other on them, not against a truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

COUNT = 240  # requests of one set
CHECKED, CALIBRATED = "check", "calibrate"  # seeds: what is measured was not calibrated on
NOUL, CHOICE, SCORE = "noul", "choice", "score"
Ask = tuple[str, str, str | None, Any]  # id, type, instructions, criteria


@dataclass(frozen=True)
class Scene:
    """A kind of state in one language, and what can be asked of it.

    ``says`` are ways to open, with ``{slots}``; ``adds`` sentences that may follow.
    """

    says: tuple[str, ...]
    slots: dict[str, tuple[str, ...]]
    adds: tuple[str, ...]
    asks: tuple[Ask, ...]


_ORDERS = Scene(
    (
        "Order {number} was paid twice, on {day} and a day later. Please send {sum} back.",
        "I never got the {thing} of order {number}; the courier says it was left on {day}.",
        "The {thing} I ordered on {day} works well, thank you, but {sum} for postage is a lot.",
        "Can order {number} still be changed? I need two of the {thing} instead of one.",
    ),
    {
        "number": ("8841", "20-177", "A5093", "61002"),
        "day": ("Monday", "the 3rd of May", "Friday evening", "12 March"),
        "sum": ("14.90 euros", "$320", "7 pounds", "1,250 kroner"),
        "thing": ("kettle", "bicycle lamp", "pair of boots", "desk", "phone case"),
    },
    (
        "I have written about this before and had no reply.",
        "There is no hurry on my side.",
        "If nothing happens by tomorrow I will turn to my bank.",
        "The parcel itself was dented on one corner.",
        "My neighbour had the same trouble with you last year.",
        "You can reach me by phone in the afternoon.",
    ),
    (
        ("refund", NOUL, "Does the writer want money back?", None),
        ("late", NOUL, "Is a delivery late or missing?", None),
        (
            "team",
            CHOICE,
            "Which team should answer?",
            {
                "billing": "charges, invoices, refunds",
                "shipping": "parcels and couriers",
                "sales": "changes to an order",
                "nobody": None,
            },
        ),
        ("urgency", SCORE, "How soon must someone act?", ["this month", "this week", "today"]),
        ("mood", SCORE, None, ["angry", "displeased", "neutral", "pleased"]),
    ),
)
_INCIDENTS = Scene(
    (
        "{hour} {service} answers with errors, about {share} of calls; a deploy ended just before.",
        "{hour} disk of {service} is {share} full and grows by the hour.",
        "{hour} {service} was slow for nine minutes and came back by itself.",
        "{hour} certificate of {service} runs out tomorrow; {share} of hosts are renewed.",
    ),
    {
        "hour": ("02:14", "09:40", "17:05", "23:59"),
        "service": ("checkout", "the mail gateway", "search", "login", "billing-db"),
        "share": ("2 %", "11 %", "40 %", "93 %"),
    },
    (
        "Customers have noticed and are writing in.",
        "Nobody outside the team can see this.",
        "The last change was rolled back, without effect.",
        "Memory and load look as on any other day.",
        "The same alarm came up twice last week.",
        "Whoever is on call has been told.",
    ),
    (
        ("outage", NOUL, "Are customers affected right now?", None),
        ("page", NOUL, "Wake someone up?", {"true": "it cannot wait for the morning"}),
        (
            "cause",
            CHOICE,
            "What is the likeliest cause?",
            {
                "deploy": "a change that was just released",
                "capacity": "disk, memory or load",
                "expiry": "something ran out of time",
                "network": None,
                "unknown": "the text does not say",
            },
        ),
        ("severity", SCORE, "How bad is it?", ["cosmetic", "minor", "major", "critical"]),
    ),
)
_REVIEWS = Scene(
    (
        "We stayed {nights} and would come again: {good}.",
        "{nights} were enough. {bad}, and nobody at the desk cared.",
        "Mixed feelings after {nights}: {good}, but {bad}.",
        "Booked for {nights} because of the photos. {bad}.",
    ),
    {
        "nights": ("three nights", "one night", "a week", "ten days"),
        "good": ("the bed was wonderful", "breakfast had everything", "it is close to the lake"),
        "bad": ("the heating did not work", "the street is loud", "the room smelled of smoke"),
    },
    (
        "The price had changed between booking and arrival.",
        "Our dog was welcome.",
        "The lift is out of order until autumn.",
        "I would ask for a room to the yard.",
        "Parking costs extra, which is not mentioned anywhere.",
    ),
    (
        ("again", NOUL, "Would the guest come back?", None),
        ("noise", NOUL, "Is noise mentioned?", None),
        (
            "topic",
            CHOICE,
            "What is the main complaint?",
            {"room": None, "staff": None, "price": None, "location": None, "none": "no complaint"},
        ),
        ("stars", SCORE, "How many stars fit?", ["one", "two", "three", "four", "five"]),
    ),
)
_GERMAN = Scene(
    (
        "Die Heizung in der Wohnung {floor} ist seit {day} kalt.",
        "Im Flur {floor} brennt seit {day} kein Licht mehr, jemand ist fast gestürzt.",
        "Ich möchte meinen Vertrag zum {day} kündigen und bitte um eine Bestätigung.",
    ),
    {
        "floor": ("im dritten Stock", "links unten", "unter dem Dach"),
        "day": ("Montag", "1. Juni", "gestern Abend"),
    },
    (
        "Der Hausmeister war schon da, konnte aber nichts finden.",
        "Die Nachbarn haben dasselbe Problem.",
        "Mit freundlichen Grüßen",
        "Es eilt nicht.",
    ),
    (
        ("dringend", NOUL, "Muss heute jemand kommen?", None),
        (
            "anliegen",
            CHOICE,
            "Worum geht es?",
            {"heizung": None, "licht": None, "kündigung": "Ende eines Vertrags", "anderes": None},
        ),
        ("gefahr", SCORE, "Wie gefährlich ist es?", ["gar nicht", "etwas", "sehr"]),
    ),
)
_FRENCH = Scene(
    (
        "Bonjour, je voudrais une table pour {people} {day}.",
        "Nous étions {people} {day} et le plat est arrivé froid.",
        "Peut-on annuler la réservation de {day} ? Nous serons {people} de moins.",
    ),
    {"people": ("deux", "six", "quatorze"), "day": ("samedi soir", "demain midi", "le 9 août")},
    ("Merci d'avance.", "L'un de nous est allergique aux noix.", "Le service était très gentil."),
    (
        ("plainte", NOUL, "Est-ce une plainte ?", None),
        (
            "demande",
            CHOICE,
            "Que veut la personne ?",
            {"réserver": None, "annuler": None, "se plaindre": None},
        ),
        ("ton", SCORE, "Quel est le ton ?", ["fâché", "neutre", "aimable"]),
    ),
)
_SPANISH = Scene(
    (
        "Necesito una cita con {who} porque me duele {where} desde {day}.",
        "Quiero cambiar mi cita con {who} del {day} para la semana que viene.",
        "¿Ya están los resultados de {where} que me hicieron el {day}?",
    ),
    {
        "who": ("el dentista", "la doctora Vega", "el pediatra"),
        "where": ("la rodilla", "la espalda", "una muela"),
        "day": ("lunes", "martes por la noche", "2 de enero"),
    },
    ("Tengo algo de fiebre.", "No es urgente.", "Gracias por su ayuda."),
    (
        ("nueva", NOUL, "¿Pide una cita nueva?", None),
        (
            "motivo",
            CHOICE,
            "¿Cuál es el motivo?",
            {"dolor": None, "cambio": "mover una cita", "resultados": None},
        ),
        ("prisa", SCORE, "¿Cuánta prisa hay?", ["ninguna", "poca", "mucha"]),
    ),
)
_HINDI = Scene(
    ("मेरा {thing} {day} से काम नहीं कर रहा है।", "{day} को खरीदा {thing} बहुत अच्छा है।"),
    {"thing": ("फ़ोन", "पंखा", "टीवी"), "day": ("सोमवार", "कल", "पाँच मार्च")},
    ("कृपया जल्दी जवाब दें।", "रसीद मेरे पास है।"),
    (
        ("शिकायत", NOUL, "क्या यह शिकायत है?", None),
        ("विषय", CHOICE, "किस बारे में है?", {"फ़ोन": None, "पंखा": None, "टीवी": None}),
    ),
)
_JAPANESE = Scene(
    ("{day}に電車で{thing}をなくしました。", "{day}に届いた{thing}が壊れていました。"),
    {"day": ("昨日", "月曜日", "三日"), "thing": ("傘", "財布", "眼鏡")},
    ("急いでいます。", "駅員さんはとても親切でした。", "返事をお待ちしています。"),
    (
        ("lost", NOUL, "落とし物の話ですか。", None),
        ("item", CHOICE, "何の話ですか。", {"傘": None, "財布": None, "眼鏡": None}),
        ("urgency", SCORE, "どのくらい急ぎますか。", ["急がない", "少し", "とても"]),
    ),
)
ENGLISH = (_ORDERS, _INCIDENTS, _REVIEWS)
OTHERS = (_GERMAN, _FRENCH, _SPANISH, _HINDI, _JAPANESE)
LENGTHS = ((0, 1), (2, 4), (8, 24))  # added sentences: short, middle and long states


def builtin_requests(seed: str, count: int = COUNT) -> list[dict[str, Any]]:
    """``count`` System One bodies, the same for the same ``seed``."""
    rng = Random(f"clef-mlx {seed}")
    return [_body(rng) for _ in range(count)]


def _body(rng: Random) -> dict[str, Any]:
    scene = rng.choice(ENGLISH if rng.random() < 0.7 else OTHERS)
    slots = {name: rng.choice(values) for name, values in scene.slots.items()}
    least, most = rng.choices(LENGTHS, (40, 40, 20))[0]
    sentences = [rng.choice(scene.says).format(**slots)]
    sentences += rng.choices(scene.adds, k=rng.randint(least, most))
    state: Any = " ".join(sentences)
    if rng.random() < 0.35:
        state = {"text": state} if rng.random() < 0.5 else {"messages": sentences, **slots}
    asked = rng.sample(scene.asks, rng.randint(1, len(scene.asks)))
    return {
        "state": state,
        "questions": {
            id: {"type": kind, "instructions": instructions, "criteria": criteria}
            for id, kind, instructions, criteria in asked
        },
    }
