"""``clef-mlx demo``: release, conversion, decision on a miniature, offline."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click


@click.command(short_help="Try everything offline on random weights")
def demo() -> None:
    """Write a miniature release, convert it to 4 bits, and decide examples/ticket.json on it.

    Works offline in seconds. The weights are random: the answers mean nothing.
    """
    from ..convert import convert
    from ..json_text import parse_json
    from ..miniature import write_release
    from ..model import load
    from .table import print_response

    request = (Path(__file__).parent / "ticket.json").read_bytes()
    with tempfile.TemporaryDirectory(prefix="clef-mlx-") as folder:
        release, converted = Path(folder) / "miniature", Path(folder) / "miniature-4bit"
        click.echo("Writing a miniature release (8 layers, random weights)...")
        write_release(release)
        click.echo("Converting it to 4 bits...")
        convert(release, converted)
        click.echo("Deciding examples/ticket.json on it:\n")
        print_response(load(converted).respond(parse_json(request, "examples/ticket.json")))
    click.echo(
        "\nThe weights are random, so these answers mean nothing: the demo shows that everything "
        "runs here.\nFor real answers convert a release first: "
        "clef-mlx convert Cloudflare/clef-flash ./clef-flash-4bit"
    )
