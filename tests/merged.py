"""The single layers inside merged ones, for tests that know a layer by its released name."""

from __future__ import annotations

import mlx.core as mx

from clef_mlx.layers.linear import Linear, SharesInput


def part(layer: SharesInput, name: str) -> Linear:
    """The linear layer ``name`` of ``layer`` as it was before ``merge``."""
    if name not in layer.shared or "merged" not in layer:
        return layer[name]
    names = iter(layer.shared)
    for merged in layer.merged:
        first = 0
        while first < merged.weight.shape[0]:
            current = next(names)
            size = layer._sizes[layer.shared.index(current)]
            if current == name:
                found = Linear(1, 1)
                found.packing = merged.packing
                for key, value in merged.parameters().items():
                    found[key] = value[first : first + size]
                mx.eval(found.parameters())
                return found
            first += size
    raise AssertionError(name)
