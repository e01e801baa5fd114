"""When the tower is loaded and run, and what of its output is remembered."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from close import assert_close
from conftest import GOLDEN

from clef_mlx import Clef, Noul, load
from clef_mlx.checkpoint import Checkpoint
from clef_mlx.media.images import open_picture
from clef_mlx.media.patches import EncodedMedia, Patches
from clef_mlx.media.settings import read_settings
from clef_mlx.media.videos import Video, open_clip
from clef_mlx.towers.features import CACHE_BYTES, VisionFeatures

SETTINGS = read_settings(GOLDEN / "tiny-dense", published_sizes=False)
QUESTIONS = {"q": Noul("Is it?")}
ITEM = 64 * 64 * 4  # bytes of a square picture: 64 tokens of width 64, float32


def picture(seed: int, height: int = 256, width: int = 256) -> Patches:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return open_picture(pixels, "images[0]").patches(SETTINGS.image)


A, B, C = picture(0), picture(1), picture(2)


class Counted(VisionFeatures):
    """Notes the key of every item that the tower reads."""

    def __init__(self, checkpoint: Checkpoint, limit: int) -> None:
        super().__init__(checkpoint, mx.float32, limit)
        self.read: list[str] = []
        self.loads = 0

    def _loaded(self) -> Any:
        self.loads += self._tower is None
        tower = super()._loaded()

        def run(pixels: mx.array, grid: Any) -> mx.array:
            self.read.append(next(p.key for p in KNOWN if same(p, pixels, grid)))
            return tower(pixels, grid)

        return run

    @property
    def kept_bytes(self) -> int:
        return sum(tokens.nbytes for tokens in self._kept.values())


KNOWN = [A, B, C, picture(3, 256, 512)]


def same(patches: Patches, pixels: mx.array, grid: Any) -> bool:
    return patches.grid == grid and np.array_equal(patches.normalized(), np.array(pixels))


def run(features: VisionFeatures, *images: Patches) -> np.ndarray:
    return np.array(features(EncodedMedia(images)))


def test_text_alone_loads_no_tower() -> None:
    clef = load(GOLDEN / "tiny-dense", dtype="float32")
    clef.decide("text", QUESTIONS)
    assert clef._prefill._features._vision._tower is None
    clef.media_tokens(images=[GOLDEN / "media" / "receipt.png"])
    clef.encode({"state": "x", "questions": QUESTIONS, "images": [np.zeros((9, 9, 3), np.uint8)]})
    assert clef._prefill._features._vision._tower is None
    clef.decide("text", QUESTIONS, images=[np.zeros((9, 9, 3), np.uint8)])
    assert clef._prefill._features._vision._tower is not None


def test_the_tower_is_loaded_once(dense: Clef) -> None:
    features = Counted(dense.checkpoint, 0)
    run(features, A)
    run(features, B, A)
    assert features.loads == 1
    assert features.read == [A.key, B.key, A.key]


def test_the_same_picture_is_read_once(dense: Clef) -> None:
    features = Counted(dense.checkpoint, CACHE_BYTES)
    first = run(features, A, B, A)
    assert features.read == [A.key, B.key]
    assert first.shape == (3 * 64, 64)
    assert np.array_equal(first[:64], first[128:])
    again = run(features, picture(1), picture(0))  # equal content, other objects
    assert features.read == [A.key, B.key]
    assert np.array_equal(again, first[64:])


def test_pictures_of_equal_size_are_not_mixed(dense: Clef) -> None:
    features, fresh = Counted(dense.checkpoint, CACHE_BYTES), Counted(dense.checkpoint, 0)
    for order in ([A, B, C], [C, A, B], [B], [C, C, A]):
        assert np.array_equal(run(features, *order), run(fresh, *order))
    assert len(features.read) == 3
    assert np.abs(run(features, A) - run(features, B)).max() > 0.01


def test_equal_levels_on_another_grid_are_another_picture(dense: Clef) -> None:
    features = VisionFeatures(dense.checkpoint, mx.float32, CACHE_BYTES)
    flat, turned = (
        open_picture(np.full(shape, 200, np.uint8), "images[0]").patches(SETTINGS.image)
        for shape in ((256, 512, 3), (512, 256, 3))
    )
    assert np.array_equal(flat.levels, turned.levels)
    assert not np.array_equal(run(features, flat), run(features, turned))
    assert len(features._kept) == 2


def test_the_least_recently_used_goes_first(dense: Clef) -> None:
    features = Counted(dense.checkpoint, 2 * ITEM)
    run(features, A, B)
    run(features, A)  # B is now the oldest
    run(features, C)
    assert list(features._kept) == [A.key, C.key]
    assert features.kept_bytes == 2 * ITEM
    features.read.clear()
    run(features, A, C, B)
    assert features.read == [B.key]
    assert list(features._kept) == [C.key, B.key]


def test_bytes_are_bounded_whatever_comes(dense: Clef) -> None:
    features = Counted(dense.checkpoint, 2 * ITEM + ITEM // 2)
    wide = KNOWN[3]  # 128 tokens
    for items in ([A], [B, C], [wide], [A, wide, B]):
        run(features, *items)
        assert features.kept_bytes <= features._limit
    small = Counted(dense.checkpoint, ITEM)
    run(small, A)
    run(small, wide)  # too large to keep: it must not push out what fits
    assert list(small._kept) == [A.key]


def test_zero_keeps_nothing() -> None:
    clef = load(GOLDEN / "tiny-dense", dtype="float32", image_cache_bytes=0)
    body = {"state": "x", "questions": QUESTIONS, "images": [np.zeros((40, 40, 3), np.uint8)]}
    first = clef.logits(body)
    assert len(clef._prefill._features._vision._kept) == 0
    assert clef.logits(body) == first
    kept = load(GOLDEN / "tiny-dense", dtype="float32")
    assert [kept.logits(body), kept.logits(body)] == [first, first]
    assert len(kept._features._vision._kept) == 1


def test_pictures_come_before_clips_and_a_clip_is_kept_too(dense: Clef) -> None:
    frames = np.random.default_rng(4).integers(0, 256, (4, 64, 64, 3), dtype=np.uint8)
    clip = open_clip(frames, "videos[0]").patches(SETTINGS.video)
    features = VisionFeatures(dense.checkpoint, mx.float32, CACHE_BYTES)
    both = np.array(features(EncodedMedia([A], [clip])))
    alone = np.array(features(EncodedMedia([], [clip])))
    assert both.shape == (64 + 8, 64)
    assert np.array_equal(both[64:], alone)
    assert list(features._kept) == [A.key, clip.key]


def test_tokens_have_the_model_s_dtype_and_are_evaluated(dense: Clef) -> None:
    features = VisionFeatures(dense.checkpoint, mx.bfloat16, CACHE_BYTES)
    got = features(EncodedMedia([A]))
    assert got.dtype == mx.bfloat16
    assert features._kept[A.key].nbytes == ITEM // 2


def test_frames_encoded_in_groups_are_the_clip_s(
    dense: Clef, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the last group is smaller, and where one frame is larger than a group."""
    frames = np.random.default_rng(0).integers(0, 256, (10, 64, 64, 3), dtype=np.uint8)
    clip = open_clip(Video(frames, fps=2), "videos[0]").patches(SETTINGS.video)
    assert clip.grid == (5, 4, 4)
    whole = run(VisionFeatures(dense.checkpoint, mx.float32, 0), clip)
    for patches in (1, 16, 32, 48):
        monkeypatch.setattr("clef_mlx.towers.features.PATCHES", patches)
        assert_close(run(VisionFeatures(dense.checkpoint, mx.float32, 0), clip), whole, 1e-5)
