"""Which frames are taken and when they were; files made here against their own frames."""

from __future__ import annotations

import base64
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import av
import numpy as np
import pytest
from conftest import GOLDEN

from clef_mlx import RequestError
from clef_mlx.media import videos as videos_module
from clef_mlx.media.settings import read_settings
from clef_mlx.media.videos import Clip, Video, open_clip

SETTINGS = read_settings(GOLDEN / "tiny-dense", published_sizes=False).video  # 2 a second, 4 to 768
LOSSY = 25  # levels; H.264 with colours at half the size, measured 14


def frames_of(count: int, height: int = 48, width: int = 64) -> np.ndarray:
    """A wave that moves: every frame is another."""
    t = np.arange(count)[:, None, None]
    y, x = np.linspace(0, 3, height)[None, :, None], np.linspace(0, 3, width)[None, None]
    waves = [np.sin(x + t), np.cos(y - t / 2), np.sin(x + y + t / 3)]
    waves = np.stack([np.broadcast_to(wave, (count, height, width)) for wave in waves], axis=-1)
    return np.rint(127.5 + 100 * waves).astype(np.uint8)


def clip_of(count: int, fps: float | None = None, height: int = 64, width: int = 64) -> Clip:
    return open_clip(Video(np.zeros((count, height, width, 3), np.uint8), fps), "videos[0]")


def file_of(frames: np.ndarray, kind: str, codec: str, pixels: str, rate: Any = 8) -> bytes:
    file = io.BytesIO()
    with av.open(file, "w", format=kind) as container:
        stream = container.add_stream(codec, rate=Fraction(rate))
        stream.height, stream.width, stream.pix_fmt = *frames.shape[1:3], pixels
        for frame in frames:
            picture = av.VideoFrame.from_ndarray(frame, format="rgb24")
            container.mux(stream.encode(picture.reformat(format=pixels)))
        container.mux(stream.encode(None))
    return file.getvalue()


def sound() -> bytes:
    file = io.BytesIO()
    with av.open(file, "w", format="wav") as container:
        stream = container.add_stream("pcm_s16le", rate=8000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 800), np.int16), "s16", "mono")
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return file.getvalue()


FRAMES = frames_of(20)
LOSSLESS = file_of(FRAMES, "matroska", "ffv1", "bgr0")


def refused(item: Any) -> str:
    """The message for what is no clip, be it found at its header or its frames."""
    with pytest.raises(RequestError) as caught:
        open_clip(item, "videos[1]").patches(SETTINGS)
    assert caught.value.param == "videos[1]"
    message = str(caught.value)
    assert message.startswith("videos[1] ") or message.startswith("videos[1]: ")
    assert "\n" not in message
    return message.removeprefix("videos[1]").lstrip(" :")


@pytest.mark.parametrize(
    ("count", "fps", "want"),
    [
        (8, 24, [0, 2, 5, 7]),  # 0.67 wanted, 4 at least: 0, 2.33, 4.67, 7
        (8, None, [0, 2, 5, 7]),
        (29, 5.0, [0, 3, 6, 8, 11, 14, 17, 20, 22, 25, 28]),  # int(11.6) = 11, 2.8 apart
        (16, 4, [0, 2, 4, 6, 9, 11, 13, 15]),  # 15 / 7 apart
        (11, 5, [0, 3, 7, 10]),  # int(4.4) = 4, 3.33 apart
        (4, 24, [0, 1, 2, 3]),
        (3, 24, [0, 1, 2]),  # fewer than the minimum
        (2, 24, [0, 1]),
        (1, 24, [0]),
        (1, None, [0]),
        (7, 1, [0, 1, 2, 3, 4, 5, 6]),  # 14 wanted, 7 there
        (6, 2.4, [0, 1, 2, 4, 5]),  # 1.25 apart: 2.5 goes to the even 2, 3.75 to 4
        (8, 3.5, [0, 2, 5, 7]),
        (7, 24, [0, 2, 4, 6]),
        (100, 1e-310, list(range(100))),
    ],
)
def test_frames_taken(count: int, fps: float | None, want: list[int]) -> None:
    assert clip_of(count, fps).sampled(SETTINGS) == want


