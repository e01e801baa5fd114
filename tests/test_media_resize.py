"""Sizes worked out by hand; the filter against Pillow's, at its edges, and its memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from PIL import Image

from clef_mlx.media import resize as resize_module
from clef_mlx.media.resize import clip_size, picture_size, resize

FACTOR, MIN_PIXELS, MAX_PIXELS = 32, 65_536, 16_777_216  # of the published releases
LEVELS = 2  # Pillow rounds its weights otherwise; measured 1 at most


def size_of(height: int, width: int) -> tuple[int, int]:
    return picture_size(height, width, FACTOR, MIN_PIXELS, MAX_PIXELS)


@pytest.mark.parametrize(
    ("given", "want"),
    [
        ((320, 320), (320, 320)),
        ((319, 335), (320, 320)),
        ((336, 320), (320, 320)),  # 10.5 blocks: half to even, down
        ((368, 320), (384, 320)),  # 11.5 blocks: half to even, up
        ((337, 303), (352, 288)),
        ((256, 256), (256, 256)),  # exactly min_pixels
        ((240, 256), (256, 256)),  # 7.5 blocks are 8
        ((208, 256), (256, 288)),  # 6.5 are 6, too few: grown by sqrt(65536 / (208 * 256))
        ((1, 1), (256, 256)),
        ((16, 16), (256, 256)),  # 0.5 blocks are 0
        ((1, 200), (32, 3648)),
        ((200, 1), (3648, 32)),
        ((4096, 4096), (4096, 4096)),  # exactly max_pixels
        ((4096, 4112), (4096, 4096)),  # 128.5 blocks are 128
        ((4096, 4113), (4064, 4096)),  # one block more is too many
        ((6000, 4000), (4992, 3328)),
        ((200_000, 1000), (57_920, 288)),
    ],
)
def test_picture_sizes(given: tuple[int, int], want: tuple[int, int]) -> None:
    assert size_of(*given) == want


@pytest.mark.parametrize(
    ("given", "want"),
    [
        ((4, 64, 64), (64, 64)),
        ((2, 32, 32), (64, 64)),  # 2,048 pixels: grown by sqrt(2)
        ((1, 32, 32), (64, 64)),  # a frame alone counts as the pair it becomes; grown by 2
        ((3, 32, 32), (32, 32)),  # 4 * 1,024 is the minimum: not grown
        ((768, 720, 1280), (128, 224)),
        ((4, 2160, 3840), (1856, 3328)),
        # Too many pixels as the 4 frames it becomes; "shrunk" as the 3 it is: the reference's own.
        ((3, 2560, 2560), (2880, 2880)),
        ((4, 48, 80), (64, 64)),  # 1.5 and 2.5 blocks
    ],
)
def test_clip_sizes(given: tuple[int, int, int], want: tuple[int, int]) -> None:
    assert clip_size(*given, 2, FACTOR, 4_096, 25_165_824) == want


def test_all_sizes_are_multiples_within_the_limits() -> None:
    rng = np.random.default_rng(0)
    for height, width in np.exp(rng.uniform(0, 10, (500, 2))).astype(int).tolist():
        if max(height, width) > 200 * min(height, width):
            continue
        new_height, new_width = size_of(height, width)
        assert new_height % FACTOR == new_width % FACTOR == 0
        assert MIN_PIXELS <= new_height * new_width <= MAX_PIXELS
        assert size_of(width, height) == (new_width, new_height)


def test_aspect_limit_is_200() -> None:
    assert size_of(10, 2000) == (32, 3648)
    for given in ((10, 2001), (2001, 10)):
        with pytest.raises(ValueError, match="one side is more than 200 times the other"):
            size_of(*given)


def smooth(height: int, width: int) -> np.ndarray:
    """Waves of a few periods in three colours."""
    y, x = np.linspace(0, 1, height)[:, None], np.linspace(0, 1, width)[None]
    waves = [np.sin(6 * y + 3 * x), np.cos(5 * x - 2 * y), np.sin(9 * x * y)]
    return np.rint(127.5 + 127.5 * np.stack(waves, axis=-1)).astype(np.uint8)


def test_same_size_is_the_same_picture() -> None:
    pixels = smooth(37, 53)
    assert np.array_equal(resize(pixels, 37, 53), pixels)


SIZES = [(64, 96, 32, 32), (50, 70, 320, 224), (300, 20, 64, 64), (41, 43, 41, 96), (7, 5, 32, 5)]
EXTREMES = [(1, 1, 64, 32), (1, 200, 32, 320), (900, 7, 1, 64), (2000, 3, 2, 3), (3, 2000, 96, 2)]


@pytest.mark.parametrize("sizes", SIZES + EXTREMES)
def test_a_constant_picture_stays_constant(sizes: tuple[int, int, int, int]) -> None:
    height, width, new_height, new_width = sizes
    for level in (0, 1, 127, 254, 255):
        pixels = np.full((height, width, 3), level, dtype=np.uint8)
        got = resize(pixels, new_height, new_width)
        assert got.shape == (new_height, new_width, 3)
        assert got.dtype == np.uint8
        assert (got == level).all()


@pytest.mark.parametrize("sizes", SIZES + EXTREMES)
def test_smooth_pictures_are_pillow_s(sizes: tuple[int, int, int, int]) -> None:
    height, width, new_height, new_width = sizes
    pixels = smooth(height, width)
    size = (new_width, new_height)
    want = np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BICUBIC))
    got = resize(pixels, new_height, new_width)
    assert np.abs(got.astype(int) - want).max() <= LEVELS


def test_overshoot_is_clipped_not_wrapped() -> None:
    """A bicubic filter overshoots at an edge of black and white."""
    pixels = np.zeros((1, 32, 3), dtype=np.uint8)
    pixels[:, 16:] = 255
    row = resize(pixels, 1, 128)[0, :, 0]
    assert (np.diff(row.astype(int)) >= 0).all()
    assert (row[0], row[63] < 128, row[64] > 128, row[-1]) == (0, True, True, 255)


def test_shrinking_averages() -> None:
    """Without antialiasing a chessboard would come out black or white."""
    chess = (np.indices((512, 512)).sum(axis=0) % 2 * 255).astype(np.uint8)
    got = resize(np.repeat(chess[..., None], 3, axis=2), 32, 32)
    assert np.abs(got.astype(int) - 128).max() <= 2


def test_channels_and_axes_are_not_mixed() -> None:
    pixels = smooth(40, 60)
    got = resize(pixels, 32, 96)
    assert np.array_equal(resize(pixels[..., ::-1], 32, 96), got[..., ::-1])
    assert np.array_equal(resize(pixels[::-1], 32, 96), got[::-1])
    assert np.array_equal(resize(pixels[:, ::-1], 32, 96), got[:, ::-1])


@pytest.mark.parametrize("strip", [1, 100, 1000])
def test_strips_change_nothing(monkeypatch: pytest.MonkeyPatch, strip: int) -> None:
    pixels = smooth(90, 70)
    want = resize(pixels, 64, 160)
    monkeypatch.setattr(resize_module, "STRIP", strip)
    assert np.array_equal(resize(pixels, 64, 160), want)


def test_memory_of_a_large_picture_is_bounded() -> None:
    """72 MB of pixels: turned and filtered copies, and strips of a fixed size; no float copy."""
    pixels = np.zeros((6000, 4000, 3), dtype=np.uint8)
    tracemalloc.start()
    resize(pixels, 512, 320)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * pixels.nbytes  # measured 1.5
