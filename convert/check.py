"""The certificate of a conversion: release and result answer the same requests."""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx

from ..certificate import Certificate
from ..checkpoint import Checkpoint
from ..compare import RequestSet, compare
from ..compare.fit import encode_all
from ..compare.run import Progress
from ..errors import CheckpointError
from ..machine import machine_bytes
from ..memory import decision_bytes, parameter_bytes
from ..published import USABLE
from ..sizes import size
from .plan import Plan


def certifier(
    plan: Plan,
    requests: RequestSet,
    calibrated_on: str | None = None,
    progress: Progress | None = None,
) -> Callable[[Checkpoint], Certificate]:
    """What measures a finished conversion of ``plan`` on ``requests``.

    ``calibrated_on`` is the hash of the requests that calibrated it, if any did.
    Raises, before any work, ``RequestError`` for a request the model refuses and
    ``CheckpointError`` where the release does not fit this machine's memory.
    """
    check_memory(plan.checkpoint, requests, "--check")

    def certify(made: Checkpoint) -> Certificate:
        found = compare(plan.checkpoint, made, requests, progress=progress)
        return Certificate(
            set=requests.name,
            sha256=requests.sha256,
            dtype=found.dtype,
            backend="gpu" if mx.default_device() == mx.gpu else "cpu",
            figures=found.figures.to_dict(),
            calibrated_on=requests.sha256 == calibrated_on,
        )

    return certify


def check_memory(checkpoint: Checkpoint, requests: RequestSet, option: str) -> None:
    """Whether the release itself can answer ``requests`` here, as ``option`` asks."""
    tokens = max(len(prompt.input_ids) for prompt in encode_all(checkpoint, requests))
    item = 2 if mx.default_device() == mx.gpu else 4
    loaded = [spec for spec in checkpoint.specs.values() if spec.part in ("backbone", "head")]
    needed = parameter_bytes(loaded, item) + decision_bytes(checkpoint.config, tokens, item)
    usable = int(USABLE * machine_bytes())
    if needed > usable:
        raise CheckpointError(
            f"{option} runs the release itself, which needs {size(needed)} of memory, and "
            f"{size(usable)} are usable here: convert without it, or on a larger machine"
        )
