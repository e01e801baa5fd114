"""``clef-mlx compare``: what a conversion changed, as a table, as JSON, as a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..sizes import size
from .options import dtype_option

if TYPE_CHECKING:
    from rich.table import Table

    from ..compare import Comparison, Figures
    from ..compare.figures import Changes, Estimate
    from ..compare.run import Run

SHARE = click.FloatRange(0, 1)


@click.command(short_help="Show what a conversion changed")
@click.argument("reference")
@click.argument("candidate")
@click.option(
    "--requests",
    metavar="FILE|builtin",
    default="builtin",
    show_default=True,
    help="What to ask: System One bodies, one a line (a .json file: one, or a list), or ours",
)
@click.option(
    "--near-tie",
    type=SHARE,
    default=0.05,
    show_default=True,
    help="Answers whose two best options REFERENCE puts closer than this count as near ties",
)
@dtype_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table")
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw a picture (extra: plots)")
@click.option("--max-changed", type=SHARE, help="Fail if more than this share of answers changed")
@click.option("--max-drift", type=SHARE, help="Fail if any probability moved by more than this")
def compare(
    reference: str,
    candidate: str,
    requests: str,
    near_tie: float,
    dtype: str | None,
    as_json: bool,
    plot: str | None,
    max_changed: float | None,
    max_drift: float | None,
) -> None:
    """Ask REFERENCE and CANDIDATE (folders or Hub ids) the same, and show how answers differ.

    The models are loaded one after the other. Exit status 1 if --max-changed or --max-drift is
    exceeded.
    """
    from ..checkpoint import open_checkpoint
    from ..compare import compare as compare_models
    from ..compare import request_set
    from ..hub import resolve
    from .progress import Bars

    asked = request_set(requests)
    first, second = (open_checkpoint(*resolve(name)) for name in (reference, candidate))
    with Bars() as bars:
        told = bars.answering(len(asked.requests))
        found = compare_models(first, second, asked, dtype=dtype, near_tie=near_tie, progress=told)
    if plot is not None:
        from ..compare.plot import plot as draw

        draw(found, Path(plot))
    if as_json:
        click.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    else:
        _print(found)
    _check(found.figures, max_changed, max_drift)


def _check(figures: Figures, max_changed: float | None, max_drift: float | None) -> None:
    share = figures.changes["all"].share
    if max_changed is not None and share > max_changed:
        raise click.ClickException(
            f"{share:.2%} of answers changed, more than --max-changed {max_changed:.2%}"
        )
    if max_drift is not None and figures.drift_max > max_drift:
        raise click.ClickException(
            f"a probability moved by {figures.drift_max:.4f}, more than --max-drift {max_drift}"
        )


def _print(found: Comparison) -> None:
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    console.print(
        f"{found.candidate.model} against {found.reference.model}: {found.figures.questions:,} "
        f"questions of {found.figures.requests:,} requests, {found.requests.name}, {found.dtype}",
        markup=False,
    )
    console.print()
    console.print(_changes(found.figures))
    console.print(f"(near ties: best options closer than {found.figures.near_tie:g})", style="dim")
    console.print()
    for line in summary(found.figures):
        console.print(line, markup=False)
    console.print()
    console.print(_costs([found.reference, found.candidate]))


def summary(figures: Figures) -> list[str]:
    """The figures beside the table of changed answers, a line each."""
    return [
        f"changed answers     {interval(figures.changed_share, '.2%')}",
        f"probability change  {interval(figures.drift, '.4f')}; 99 % below {figures.drift_99:.4f}, "
        f"largest {figures.drift_max:.4f}",
        f"KL divergence       {interval(figures.kl, '.6f')}",
        f"overconfidence      {interval(figures.overconfidence, '+.4f')}",
    ]


def interval(value: Estimate, form: str) -> str:
    """``mean (low to high)``."""
    return f"{value.mean:{form}} ({value.low:{form}} to {value.high:{form}})"


def _changes(figures: Figures) -> Table:
    from .columns import columns

    heads = ("questions", "changed", "of clear answers", "of near ties")
    table = columns("changed answers", *heads)
    for name, changes in figures.changes.items():
        if changes.questions:
            table.add_row(name, *_row(changes))
    return table


def _row(changes: Changes) -> list[str]:
    return [
        f"{changes.questions:,}",
        f"{changes.changed} ({changes.share:.1%})",
        f"{changes.clear_changed} of {changes.clear:,}",
        f"{changes.ties_changed} of {changes.ties:,}",
    ]


def _costs(runs: list[Run]) -> Table:
    from .columns import columns

    table = columns("cost here", "on disk", "peak memory", "a request", "tokens a second")
    for run in runs:
        count = 1 + max(answered.request for answered in run.answers)
        table.add_row(
            run.model,
            size(run.disk_bytes),
            size(run.peak_bytes),
            f"{run.seconds / count * 1000:,.0f} ms",
            f"{run.tokens / run.seconds:,.0f}",
        )
    return table
