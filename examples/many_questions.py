"""Ask everything about one state in a single pass: python examples/many_questions.py [MODEL]"""

import sys
import time

import clef_mlx
from clef_mlx import Choice, Noul, Score

ORDER = {
    "message": "The parcel was damaged on the way. A photo is attached. I am very angry.",
    "paid": True,
    "weight_kg": 12,
    "to_city": "Lisbon",
}
QUESTIONS = {
    "topic": Choice(
        "What is the message about?",
        {"late": "a late parcel", "damaged": "something damaged", "return": "sending goods back"},
    ),
    "photo": Noul("Is a photo attached?"),
    "paid": Noul("Has it been paid?"),
    "heavy": Noul("Does it weigh more than 30 kg?"),
    "mood": Score("How happy is the person?", ["very angry", "neutral", "happy"]),
    "city": Choice("Where should it go?", dict.fromkeys(["Berlin", "Lisbon", "Oslo"])),
}


def main() -> None:
    clef = clef_mlx.load(sys.argv[1] if len(sys.argv) > 1 else "mini")
    clef.decide(ORDER, QUESTIONS)  # the first pass also sets things up
    began = time.perf_counter()
    result = clef.decide(ORDER, QUESTIONS)
    together = time.perf_counter() - began
    began = time.perf_counter()
    for id, question in QUESTIONS.items():
        clef.decide(ORDER, {id: question})
    alone = time.perf_counter() - began
    for id, answer in result.answers.items():
        if isinstance(answer, clef_mlx.NoulAnswer):
            print(f"{id:6} {answer.noul:.2f} of yes")
        elif isinstance(answer, clef_mlx.ChoiceAnswer):
            print(f"{id:6} {answer.choice} ({answer.confidence:.2f})")
        else:
            print(f"{id:6} {answer.score:.2f} of {len(answer.probabilities) - 1}")
    print(f"\n{len(QUESTIONS)} questions in one pass took {together * 1000:.0f} ms", end=", ")
    print(f"one after another {alone * 1000:.0f} ms")


if __name__ == "__main__":
    try:
        main()
    except clef_mlx.ClefError as error:
        sys.exit(str(error))
