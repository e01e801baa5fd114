"""Calibrated rounding, layer by layer: requests run through what is packed so far.

One layer's weights are in memory at a time, packed and as released, with the moments of one of
its inputs and the hidden states of all requests, after packed and after released layers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from ..backbone import DecoderLayer
from ..checkpoint import EMBEDDINGS, LM_HEAD, Checkpoint
from ..compare.fit import encode_all
from ..encoding import EncodedRequest
from ..engine import LARGEST_BUFFERS
from ..errors import CheckpointError, RequestError
from ..head import HeadAttention, HeadInputs, JointHead
from ..layers.norm import RMSNorm
from ..machine import machine_bytes
from ..naming import assemble
from ..packing import Packing, unpack
from ..published import USABLE
from ..request import MEDIA
from ..request_files import RequestSet
from ..sizes import size
from ..weights import Part
from .calibrated import Calibrated
from .calibration_memory import needed_bytes
from .feedback import corrected, factored, round_with_feedback
from .moments import Ear, Moments, Run, moments
from .plan import Plan, Step
from .refit import refit

LONGEST = 4096  # tokens of a prompt: one layer sees it whole
TOKENS = 65_536  # of all prompts: bounds the hidden states that are kept
SEEN = 1  # an expert is calibrated from so many tokens for each of its inputs

Packed = tuple[mx.array, mx.array, mx.array]  # weights, scales, biases
Progress = Callable[[int, int], None]  # modules done, and all


@dataclass(frozen=True)
class Material:
    """The prompts that calibrate: those of a set that are short enough, up to ``TOKENS``."""

    prompts: tuple[EncodedRequest, ...]
    sha256: str
    left_out: int  # requests that are too long, or that came after enough tokens

    @property
    def tokens(self) -> int:
        return sum(len(prompt.input_ids) for prompt in self.prompts)


def material(checkpoint: Checkpoint, requests: RequestSet) -> Material:
    """Raises ``RequestError`` for media, and where every request is too long."""
    for place, request in zip(requests.places, requests.requests, strict=True):
        for kind in MEDIA:
            if getattr(request, kind):
                raise RequestError(f"{place} has {kind}: calibration reads text and JSON", kind)
    encoded = encode_all(checkpoint, requests)
    lengths = [len(prompt.input_ids) for prompt in encoded]
    kept, total = [], 0
    for prompt, length in zip(encoded, lengths, strict=True):
        if length <= LONGEST and total + length <= TOKENS:
            kept.append(prompt)
            total += length
    if not kept:
        raise RequestError(
            f"{requests.name}: every request is longer than the {LONGEST:,} tokens that "
            f"calibration reads; the shortest has {min(lengths):,}"
        )
    return Material(tuple(kept), requests.sha256, len(encoded) - len(kept))


def calibrate(plan: Plan, given: Material, store: Calibrated, progress: Progress) -> None:
    """Pack every linear layer of ``plan`` into ``store``, in the order in which prompts meet them.

    Modules that ``store`` has already are read from it. Raises ``CheckpointError`` that names the
    module for weights or activations that are not finite.
    """
    before = mx.set_cache_limit(LARGEST_BUFFERS)
    try:
        _Calibration(plan, given, store).run(progress)
    finally:
        mx.set_cache_limit(before)


@dataclass(frozen=True)
class _Fed:
    """A layer, or the head, and what sends each prompt through it."""

    module: nn.Module
    runs: Sequence[Run]


class _Calibration:
    def __init__(self, plan: Plan, given: Material, store: Calibrated) -> None:
        self._plan, self._store, self._given = plan, store, given
        self._checkpoint = plan.checkpoint
        self._dtype = mx.bfloat16 if mx.default_device() == mx.gpu else mx.float32
        self._steps: dict[str, list[Step]] = {}
        for step in plan.steps:
            if step.packing is not None and step.spec.part in ("backbone", "head"):
                self._steps.setdefault(step.spec.ours, []).append(step)

    def run(self, progress: Progress) -> None:
        text = self._checkpoint.config.text
        count = len(text.layer_types) + 1
        table = self._checkpoint.table(EMBEDDINGS)
        hidden = [table.read(np.array(p.input_ids))[None] for p in self._given.prompts]
        hidden = [rows.astype(self._dtype).astype(mx.float32) for rows in hidden]
        mx.eval(hidden)
        released = list(hidden)
        for i, kind in enumerate(text.layer_types):
            progress(i, count)
            under = f"backbone.layers.{i}."
            fed, other = self._layer(kind, under, hidden), self._layer(kind, under, released)
            self._pack(fed, other, under)
            for layer, rows in ((fed, hidden), (other, released)):
                for n, run in enumerate(layer.runs):
                    rows[n] = run()
                    mx.eval(rows[n])
                    _check(rows[n], f"layer {i} of the backbone")
            del fed, other, layer, run
            mx.clear_cache()
        progress(count - 1, count)
        fed = self._head(hidden)
        self._pack(fed, self._head(released), "head.")
        for run in fed.runs:
            _check(run(), "the joint head")
        progress(count, count)

    def _layer(self, kind: str, under: str, hidden: Sequence[mx.array]) -> _Fed:
        layer = DecoderLayer(self._checkpoint.config.text, kind)
        self._fill(layer, under)

        def through(n: int) -> mx.array:
            return layer(hidden[n], None, self._dtype, None)[0]

        return _Fed(layer, [partial(through, n) for n in range(len(hidden))])

    def _head(self, hidden: Sequence[mx.array]) -> _Fed:
        config = self._checkpoint.config
        norm = RMSNorm(config.text.hidden_size, config.text.rms_norm_eps)
        self._fill(norm, "backbone.norm.")
        head, table = JointHead(config.head), self._checkpoint.table(LM_HEAD)
        self._fill(head, "head.")
        for layer in head.modules():
            if isinstance(layer, HeadAttention):
                layer.is_eager = True  # what keys and values are made of must be heard

        def score(x: mx.array, prompt: EncodedRequest, inputs: HeadInputs) -> mx.array:
            normed, memory = head.read(norm(x, self._dtype)[0])
            return head(memory, normed[prompt.schema_start :], inputs, table.read(inputs.token_ids))

        prompts = zip(hidden, self._given.prompts, strict=True)
        return _Fed(head, [partial(score, x, p, HeadInputs.build(p)) for x, p in prompts])

    def _fill(self, module: nn.Module, under: str) -> None:
        part: Part = "head" if under.startswith("head.") else "backbone"
        found = self._checkpoint.parameters(part, self._dtype, True, under)
        for name, value in found.items():
            _check(value, name)
        module.load_weights([(name.removeprefix(under), v) for name, v in found.items()])

    def _pack(self, fed: _Fed, released: _Fed, under: str) -> None:
        """Replace ``fed``'s weights by packed ones, an input after the other."""
        steps = {n.removeprefix(under): s for n, s in self._steps.items() if n.startswith(under)}
        named = {name.removesuffix(".weight"): found for name, found in steps.items()}
        layers = dict(fed.module.named_modules())
        if not named:
            return
        if all(step.spec.name in self._store for found in named.values() for step in found):
            for name, found in named.items():
                layers[name].weight = self._stored(found)
            return
        pieces: dict[str, dict[int, Packed]] = {name: {} for name in named}
        ear, other = Ear(fed.module, named), Ear(released.module, named)
        for stage in ear.stages(fed.runs[0]):
            heard = moments(stage[0], ear, other, zip(fed.runs, released.runs, strict=True))
            for sums in (*heard.sums.values(), *heard.crossed.values()):
                _check(sums, f"what enters {under}{stage[0].name}")
            rounding = Rounding(heard)
            for rows in stage:
                packing = named[rows.name][0].packing
                assert packing is not None
                weight, at = layers[rows.name].weight, slice(rows.start, rows.stop)
                packed = rounding.pack(weight[..., at, :], packing)
                weight[..., at, :] = unpack(*packed, packing).astype(weight.dtype)
                pieces[rows.name][rows.start] = packed
        ear.leave()
        other.leave()
        tensors: dict[str, mx.array] = {}
        for name, found in named.items():
            parts = [pieces[name][start] for start in sorted(pieces[name])]
            whole = [mx.concatenate(list(part), axis=-2) for part in zip(*parts, strict=True)]
            for step in found:
                names = [output.name for output in step.outputs()]
                tensors.update(zip(names, _own(step, whole), strict=True))
        mx.eval(tensors)
        self._store.write(under.rstrip("."), tensors)

    def _stored(self, steps: list[Step]) -> mx.array:
        """The weights that the packed tensors of one parameter stand for."""
        plain = []
        for step in steps:
            assert step.packing is not None
            weight, scales, biases = self._store.read([o.name for o in step.outputs()])
            plain.append(unpack(weight, scales, biases, step.packing))
        return assemble([step.spec for step in steps], plain).astype(self._dtype)


