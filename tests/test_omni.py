"""clef-omni's media in the prompt: order, mixing by time, positions, files, faults, memory."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from close import assert_close
from conftest import GOLDEN
from golden.make_omni import MIXES
from media_files import clip_file, sound_file, tone

from clef_mlx import CheckpointError, Clef, RequestError, load, parse_request
from clef_mlx.media.films import Film
from clef_mlx.media.images import Picture
from clef_mlx.media.omni import OpenOmniMedia
from clef_mlx.media.settings import read_omni_settings
from clef_mlx.media.sounds import Sound, Sounds, open_sound
from clef_mlx.media.videos import Video

ORACLE = np.load(GOLDEN / "omni.npz")
EXACT = 1e-5  # float32; the same numbers by another way
MEDIA = GOLDEN / "media"
BODY: dict[str, Any] = {"state": "A clip.", "questions": {"loud": {"type": "noul"}}}


def opened(clef: Clef, **media: Any) -> OpenOmniMedia:
    settings = read_omni_settings(clef.checkpoint.folder, clef.checkpoint.config)
    return OpenOmniMedia.of(parse_request({**BODY, **media}), settings, exif=False)


def difference(clef: Clef, first: dict[str, Any], second: dict[str, Any]) -> float:
    one, other = (clef.logits({**BODY, **media})["loud"] for media in (first, second))
    return max(abs(one[option] - other[option]) for option in one)


@pytest.mark.parametrize("number", range(len(MIXES)))
def test_tokens_and_positions_are_the_reference_s(omni: Clef, number: int) -> None:
    images, given, frames, clips, pictures, heard = MIXES[number]
    assert images == len(pictures) and given == len(frames) - heard * len(clips)
    settings = opened(omni, audio=[tone(1, 16_000)]).settings
    track = Sound("", np.zeros(1, np.float32)) if heard else None
    sounds = Sounds(tuple(Sound("", np.zeros(160 * n, np.float32)) for n in frames), 128)
    media = OpenOmniMedia(
        tuple(_picture(grid) for grid in pictures),
        sounds,
        tuple(_film(grid, track) for grid in clips),
        settings,
    )
    prompt = media.prompt(omni._encoder.tokenize)
    assert prompt.ids == ORACLE[f"mix{number}/ids"].tolist()
    whole = np.array([0] * 36 + prompt.ids + [0] * 40)
    positions = media.positions(prompt, np.isin(whole, list(prompt.pads)))
    assert np.array_equal(positions, ORACLE[f"mix{number}/positions"])


def _picture(grid: list[int]) -> Any:
    class Fixed(Picture):
        def size(self, settings: Any) -> tuple[int, int]:
            return grid[1] * 16, grid[2] * 16

    return Fixed("", 0, 0, lambda: np.zeros(0))


def _film(grid: list[int], track: Sound | None) -> Any:
    class Fixed(Film):
        def grid(self, settings: Any) -> Any:
            return tuple(grid)

    return Fixed("", 0, 0, 0, lambda: iter(()), track)


def test_a_file_is_its_frames_and_its_samples(omni: Clef) -> None:
    silent, wave = clip_file(5, 2), sound_file(np.stack([tone(2, 44_100)] * 2), 44_100)
    frames = np.stack(list(opened(omni, videos=[silent]).films[0].decode()))
    samples = open_sound(wave, "", 100).samples
    assert difference(omni, {"videos": [silent]}, {"videos": [frames]}) <= EXACT
    assert difference(omni, {"audio": [wave]}, {"audio": [samples]}) <= EXACT
    assert difference(omni, {"videos": [silent]}, {"videos": [Video(frames[:3])]}) > EXACT


def test_soundtracks_are_heard_if_every_clip_has_one(omni: Clef) -> None:
    silent, heard = clip_file(2, 2), clip_file(4, 2, sound=2.0)
    settings = opened(omni, videos=[silent]).settings

    def pads(*videos: bytes) -> list[int]:
        encoded = omni.encode({**BODY, "videos": list(videos)})
        return np.array(encoded.input_ids)[encoded.is_media].tolist()

    mixed = pads(heard)
    assert 24 <= mixed.count(settings.audio_token_id) <= 28  # 2 s and the codec's padding
    # Frames of 0 s, 13 tokens of sound, frames of 1 s, the rest of the sound.
    first = mixed.index(settings.audio_token_id)
    assert mixed[first : first + 13] == [settings.audio_token_id] * 13
    assert mixed[first + 13] == settings.video_token_id
    assert mixed[-1] == settings.audio_token_id
    assert settings.audio_token_id not in pads(heard, silent)
    assert settings.audio_token_id not in pads(silent)


def test_every_item_reaches_its_own_tokens(omni: Clef) -> None:
    """Changing one of several shows at its tokens and at none before them."""
    media = {
        "images": [MEDIA / "unresized.png", MEDIA / "receipt.png"],
        "audio": [tone(1.0, 16_000), tone(0.5, 16_000, 900.0)],
        "videos": [clip_file(2, 2, sound=1.0), clip_file(4, 2, sound=0.4)],
    }
    encoded = omni.encode({**BODY, **media})
    rows = np.array(omni._prefill._features(encoded.media))
    ids = np.array(encoded.input_ids)[encoded.is_media]
    settings = opened(omni, **media).settings
    pixels = ids != settings.audio_token_id
    width = omni.checkpoint.config.text.hidden_size
    assert np.abs(rows[~pixels][:, width:]).max() == 0  # sound adds nothing after the first layers
    assert np.abs(rows[pixels][:, width:]).min(axis=1).max() > 0
    parts, first = (encoded.media.images[1], encoded.media.videos[0]), encoded.media.images[0]
    for patches, kind, before in zip(
        parts, (settings.image_token_id, settings.video_token_id), (first.tokens, 0), strict=True
    ):
        own = np.array(omni._prefill._features._vision._tokens(patches))
        got = rows[ids == kind][before : before + patches.tokens]
        assert_close(got, own, EXACT)
    heard = np.array(omni._prefill._features._audio(encoded.media.sounds))
    assert_close(rows[~pixels][:, :width], heard, EXACT)


def test_sound_alone_counts_up(omni: Clef) -> None:
    encoded = omni.encode({**BODY, "audio": [tone(1, 16_000), tone(0.3, 16_000)]})
    assert np.array_equal(encoded.positions, np.tile(np.arange(len(encoded.input_ids)), (3, 1)))


def test_the_longest_clip_is_read_in_windows(omni: Clef) -> None:
    encoded = omni.encode({**BODY, "audio": [tone(30, 16_000)]})
    assert int(encoded.is_media.sum()) == 390
    logits = omni.logits({**BODY, "audio": [tone(30, 16_000)]})["loud"]
    assert np.isfinite(list(logits.values())).all()


def test_the_shortest_sound_is_one_token(omni: Clef) -> None:
    assert omni.encode({**BODY, "audio": [tone(0.0126, 16_000)]}).is_media.sum() == 1
    with pytest.raises(RequestError, match="at least 201") as refused:
        omni.encode({**BODY, "audio": [np.zeros(200, np.float32)]})
    assert refused.value.param == "audio[0]"
    tiny = {"audio": [np.zeros(1, np.float32), tone(0.1, 16_000)]}
    assert omni.encode({**BODY, **tiny}).is_media.sum() == 1 + 2


def test_an_item_over_the_limit_is_named(omni: Clef) -> None:
    for name, media in (
        ("images[1]", {"images": [np.zeros((64, 64, 3), np.uint8), MEDIA / "receipt.png"]}),
        ("audio[0]", {"audio": [tone(10, 16_000)]}),
        ("videos[0]", {"videos": [np.zeros((2, 64, 64, 3), np.uint8)]}),
    ):
        with pytest.raises(RequestError, match=r"tokens alone, and the limit is 70") as refused:
            omni.encode({**BODY, **media}, max_length=70)
        assert refused.value.param == name


@pytest.mark.parametrize("mark", ["<|image_pad|>", "<|video_pad|>", "<|audio_start|>"])
def test_marks_in_the_text_are_refused_where_they_mislead(omni: Clef, mark: str) -> None:
    text = {**BODY, "state": f"a {mark} b"}
    with pytest.raises(RequestError, match="state holds the text of a media token"):
        omni.encode({**text, "images": [MEDIA / "unresized.png"]})
    omni.encode(text)
    omni.encode({**text, "audio": [tone(0.5, 16_000)]})  # no grid: nothing looks for them
    with pytest.raises(RequestError, match="state holds the text of a media token"):
        omni.encode({**text, "state": "<|audio_pad|>", "audio": [tone(0.5, 16_000)]})


def test_towers_wait_until_they_are_needed() -> None:
    clef = load(GOLDEN / "tiny-omni", dtype="float32")
    features = clef._prefill._features
    clef.logits(BODY)
    assert features._vision._tower is None and features._audio._tower is None
    clef.logits({**BODY, "audio": [tone(0.5, 16_000)]})
    assert features._vision._tower is None and features._audio._tower is not None
    clef.logits({**BODY, "images": [MEDIA / "unresized.png"]})
    assert features._vision._tower is not None


def test_a_long_prompt_in_blocks_is_the_same(omni: Clef, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures cut by a block's border, and blocks without any, keep their deepstack."""
    media = {"images": [MEDIA / "receipt.png"], "videos": [clip_file(4, 2, sound=1.0)]}
    encoded = omni.encode({**BODY, **media})
    whole = omni._prefill.read(encoded)
    monkeypatch.setattr("clef_mlx.prefill.BLOCK", 100)
    cut = omni._prefill.read(encoded)
    assert_close(cut.memory, np.array(whole.memory), 1e-4)
    assert_close(cut.tail, np.array(whole.tail), 1e-4)


