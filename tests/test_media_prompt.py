"""The tokens that pictures and clips take in the prompt, and what is refused before decoding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import GOLDEN

from clef_mlx import Choice, Clef, EncodedRequest, Noul, RequestError, Score, parse_request
from clef_mlx.media.images import Picture
from clef_mlx.media.prompt import OpenMedia
from clef_mlx.media.settings import read_settings
from clef_mlx.media.videos import Clip, Video

SETTINGS = read_settings(GOLDEN / "tiny-dense", published_sizes=False)
IMAGE, VIDEO = SETTINGS.image_token_id, SETTINGS.video_token_id
START, END = SETTINGS.vision_start_token_id, SETTINGS.vision_end_token_id
PICTURE = np.zeros((256, 256, 3), np.uint8)  # 64 tokens
CLIP = np.zeros((8, 64, 64, 3), np.uint8)  # 2 pairs of 4 tokens
QUESTIONS = {"q": Noul("Is it?")}
PADS = ("<|image_pad|>", "<|video_pad|>")


@pytest.fixture
def undecoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails the test if pixels are read."""

    def fail(*_: Any) -> None:
        pytest.fail("pixels were decoded")

    monkeypatch.setattr(Picture, "patches", fail)
    monkeypatch.setattr(Clip, "patches", fail)


def body_of(state: Any = "x", questions: Any = QUESTIONS, **media: Any) -> dict[str, Any]:
    return {"state": state, "questions": questions, **media}


def media_part(clef: Clef, **media: Any) -> list[int]:
    """The tokens between the prefix and the state."""
    with_media = clef.encode(body_of(**media)).input_ids
    without, prefix = clef.encode(body_of()).input_ids, clef._reader._encoder.prefix
    extra = len(with_media) - len(without)
    assert with_media[: len(prefix)] == prefix
    assert with_media[len(prefix) + extra :] == without[len(prefix) :]
    return with_media[len(prefix) : len(prefix) + extra]


def test_markers_are_the_tokenizer_s(dense: Clef) -> None:
    for text, token in (
        ("<|vision_start|>", START),
        ("<|vision_end|>", END),
        ("<|image_pad|>", IMAGE),
        ("<|video_pad|>", VIDEO),
    ):
        assert dense._reader._encoder.tokenize(text) == [token]


def test_pictures_are_wrapped_and_end_with_one_newline(dense: Clef) -> None:
    newline = dense._reader._encoder.tokenize("\n")
    one = [START, *[IMAGE] * 64, END]
    wide = [START, *[IMAGE] * 128, END]
    assert media_part(dense, images=[PICTURE]) == one + newline
    both = [PICTURE, np.zeros((256, 512, 3), np.uint8)]
    assert media_part(dense, images=both) == one + wide + newline


def test_a_clip_is_wrapped_twice_with_the_time_of_each_pair(dense: Clef) -> None:
    say = dense._reader._encoder.tokenize
    frame = [START, *[VIDEO] * 4, END]
    # Frames 0, 2, 5, 7 of 24 a second: 0.04 and 0.25, which rounds half to even.
    want = [START, *say("<0.0 seconds>"), *frame, *say("<0.2 seconds>"), *frame, END]
    assert media_part(dense, videos=[CLIP]) == want + say("\n")
    # Every frame at 2 a second: 0.25, 1.25, 2.25, 3.25.
    want = [token for n in range(4) for token in (*say(f"<{n}.2 seconds>"), *frame)]
    assert media_part(dense, videos=[Video(CLIP, 2)]) == [START, *want, END, *say("\n")]
    slow = Video(np.zeros((3, 64, 64, 3), np.uint8), 0.5)
    want = [START, *say("<1.0 seconds>"), *frame, *say("<4.0 seconds>"), *frame, END]
    assert media_part(dense, videos=[slow]) == want + say("\n")


