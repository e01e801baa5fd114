"""Answer messages that arrive at any time from asyncio, and keep serving meanwhile.

    python examples/async_decide.py [MODEL]

A decision blocks its thread, not the event loop. The model takes one after another.
"""

from __future__ import annotations

import asyncio
import sys

import clef_mlx

MESSAGES = (
    "My card was charged twice for the same order.",
    "The app closes by itself since the update.",
    "Please end my subscription this month.",
)
QUESTIONS = {
    "money": clef_mlx.Noul("Is money asked back?"),
    "topic": clef_mlx.Choice(
        "What is it about?",
        {"billing": "payments and charges", "app": "errors of the app", "plan": "ending a plan"},
    ),
}


async def answer(clef: clef_mlx.Clef, message: str) -> str:
    response = await asyncio.to_thread(clef.decide, message, QUESTIONS)
    return f"{response['topic'].choice:8} {message}"


async def main(clef: clef_mlx.Clef) -> None:
    for line in asyncio.as_completed([answer(clef, message) for message in MESSAGES]):
        print(await line)


if __name__ == "__main__":
    try:
        asyncio.run(main(clef_mlx.load(sys.argv[1] if len(sys.argv) > 1 else "mini")))
    except clef_mlx.ClefError as error:
        sys.exit(str(error))
