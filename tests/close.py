"""One comparison of arrays for all numerical tests."""

from __future__ import annotations

from typing import Any

import numpy as np


def assert_close(got: Any, want: Any, atol: float, label: str = "values") -> None:
    """Fail with the size and place of the worst difference, not just ``False``."""
    got, want = np.asarray(got, dtype=np.float64), np.asarray(want, dtype=np.float64)
    assert got.shape == want.shape, f"{label}: shape {got.shape}, want {want.shape}"
    difference = np.abs(got - want)
    worst = float(difference.max(initial=0.0))
    assert worst <= atol, f"{label}: max |d| {worst:.2e} > {atol:.0e} at {difference.argmax()}"