def calibrator(
    plan: Plan, requests: RequestSet, progress: Progress
) -> Callable[[Path], Calibrated]:
    """What calibrates ``plan`` on ``requests``, given a folder for what it finds."""
    given = material(plan.checkpoint, requests)

    def calibrated(folder: Path) -> Calibrated:
        store = Calibrated(folder, plan, given.sha256)
        calibrate(plan, given, store, progress)
        return store

    return calibrated


def check_calibration(plan: Plan, requests: RequestSet) -> None:
    """Raises, before any work, ``RequestError`` for requests that cannot calibrate and
    ``CheckpointError`` where this machine has too little memory.
    """
    given = material(plan.checkpoint, requests)
    longest = max(len(prompt.input_ids) for prompt in given.prompts)
    needed = needed_bytes(plan.checkpoint, given.tokens, longest)
    usable = int(USABLE * machine_bytes())
    if needed > usable:
        raise CheckpointError(
            f"calibration needs {size(needed)} of memory and {size(usable)} are usable here: "
            "convert without it, or on a larger machine"
        )


class Rounding:
    """Packs layers that share one input."""

    def __init__(self, moments: Moments) -> None:
        self._moments = moments
        self._factors: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def pack(self, weight: mx.array, packing: Packing) -> Packed:
        """Shapes: ``weight`` ``[O, I]``, or of experts ``[E, O, I]``.

        What saw fewer inputs than it has columns is packed by the refit: its moments say little.
        """
        if weight.ndim == 2:
            return self._one(weight, packing, 0)
        experts = [self._one(weight[e], packing, e) for e in range(weight.shape[0])]
        stacked = [mx.stack(list(part)) for part in zip(*experts, strict=True)]
        return stacked[0], stacked[1], stacked[2]

    def _one(self, weight: mx.array, packing: Packing, expert: int) -> Packed:
        if self._moments.counts.get(expert, 0) < SEEN * weight.shape[-1]:
            return refit(weight, packing)
        if expert not in self._factors:
            self._factors = {expert: factored(self._moments.sums[expert])}
        wanted = np.array(weight.astype(mx.float32))
        if expert in self._moments.crossed:
            crossed = self._moments.crossed[expert]
            wanted = corrected(wanted, self._moments.sums[expert], crossed)
        return round_with_feedback(wanted, self._factors[expert], packing)


def _own(step: Step, whole: list[mx.array]) -> list[mx.array]:
    """The part of a parameter's packed tensors that ``step`` writes: all, or one expert's."""
    if whole[0].ndim == len(step.spec.shape):
        return whole
    expert, part = step.spec.slot
    rows = step.spec.shape[-2]
    return [tensor[expert, part * rows : (part + 1) * rows] for tensor in whole]


def _check(values: mx.array, where: str) -> None:
    if not mx.isfinite(values).all().item():
        raise CheckpointError(f"calibration met NaN or infinity in {where}: it cannot go on")