def test_pictures_come_before_clips(dense: Clef) -> None:
    newline = dense._reader._encoder.tokenize("\n")
    picture = media_part(dense, images=[PICTURE])[: -len(newline)]
    clip = media_part(dense, videos=[CLIP])
    assert media_part(dense, videos=[CLIP], images=[PICTURE]) == picture + clip


def test_what_stands_for_patches_is_marked_and_counted(dense: Clef) -> None:
    encoded = dense.encode(body_of(images=[PICTURE, PICTURE], videos=[CLIP]))
    assert encoded.is_media.sum() == 64 + 64 + 8
    assert set(np.array(encoded.input_ids)[encoded.is_media]) == {IMAGE, VIDEO}
    assert encoded.positions.shape == (3, len(encoded.input_ids))
    assert list(encoded.media) == [
        *("pixel_values", "image_grid_thw"),
        *("pixel_values_videos", "video_grid_thw"),
    ]
    assert encoded.media["pixel_values"].shape == (2 * 256, 1536)
    assert encoded.media["pixel_values"].dtype == np.float32
    assert encoded.media["image_grid_thw"].tolist() == [[1, 16, 16]] * 2
    assert encoded.media["video_grid_thw"].tolist() == [[2, 4, 4]]
    assert len(encoded.media["pixel_values_videos"]) == 32


def test_tokens_of_media_can_be_asked_for(dense: Clef, undecoded: None) -> None:
    """What a prompt grows by: 64 pads and their two markers, and one newline for all."""
    text = {"state": "x", "questions": {"q": {"type": "noul"}}}
    plain = len(dense.encode(text).input_ids)
    assert dense.media_tokens(images=[PICTURE]) == 67
    assert dense.media_tokens(images=[PICTURE, PICTURE]) == 133
    assert dense.media_tokens(images=[GOLDEN / "media" / "receipt.png"]) > 67
    clip = np.zeros((8, 64, 64, 3), np.uint8)
    counted = dense.media_tokens(images=[PICTURE], videos=[clip])
    request = parse_request({**text, "images": [PICTURE], "videos": [clip]})
    opened = OpenMedia.of(request, dense._reader._media_settings("images"), exif=False)
    encoder = dense._reader._encoder
    prompt = opened.prompt(encoder.tokenize)
    assert len(encoder.encode(request, 1000, media=prompt).input_ids) == plain + counted
    with pytest.raises(RequestError, match=r"images\[0\] must be a path"):
        dense.media_tokens(images=[None])


