"""Three-axis positions of a prompt with pictures: time, height and width of every token."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def rope_positions(
    is_media: np.ndarray, grids: Sequence[tuple[int, int, int]], merge_size: int
) -> np.ndarray:
    """Positions ``[3, L]`` of a prompt.

    ``is_media`` ``[L]`` marks the tokens of pictures and frames; ``grids`` has, in prompt order,
    the patch grid of each run of such tokens, one frame of a clip at a time (``t`` is 1). Text
    counts up on all axes; a picture at ``c`` spreads over ``c + row``, ``c + column``, and the text
    after it goes on at ``c`` plus its longer side in tokens.
    Reference: transformers 5.10.2, ``Qwen3_5Model.get_rope_index``.
    """
    positions = np.zeros((3, len(is_media)), dtype=np.int64)
    borders = np.flatnonzero(np.diff(is_media.astype(np.int8))) + 1
    runs = np.split(np.arange(len(is_media)), borders)
    waiting, at = iter(grids), 0
    for run in runs:
        if not is_media[run[0]]:
            positions[:, run] = at + np.arange(len(run))
            at += len(run)
            continue
        _, height, width = next(waiting)
        rows, columns = np.indices((height // merge_size, width // merge_size)).reshape(2, -1)
        positions[:, run] = at + np.stack([np.zeros_like(rows), rows, columns])
        at += max(height, width) // merge_size
    return positions
