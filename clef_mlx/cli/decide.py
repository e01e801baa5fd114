"""``clef-mlx decide``: a request file, or a state and questions given as options."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import dtype_option, model_option
from .questions import QuestionCommand, parse_questions, question_options

if TYPE_CHECKING:
    from ..answers import Response

LINES = ".jsonl"
EXAMPLES = """
\b
Examples:
  clef-mlx decide ticket.json -m mini
  clef-mlx decide ticket.json -m Cloudflare/clef-flash
  clef-mlx decide tickets.jsonl -m ./clef-flash > answers.jsonl
  clef-mlx decide -m ./clef-flash -s 'My card was charged twice.' \\
    --noul 'refund: Is money asked back?' \\
    --choice 'team: Which team? = billing, shipping, tech'
  clef-mlx decide -m ./clef-flash --image receipt.jpg --noul 'paid: Is it marked as paid?'
  clef-mlx decide -m ./clef-flash -s @mail.txt --score 'urgency: How urgent? = low, mid, high'
"""


@click.command(cls=QuestionCommand, epilog=EXAMPLES, short_help="Answer questions on a state")
@click.argument(
    "request", required=False, type=click.Path(exists=True, dir_okay=False, allow_dash=True)
)
@model_option
@click.option(
    "-s",
    "--state",
    metavar="TEXT|@FILE|-",
    help="What to decide on: text, a file (an @x.json is parsed, others are text), - for stdin",
)
@click.option("--state-json", metavar="JSON", help="What to decide on, as inline JSON")
@click.option("--image", "images", multiple=True, metavar="FILE", help="A picture to look at")
@click.option("--video", "videos", multiple=True, metavar="FILE", help="A clip to look at")
@click.option("--audio", multiple=True, metavar="FILE", help="A sound to hear (clef-omni)")
@click.option("--exif", is_flag=True, help="Turn pictures as their camera noted")
@question_options
@click.option(
    "--max-length",
    type=int,
    help="Longest prompt in tokens; default 16384 (clef-omni 64000), at most the model's positions",
)
@click.option("--truncate", is_flag=True, help="Cut the end of a state that does not fit")
@click.option(
    "--confidence",
    type=click.Choice(["reference", "typesafe", "entropy"]),
    default="reference",
    show_default=True,
    help="Formula of the confidence of choices and scores",
)
@click.option("--near-ties", is_flag=True, help="In the JSON, say which answers are near ties")
@dtype_option
@click.option(
    "--json/--table",
    "as_json",
    default=None,
    help="Print the System One body or a table; default: a table on a terminal, else the body",
)
@click.pass_context
def decide(
    ctx: click.Context,
    /,
    request: str | None,
    model: str,
    state: str | None,
    state_json: str | None,
    images: tuple[str, ...],
    videos: tuple[str, ...],
    audio: tuple[str, ...],
    exif: bool,
    max_length: int | None,
    truncate: bool,
    confidence: str,
    near_ties: bool,
    dtype: str | None,
    as_json: bool | None,
    **questions: tuple[str, ...],
) -> None:
    """Answer the questions of REQUEST, a JSON file in System One form ('-' reads stdin).

    A file named so.jsonl holds a request a line: then a line of JSON is printed for each, and a
    bad one has its error there while the rest go on.

    Without a file, --state (or --state-json) or media, and any of --noul, --choice and --score
    make the request; a question's first ': ' ends its id, the last ' = ' starts its options.
    Anything richer goes into a file.
    """
    media = {"images": list(images), "videos": list(videos), "audio": list(audio)}
    if request is not None:
        if (
            state is not None
            or state_json is not None
            or any((*media.values(), *questions.values()))
        ):
            raise click.UsageError("give either a request file or a state and questions, not both")
        if request.endswith(LINES):
            options = (confidence, max_length, truncate, exif)
            _answer_lines(ctx, request, model, dtype, near_ties, as_json, options)
            return
        body = _read_request(request)
    else:
        body = {"state": _state(state, state_json, any(media.values()))}
        body.update(questions=parse_questions(ctx, questions), **media)
    from ..model import load
    from ..request import parse_request
    from .progress import blocks

    parsed = parse_request(body)  # before the weights: a bad request need not wait for them
    clef = load(model, dtype)
    with blocks() as progress:
        response = clef.respond(parsed, max_length, truncate, confidence, exif, progress)
    _show(response, near_ties, as_json)


def _show(response: Response, near_ties: bool, as_json: bool | None) -> None:
    """Print a table or a body; without ``as_json`` a terminal gets the table."""
    for warning in response.warnings:
        click.echo(f"Warning: {warning}", err=True)
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    if is_terminal if as_json is None else not as_json:
        from .table import print_response

        print_response(response)
    else:
        click.echo(_as_json(response.to_dict(near_ties)))


def _answer_lines(
    ctx: click.Context,
    name: str,
    model: str,
    dtype: str | None,
    near_ties: bool,
    as_json: bool | None,
    options: tuple[Any, ...],
) -> None:
    if as_json is False:
        raise click.UsageError("the answers to a .jsonl file are lines of JSON, not a table")
    from ..model import load
    from .lines import answer_lines
    from .progress import progress

    content = _read_bytes(name)
    clef = load(model, dtype)
    keys = ("confidence", "max_length", "truncate", "exif")
    asked = dict(zip(keys, options, strict=True))
    good = []
    with progress(sum(map(bool, content.split(b"\n"))), "requests") as step:
        for is_answer in answer_lines(clef, content, name, near_ties, **asked):
            good.append(is_answer)
            step()
    if not good:
        raise click.ClickException(f"{name} holds no request")
    ctx.exit(0 if all(good) else 1)


def _as_json(body: dict[str, Any]) -> bytes:
    """JSON in UTF-8, whatever the terminal's encoding: a pipe's reader expects nothing else."""
    try:
        return json.dumps(body, indent=2, ensure_ascii=False).encode()
    except RecursionError:  # indenting takes more of Python's stack than reading took
        raise click.ClickException("a level nests too deeply to be written back") from None


def _read_request(name: str) -> Any:
    """A request file; the pictures, clips and sounds it names lie beside it."""
    from ..json_text import parse_json
    from ..request_files import with_media_beside

    body = parse_json(_read_bytes(name), "standard input" if name == "-" else name)
    return with_media_beside(body, Path() if name == "-" else Path(name).parent)


def _state(state: str | None, state_json: str | None, has_media: bool) -> Any:
    from ..json_text import parse_json

    if state is not None and state_json is not None:
        raise click.UsageError("give one of --state and --state-json")
    if state_json is not None:
        return parse_json(state_json, "--state-json", "state")
    if state is None and not has_media:
        raise click.UsageError("give a request file, or --state, --state-json or --image")
    return _read_state(state or "")


def _read_state(given: str) -> Any:
    """Text as it is, ``-`` from stdin, ``@FILE`` from a file (JSON if it is named so)."""
    from ..errors import RequestError
    from ..json_text import parse_json

    if given != "-" and not given.startswith("@"):
        return given
    name = given.removeprefix("@")
    content = _read_bytes(name)
    if name.endswith(".json"):
        return parse_json(content, name, "state")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RequestError(f"{name} is not UTF-8 text: {error}", "state") from None


def _read_bytes(name: str) -> bytes:
    if name == "-" and sys.stdin is None:
        raise click.ClickException("standard input is closed")
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise click.ClickException(f"{name!r} cannot be read: {error.strerror}") from None