def test_a_bfloat16_model_hears() -> None:
    clef = load(GOLDEN / "tiny-omni", dtype="bfloat16")
    encoded = clef.encode({**BODY, "audio": [tone(0.5, 16_000)]})
    assert clef._prefill._features(encoded.media).dtype == mx.bfloat16


@pytest.mark.parametrize("key", ["hop_length", "sampling_rate", "n_fft", "feature_size"])
def test_another_feature_extractor_is_refused(tmp_path: Path, key: str) -> None:
    folder = tmp_path / "release"
    shutil.copytree(GOLDEN / "tiny-omni", folder)
    processor = json.loads((folder / "processor_config.json").read_text())
    processor["feature_extractor"][key] = 7
    (folder / "processor_config.json").write_text(json.dumps(processor))
    with pytest.raises(CheckpointError, match=f"feature_extractor: {key} is 7; only"):
        load(folder).encode({**BODY, "audio": [tone(0.5, 16_000)]})


def test_media_tokens_are_those_of_the_prompt(omni: Clef) -> None:
    text = len(omni.encode(BODY).input_ids)
    picture, sound, clip = MEDIA / "receipt.png", tone(1, 16_000), clip_file(4, 2, sound=1.0)
    for media in ({"images": [picture]}, {"audio": [sound]}, {"videos": [clip], "audio": [sound]}):
        tokens = len(omni.encode({**BODY, **media}).input_ids) - text
        assert omni.media_tokens(**media) == tokens
    assert omni.media_tokens() == 0
