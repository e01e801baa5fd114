"""Answer what is sure, hand the rest to a person: python examples/threshold.py [MODEL]

A probability is only worth a threshold if it is honest. So the threshold is not guessed: it is the
lowest one at which the messages already sorted by hand would have been sorted rightly.
"""

import sys

import clef_mlx
from clef_mlx import Choice

QUESTION = Choice(
    "What is the message about?",
    {
        "login": "login and password trouble",
        "refund": "getting money back",
        "cancel": "ending a subscription",
        "other": None,
    },
)
SORTED = [  # by a person, some time ago
    ("I forgot my password.", "login"),
    ("My login does not work.", "login"),
    ("Please send my money back.", "refund"),
    ("I would like a refund for the broken lamp.", "refund"),
    ("Please end my plan this month.", "cancel"),
    ("I do not need the subscription any more.", "cancel"),
    ("The heating in my room is cold.", "other"),
    ("What does a yearly plan cost?", "other"),
]
NEW = [
    "I cannot log in, the password is refused.",
    "When will you return the money?",
    "I have not decided yet whether to leave or to get another password.",
    "Cancel it.",
]


def main() -> None:
    clef = clef_mlx.load(sys.argv[1] if len(sys.argv) > 1 else "mini")

    def sort(message: str) -> tuple[str, float]:
        answer = clef.decide(message, {"topic": QUESTION})["topic"]
        return answer.choice, answer.probabilities[answer.choice]

    wrong = [sure for text, topic in SORTED for found, sure in [sort(text)] if found != topic]
    threshold = max([0.5, *wrong])
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
