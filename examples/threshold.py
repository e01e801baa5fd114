"""Answer what is sure, hand the rest to a person: python examples/threshold.py [MODEL]

The threshold comes from messages that a person has sorted already: none of them may be sorted
wrongly above it. Where the model is wrong about none, it is ``LEAST``.
"""

import sys

import clef_mlx
from clef_mlx import Choice

LEAST = 0.75
QUESTION = Choice(
    "What is the message about?",
    {
        "login": "login and password trouble",
        "refund": "getting money back",
        "cancel": "ending a subscription",
    },
)
SORTED = [  # by a person, some time ago
    ("I forgot my password.", "login"),
    ("My login does not work.", "login"),
    ("Please send my money back.", "refund"),
    ("I would like a refund for the broken lamp.", "refund"),
    ("Please end my plan this month.", "cancel"),
    ("I do not need the subscription any more.", "cancel"),
    ("I signed in twice and it failed twice.", "login"),
    ("Can I have the money for the second order returned?", "refund"),
]
NEW = [
    "I cannot log in, the password is refused.",
    "When will you return the money?",
    "Something is wrong with my order.",
    "We spoke on the phone yesterday.",
]


def main() -> None:
    clef = clef_mlx.load(sys.argv[1] if len(sys.argv) > 1 else "mini")

    def sort(message: str) -> tuple[str, float]:
        answer = clef.decide(message, {"topic": QUESTION})["topic"]
        return answer.choice, answer.probabilities[answer.choice]

    wrong = [sure for text, topic in SORTED for found, sure in [sort(text)] if found != topic]
    threshold = max([LEAST, *wrong])
    print(f"sorted by hand: {len(SORTED) - len(wrong)} of {len(SORTED)} right", end="; ")
    print(f"a person looks at what is not above {threshold:.2f}\n")
    for message in NEW:
        topic, sure = sort(message)
        print(f"{topic if sure > threshold else 'a person':9} {sure:.2f}  {message}")


if __name__ == "__main__":
    try:
        main()
    except clef_mlx.ClefError as error:
        sys.exit(str(error))
