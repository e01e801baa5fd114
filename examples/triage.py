"""Sort support messages into queues, most urgent first: python examples/triage.py [MODEL]"""

import sys

import clef_mlx
from clef_mlx import Choice, Noul, Score

MESSAGES = [
    "The app shows an error and closes. It can wait, there is no hurry.",
    "You took the money twice for the same order. Please help today.",
    "Thank you, your team was great.",
    "The vase arrived broken. I need it today, please act at once!",
]
SCHEMA = {
    "queue": Choice(
        "Which queue is right?",
        {
            "billing": "double charges and refunds",
            "shipping": "broken goods or late parcels",
            "tech": "an error in the app",
            "praise": "praise or thanks",
        },
    ),
    "urgency": Score("How urgent is it?", ["no hurry", "this week", "today", "at once"]),
    "photo": Noul("Is a photo attached?"),
}


def main() -> None:
    clef = clef_mlx.load(sys.argv[1] if len(sys.argv) > 1 else "mini")
    results = [clef.decide(message, SCHEMA) for message in MESSAGES]
    order = sorted(range(len(MESSAGES)), key=lambda i: -results[i]["urgency"].score)
    for i in order:
        queue, urgency = results[i]["queue"], results[i]["urgency"]
        print(f"{urgency.score:.1f} of 3  {queue.choice:8} {queue.confidence:.2f}  {MESSAGES[i]}")


if __name__ == "__main__":
    try:
        main()
    except clef_mlx.ClefError as error:
        sys.exit(str(error))
