"""What a calibration takes of memory, from shapes alone."""

from __future__ import annotations

from collections import defaultdict
from math import prod

import mlx.core as mx

from ..architecture import ModelConfig
from ..checkpoint import Checkpoint
from ..memory import decision_bytes, parameter_bytes
from ..weights import TensorSpec, expected_tensors

FLOAT32 = 4


def needed_bytes(checkpoint: Checkpoint, tokens: int, longest: int) -> int:
    """Upper estimate for prompts of ``tokens`` in all, of which the longest has ``longest``."""
    item = 2 if mx.default_device() == mx.gpu else 4
    return calibration_bytes(checkpoint.config, tokens, longest, item)


def calibration_bytes(config: ModelConfig, tokens: int, longest: int, item: int) -> int:
    """The hidden states of all prompts and the largest module's weights at ``item`` bytes, both
    packed and as released; what packing its widest layer takes, and the working set of one prompt.
    """
    modules: dict[str, list[TensorSpec]] = defaultdict(list)
    for spec in expected_tensors(config, ()).values():
        if spec.part in ("backbone", "head"):
            path = spec.ours.split(".")
            modules["head" if path[0] == "head" else ".".join(path[:3])].append(spec)
    weights = max(parameter_bytes(specs, item) for specs in modules.values())
    packing = max(_packing_bytes(spec) for specs in modules.values() for spec in specs)
    hidden = tokens * config.text.hidden_size * FLOAT32
    return 2 * (hidden + weights) + packing + decision_bytes(config, longest, FLOAT32)


def _packing_bytes(spec: TensorSpec) -> int:
    """Moments, crossed ones, a damped copy and what is made of it; the weights as they are,
    wanted, lost and coded. Of experts one is packed at a time, and the moments of all are kept.
    """
    if spec.kind not in ("linear", "experts"):
        return 0
    *lead, outputs, inputs = spec.shape
    moments = (prod(lead) + (3 if lead else 5)) * inputs * inputs
    return (moments + 4 * outputs * inputs) * FLOAT32
