"""Video and sound files through PyAV: a stream of the file, its faults named by the item."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from ..errors import RequestError

NOUN = {"video": "a video", "audio": "sound"}
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
            f"{where} is a media file, which needs PyAV: pip install 'clef-mlx[media]', or give "
            f"{INSTEAD[kind]}",
            where,
        ) from None
    try:
        with av.open(io.BytesIO(source) if isinstance(source, bytes) else str(source)) as container:
            yield next((s for s in container.streams if s.type == kind), None)
    except av.FFmpegError as error:
        raise RequestError(
            f"{where} cannot be read as {NOUN[kind]}: {error.strerror}", where
        ) from None
