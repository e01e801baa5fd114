"""Hold two models' answers to the same requests against each other."""

from __future__ import annotations

from pathlib import Path

from ..request_files import RequestSet, generated_set, read_request_set
from .builtin import CALIBRATED, CHECKED, builtin_requests
from .figures import NEAR_TIE, Figures
from .run import Comparison, compare

__all__ = [
    "BUILTIN",
    "CALIBRATED",
    "CHECKED",
    "NEAR_TIE",
    "Comparison",
    "Figures",
    "RequestSet",
    "compare",
    "request_set",
]

BUILTIN = "builtin"


def request_set(name: str, purpose: str = CHECKED) -> RequestSet:
    """The requests of the file ``name``, or ours for ``"builtin"``.

    ``purpose`` is ``CHECKED`` or ``CALIBRATED``: a model calibrated on our requests is measured on
    others of them.
    """
    if name == BUILTIN:
        return generated_set(f"{BUILTIN} ({purpose})", builtin_requests(purpose))
    return read_request_set(Path(name))
