"""The two errors that reach a user; everything else that escapes is a bug."""

from __future__ import annotations


class ClefError(Exception):
    """Base of what a caller or a folder can cause. ``str()`` is one sentence for a person."""


class RequestError(ClefError):
    """A request that cannot be answered.

    ``param`` is the dotted path of the field at fault (``questions.team.criteria``), or
    ``""`` where the request as a whole is meant.
    """

    def __init__(self, message: str, param: str = "") -> None:
        super().__init__(message)
        self.param = param


class CheckpointError(ClefError):
    """A folder or Hub id that is not a whole, supported Clef model."""