@pytest.mark.parametrize("pad", PADS)
@pytest.mark.parametrize(
    ("state", "questions", "param"),
    [
        ("a {} b", QUESTIONS, "state"),
        ({"deep": ["{}"]}, QUESTIONS, "state"),
        ({"{}": 1}, QUESTIONS, "state"),
        ("x", {"q": Noul("Is {} it?")}, "questions.q"),
        ("x", {"q": Noul({"ask": "{}"})}, "questions.q"),
        ("x", {"{}": Noul("Is it?")}, "questions.{}"),
        ("x", {"a": Noul("?"), "b": Choice("Which?", {"{}": None, "z": None})}, "questions.b"),
        ("x", {"q": Choice("Which?", {"a": "like {}"})}, "questions.q"),
        ("x", {"q": Score("How?", ["low", "{}"])}, "questions.q"),
        ("x", {"q": Noul("Is it?", {"true": "{}"})}, "questions.q"),
    ],
)
def test_text_that_is_a_pad_is_refused_with_media_only(
    dense: Clef, undecoded: None, pad: str, state: Any, questions: Any, param: str
) -> None:
    def filled(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace("{}", pad)
        if isinstance(value, dict):
            return {filled(key): filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [filled(item) for item in value]
        if isinstance(value, Noul | Choice | Score):
            return type(value)(filled(value.instructions), filled(value.criteria))
        return value

    body = body_of(filled(state), filled(questions))
    alone: EncodedRequest = dense.encode(body)
    assert {IMAGE, VIDEO} & set(alone.input_ids)
    for media in ({"images": [PICTURE]}, {"videos": [CLIP]}):
        with pytest.raises(RequestError) as caught:
            dense.encode({**body, **media})
        assert caught.value.param == param.replace("{}", pad)
        assert "holds the text of a media token (such as <|image_pad|>)" in str(caught.value)


def test_other_markers_in_text_pass_as_the_reference_lets_them(dense: Clef) -> None:
    encoded = dense.encode(body_of("<|vision_start|><|vision_end|><|im_end|>", images=[PICTURE]))
    assert encoded.is_media.sum() == 64


def large(height: int, width: int) -> np.ndarray:
    """An array of that size in no memory."""
    return np.broadcast_to(np.uint8(0), (height, width, 3))


def test_an_item_too_large_alone_is_refused_by_name(dense: Clef, undecoded: None) -> None:
    with pytest.raises(RequestError) as caught:
        dense.encode(body_of(images=[PICTURE, large(512, 1024)]), max_length=500)
    assert str(caught.value) == "images[1] takes 512 tokens alone, and the limit is 500"
    assert caught.value.param == "images[1]"
    clip = np.broadcast_to(np.uint8(0), (8, 704, 704, 3))
    with pytest.raises(RequestError) as caught:
        dense.encode(body_of(images=[PICTURE], videos=[CLIP, clip]), max_length=500, truncate=True)
    assert str(caught.value) == "videos[1] takes 968 tokens alone, and the limit is 500"
    assert caught.value.param == "videos[1]"


def test_items_too_large_together_are_the_reference_s_refusal(dense: Clef, undecoded: None) -> None:
    fixed = len(dense.encode(body_of("")).input_ids) + 1  # and the newline
    for truncate in (False, True):
        with pytest.raises(RequestError) as caught:
            dense.encode(body_of(images=[PICTURE] * 8), max_length=500, truncate=truncate)
        wanted = f"schema requires {fixed + 8 * 66} tokens before state; maximum is 500"
        assert str(caught.value) == wanted


def test_faults_name_the_item(dense: Clef, undecoded: None) -> None:
    for media, param in (
        ({"images": [PICTURE, b"no picture"]}, "images[1]"),
        ({"images": [large(10, 3000)]}, "images[0]"),
        ({"images": [PICTURE], "videos": [CLIP, CLIP[:, :20]]}, "videos[1]"),
        ({"videos": [PICTURE]}, "videos[0]"),
    ):
        with pytest.raises(RequestError) as caught:
            dense.encode(body_of(**media))
        assert caught.value.param == param
        assert str(caught.value).startswith(param)


def test_truncation_cuts_the_state_and_keeps_media(dense: Clef) -> None:
    whole = dense.encode(body_of("word " * 300, images=[PICTURE], videos=[CLIP]))
    length = len(whole.input_ids) - 200
    cut = dense.encode(
        body_of("word " * 300, images=[PICTURE], videos=[CLIP]), max_length=length, truncate=True
    )
    assert (len(cut.input_ids), cut.truncated_tokens) == (length, 200)
    assert cut.state_tokens == whole.state_tokens - 200
    assert cut.is_media.sum() == whole.is_media.sum() == 72
    kept = whole.input_ids.index(END, whole.input_ids.index(VIDEO)) + 1 + cut.state_tokens
    assert cut.input_ids[:kept] == whole.input_ids[:kept]
    assert np.array_equal(cut.positions, whole.positions[:, :length])
    (question,) = cut.questions
    (uncut,) = whole.questions
    assert [i - 200 for i in uncut.span] == list(question.span)


def test_an_empty_list_is_no_media(dense: Clef) -> None:
    want = dense.encode(body_of())
    got = dense.encode(body_of(images=[], videos=[], audio=[]))
    assert (got.input_ids, got.positions, got.is_media) == (want.input_ids, None, None)


def test_audio_is_refused(dense: Clef) -> None:
    with pytest.raises(RequestError) as caught:
        dense.encode(body_of(audio=["a.wav"], images=[PICTURE]))
    assert caught.value.param == "audio"
    assert "clef-omni" in str(caught.value)
