"""Requests in files: what a JSON object or a JSON Lines file asks, media beside the file."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import RequestError
from .json_text import parse_json
from .request import MEDIA, Request, parse_request


@dataclass(frozen=True)
class RequestSet:
    """Checked requests of one file. ``places`` says where each stands, for messages."""

    name: str
    requests: tuple[Request, ...]
    places: tuple[str, ...]
    sha256: str  # of the file's bytes; media files that it names are not in it


def read_request_set(path: Path) -> RequestSet:
    """Every request of ``path``, each checked.

    JSON Lines: a System One body a line, or ``{"request": body, ...}``; blank lines are skipped.
    A ``.json`` file holds one body, or a list of bodies.
    Raises ``RequestError`` that names the line.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {error.strerror}") from None
    if path.suffix == ".json":
        whole = parse_json(content, str(path))
        bodies = whole if isinstance(whole, list) else [whole]
        placed = [(f"{path}, request {n}", body) for n, body in enumerate(bodies, start=1)]
    else:
        placed = []
        for number, line in enumerate(content.split(b"\n"), start=1):
            if line.strip():
                placed.append(
                    (f"{path}, line {number}", parse_json(line, f"{path}, line {number}"))
                )
    return request_set(path.name, placed, path.parent, hashlib.sha256(content).hexdigest())


def generated_set(name: str, bodies: list[dict[str, Any]]) -> RequestSet:
    """Requests that no file holds; their hash is that of the JSON Lines they would be."""
    lines = "".join(json.dumps(body, ensure_ascii=False) + "\n" for body in bodies)
    placed = [(f"{name}, request {n}", body) for n, body in enumerate(bodies, start=1)]
    return request_set(name, placed, Path(), hashlib.sha256(lines.encode()).hexdigest())


def request_set(name: str, placed: list[tuple[str, Any]], folder: Path, sha256: str) -> RequestSet:
    """Check bodies, each with the place it is named by; media are beside ``folder``'s files."""
    if not placed:
        raise RequestError(f"{name} holds no request")
    requests = []
    for place, body in placed:
        if isinstance(body, dict) and "questions" not in body and "request" in body:
            body = body["request"]
        try:
            requests.append(parse_request(with_media_beside(body, folder)))
        except RequestError as error:
            raise RequestError(f"{place}: {error}", error.param) from None
    return RequestSet(name, tuple(requests), tuple(place for place, _ in placed), sha256)


def with_media_beside(body: Any, folder: Path) -> Any:
    """``body`` with its relative paths of pictures, clips and sounds taken from ``folder``."""
    if not isinstance(body, dict):
        return body
    found = dict(body)
    for kind in MEDIA:
        if isinstance(body.get(kind), list):
            found[kind] = [_beside(item, folder) for item in body[kind]]
    return found


def _beside(item: Any, folder: Path) -> Any:
    if not isinstance(item, str) or item[:5].lower() == "data:" or "://" in item or item[:1] == "~":
        return item
    return str(folder / item)
