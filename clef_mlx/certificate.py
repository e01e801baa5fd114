"""What a conversion was measured to change, as its stamp holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import CheckpointError

KEY = "certificate"  # in the stamp


@dataclass(frozen=True)
class Certificate:
    """A measured comparison of a converted folder with its release. ``figures`` is plain JSON."""

    set: str  # the name of the requests
    sha256: str  # of the requests
    dtype: str
    backend: str  # "cpu" or "gpu"
    figures: Mapping[str, Any]
    calibrated_on: bool = False  # the same requests served to calibrate: figures are too good

    @property
    def drift(self) -> float:
        """99 of 100 questions move no probability by more than this."""
        return float(self.figures["drift_99"])

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def read_certificate(stamp: Mapping[str, Any], where: str) -> Certificate | None:
    """The certificate of a conversion's ``stamp``, or ``None`` where it was never measured.

    Raises ``CheckpointError`` for one that is not whole.
    """
    raw = stamp.get(KEY)
    if raw is None:
        return None
    try:
        found = Certificate(**raw)
        is_whole = all(isinstance(t, str) for t in (found.set, found.sha256, found.dtype))
        is_whole &= all(_are_numbers(found.figures[name]) for name in ("requests", "questions"))
        is_whole &= all(_are_numbers(found.figures[name]) for name in ("drift_99", "drift_max"))
        is_whole &= all(_are_numbers(*found.figures[n]) for n in ("changed_share", "drift", "kl"))
    except (TypeError, KeyError):
        is_whole = False
    if not is_whole:
        raise CheckpointError(f"{where} holds a certificate that is not whole; convert again")
    return found


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
