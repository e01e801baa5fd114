"""Video and sound files through PyAV: a stream of the file, its faults named by the item."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from ..errors import RequestError

NOUN = {"video": "a video", "audio": "sound"}
FILE = {"video": "a video file", "audio": "a sound file"}
INSTEAD = {"video": "its frames as an array", "audio": "its samples as an array"}


@contextmanager
def opened(
    source: bytes | Path, where: str, kind: Literal["video", "audio"]
) -> Iterator[Any | None]:
    """The first ``kind`` stream of a file, ``None`` if it has none.

    Faults of the file become ``RequestError``.
    """
    try:
        import av
    except ImportError:
        raise RequestError(
            f"{where} is {FILE[kind]}, which needs PyAV: pip install 'clef-mlx[media]', or give "
            f"{INSTEAD[kind]}",
            where,
        ) from None
    try:
        # Read through Python, and no protocol allowed: a playlist or session description must not
        # open other files or connections. Titles in another encoding than UTF-8 do no harm.
        with (
            io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file,
            av.open(
                file, metadata_errors="replace", options={"protocol_whitelist": ""}
            ) as container,
        ):
            yield next((s for s in container.streams if s.type == kind), None)
    except (av.FFmpegError, OSError) as error:
        raise RequestError(
            f"{where} cannot be read as {NOUN[kind]}: {error.strerror}", where
        ) from None
