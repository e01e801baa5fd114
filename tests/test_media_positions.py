"""Three-axis positions of layouts written out by hand, and the rotation they give."""

from __future__ import annotations

from dataclasses import replace

import mlx.core as mx
import numpy as np
import pytest
from close import assert_close

from clef_mlx import Clef, Noul
from clef_mlx.layers.rope import Rotary
from clef_mlx.media.positions import rope_positions

ATOL = {mx.float32: 2e-4, mx.bfloat16: 0.02}  # at 900 a float32 angle is off by 900 * 6e-8


def positions_of(layout: str, *grids: tuple[int, int, int]) -> list[list[int]]:
    """``layout``: ``t`` for text, ``p`` for a patch token; blanks are for the reader."""
    marks = np.array([letter == "p" for letter in layout.replace(" ", "")])
    return rope_positions(marks, grids, 2).tolist()


def test_text_alone_counts_on_all_axes() -> None:
    assert positions_of("ttttt") == [[0, 1, 2, 3, 4]] * 3
    assert positions_of("t") == [[0]] * 3


def test_a_picture_spreads_and_text_goes_on_after_its_longer_side() -> None:
    """2 rows of 3 tokens at 2; text goes on at 2 + 3."""
    time, height, width = positions_of("tt pppppp tt", (1, 4, 6))
    assert time == [0, 1, 2, 2, 2, 2, 2, 2, 5, 6]
    assert height == [0, 1, 2, 2, 2, 3, 3, 3, 5, 6]
    assert width == [0, 1, 2, 3, 4, 2, 3, 4, 5, 6]


def test_a_tall_picture_at_the_very_start_and_end() -> None:
    time, height, width = positions_of("ppp", (1, 6, 2))
    assert (time, height, width) == ([0, 0, 0], [0, 1, 2], [0, 0, 0])
    time, height, width = positions_of("ppp t", (1, 6, 2))
    assert (time[3], height[3], width[3]) == (3, 3, 3)


def test_frames_of_a_clip_stand_apart_with_their_times_between() -> None:
    """Two frames of 2 x 2 after one token each: the second starts where text would."""
    time, height, width = positions_of("t pppp tt pppp t", (1, 4, 4), (1, 4, 4))
    assert time == [0, 1, 1, 1, 1, 3, 4, 5, 5, 5, 5, 7]
    assert height == [0, 1, 1, 2, 2, 3, 4, 5, 5, 6, 6, 7]
    assert width == [0, 1, 2, 1, 2, 3, 4, 5, 6, 5, 6, 7]


def test_each_picture_has_its_own_grid() -> None:
    time, height, width = positions_of("pp t pp t p", (1, 2, 4), (1, 4, 2), (1, 2, 2))
    assert time == [0, 0, 2, 3, 3, 5, 6]
    assert height == [0, 0, 2, 3, 4, 5, 6]
    assert width == [0, 1, 2, 3, 3, 5, 6]


def test_another_merge_size() -> None:
    marks = np.array([False, *[True] * 4, False])
    assert rope_positions(marks, [(1, 6, 6)], 3)[:, -1].tolist() == [3, 3, 3]


def test_a_text_request_keeps_the_plain_rotation(dense: Clef) -> None:
    encoded = dense.encode({"state": "text", "questions": {"q": Noul("Is it?")}})
    assert encoded.positions is None
    assert encoded.is_media is None
    assert dict(encoded.media) == {}


def test_equal_axes_are_the_plain_rotation(dense: Clef) -> None:
    config = dense.checkpoint.config.text
    x = mx.random.normal((1, 2, 50, config.head_dim), key=mx.random.key(0))
    got = Rotary.at(np.tile(np.arange(50), (3, 1)), config)(x)
    plain = mx.fast.rope(
        x, config.rotary_dim, traditional=False, base=config.rope_theta, scale=1.0, offset=0
    )
    assert_close(got, plain, 2e-5)


@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16])
def test_axes_take_turns_among_the_frequencies(dense: Clef, dtype: mx.Dtype) -> None:
    """Sections 3, 3, 2 of 8 frequencies: time, height, width, time, height, width, time, height."""
    config = dense.checkpoint.config.text
    assert (config.mrope_section, config.rotary_dim) == ((3, 3, 2), 16)
    at = np.array([[5], [70], [900]])
    x = np.random.default_rng(0).normal(size=config.head_dim).astype(np.float32)
    given = mx.array(x).astype(dtype)
    x = np.array(given.astype(mx.float32), dtype=np.float64)
    want = x.copy()
    for i, axis in enumerate((0, 1, 2, 0, 1, 2, 0, 1)):
        angle = at[axis, 0] * config.rope_theta ** (-i / 8)
        a, b = x[i], x[i + 8]
        want[i] = a * np.cos(angle) - b * np.sin(angle)
        want[i + 8] = b * np.cos(angle) + a * np.sin(angle)
    got = Rotary.at(at, config)(given[None, None, None])
    assert got.dtype == dtype
    assert_close(got.astype(mx.float32)[0, 0, 0], want, ATOL[dtype])


def test_published_sections(dense: Clef) -> None:
    """11, 11 and 10 of 32 frequencies, in turns to the end."""
    config = replace(
        dense.checkpoint.config.text, rotary_dim=64, mrope_section=(11, 11, 10), rope_theta=1.0
    )
    for axis, count in enumerate((11, 11, 10)):
        at = np.zeros((3, 1), dtype=np.int64)
        at[axis] = 1
        moved = np.array(Rotary.at(at, config).sin)[0] != 0
        assert np.flatnonzero(moved).tolist() == list(range(axis, 32, 3))
        assert moved.sum() == count
