"""How a layout stores the catalogue's tensors, and the way from a stored tensor to our parameter.

With ``weights.py`` the only place that knows foreign names.
"""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx

from .weights import Kind, TensorSpec


@dataclass(frozen=True)
class Naming:
    """How a layout stores the catalogue's tensors."""

    prefixes: tuple[tuple[str, str], ...] = ()  # of names: the release's, its own
    norms_hold_scale: bool = False  # the norm's whole scale, where a release stores it minus one
    channels_last: bool = False  # convolutions as MLX wants them: [C, K, 1], patches [..., 3]

    def stored_name(self, spec: TensorSpec) -> str:
        for theirs, own in self.prefixes:
            if spec.part != "head" and spec.name.startswith(theirs):
                return own + spec.name.removeprefix(theirs)
        return spec.name

    def stored_shape(self, spec: TensorSpec) -> tuple[int, ...]:
        if self.channels_last and spec.kind in ("conv", "patches"):
            first, channels, *rest = spec.shape
            return (first, *rest, channels)
        return spec.shape


RELEASE = Naming()
COMMUNITY = Naming(
    prefixes=(
        ("model.language_model.", "language_model.model."),
        ("lm_head.", "language_model.lm_head."),
        ("model.visual.", "vision_tower."),
    ),
    norms_hold_scale=True,
    channels_last=True,
)


def assemble(specs: list[TensorSpec], arrays: list[mx.array]) -> mx.array:
    """One array from the stored tensors of a parameter: single experts become one stack.

    Shapes: one array as it is, or ``[E][parts]`` of ``[I, D]`` -> ``[E, parts * I, D]``.
    """
    if len(arrays) == 1:
        return arrays[0]
    by_slot = {spec.slot: array for spec, array in zip(specs, arrays, strict=True)}
    experts, parts = (1 + max(slot[axis] for slot in by_slot) for axis in (0, 1))
    return mx.stack(
        [
            mx.concatenate([by_slot[expert, part] for part in range(parts)])
            for expert in range(experts)
        ]
    )


def to_parameter(kind: Kind, value: mx.array, naming: Naming, dtype: mx.Dtype) -> mx.array:
    """Our parameter from a stored one, in the dtype it is used in."""
    if kind == "norm":
        # Added in float32: in bfloat16 the sum would be rounded.
        return value.astype(mx.float32) + (0 if naming.norms_hold_scale else 1)
    if kind == "float32":
        return value.astype(mx.float32)
    if kind == "conv":
        return value.squeeze(2 if naming.channels_last else 1).T.astype(dtype)
    if kind == "patches":
        value = value.moveaxis(-1, 1) if naming.channels_last else value
        return value.flatten(1).astype(dtype)
    if kind == "filters":
        return value.moveaxis(1, -1).astype(dtype)
    return value.astype(dtype)
