"""Pictures of every kind to grey levels known by hand; what is none, refused with its number."""

from __future__ import annotations

import base64
import gc
import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from close import assert_close
from conftest import GOLDEN
from PIL import Image, ImageFile, UnidentifiedImageError

from clef_mlx import RequestError
from clef_mlx.media.images import MAX_PIXELS, Picture, open_picture
from clef_mlx.media.settings import read_settings

SETTINGS = read_settings(GOLDEN / "tiny-dense", published_sizes=False).image
PIXELS = np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8)
RGB = Image.fromarray(PIXELS)


def saved(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def levels(item: Any, **options: Any) -> np.ndarray:
    return open_picture(item, "images[1]", **options).decode()


def refused(item: Any, **options: Any) -> str:
    """The message for an item that is no picture, be it found at its header or its pixels."""
    with pytest.raises(RequestError) as caught:
        levels(item, **options)
    assert caught.value.param == "images[1]"
    message = str(caught.value)
    assert message.startswith("images[1]")
    return message.removeprefix("images[1]").lstrip(" :")


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


PNG = saved(RGB)
BASE64 = encoded(PNG)


@pytest.mark.parametrize(
    "item",
    [
        PNG,
        bytearray(PNG),
        memoryview(PNG),
        RGB,
        PIXELS,
        PIXELS[::-1][::-1],
        f"data:image/png;base64,{BASE64}",
        f"DATA:IMAGE/PNG;BASE64,{BASE64}",
        f"data:;base64,{BASE64}",
        f'data:image/png;charset=utf-8;name="a b%20c.png";base64,{BASE64}',
        f"data:image/png;base64,{BASE64[:40]}\n {BASE64[40:]}\n",
        f"data:text/plain;base64,{BASE64}",  # the bytes tell the kind
        {"content_type": "image/png", "base64": BASE64},
        {"base64": BASE64},
    ],
    ids=lambda item: type(item).__name__,
)
def test_every_way_to_give_a_picture(item: Any) -> None:
    picture = open_picture(item, "images[0]")
    assert (picture.width, picture.height) == (30, 20)
    assert np.array_equal(picture.decode(), PIXELS)
    assert np.array_equal(picture.decode(), PIXELS)  # and again


def test_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a picture.png").write_bytes(PNG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for item in (tmp_path / "a picture.png", "a picture.png", "./a picture.png"):
        assert np.array_equal(levels(item), PIXELS)
    assert np.array_equal(levels("~/a picture.png"), PIXELS)


def test_files_are_closed(tmp_path: Path) -> None:
    """An open file is a warning, which fails this test, when it is collected."""
    animation = saved(RGB, "GIF", save_all=True, append_images=[RGB.rotate(180)])
    for name, content in (("a.png", PNG), ("a.gif", animation), ("a.jpg", PNG[:60])):
        (tmp_path / name).write_bytes(content)
        picture = open_picture(tmp_path / name, "images[0]")
        assert picture.tokens(SETTINGS) == 70
        if name != "a.jpg":
            picture.decode()
        del picture
    gc.collect()


def test_alpha_is_dropped_not_blended() -> None:
    alpha = Image.fromarray(np.tile(np.arange(30, dtype=np.uint8), (20, 1)))
    with_alpha = RGB.copy()
    with_alpha.putalpha(alpha)
    assert np.array_equal(levels(with_alpha), PIXELS)
    assert np.array_equal(levels(saved(with_alpha)), PIXELS)
    grey = RGB.convert("L")
    with_alpha = grey.copy()
    with_alpha.putalpha(alpha)
    assert with_alpha.mode == "LA"
    assert np.array_equal(levels(saved(with_alpha)), levels(grey))


@pytest.mark.parametrize("transparency", [None, 3, bytes(range(256))])
def test_palettes_become_their_colours(transparency: Any) -> None:
    """Pillow warns of transparent palettes; here that would fail."""
    palette = RGB.quantize(16)
    want = np.array(palette.getpalette()).reshape(-1, 3)[np.asarray(palette)]
    options = {} if transparency is None else {"transparency": transparency}
    content = saved(palette, **options)
    assert Image.open(io.BytesIO(content)).mode == "P"
    assert np.array_equal(levels(content), want)
    if transparency != bytes(range(256)):  # which a GIF cannot say
        assert np.array_equal(levels(saved(palette, "GIF", **options)), want)


def test_a_caller_s_picture_is_left_as_it_was() -> None:
    image = Image.open(io.BytesIO(saved(RGB.quantize(16), transparency=bytes(range(16)))))
    levels(image, exif=True)
    assert (image.mode, image.info["transparency"]) == ("P", bytes(range(16)))
    assert image.getpixel((0, 0)) is not None  # still open


def test_transparent_colours_are_kept() -> None:
    assert np.array_equal(levels(saved(RGB, transparency=(1, 2, 3))), PIXELS)
    grey = np.arange(256, dtype=np.uint8).reshape(16, 16)
    assert np.array_equal(levels(saved(Image.fromarray(grey), transparency=7))[..., 1], grey)


@pytest.mark.parametrize(
    ("values", "want"),
    [
        (np.array([[True, False]]), [255, 0]),
        (np.array([[0, 77, 255]], np.uint8), [0, 77, 255]),
        (np.array([[0, 255, 256, 40_000, 65_535]], np.uint16), [0, 0, 1, 156, 255]),
        (np.array([[-5, 0, 77, 255, 70_000]], np.int32), [0, 0, 77, 255, 255]),
        (np.array([[-5, 0.9, 77.2, 300]], np.float32), [0, 0, 77, 255]),
    ],
    ids=["1", "L", "I;16", "I", "F"],
)
def test_greys(values: np.ndarray, want: list[int]) -> None:
    got = levels(Image.fromarray(values))
    assert np.array_equal(got, np.array([[[level] * 3 for level in want]]))


def test_sixteen_bit_files() -> None:
    grey = (np.arange(600, dtype=np.uint16) * 109).reshape(20, 30)
    image = Image.fromarray(grey)
    want = np.repeat((grey >> 8)[..., None], 3, axis=2)
    assert np.array_equal(levels(saved(image)), want)
    assert np.array_equal(levels(saved(image, "TIFF")), want)
    big = Image.frombytes("I;16B", (30, 20), grey.astype(">u2").tobytes())
    assert np.array_equal(levels(saved(big, "TIFF")), want)
    wide = PIXELS.astype(np.uint16) * 256 + 200
    content = png_of(30, 20, wide.astype(">u2").reshape(20, -1), depth=16, colour=2)
    assert np.array_equal(levels(content), PIXELS)


def chunk(kind: bytes, data: bytes) -> bytes:
    sums = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", sums)


def png_of(width: int, height: int, rows: np.ndarray | None, depth: int, colour: int) -> bytes:
    """A PNG written by hand; without ``rows`` it says its size and holds nothing."""
    lines = b"" if rows is None else b"".join(b"\0" + row.tobytes() for row in rows)
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def test_other_colour_spaces() -> None:
    flat = Image.new("RGB", (16, 16), (200, 100, 50))
    assert (levels(Image.new("CMYK", (2, 1), (0, 255, 255, 0))) == [255, 0, 0]).all()
    assert (levels(Image.new("CMYK", (2, 1), (0, 0, 0, 255))) == 0).all()
    assert (levels(Image.new("YCbCr", (2, 1), (128, 128, 128))) == 128).all()
    for mode, kind in (("CMYK", "JPEG"), ("CMYK", "TIFF"), ("YCbCr", "JPEG")):
        got = levels(saved(flat.convert(mode), kind))
        assert np.abs(got.astype(int) - [200, 100, 50]).max() <= 3, (mode, kind)


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "TIFF"])
def test_an_animation_gives_its_first_frame(kind: str) -> None:
    frames = [Image.new("RGB", (16, 16), colour) for colour in ("red", "lime", "blue")]
    options = {"lossless": True} if kind == "WEBP" else {}
    content = saved(frames[0], kind, save_all=True, append_images=frames[1:], **options)
    assert Image.open(io.BytesIO(content)).n_frames == 3
    assert (levels(content) == [255, 0, 0]).all()


