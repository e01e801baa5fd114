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


@dataclass
class Moments:
    """Sum of ``x x^T`` over the inputs seen, ``[I, I]`` float32, and how many they were.

    Of experts: one of each, by number.
    """

    sums: dict[int, mx.array] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)

    def add(self, inputs: mx.array, expert: int = 0) -> None:
        """Shapes: ``inputs`` ``[..., I]``."""
        rows = inputs.reshape(-1, inputs.shape[-1]).astype(mx.float32)
        before = self.sums.get(expert)
        self.sums[expert] = rows.T @ rows if before is None else before + rows.T @ rows
        self.counts[expert] = self.counts.get(expert, 0) + rows.shape[0]


class Ear:
    """Stands in for the linear layers of ``module`` that are named, and hears their inputs."""

    def __init__(self, module: nn.Module, names: Iterable[str]) -> None:
        self._module = module
        self._order: list[tuple[Rows, mx.array]] | None = None
        self._wanted: Rows | None = None
        self._moments = Moments()
        layers = dict(module.named_modules())
        self._layers = {name: layers[name] for name in names}
        self._put({name: _Heard(layer, name, self.hear) for name, layer in self._layers.items()})

    def stages(self, run: Callable[[], Any]) -> list[list[Rows]]:
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

    def moments(self, stage: list[Rows], runs: Iterable[Callable[[], Any]]) -> Moments:
        """Moments of the input of ``stage``'s layers over ``runs``."""
        self._wanted, self._moments = stage[0], Moments()
        for run in runs:
            run()
            mx.eval(self._moments.sums)  # and nothing of what comes after in the run
        self._wanted = None
        return self._moments

    def hear(self, rows: Rows, inputs: mx.array, experts: mx.array | None) -> None:
        """Called by the layers' stand-ins."""
        if self._order is not None:
            self._order.append((rows, inputs))
        elif rows == self._wanted and experts is None:
            self._moments.add(inputs)
        elif rows == self._wanted:
            chosen = np.array(experts)
            for expert in np.unique(chosen).tolist():
                self._moments.add(inputs[mx.array(np.flatnonzero(chosen == expert))], expert)

    def leave(self) -> None:
        """Put the layers back."""
        self._put(self._layers)

    def _put(self, layers: dict[str, nn.Module]) -> None:
        self._module.update_modules(tree_unflatten(list(layers.items())))


class _Heard(nn.Module):
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
