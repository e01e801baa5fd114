"""``clef-mlx decide`` on pictures and clips: as options and in request files."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image

from clef_mlx import Clef, Noul
from clef_mlx.cli import main

NOUL = ("--noul", "q: Is it?")
QUESTIONS = {"q": {"type": "noul", "instructions": "Is it?"}}
Decide = Callable[..., Result]


@pytest.fixture
def decide(dense: Clef, monkeypatch: pytest.MonkeyPatch) -> Decide:
    monkeypatch.setattr("clef_mlx.model.load", lambda model, dtype: dense)
    return lambda *arguments, **named: CliRunner().invoke(
        main, ["decide", "-m", "tiny-dense", *arguments], **named
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``work``, where the command runs, and beside it ``home`` with a picture and a clip."""
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    pixels = np.random.default_rng(0).integers(0, 256, (200, 300, 3), dtype=np.uint8)
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by 90 degrees
    Image.fromarray(pixels).save(home / "a.png", exif=exif)
    with av.open(str(home / "c.mkv"), "w") as container:
        stream = container.add_stream("ffv1", rate=4)
        stream.height, stream.width, stream.pix_fmt = 64, 64, "bgr0"
        for level in range(0, 240, 20):
            frame = np.full((64, 64, 3), level, np.uint8)
            frame = av.VideoFrame.from_ndarray(frame, format="rgb24").reformat(format="bgr0")
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    monkeypatch.chdir(work)
    monkeypatch.setenv("HOME", str(home))
    return home


def answered(result: Result) -> Any:
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def failed(result: Result) -> str:
    """The one sentence of a refused request."""
    assert (result.exit_code, result.stdout) == (1, ""), result.output
    assert isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr
    return result.stderr.removeprefix("Error: ").rstrip("\n")


def test_options_answer_as_the_python_api(decide: Decide, dense: Clef, folder: Path) -> None:
    picture, clip = folder / "a.png", folder / "c.mkv"
    questions = {"q": Noul("Is it?")}
    want = dense.decide("", questions, images=[picture, picture], videos=[clip]).to_dict()
    given = ("--image", str(picture), "--video", str(clip), "--image", "../home/a.png")
    assert answered(decide(*given, *NOUL)) == want
    assert answered(decide("--image", "~/a.png", "--image", "~/a.png", "--video", "~/c.mkv", *NOUL))
    want = dense.decide("some text", questions, videos=[clip]).to_dict()
    assert answered(decide("--video", str(clip), "-s", "some text", *NOUL)) == want


def test_exif_turns_the_picture(decide: Decide, dense: Clef, folder: Path) -> None:
    pixels = np.asarray(Image.open(folder / "a.png"))
    turned = np.rot90(pixels, -1)
    for options, want in (((), pixels), (("--exif",), turned)):
        got = answered(decide("--image", "~/a.png", *options, *NOUL))
        assert got == dense.decide("", {"q": Noul("Is it?")}, images=[want]).to_dict()


@pytest.mark.parametrize("kind", ["beside", "absolute", "home", "data", "object"])
def test_a_request_file_names_its_media(
    decide: Decide, dense: Clef, folder: Path, kind: str
) -> None:
    def named(name: str, content_type: str) -> Any:
        text = base64.b64encode((folder / name).read_bytes()).decode()
        return {
            "beside": name,
            "absolute": str(folder / name),
            "home": f"~/{name}",
            "data": f"data:{content_type};base64,{text}",
            "object": {"content_type": content_type, "base64": text},
        }[kind]

    body = {
        "state": {"a": 1},
        "questions": QUESTIONS,
        "images": [named("a.png", "image/png")],
        "videos": [named("c.mkv", "video/x-matroska")],
    }
    (folder / "body.json").write_text(json.dumps(body))
    media = {"images": [folder / "a.png"], "videos": [folder / "c.mkv"]}
    want = dense.systemone({**body, **media})
    assert answered(decide("../home/body.json")) == want
    if kind != "beside":
        assert answered(decide("-", input=json.dumps(body))) == want


def test_from_stdin_paths_are_those_of_the_command(
    decide: Decide, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = json.dumps({"state": "x", "questions": QUESTIONS, "images": ["a.png"]})
    assert failed(decide("-", input=body)) == "images[0]: there is no file 'a.png'"
    monkeypatch.chdir(folder)
    answered(decide("-", input=body))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--image", "missing.png"), "images[0]: there is no file 'missing.png'"),
        (("--image", "~/a.png", "--image", "."), "images[1]: there is no file '.'"),
        (
            ("--image", "~nobody-of-this-name/a.png"),
            "images[0]: there is no file '~nobody-of-this-name/a.png'",
        ),
        (("--image", "http://localhost/a.png"), "images[0] is a URL, and nothing is fetched here"),
        (("--image", "~/c.mkv"), "images[0] is not a picture of a known format"),
        (("--image", "~/empty"), "images[0] is not a picture of a known format"),
        (("--image", "~/cut.png"), "images[0] is damaged or cut short: image file is truncated"),
        (("--video", "~/empty"), "videos[0] cannot be read as a video: "),
        (("--video", "https://localhost/c.mp4"), "videos[0] is a URL, and nothing is fetched"),
        (("--image", "~/a.png", "--max-length", "50"), "images[0] takes 70 tokens alone, and"),
        (("--image", "~/a.png", "-s", "<|image_pad|>"), "state holds the text of a media token"),
    ],
)
def test_faults_end_with_1_in_one_sentence(
    decide: Decide, folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    (folder / "empty").write_bytes(b"")
    (folder / "cut.png").write_bytes((folder / "a.png").read_bytes()[:5000])
    got = failed(decide(*arguments, *NOUL))
    assert got.startswith(message)
    assert "\n" not in got


@pytest.mark.parametrize(
    ("media", "message"),
    [
        ({"images": "a.png"}, "images must be a list, not a string"),
        ({"images": ["a.png", "no.png"]}, "images[1]: there is no file "),
        ({"images": [None]}, "images[0] must be a path, bytes, a PIL image or an array"),
        ({"images": [{"base64": "a"}]}, "images[0] is not base64: "),
        ({"images": [{"url": "http://localhost"}]}, "images[0] must have content_type and base64"),
        ({"images": ["https://localhost/a.png"]}, "images[0] is a URL, and nothing is fetched"),
        ({"videos": [["a.png"]]}, "videos[0] must be a path, bytes, a Video or an array"),
        ({"audio": ["a.wav"]}, "audio: tiny-dense hears nothing; clef-omni does"),
    ],
)
def test_faults_of_a_request_file(
    decide: Decide, folder: Path, media: dict[str, Any], message: str
) -> None:
    body = {"state": "x", "questions": QUESTIONS, **media}
    (folder / "body.json").write_text(json.dumps(body))
    assert failed(decide("../home/body.json")).startswith(message)


def test_transparent_palettes_put_nothing_on_stderr(decide: Decide, folder: Path) -> None:
    file = io.BytesIO()
    image = Image.open(folder / "a.png").quantize(16)
    image.save(file, "PNG", transparency=bytes(range(16)))
    (folder / "p.png").write_bytes(file.getvalue())
    answered(decide("--image", "~/p.png", *NOUL))
