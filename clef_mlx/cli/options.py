"""Options that several commands share."""

from __future__ import annotations

import click

model_option = click.option(
    "-m",
    "--model",
    required=True,
    envvar="CLEF_MODEL",
    show_envvar=True,
    help="mini (part of clef-mlx), a folder, or a Hub id such as Cloudflare/clef-flash",
)
dtype_option = click.option(
    "--dtype",
    type=click.Choice(["float32", "float16", "bfloat16"]),
    help="Number format; default: bfloat16 on Metal, float32 on a CPU",
)
