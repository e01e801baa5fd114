"""One fast path against its plain twin: what is compared, and what came out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

import mlx.core as mx
import numpy as np

DTYPES = {"float32": mx.float32, "float16": mx.float16, "bfloat16": mx.bfloat16}


@dataclass(frozen=True)
class Pair:
    """What the fast path gave for one case, and what the plain one did."""

    case: str  # sizes, for people
    fast: mx.array
    plain: np.ndarray

    def difference(self) -> float:
        """The largest difference as a share of the plain result's largest value.

        ``inf`` where the fast path gave something that is no number.
        """
        fast = widened(self.fast).astype(np.float64)
        share = float(np.abs(fast - self.plain).max() / np.abs(self.plain).max())
        return share if np.isfinite(share) else inf


@dataclass(frozen=True)
class Check:
    """A fast path, cases to try it on, and how far it may be off."""

    name: str
    bound: float
    pairs: Callable[[], Iterator[Pair]]
    only_metal: bool = False  # a path that no other device takes


@dataclass(frozen=True)
class Finding:
    """The worst case of a check; ``difference`` is ``None`` if the check could not run here."""

    name: str
    bound: float
    difference: float | None
    case: str = ""
    error: str = ""  # what MLX said, where the path did not run through

    @property
    def ran(self) -> bool:
        return self.difference is not None

    @property
    def agrees(self) -> bool:
        return self.difference is None or self.difference <= self.bound

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it: no difference is ``null``, also where it is not a number."""
        number = None if self.difference in (None, inf) else self.difference
        return {
            **{"path": self.name, "ran": self.ran, "agrees": self.agrees, "difference": number},
            **{"bound": self.bound, "case": self.case, "error": self.error},
        }


def run(check: Check) -> Finding:
    """Try every case of ``check``; a path that MLX refuses disagrees."""
    if check.only_metal and mx.default_device() != mx.gpu:
        return Finding(check.name, check.bound, None)
    worst, case = -1.0, ""
    try:
        for pair in check.pairs():
            difference = pair.difference()
            if difference > worst:
                worst, case = difference, pair.case
    except (RuntimeError, ValueError) as error:  # what MLX raises; a Mac's driver may, too
        return Finding(check.name, check.bound, inf, case, str(error))
    finally:
        mx.clear_cache()  # the next check's arrays have other sizes
    return Finding(check.name, check.bound, worst, case)


def bound_of(dtype: str) -> float:
    """How far a path may be off in ``dtype``, as ``Pair.difference`` measures it.

    A result is rounded once to its dtype, by 2^-9 of itself in bfloat16, and sums of thousands of
    products in any order lie near that. Float32 products on a GPU may keep ten bits only (TF32,
    which MLX uses on chips that have it unless ``MLX_ENABLE_TF32=0``). A path that is wrong, a
    row in the wrong place, a decay rounded to 1, is off by a tenth and more.
    """
    if dtype == "float32":
        exact = mx.default_device() == mx.cpu or os.environ.get("MLX_ENABLE_TF32") == "0"
        return 1e-4 if exact else 1e-2
    return {"float16": 1e-2, "bfloat16": 3e-2}[dtype]


def own_dtype() -> str:
    """The dtype that a model gets on this device where none is named."""
    return "bfloat16" if mx.default_device() == mx.gpu else "float32"


def to_mlx(x: np.ndarray, dtype: str) -> mx.array:
    """Numbers rounded to what a path reads."""
    return mx.array(x.astype(np.float32)).astype(DTYPES[dtype])


def widened(x: mx.array) -> np.ndarray:
    """Numbers of any dtype in float32: rounded ones stay so, and both paths read the same."""
    return np.array(x.astype(mx.float32))
