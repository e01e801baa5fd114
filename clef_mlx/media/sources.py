"""What a caller may give for a picture or clip, to bytes or a path; never a network fetch."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import RequestError

_DATA_URL = re.compile(r"data:[^,]*;base64,(?P<data>.*)", re.DOTALL | re.IGNORECASE)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|data:", re.IGNORECASE)


def read_source(item: Any, where: str) -> bytes | Path | None:
    """Bytes of a ``data:`` URL, of ``{"content_type", "base64"}`` or as given; or a file's path.

    ``None`` for anything else, which is then an array or a picture, or a fault.
    Raises ``RequestError`` naming the item (``where``) for URLs, broken base64 and missing files.
    """
    if isinstance(item, bytes | bytearray | memoryview):
        return bytes(item)
    if isinstance(item, Mapping):
        data = item.get("base64")
        if not isinstance(data, str):
            raise RequestError(f"{where} must have content_type and base64", where)
        return _decode(data, where)
    if isinstance(item, Path):
        return _existing(item, where)
    if not isinstance(item, str):
        return None
    found = _DATA_URL.fullmatch(item)
    if found is not None:
        return _decode(found["data"], where)
    if _URL.match(item):
        raise RequestError(
            f"{where} is a URL, and nothing is fetched here: give a file, bytes or a base64 data: "
            "URL",
            where,
        )
    return _existing(Path(os.path.expanduser(item)), where)  # leaves the ~ of an unknown user


def _decode(data: str, where: str) -> bytes:
    try:
        return base64.b64decode(re.sub(r"\s+", "", data), validate=True)
    except (binascii.Error, ValueError) as error:
        raise RequestError(f"{where} is not base64: {error}", where) from None


def _existing(path: Path, where: str) -> Path:
    try:
        if path.is_file():
            return path
    except (OSError, ValueError):  # a name too long, or with a zero byte
        pass
    raise RequestError(f"{where}: there is no file {str(path)[:200]!r}", where)