def test_progressive_jpeg_is_the_same_picture() -> None:
    content = saved(RGB, "JPEG", progressive=True)
    assert np.array_equal(levels(content), levels(saved(RGB, "JPEG")))
    assert np.array_equal(levels(content), np.asarray(Image.open(io.BytesIO(content))))


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["PNG", "TIFF", "WEBP"])
def test_rotation_only_where_asked(orientation: int, kind: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = {"lossless": True} if kind == "WEBP" else {}
    content = saved(RGB, kind, exif=exif, **options)
    turns: list[Callable[[np.ndarray], np.ndarray]] = [
        *(lambda x: x, lambda x: x[:, ::-1], lambda x: x[::-1, ::-1], lambda x: x[::-1]),
        *(lambda x: x.swapaxes(0, 1), lambda x: np.rot90(x, -1)),
        *(lambda x: x[::-1, ::-1].swapaxes(0, 1), np.rot90),
    ]
    turned = turns[orientation - 1](PIXELS)
    unasked = turned if kind == "TIFF" else PIXELS  # Pillow always turns a TIFF
    assert np.array_equal(levels(content), unasked)
    assert open_picture(content, "images[0]").height == len(unasked)
    picture = open_picture(content, "images[0]", exif=True)
    assert (picture.height, picture.width) == turned.shape[:2]
    assert np.array_equal(picture.decode(), turned)
    pillow = Image.open(io.BytesIO(content))
    assert np.array_equal(levels(pillow, exif=True), turned)
    assert np.array_equal(levels(pillow), unasked)


def test_sizes_and_tokens_need_no_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        pytest.fail("pixels were decoded")

    files = {kind: saved(RGB, kind) for kind in ("PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP")}
    monkeypatch.setattr(ImageFile.ImageFile, "load", fail)
    for kind, content in files.items():
        picture = open_picture(content, "images[0]")
        assert picture.size(SETTINGS) == (224, 320), kind
        assert picture.tokens(SETTINGS) == 70
    large = open_picture(png_of(3000, 2000, None, 8, 2), "images[0]")
    assert large.tokens(SETTINGS) == 94 * 62


def test_tokens_are_those_of_the_patches() -> None:
    for height, width in ((20, 30), (1, 1), (300, 400), (257, 1000), (8, 1600)):
        picture = open_picture(np.zeros((height, width, 3), np.uint8), "images[0]")
        assert picture.tokens(SETTINGS) == picture.patches(SETTINGS).tokens


def test_patches_follow_merge_blocks_channels_and_time() -> None:
    """Each patch of one colour, named by its row and column."""
    rows, columns = np.indices((256, 288)) // 16
    pixels = np.stack([rows, columns, rows + columns], axis=-1).astype(np.uint8)
    patches = Picture("images[0]", 288, 256, lambda: pixels).patches(SETTINGS)
    assert patches.grid == (1, 16, 18)
    want = [
        (row + r, column + c)
        for row in range(0, 16, 2)
        for column in range(0, 18, 2)
        for r in (0, 1)
        for c in (0, 1)
    ]
    values = patches.levels.reshape(-1, 3, 2, 16, 16)  # channel, frame, row, column
    assert (values == values[:, :, :1, :1, :1]).all()
    assert [tuple(v) for v in values[:, :2, 0, 0, 0].tolist()] == want
    assert_close(patches.normalized(), (patches.levels / 255 - 0.5) / 0.5, 1e-7)


def test_content_has_one_key() -> None:
    def key(pixels: np.ndarray) -> str:
        return open_picture(pixels, "images[0]").patches(SETTINGS).key

    base = np.random.default_rng(1).integers(0, 256, (256, 256, 3), dtype=np.uint8)
    changed = base.copy()
    changed[0, 0, 0] ^= 1
    assert key(base) == key(base.copy())
    assert key(base) != key(changed)
    flat = np.zeros((256, 512, 3), np.uint8)
    assert key(flat) != key(flat.swapaxes(0, 1))  # equal bytes, another grid


URL = "is a URL, and nothing is fetched here: give a file, bytes or a base64 data: URL"
ARRAY = "must be an array [H, W, 3] of uint8, not "
UNKNOWN = "is not a picture of a known format"


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("http://localhost/a.png", URL),
        ("HTTPS://localhost/a.png", URL),
        ("file:///a.png", URL),
        ("s3://bucket/a.png", URL),
        ("data:image/png,abc", URL),
        ("Data:image/svg+xml;utf8,<svg/>", URL),
        ("data:image/png;base64,a", "is not base64: "),
        ("data:image/png;base64,a%3D", "is not base64: "),
        ("data:image/png;base64,é", "is not base64: "),
        ("data:image/png;base64,", UNKNOWN),
        ({"content_type": "image/png"}, "must have content_type and base64"),
        ({"content_type": "image/png", "base64": PNG}, "must have content_type and base64"),
        ("missing.png", "there is no file 'missing.png'"),
        (Path("missing.png"), "there is no file 'missing.png'"),
        ("~nobody-of-this-name/a.png", "there is no file '~nobody-of-this-name/a.png'"),
        ("", "there is no file '.'"),
        ("/", "there is no file '/'"),
        ("a\0b", "there is no file 'a\\x00b'"),
        ("x" * 5000, f"there is no file '{'x' * 200}'"),
        (None, "must be a path, bytes, a PIL image or an array [H, W, 3], not NoneType"),
        (5, "must be a path, bytes, a PIL image or an array [H, W, 3], not int"),
        ([PNG], "must be a path, bytes, a PIL image or an array [H, W, 3], not list"),
        (b"", UNKNOWN),
        (b"no picture", UNKNOWN),
        (PNG[:8], UNKNOWN),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", UNKNOWN),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage\n", UNKNOWN),
        (np.zeros((4, 4), np.uint8), ARRAY + "[4, 4] of uint8"),
        (np.zeros((4, 4, 4), np.uint8), ARRAY + "[4, 4, 4] of uint8"),
        (np.zeros((3, 4, 4), np.uint8), ARRAY + "[3, 4, 4] of uint8"),
        (np.zeros((1, 4, 4, 3), np.uint8), ARRAY + "[1, 4, 4, 3] of uint8"),
        (np.zeros((4, 4, 3), np.float32), ARRAY + "[4, 4, 3] of float32"),
        (np.zeros((4, 4, 3), bool), ARRAY + "[4, 4, 3] of bool"),
        (np.zeros((0, 4, 3), np.uint8), "has no pixels (4 x 0)"),
        (Image.new("RGB", (0, 7)), "has no pixels (0 x 7)"),
        (png_of(100_000, 100_000, None, 8, 2), f"has more than {MAX_PIXELS:,} pixels"),
        (png_of(10_000, 10_000, None, 8, 2), f"has more than {MAX_PIXELS:,} pixels"),
        (np.broadcast_to(np.uint8(0), (9460, 9460, 3)), "has 9460 x 9460 pixels; at most 89,4"),
        (saved(RGB, "JPEG")[:-200], "is damaged or cut short: image file is truncated"),
        (PNG[:-100], "is damaged or cut short: image file is truncated"),
        (png_of(8, 8, None, 8, 2), "is damaged or cut short: image file is truncated"),
        (saved(RGB, "WEBP")[:100], ""),
        (saved(RGB, "GIF")[:100], ""),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_is_no_picture_is_one_sentence(item: Any, message: str) -> None:
    for exif in (False, True):
        got = refused(item, exif=exif)
        assert got.startswith(message)
        assert "\n" not in got and "object at 0x" not in got


