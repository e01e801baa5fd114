"""``clef-mlx bench``: what decisions cost on this machine."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import click

from ..sizes import size
from .options import dtype_option

if TYPE_CHECKING:
    from ..machine import Machine
    from ..model import Clef

RUNS, ALTERNATING_RUNS = 10, 5
SCHEMAS = 10  # on one state
Rows = list[dict[str, Any]]
TITLES = {  # of columns whose key does not say it well
    "median_s": "median, s",
    "p95_s": "p95, s",
    "tokens_per_s": "tokens a second",
    "peak_bytes": "peak memory",
    "warm_median_s": "warm median, s",
    "warm_p95_s": "warm p95, s",
    "clef_s": "clef-mlx, s",
    "mlx_lm_s": "mlx-lm, s",
    "recurrence_s": "delta rule, s",
    "mlx_lm_loop_s": "mlx-lm's loop, s",
    "recurrence_ratio": "ratio",
    "recurrence_difference": "off by",
    "cold_s": "cold, s",
    "held_s": "held, s",
    "held_times": "times faster",
    "together_s": "together, s",
    "together_times": "times faster",
    "settled_bytes": "settled",
    "end_bytes": "at the end",
    "growth_bytes": "growth",
    "allowed_bytes": "allowed",
}


def _lengths(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, ...]:
    """``1024,4096`` as numbers."""
    try:
        lengths = tuple(int(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} is no list such as 1024,4096") from None
    if min(lengths) < 1:
        raise click.BadParameter(f"{min(lengths)} is no number of tokens")
    return lengths


@click.command(short_help="Measure latency, memory and speed on this machine")
@click.argument("model", required=False, envvar="CLEF_MODEL")
@click.option(
    "--lengths",
    default="1024,4096",
    show_default=True,
    metavar="N,N,...",
    callback=_lengths,
    help="Tokens of the prompts, schema included",
)
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    help=f"Timed runs of each length; default {RUNS}, with --against or --reuse {ALTERNATING_RUNS}",
)
@click.option(
    "--against",
    type=click.Choice(["mlx-lm"]),
    help="Alternate whole decisions with mlx-lm's text model alone, on the same weights",
)
@click.option(
    "--reuse",
    is_flag=False,
    flag_value=SCHEMAS,
    type=click.IntRange(min=2),
    metavar="[SCHEMAS]",
    help=f"Ask SCHEMAS ({SCHEMAS}) of 200 tokens on one state: cold, held, and together",
)
@click.option("--graph", is_flag=True, help="Count the operations of a decision by its questions")
@click.option(
    "--soak",
    is_flag=False,
    flag_value=1_000,
    type=click.IntRange(min=51),
    metavar="[REQUESTS]",
    help="Watch memory over REQUESTS (1000) different lengths; exit status 1 if it grows",
)
@dtype_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object")
@click.pass_context
def bench(
    ctx: click.Context,
    model: str | None,
    lengths: tuple[int, ...],
    runs: int | None,
    against: str | None,
    reuse: int | None,
    graph: bool,
    soak: int | None,
    dtype: str | None,
    as_json: bool,
) -> None:
    """Time decisions of MODEL, a folder or Hub id: cold, on states new to it, and warm.

    Warm is what questions cost on a state that is held (clef.state in Python).

    Without MODEL a release of 8 layers of width 1024 with random weights is written to a temporary
    folder: enough to compare machines and engines.
    """
    if sum((against is not None, reuse is not None, graph, soak is not None)) > 1:
        raise click.UsageError("give one of --against, --reuse, --graph and --soak")
    from ..bench.prompts import release_of
    from ..checkpoint import open_checkpoint
    from ..hub import resolve
    from ..machine import this_machine
    from ..model import Clef

    with release_of(model) as folder:
        started = time.perf_counter()
        checkpoint = open_checkpoint(*resolve(folder))
        clef = Clef(checkpoint, dtype, state_cache_bytes=0 if soak is None else None)
        loaded = time.perf_counter() - started
        if against is not None:
            rows = _against(clef, lengths, runs or ALTERNATING_RUNS)
        elif reuse is not None:
            rows = _reuse(clef, lengths, reuse, runs or ALTERNATING_RUNS)
        elif graph:
            rows = _graph(clef, max(lengths))
        elif soak is not None:
            rows = _soak(clef, soak)
        else:
            rows = _latency(clef, lengths, runs or RUNS)
    machine = this_machine()
    facts = {"model": clef.checkpoint.name, "dtype": str(clef.dtype).split(".")[-1]}
    if as_json:
        about = {"machine": vars(machine), **facts, "load_s": loaded}
        click.echo(json.dumps({**about, "rows": rows}, indent=2))
    else:
        _print(machine, facts, loaded, rows)
    ctx.exit(0 if all(row.get("flat", True) for row in rows) else 1)


def _latency(clef: Clef, lengths: tuple[int, ...], runs: int) -> Rows:
    from ..bench.latency import cold, warm
    from .progress import progress

    with progress(len(lengths) * 2 * (runs + 1), "deciding") as step:
        return [
            {**cold(clef, tokens, runs, step).to_dict(), **warm(clef, tokens, runs, step).to_dict()}
            for tokens in lengths
        ]


def _against(clef: Clef, lengths: tuple[int, ...], runs: int) -> Rows:
    from ..bench.mlx_lm import TextModel, compare
    from ..bench.recurrence import recurrence
    from .progress import progress

    text, rows = clef.checkpoint.config.text, []
    model = TextModel(clef.checkpoint, clef.dtype)
    with progress(len(lengths) * 2 * (runs + 1), "deciding") as step:
        for tokens in lengths:
            decisions = compare(clef, model, tokens, runs, step)
            alone = recurrence(text, tokens, runs, step)
            rows.append({**decisions.to_dict(), **alone.to_dict()})
    return rows


def _reuse(clef: Clef, lengths: tuple[int, ...], schemas: int, runs: int) -> Rows:
    from ..bench.reuse import reuse
    from .progress import progress

    with progress(len(lengths) * 3 * (runs + 1), "deciding") as step:
        return [reuse(clef, tokens, schemas, runs, step).to_dict() for tokens in lengths]


def _graph(clef: Clef, tokens: int) -> Rows:
    from ..bench.graph import SCHEMAS, backbone_graph, head_graph

    backbone = backbone_graph(clef, tokens)
    return [
        {**head_graph(clef, *schema).to_dict(), "backbone_operations": backbone}
        for schema in SCHEMAS
    ]


def _soak(clef: Clef, requests: int) -> Rows:
    from ..bench.soak import soak
    from .progress import progress

    with progress(requests, "deciding") as step:
        return [soak(clef, requests, step).to_dict()]


def _print(machine: Machine, facts: dict[str, str], loaded: float, rows: Rows) -> None:
    from rich.console import Console
    from rich.table import Table

    from ..machine import MEASURE

    console = Console(highlight=False, soft_wrap=True)
    console.print(machine.title, markup=False)
    console.print(f"{facts['model']}, {facts['dtype']}, loaded in {loaded:.2f} s\n", markup=False)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for key in rows[0]:
        table.add_column(TITLES.get(key, key.replace("_", " ")), justify="right")
    for row in rows:
        table.add_row(*(_cell(key, value) for key, value in row.items()))
    console.print(table)
    if "flat" in rows[0]:
        console.print(f"({MEASURE} of this process)", markup=False)


def _cell(key: str, value: float) -> str:
    """A number as people read it; the end of its key says what it counts."""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if key.endswith("_bytes"):
        return size(value)
    if isinstance(value, int):
        return f"{value:,}"
    if key.endswith("difference"):
        return f"{value:.0e}"
    return f"{value:,.0f}" if key == "tokens_per_s" else f"{value:.3f}"
