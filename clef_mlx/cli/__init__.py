"""The ``clef-mlx`` command. Heavy imports happen inside the commands."""

from __future__ import annotations

import errno
import io
import sys
from typing import Any

import click

from ..errors import ClefError
from .bench import bench
from .compare import compare
from .convert import convert
from .decide import decide
from .demo import demo
from .doctor import doctor
from .info import info


class _Group(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        """Every fault that a user can cause ends in one sentence and exit status 1."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # not every terminal can show a table's bars
        try:
            return super().invoke(ctx)
        except ClefError as error:
            raise click.ClickException(str(error)) from None
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise click.ClickException("the answer could not be written: no space left") from None


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="clef-mlx")
def main() -> None:
    """Run Cloudflare's Clef decision models: a state and typed questions in, probabilities out."""


main.add_command(decide)
main.add_command(convert)
main.add_command(compare)
main.add_command(info)
main.add_command(demo)
main.add_command(doctor)
main.add_command(bench)
