"""Run Cloudflare's Clef decision models on a Mac.

Tensor axes, one letter each, in every docstring: ``B`` batch, ``L`` tokens, ``D`` backbone width,
``W`` head width, ``H``/``Hk`` heads and key-value (or key) heads, ``Dk``/``Dv`` head sizes,
``R`` value heads to a key head, ``N`` chunks of ``C`` tokens, ``Q`` questions, ``O`` options,
``E`` experts, ``I`` inner width of a feed-forward block.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .answers import ChoiceAnswer, NoulAnswer, Response, ScoreAnswer
    from .encoding import EncodedRequest
    from .errors import CheckpointError, ClefError, RequestError
    from .held import HeldState
    from .media.videos import Video
    from .model import Clef, load
    from .request import Choice, Noul, Request, Score, parse_request

_HOMES = {
    "answers": ("ChoiceAnswer", "NoulAnswer", "Response", "ScoreAnswer"),
    "encoding": ("EncodedRequest",),
    "errors": ("CheckpointError", "ClefError", "RequestError"),
    "held": ("HeldState",),
    "media.videos": ("Video",),
    "model": ("Clef", "load"),
    "request": ("Choice", "Noul", "Request", "Score", "parse_request"),
}
__all__ = [
    "CheckpointError",
    "Choice",
    "ChoiceAnswer",
    "Clef",
    "ClefError",
    "EncodedRequest",
    "HeldState",
    "Noul",
    "NoulAnswer",
    "Request",
    "RequestError",
    "Response",
    "Score",
    "ScoreAnswer",
    "Video",
    "load",
    "parse_request",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``clef-mlx --help`` answers at once."""
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    if name == "__version__":
        return version("clef-mlx")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
