"""clef-omni's clips: which frames of a file are taken, at which size, and the soundtrack."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import av
import numpy as np
import pytest
from media_files import clip_file

from clef_mlx import RequestError
from clef_mlx.media.films import Film, open_film
from clef_mlx.media.settings import PictureSettings
from clef_mlx.media.videos import Video

SETTINGS = PictureSettings(16, 2, 2, (0.5,) * 3, (0.5,) * 3, 1 / 255, 131_072, 786_432)


def opened(item: Any) -> Film:
    return open_film(item, "videos[0]", 100)


def refusal(item: Any) -> str:
    with pytest.raises(RequestError) as caught:
        opened(item)
    assert caught.value.param == "videos[0]"
    return str(caught.value)


def frames_at(content: bytes, numbers: list[int], size: tuple[int, int]) -> Iterator[np.ndarray]:
    import io

    with av.open(io.BytesIO(content)) as file:
        for number, frame in enumerate(file.decode(video=0)):
            if number in numbers:
                yield frame.to_ndarray(format="rgb24", width=size[0], height=size[1])


@pytest.mark.parametrize(
    ("frames", "fps", "taken"),
    [
        (1, 25, [0]),
        (12, 25, [0]),
        (13, 25, [0]),  # the half second comes between two frames: the later one is taken
        (14, 25, [0, 13]),
        (50, 25, [0, 13, 25, 38]),
        (5, 2, [0, 1, 2, 3, 4]),
        (3, 1, [0, 1, 2]),  # slower than two a second: each frame once
    ],
)
def test_two_frames_a_second_are_taken(frames: int, fps: int, taken: list[int]) -> None:
    content = clip_file(frames, fps)
    film = opened(content)
    assert (film.frames, film.width, film.height) == (len(taken), 64, 48)
    for got, want in zip(film.decode(), frames_at(content, taken, (64, 48)), strict=True):
        assert np.array_equal(got, want)


def test_large_frames_are_capped_while_they_are_decoded() -> None:
    content = clip_file(3, 2, size=(1280, 720))
    film = opened(content)
    assert (film.width, film.height) == (682, 384)  # at most about 512 x 512 pixels, even sides
    for got, want in zip(film.decode(), frames_at(content, [0, 1, 2], (682, 384)), strict=True):
        assert np.array_equal(got, want)


def test_limits_hold_for_each_frame() -> None:
    film = opened(np.zeros((20, 64, 64, 3), np.uint8))
    assert film.grid(SETTINGS) == (10, 24, 24)  # 384 x 384: above 131,072 pixels


def test_an_odd_last_frame_is_repeated() -> None:
    frames = np.random.default_rng(0).integers(0, 256, (3, 384, 384, 3), np.uint8)
    odd = opened(frames).patches(SETTINGS)
    even = opened(np.concatenate([frames, frames[-1:]])).patches(SETTINGS)
    assert odd.grid == even.grid == (2, 24, 24)
    assert np.array_equal(odd.levels, even.levels)


def test_a_soundtrack_is_decoded_with_its_clip() -> None:
    assert opened(clip_file(5, 2)).track is None
    track = opened(clip_file(5, 2, sound=2.0)).track
    assert track is not None and abs(len(track.samples) - 32_000) < 1_500
    assert opened(np.zeros((2, 64, 64, 3), np.uint8)).track is None


def test_frames_may_say_that_they_are_two_a_second() -> None:
    frames = np.zeros((4, 64, 64, 3), np.uint8)
    assert opened(Video(frames, 2)).frames == opened(Video(frames)).frames == 4
    assert refusal(Video(frames, 25.0)) == (
        "videos[0] has 25.0 frames a second; clef-omni takes arrays at 2"
    )


def test_faults_name_the_item() -> None:
    from media_files import sound_file, tone

    assert "has no video stream" in refusal(sound_file(tone(0.1, 16_000)[None], 16_000))
    assert "cannot be read as a video" in refusal(b"nothing of the kind")
    assert "must be an array [T, H, W, 3]" in refusal(np.zeros((2, 64, 64), np.uint8))
    assert "is empty (0 frames" in refusal(np.zeros((0, 64, 64, 3), np.uint8))
    assert "must be a path, bytes or an array" in refusal(7)
    with pytest.raises(RequestError, match="more than 200 times the other"):
        opened(np.zeros((2, 2, 802, 3), np.uint8)).grid(SETTINGS)
