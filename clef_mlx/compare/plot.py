"""A comparison as a picture: probability against probability, and how far answers drifted."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ..errors import ClefError
from ..request import TYPES
from .run import Comparison

BINS = 40


def plot(comparison: Comparison, path: Path) -> None:
    """Write the picture to ``path``, whole or not at all.

    Raises ``ClefError`` where matplotlib, an extra, is missing, and for a place or a kind of file
    that cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ClefError(
            "--plot needs matplotlib, which is an extra: pip install 'clef-mlx[plots]'"
        ) from None
    pairs = list(zip(comparison.reference.answers, comparison.candidate.answers, strict=True))
    probabilities = [(np.exp(a.log_probabilities), np.exp(b.log_probabilities)) for a, b in pairs]
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    for name in TYPES:
        of_type = [p for p, (a, _) in zip(probabilities, pairs, strict=True) if a.type == name]
        if of_type:
            x, y = (np.concatenate(side) for side in zip(*of_type, strict=True))
            left.plot(x, y, ".", markersize=3, alpha=0.6, label=name)
    left.plot([0, 1], [0, 1], color="grey", linewidth=0.8)
    left.set(
        xlabel=f"probability, {comparison.reference.model}",
        ylabel=f"probability, {comparison.candidate.model}",
        aspect="equal",
    )
    left.legend()
    right.hist([np.abs(p - q).max() for p, q in probabilities], bins=BINS)
    right.axvline(comparison.figures.drift_99, color="grey", linestyle="--", label="99 % are below")
    right.set(xlabel="largest change of a question's probabilities", ylabel="questions")
    right.legend()
    unfinished = path.with_name(f".{path.name}.writing{path.suffix}")
    try:
        figure.savefig(unfinished)
        os.replace(unfinished, path)
    except (OSError, ValueError) as error:
        raise ClefError(f"{path} cannot be written: {error}") from None
    finally:
        unfinished.unlink(missing_ok=True)
