"""Second moments of what goes into linear layers, heard while a module runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx.utils import tree_unflatten

from ..layers.linear import ExpertLinear, Linear


@dataclass(frozen=True)
class Rows:
    """Outputs ``start`` to ``stop`` of one linear layer, which see the same inputs."""

    name: str  # of the layer within its module
    start: int
    stop: int


Run = Callable[[], Any]  # sends one prompt through a module
Heard = tuple[mx.array, mx.array | None]  # what enters a layer; of experts, each row's number


@dataclass
class Moments:
    """Sum of ``x x^T`` over the inputs seen, ``[I, I]`` float32, and how many they were.

    ``crossed`` is the sum of ``r x^T``, where ``r`` is the input as it would be with all layers
    before it as released. Of experts: one of each, by number, and nothing crossed.
    """

    sums: dict[int, mx.array] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    crossed: dict[int, mx.array] = field(default_factory=dict)

    def add(self, inputs: mx.array, expert: int = 0, released: mx.array | None = None) -> None:
        """Shapes: ``inputs``, ``released`` ``[..., I]``."""
        rows = _rows(inputs)
        self.sums[expert] = _sum(self.sums.get(expert), rows.T @ rows)
        self.counts[expert] = self.counts.get(expert, 0) + rows.shape[0]
        if released is not None:
            product = _rows(released).T @ rows
            self.crossed[expert] = _sum(self.crossed.get(expert), product)


def _rows(inputs: mx.array) -> mx.array:
    return inputs.reshape(-1, inputs.shape[-1]).astype(mx.float32)


def _sum(before: mx.array | None, more: mx.array) -> mx.array:
    return more if before is None else before + more


class Ear:
    """Stands in for the linear layers of ``module`` that are named, and hears their inputs."""

    def __init__(self, module: nn.Module, names: Iterable[str]) -> None:
        self._module = module
        self._order: list[tuple[Rows, mx.array]] | None = None
        self._wanted: Rows | None = None
        self._heard: Heard | None = None
        layers = dict(module.named_modules())
        self._layers = {name: layers[name] for name in names}
        self._put(
            {name: _Listening(layer, name, self.hear) for name, layer in self._layers.items()}
        )

    def stages(self, run: Run) -> list[list[Rows]]:
        """What ``run`` sends through the layers, in order; those with one input together."""
        self._order = []
        mx.eval(run())
        stages: dict[int, list[Rows]] = {}  # the arrays are held: no id is given twice
        seen = set()
        for rows, inputs in self._order:
            if rows not in seen:
                stages.setdefault(id(inputs), []).append(rows)
                seen.add(rows)
        self._order = None
        return list(stages.values())

    def inputs(self, rows: Rows, run: Run) -> Heard:
        """What ``run`` sends through ``rows``, not evaluated."""
        self._wanted, self._heard = rows, None
        run()
        self._wanted = None
        assert self._heard is not None
        return self._heard

    def hear(self, rows: Rows, inputs: mx.array, experts: mx.array | None) -> None:
        """Called by the layers' stand-ins."""
        if self._order is not None:
            self._order.append((rows, inputs))
        elif rows == self._wanted:
            self._heard = inputs, experts

    def leave(self) -> None:
        """Put the layers back."""
        self._put(self._layers)

    def _put(self, layers: dict[str, nn.Module]) -> None:
        self._module.update_modules(tree_unflatten(list(layers.items())))


def moments(rows: Rows, packed: Ear, released: Ear, runs: Iterable[tuple[Run, Run]]) -> Moments:
    """Moments of what enters ``rows`` of the module that is being packed.

    ``runs`` are pairs: a prompt through that module, and through the released one, each after the
    layers of its own kind. Experts are not paired: a prompt may be routed otherwise.
    """
    found = Moments()
    for run, as_released in runs:
        inputs, experts = packed.inputs(rows, run)
        if experts is None:
            found.add(inputs, released=released.inputs(rows, as_released)[0])
        else:
            chosen = np.array(experts)
            for expert in np.unique(chosen).tolist():
                found.add(inputs[mx.array(np.flatnonzero(chosen == expert))], expert)
        mx.eval(found.sums, found.crossed)  # and nothing of what comes after in the run
    return found


class _Listening(nn.Module):
    """A linear layer whose inputs are told before it does its work."""

    def __init__(
        self, layer: Linear, name: str, hear: Callable[[Rows, mx.array, mx.array | None], None]
    ) -> None:
        super().__init__()
        self.layer = layer
        self._name, self._hear = name, hear

    def __call__(self, x: mx.array, *rest: Any) -> mx.array:
        outputs = self.layer.weight.shape[-2]
        if isinstance(self.layer, ExpertLinear):
            self._hear(Rows(self._name, 0, outputs), x, rest[0])
        else:
            start, stop, _ = (rest[0] if rest else slice(None)).indices(outputs)
            self._hear(Rows(self._name, start, stop), x, None)
        return self.layer(x, *rest)