def test_at_most_768_frames_are_taken() -> None:
    clip = Clip("videos[0]", 10_000, 64, 64, 2.0, lambda numbers: iter(()))
    taken = clip.sampled(SETTINGS)
    assert (len(taken), taken[0], taken[-1]) == (768, 0, 9999)
    assert taken[1] == 13  # 9999 / 767 = 13.04
    assert len(clip.seconds(SETTINGS)) == 384


@pytest.mark.parametrize(
    ("count", "fps", "want"),
    [
        (8, None, [1 / 24, 6 / 24]),  # (0 + 2) / 2 and (5 + 7) / 2 of 24
        (8, 4.0, [0.25, 1.5]),
        (3, 24, [0.5 / 24, 2 / 24]),  # the last frame stands twice
        (1, 24, [0.0]),
        (11, Fraction(5), [0.3, 1.7]),
        (29, 5.0, [0.3, 1.4, 2.5, 3.7, 4.7, 5.6]),
    ],
)
def test_times_are_the_middle_of_each_pair(count: int, fps: Any, want: list[float]) -> None:
    assert clip_of(count, fps).seconds(SETTINGS) == pytest.approx(want)


@pytest.mark.parametrize("fps", [np.float32(2.5), Fraction(5, 2), np.float64(2.5), 2.5])
def test_every_kind_of_number_is_a_rate(fps: Any) -> None:
    clip = clip_of(10, fps)
    assert (type(clip.fps), clip.fps) == (float, 2.5)


@pytest.mark.parametrize(
    ("count", "height", "width", "size", "tokens"),
    [
        (8, 64, 64, (64, 64), 8),  # 2 pairs of 2 x 2
        (1, 32, 32, (64, 64), 4),
        (3, 32, 32, (32, 32), 2),
        (5, 720, 1280, (704, 1280), 1760),  # 22.5 blocks are 22
        (4, 33, 200, (32, 192), 12),
    ],
)
def test_sizes_and_tokens(
    count: int, height: int, width: int, size: tuple[int, int], tokens: int
) -> None:
    clip = clip_of(count, None, height, width)
    assert clip.size(SETTINGS) == size
    assert clip.tokens(SETTINGS) == tokens == clip.patches(SETTINGS).tokens


def test_a_frame_below_the_factor_or_too_long_is_refused() -> None:
    for height, width in ((31, 64), (64, 31), (1, 1)):
        message = refused(np.zeros((4, height, width, 3), np.uint8))
        assert message == f"has {width} x {height} pixels; a clip needs at least 32 a side"
    message = refused(np.zeros((4, 32, 6432, 3), np.uint8))
    assert message == "6432 x 32 pixels: one side is more than 200 times the other"


def test_patches_pair_frames_and_repeat_the_last() -> None:
    frames = np.full((3, 64, 64, 3), 10, np.uint8)
    frames[1], frames[2] = 20, 30
    patches = open_clip(frames, "videos[0]").patches(SETTINGS)
    assert patches.grid == (2, 4, 4)
    values = patches.levels.reshape(2, 16, 3, 2, 16, 16)  # pair, patch, channel, frame
    for pair, levels in enumerate(((10, 20), (30, 30))):
        for frame, level in enumerate(levels):
            assert (values[pair, :, :, frame] == level).all()