def test_a_closed_picture_is_refused() -> None:
    image = Image.open(io.BytesIO(PNG))
    image.close()
    assert refused(image).startswith("is damaged or cut short: ")


def test_a_file_that_vanishes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    picture = open_picture(tmp_path / "a.png", "images[1]")
    (tmp_path / "a.png").unlink()
    with pytest.raises(RequestError, match=r"images\[1\] is damaged or cut short"):
        picture.decode()


def test_sides_too_unlike_are_refused_by_name() -> None:
    picture = open_picture(np.zeros((1, 201, 3), np.uint8), "images[1]")
    with pytest.raises(RequestError) as caught:
        picture.tokens(SETTINGS)
    assert str(caught.value).startswith("images[1]: 201 x 1 pixels: one side is more than 200")
    assert caught.value.param == "images[1]"


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")  # of what it reads over
def test_no_byte_changed_at_random_escapes_as_another_error() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    seeds = [
        *(saved(RGB, kind, exif=exif) for kind in ("PNG", "JPEG", "WEBP", "TIFF")),
        *(saved(RGB, kind) for kind in ("GIF", "BMP", "PPM", "ICO", "TGA", "DDS", "QOI")),
    ]
    rng = np.random.default_rng(5)
    for _ in range(600):
        content = bytearray(seeds[rng.integers(len(seeds))])
        for place in rng.integers(min(len(content), int(rng.choice([40, 5000]))), size=3):
            content[place] = rng.integers(256)
        try:
            picture = open_picture(bytes(content), "images[1]", exif=bool(rng.integers(2)))
            if picture.width * picture.height < 1_000_000:
                assert picture.decode().shape == (picture.height, picture.width, 3)
        except RequestError as error:
            assert error.param == "images[1]"


def test_the_bomb_check_is_pillow_s_own_limit() -> None:
    assert MAX_PIXELS == Image.MAX_IMAGE_PIXELS
    assert issubclass(UnidentifiedImageError, OSError)
