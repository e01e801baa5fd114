"""Sounds: arrays and files to samples, how many tokens they take, and what is refused."""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from close import assert_close
from golden.make_omni import SETS, wave
from media_files import clip_file, sound_file, tone

from clef_mlx import RequestError
from clef_mlx.media.sounds import Sound, Sounds, open_sound, sound_tokens

ORACLE = np.load(Path(__file__).parent / "golden" / "omni.npz")
SECONDS = 100  # the longest that these tests allow


def refusal(item: Any, seconds: int = SECONDS) -> str:
    with pytest.raises(RequestError) as caught:
        open_sound(item, "audio[0]", seconds)
    assert caught.value.param == "audio[0]"
    return str(caught.value)


@pytest.mark.parametrize(
    ("frames", "tokens"),
    [(1, 1), (8, 1), (9, 2), (99, 13), (100, 13), (101, 14), (200, 26), (3_000, 390)],
)
def test_a_second_takes_thirteen_tokens(frames: int, tokens: int) -> None:
    assert sound_tokens(frames) == tokens


@pytest.mark.parametrize("name", SETS)
def test_frames_are_the_reference_s(name: str) -> None:
    sounds = Sounds(tuple(Sound("", wave(n)) for n in SETS[name]), 128)
    assert sounds.frames() == ORACLE[f"{name}/frames"].tolist()
    assert [f.shape[1] for f in sounds.features()] == sounds.frames()
    whole = sounds.input_features()
    for heard, padded, frames in zip(sounds.features(), whole, sounds.frames(), strict=True):
        assert_close(heard, padded[:, :frames], 0)


def test_an_array_is_taken_as_it_is() -> None:
    samples = tone(0.1, 16_000).astype(np.float64)
    assert open_sound(samples, "audio[0]", SECONDS).samples.dtype == np.float32
    assert_close(open_sound(samples, "audio[0]", SECONDS).samples, samples, 1e-7)


# A resampled tone rings at its ends; measured 0.005 in between, 16-bit steps included.
RESAMPLED = 0.01


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100, 48_000])
def test_a_stereo_file_becomes_mono_at_16_khz(rate: int) -> None:
    both = np.stack([tone(0.5, rate), tone(0.5, rate)])
    samples = open_sound(sound_file(both, rate), "audio[0]", SECONDS).samples
    assert abs(len(samples) - 8_000) <= 1
    want = 2**0.5 * tone(0.5, 16_000)  # FFmpeg mixes at equal power: equal sides grow by that
    assert_close(samples[400:7_600], want[400:7_600], RESAMPLED)


def test_every_way_to_give_a_file(tmp_path: Path) -> None:
    content = sound_file(tone(0.2, 16_000)[None], 16_000)
    (tmp_path / "a.wav").write_bytes(content)
    text = base64.b64encode(content).decode()
    want = open_sound(content, "audio[0]", SECONDS).samples
    assert len(want) == 3_200
    for item in (
        tmp_path / "a.wav",
        str(tmp_path / "a.wav"),
        f"data:audio/wav;base64,{text}",
        {"content_type": "audio/wav", "base64": text},
    ):
        assert_close(open_sound(item, "audio[0]", SECONDS).samples, want, 0)


def test_a_clip_s_soundtrack_can_be_heard_alone() -> None:
    sound = open_sound(clip_file(5, 10, sound=0.5), "audio[0]", SECONDS)
    assert 7_500 < len(sound.samples) < 9_000  # the codec pads to whole blocks


def test_faults_name_the_item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sound_file(tone(0.2, 16_000)[None], 16_000)
    assert refusal(clip_file(5, 10)) == "audio[0] has no decodable audio stream"
    assert "audio[0] " in refusal(sound_file(np.zeros((1, 0)), 16_000))
    assert "audio[0] cannot be read as sound" in refusal(b"nothing of the kind")
    assert "audio[0]: there is no file" in refusal(tmp_path / "none.wav")
    assert "nothing is fetched here" in refusal("https://example.org/a.wav")
    assert refusal(np.zeros(0, np.float32)) == "audio[0] is empty (no samples)"
    assert "must be mono" in refusal(np.zeros((2, 100), np.float32))
    assert "numbers of about -1 to 1, not int16" in refusal(np.zeros(100, np.int16))
    assert "NaN or infinite" in refusal(np.full(500, np.nan, np.float32))
    assert "must be a path, bytes or an array" in refusal(7)
    longest = "audio[0] is longer than 1 seconds, the most that the model's positions hold"
    assert refusal(np.zeros(16_001, np.float32), 1) == longest
    assert refusal(sound_file(tone(1.2, 8_000)[None], 8_000), 1) == longest
    monkeypatch.setitem(sys.modules, "av", None)
    assert "pip install 'clef-mlx[media]'" in refusal(whole)