def test_only_frames_taken_are_resized(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def resize(frame: np.ndarray, height: int, width: int) -> np.ndarray:
        seen.append(int(frame[0, 0, 0]))
        return np.zeros((height, width, 3), np.uint8)

    monkeypatch.setattr(videos_module, "resize", resize)
    frames = (
        np.zeros((20, 64, 64, 3), np.uint8) + np.arange(20, dtype=np.uint8)[:, None, None, None]
    )
    open_clip(frames, "videos[0]").patches(SETTINGS)
    assert seen == [0, 6, 13, 19]


@pytest.mark.parametrize("kind", ["bytes", "path", "string", "data"])
def test_a_lossless_file_is_its_frames(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "clip.mkv"
    path.write_bytes(LOSSLESS)
    url = f"data:video/x-matroska;base64,{base64.b64encode(LOSSLESS).decode()}"
    item = {"bytes": LOSSLESS, "path": path, "string": str(path), "data": url}[kind]
    clip, want = open_clip(item, "videos[0]"), open_clip(Video(FRAMES, 8), "videos[0]")
    assert (clip.frames, clip.height, clip.width, clip.fps) == (20, 48, 64, 8.0)
    assert clip.sampled(SETTINGS) == want.sampled(SETTINGS) == [0, 5, 10, 14, 19]
    assert clip.seconds(SETTINGS) == want.seconds(SETTINGS)
    got = list(clip.decode([0, 7, 19]))
    assert np.array_equal(got, FRAMES[[0, 7, 19]])
    assert np.array_equal(clip.patches(SETTINGS).levels, want.patches(SETTINGS).levels)
    assert clip.patches(SETTINGS).key == want.patches(SETTINGS).key


def test_a_title_that_is_not_utf8_does_no_harm() -> None:
    content = LOSSLESS.replace(b"Lavf", b"L\xe9vf")
    assert content != LOSSLESS
    assert np.array_equal(next(open_clip(content, "videos[0]").decode([0])), FRAMES[0])


def test_h264_in_mp4_is_close() -> None:
    """Frames are stored out of order there; they come in order."""
    frames = frames_of(12, 64, 64) // 4 + 96
    content = file_of(frames, "mp4", "libx264", "yuv420p", "30000/1001")
    clip = open_clip(content, "videos[0]")
    assert (clip.frames, clip.fps) == (12, pytest.approx(30_000 / 1001))
    got = np.stack(list(clip.decode(list(range(12)))))
    difference = np.abs(got[:, None].astype(int) - frames[None])
    assert difference.mean(axis=(2, 3, 4)).argmin(axis=1).tolist() == list(range(12))
    assert difference[range(12), range(12)].max() <= LOSSY


def test_only_frames_taken_are_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are decoded, one at a time, and decoding stops at the last one taken."""
    decoded, converted = [], []

    class Frame:
        height, width = FRAMES.shape[1:3]

        def __init__(self, number: int) -> None:
            decoded.append(number)
            self.number = number

        def to_ndarray(self, format: str) -> np.ndarray:
            converted.append((self.number, format))
            return FRAMES[self.number]

    @contextmanager
    def opened(*_: Any) -> Iterator[Any]:
        container = SimpleNamespace(decode=lambda stream: map(Frame, range(20)))
        yield SimpleNamespace(container=container, average_rate=Fraction(8))

    monkeypatch.setattr(videos_module, "_opened", opened)
    clip = open_clip(b"any", "videos[0]")
    assert (decoded, converted) == (list(range(20)), [])
    decoded.clear()
    assert np.array_equal(list(clip.decode([2, 3, 11])), FRAMES[[2, 3, 11]])
    assert decoded == list(range(12))
    assert converted == [(n, "rgb24") for n in (2, 3, 11)]


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (None, "must be a path, bytes, a Video or an array [T, H, W, 3], not NoneType"),
        ([FRAMES], "must be a path, bytes, a Video or an array [T, H, W, 3], not list"),
        (Video([FRAMES]), "must hold frames as an array, not list"),  # type: ignore[arg-type]
        (FRAMES[0], "must be an array [T, H, W, 3] of uint8, not [48, 64, 3] of uint8"),
        (FRAMES[..., :1], "must be an array [T, H, W, 3] of uint8, not [20, 48, 64, 1] of uint8"),
        (FRAMES / 255.0, "must be an array [T, H, W, 3] of uint8, not [20, 48, 64, 3] of float64"),
        (FRAMES[:0], "is empty (0 frames of 64 x 48)"),
        (FRAMES[:, :0], "is empty (20 frames of 64 x 0)"),
        (Video(FRAMES, 0), "must have a frame rate above 0, not 0"),
        (Video(FRAMES, -1.5), "must have a frame rate above 0, not -1.5"),
        (Video(FRAMES, float("nan")), "must have a frame rate above 0, not nan"),
        (Video(FRAMES, float("inf")), "must have a frame rate above 0, not inf"),
        (Video(FRAMES, True), "must have a frame rate above 0, not True"),
        (Video(FRAMES, "24"), "must have a frame rate above 0, not '24'"),  # type: ignore[arg-type]
        (np.broadcast_to(np.uint8(0), (1, 9460, 9460, 3)), "has frames of 9460 x 9460 pixels"),
        ("https://localhost/clip.mp4", "is a URL, and nothing is fetched here"),
        ("rtsp://localhost/clip", "is a URL, and nothing is fetched here"),
        ("missing.mp4", "there is no file 'missing.mp4'"),
        (b"", "cannot be read as a video: "),
        (b"not a clip at all" * 100, "cannot be read as a video: "),
        (LOSSLESS[:200], "cannot be read as a video: "),
        (sound(), "has no video stream"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_is_no_clip_is_one_sentence(item: Any, message: str) -> None:
    assert refused(item).startswith(message)


def test_an_mp4_without_its_index_is_refused() -> None:
    content = file_of(FRAMES, "mp4", "libx264", "yuv420p")
    assert refused(content[: len(content) // 2]).startswith("cannot be read as a video: ")


def test_a_shortened_file_gives_what_is_left_or_one_sentence() -> None:
    for cut in range(1, 10):
        content = LOSSLESS[: len(LOSSLESS) * cut // 10]
        try:
            clip = open_clip(content, "videos[1]")
        except RequestError as error:
            assert error.param == "videos[1]"
            continue
        assert 0 < clip.frames < 20
        assert np.array_equal(next(clip.decode([0])), FRAMES[0])


def test_no_byte_changed_at_random_escapes_as_another_error() -> None:
    seeds = [LOSSLESS, file_of(FRAMES[:6], "mp4", "libx264", "yuv420p")]
    rng = np.random.default_rng(3)
    for _ in range(50):
        content = bytearray(seeds[rng.integers(len(seeds))])
        for place in rng.integers(min(len(content), int(rng.choice([300, 50_000]))), size=5):
            content[place] = rng.integers(256)
        try:
            clip = open_clip(bytes(content), "videos[1]")
            if clip.width * clip.height < 10_000:
                clip.patches(SETTINGS)
        except RequestError as error:
            assert error.param == "videos[1]"


def test_frames_missing_at_the_second_reading_are_noticed() -> None:
    clip = Clip("videos[1]", 8, 64, 64, 24.0, lambda numbers: iter(FRAMES[:2]))
    with pytest.raises(RequestError, match=r"videos\[1\] is damaged or cut short: 2 of 4 frames"):
        clip.patches(SETTINGS)


def test_without_pyav_files_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    assert refused(LOSSLESS) == (
        "is a video file, which needs PyAV: pip install 'clef-mlx[media]', or give its frames as "
        "an array"
    )
    assert open_clip(FRAMES, "videos[0]").patches(SETTINGS).grid == (2, 4, 4)


def test_a_list_of_other_files_opens_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Playlists and session descriptions name files and hosts: none is opened."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clip.ts").write_bytes(file_of(FRAMES, "mpegts", "mpeg2video", "yuv420p", 25))
    assert open_clip("clip.ts", "videos[0]").frames == 20
    segment = f"file://{tmp_path}/clip.ts"
    lists = {
        "hls": f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{segment}\n#EXT-X-ENDLIST\n",
        "concat": "ffconcat version 1.0\nfile 'clip.ts'\n",
        "session": "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
        "m=video 40404 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n",
    }
    for name, text in lists.items():
        (tmp_path / name).write_text(text)
        for item in (text.encode(), tmp_path / name):
            assert refused(item).startswith("cannot be read as a video: "), name
