"""A JSON Lines file of requests: a line of answers, or of what is wrong, for each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ..answers import Response
from ..errors import ClefError, RequestError
from ..model import Clef


def answer_lines(
    clef: Clef, content: bytes, name: str, near_ties: bool, **options: Any
) -> Iterator[bool]:
    """Print one line for each line of ``content`` that is not blank; yields whether it is answers.

    ``options`` are those of ``Clef.decide_each``. A bad line says so in its place, on stderr too,
    and the rest go on.
    """
    lines = list(_bodies(content, name))
    answers = clef.decide_each([b for _, b in lines if not isinstance(b, ClefError)], **options)
    for place, body in lines:
        found = body if isinstance(body, ClefError) else next(answers)
        if isinstance(found, Response):
            for warning in found.warnings:
                click.echo(f"Warning: {place}: {warning}", err=True)
            answer = found.to_dict(near_ties)
        else:
            click.echo(f"Error: {place}: {found}", err=True)
            param = getattr(found, "param", None)
            answer = {"error": {"message": str(found), "param": param}}
        click.echo(json.dumps(answer, ensure_ascii=False).encode())
        yield isinstance(found, Response)


def _bodies(content: bytes, name: str) -> Iterator[tuple[str, Any]]:
    """Where each request stands, and its body or the error in its place."""
    from ..json_text import parse_json
    from ..request_files import with_media_beside

    folder = Path() if name == "standard input" else Path(name).parent
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        try:
            yield place, with_media_beside(parse_json(line, place), folder)
        except RequestError as error:
            yield place, error
