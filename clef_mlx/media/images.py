"""Pictures of any kind to patches. What the header tells is checked before anything is decoded."""

from __future__ import annotations

import io
import struct
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import RequestError
from .patches import Patches, patchify
from .resize import picture_size, resize
from .settings import PictureSettings
from .sources import read_source

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PIXELS = 89_478_485  # of a picture's own size; Pillow's limit against decompression bombs
_warnings = threading.Lock()  # warning filters belong to the process, not to a thread
_EXIF_ORIENTATION = 0x0112
_SIDEWAYS = (5, 6, 7, 8)  # orientations that swap width and height
# What Pillow's readers raise for broken files, as changing bytes of 20 formats at random showed.
_FAULTS = (OSError, ValueError, SyntaxError, EOFError, RuntimeError, LookupError, struct.error)


@dataclass(frozen=True)
class Picture:
    """A picture whose size is known and whose pixels are not read yet."""

    where: str  # "images[0]", for messages
    width: int  # pixels, as the model will see it
    height: int
    decode: Callable[[], np.ndarray]  # [H, W, 3] uint8

    def size(self, settings: PictureSettings) -> tuple[int, int]:
        """Height and width after resizing."""
        try:
            return picture_size(
                self.height, self.width, settings.factor, settings.min_pixels, settings.max_pixels
            )
        except ValueError as error:
            raise RequestError(f"{self.where}: {error}", self.where) from None

    def tokens(self, settings: PictureSettings) -> int:
        """Tokens it takes in the prompt, told from its size alone."""
        height, width = self.size(settings)
        return height * width // settings.factor**2

    def patches(self, settings: PictureSettings) -> Patches:
        """Decode, resize and cut it up."""
        height, width = self.size(settings)
        pixels = self.decode()
        frame = resize(pixels, height, width)[None]
        return Patches(*patchify(frame, settings), settings)


def open_picture(item: Any, where: str, exif: bool = False) -> Picture:
    """A path, bytes, ``data:`` URL, ``{"content_type", "base64"}``, PIL image or RGB array.

    As in the reference, the picture is converted to RGB by Pillow: alpha is dropped, palettes,
    greys and CMYK are converted, an animation gives its first frame. 16-bit greys keep their upper
    byte. ``exif`` turns the picture as its camera noted; the reference does so for TIFF only.
    Raises ``RequestError`` naming the item for what is no picture or has too many pixels.
    """
    if isinstance(item, np.ndarray):
        return _from_array(item, where)
    source = read_source(item, where)
    if source is None and not _is_pillow(item):
        raise RequestError(
            f"{where} must be a path, bytes, a PIL image or an array [H, W, 3], not "
            f"{type(item).__name__}",
            where,
        )
    given = item if source is None else source
    with _opened(given, where) as image:
        width, height = image.size
        _check_size(width, height, where)
        # Pillow turns a TIFF by itself, and has its size so from the start.
        if exif and image.format != "TIFF":
            sideways = image.getexif().get(_EXIF_ORIENTATION) in _SIDEWAYS
            width, height = (height, width) if sideways else (width, height)
    return Picture(where, width, height, lambda: _pixels(given, where, exif))


def _from_array(array: np.ndarray, where: str) -> Picture:
    if array.ndim != 3 or array.shape[2] != 3 or array.dtype != np.uint8:
        raise RequestError(
            f"{where} must be an array [H, W, 3] of uint8, not {list(array.shape)} of "
            f"{array.dtype}",
            where,
        )
    _check_size(array.shape[1], array.shape[0], where)
    return Picture(where, array.shape[1], array.shape[0], lambda: array)


def _is_pillow(item: Any) -> bool:
    from PIL.Image import Image

    return isinstance(item, Image)


@contextmanager
def _opened(source: bytes | Path | Image, where: str) -> Iterator[Image]:
    """The picture, its header read; faults of the file become ``RequestError``."""
    from PIL import Image, UnidentifiedImageError

    try:
        if isinstance(source, Image.Image):
            yield source
            return
        with _warnings, warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            opened = Image.open(io.BytesIO(source) if isinstance(source, bytes) else source)
        with opened as image:
            if image.format == "EPS":  # a program, which Pillow gives to Ghostscript to run
                raise UnidentifiedImageError
            yield image
    except RequestError:
        raise
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise RequestError(
            f"{where} has more than {MAX_PIXELS:,} pixels, which is not decoded", where
        ) from None
    except UnidentifiedImageError:
        raise RequestError(f"{where} is not a picture of a known format", where) from None
    except _FAULTS as error:
        raise RequestError(f"{where} is damaged or cut short: {error}", where) from None


def _check_size(width: int, height: int, where: str) -> None:
    if width < 1 or height < 1:
        raise RequestError(f"{where} has no pixels ({width} x {height})", where)
    if width * height > MAX_PIXELS:
        raise RequestError(
            f"{where} has {width} x {height} pixels; at most {MAX_PIXELS:,} are decoded", where
        )


def _pixels(source: bytes | Path | Image, where: str, exif: bool) -> np.ndarray:
    """Decode to ``[H, W, 3]`` uint8."""
    from PIL import ImageOps

    with _opened(source, where) as image:
        if exif:
            image = ImageOps.exif_transpose(image)
        if image.mode.startswith("I;16"):
            grey = (np.asarray(image).astype(np.uint16) >> 8).astype(np.uint8)
            return np.repeat(grey[..., None], 3, axis=2)
        if "transparency" in image.info:  # it is dropped, and converting would warn of that
            image = image.copy()
            del image.info["transparency"]
        return np.asarray(image if image.mode == "RGB" else image.convert("RGB"))
