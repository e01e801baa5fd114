"""``clef-mlx demo``: the whole way on a miniature release, offline."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click


@click.command(short_help="Try everything offline on random weights")
def demo() -> None:
    """Write a miniature release, decide examples/ticket.json on it and show the answers.

    Works offline in a second. The weights are random: the answers mean nothing.
    """
    from ..json_text import parse_json
    from ..miniature import write_release
    from ..model import load
    from .table import print_response

    request = (Path(__file__).parent / "ticket.json").read_bytes()
    with tempfile.TemporaryDirectory(prefix="clef-mlx-") as folder:
        release = Path(folder) / "miniature"
        click.echo("Writing a miniature release (8 layers, random weights)...")
        write_release(release)
        click.echo("Deciding examples/ticket.json on it:\n")
        print_response(load(release).respond(parse_json(request, "examples/ticket.json")))
    click.echo(
        "\nThe weights are random, so these answers mean nothing: the demo shows that everything "
        "runs here.\nFor real answers: "
        "clef-mlx decide examples/ticket.json -m Cloudflare/clef-flash"
    )
