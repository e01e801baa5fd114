"""A state that was read once, for as many schemas as come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from .answers import Response
from .errors import ClefError

Answer = Callable[..., Response]


class HeldState(AbstractContextManager["HeldState"]):
    """What ``Clef.state`` returns: ``decide`` pays for the questions alone.

    The state's memory is held until ``close``, or the end of a ``with`` block.
    """

    def __init__(self, answer: Answer, tokens: int, nbytes: int) -> None:
        self._answer: Answer | None = answer
        self.tokens = tokens  # of the prompt up to the end of the state
        self.nbytes = nbytes  # held

    def decide(
        self,
        questions: Mapping[str, Any],
        *,
        confidence: str = "reference",
        max_length: int | None = None,
        truncate: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> Response:
        """Answer ``questions`` on the state; arguments and errors as of ``Clef.decide``.

        Raises ``ClefError`` after ``close``.
        """
        if self._answer is None:
            raise ClefError("this state is closed: ask clef.state(...) for it again")
        return self._answer(questions, confidence, max_length, truncate, progress)

    def close(self) -> None:
        """Let the memory go."""
        self._answer = None

    def __exit__(self, *failure: object) -> None:
        self.close()
