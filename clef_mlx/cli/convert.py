"""``clef-mlx convert``: a published release to a smaller folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..sizes import size
from .widths import widths

if TYPE_CHECKING:
    from pathlib import Path

    from ..convert import Plan

LISTED = 6  # exceptions shown of a plan


class _WithAdvice(click.Command):
    """Ends its help with what each width costs and which one suits this machine."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from ..machine import machine_bytes
        from ..published import (
            NAMES,
            USABLE,
            disk_bytes,
            memory_bytes,
            published_config,
            suggested_bits,
        )
        from ..recipe import Recipe

        rows = [("", "disk, memory of a 16,384-token text decision (computed)")]
        for name in NAMES:
            recipes = [(f"--bits {bits}", Recipe(bits)) for bits in (4, 6, 8, 16)]
            recipes[1:1] = [
                ("--recipe 4bit-careful", Recipe.named("4bit-careful", None, None)),
            ]
            for option, recipe in recipes:
                disk = disk_bytes(published_config(name), recipe)
                memory = sum(memory_bytes(published_config(name), recipe))
                rows.append((f"{name} {option}", f"{size(disk)}, {size(memory)}"))
        with formatter.section("What a width costs"):
            formatter.write_dl(rows)
        formatter.write_paragraph()
        formatter.write_text(
            "A decision reads its whole prompt in one pass, so 4 bits are not faster than 8: they "
            "are smaller, and change more answers."
        )
        memory = machine_bytes()
        advice = []
        for name in NAMES:
            found = suggested_bits(name, memory)
            advice.append(f"{name} --bits {found}" if found else f"no width for {name}")
        formatter.write_paragraph()
        formatter.write_text(
            f"This machine has {memory / 2**30:.0f} GiB, of which a model should take at most "
            f"{USABLE:.0%}: {', '.join(advice)}."
        )


@click.command(cls=_WithAdvice, short_help="Quantize a published release")
@click.argument("source")
@click.argument("out", type=click.Path())
@click.option(
    "--recipe",
    type=click.Choice(["4bit", "4bit-careful", "8bit"]),
    help="Widths by name; careful: the most sensitive projections and the head at 8 bits",
)
@click.option(
    "--bits",
    type=click.Choice([3, 4, 5, 6, 8, 16]),
    help="Width of the linear layers; default: 4; 16: unquantized",
)
@click.option(
    "--group-size",
    type=click.Choice([32, 64, 128]),
    default=64,
    show_default=True,
    help="Weights that share a scale: 32 is closer and half a bit larger, 128 the reverse",
)
@click.option(
    "--head-bits",
    type=click.Choice([4, 8, 16]),
    help="Width of the joint head (0.12 billion weights); default: as --bits",
)
@click.option(
    "--table-bits",
    type=click.Choice([8, 16]),
    default=16,
    show_default=True,
    help="Width of the token tables; 8 saves disk only: a decision never loads them",
)
@click.option(
    "--refit/--no-refit",
    default=True,
    show_default=True,
    help="Fit scales and biases to the rounded weights; without it they are MLX's own",
)
@click.option(
    "--check",
    metavar="FILE|builtin",
    help="Hold the result against SOURCE on these requests and keep what changed with it",
)
def convert(
    source: str,
    out: str,
    recipe: str | None,
    bits: int | None,
    group_size: int,
    head_bits: int | None,
    table_bits: int,
    refit: bool,
    check: str | None,
) -> None:
    """Quantize SOURCE, a published release (mini, folder or Hub id), into the new folder OUT.

    OUT is complete or not there at all: a run that is stopped leaves nothing that loads, and can
    simply be started again.
    """
    from ..compare import request_set
    from ..convert import Recipe, certifier, convert_to, prepare
    from .progress import Bars

    asked = None if check is None else request_set(check)
    chosen = Recipe.named(
        recipe, bits, head_bits, group_size=group_size, table_bits=table_bits, refit=refit
    )
    plan, target = prepare(source, out, chosen)
    with Bars() as bars:
        certify = None
        if asked is not None:
            told = bars.answering(len(asked.requests))
            certify = certifier(plan, asked, progress=told)
        for line in describe(plan, target):
            click.echo(line, err=True)
        convert_to(plan, target, bars.reading(plan.bytes_in), certify)
    click.echo(out)


def describe(plan: Plan, target: Path) -> list[str]:
    """The plan in a few lines: what is read, what is written, what a decision will need."""
    import shutil

    from ..memory import decision_bytes, parameter_bytes

    config, recipe = plan.checkpoint.config, plan.recipe
    loaded = [s.spec for s in plan.steps if s.spec.part in ("backbone", "head")]
    parameters = parameter_bytes(loaded, 2, recipe.packing)
    decision = decision_bytes(config, 4096, 2)
    existing = next(p for p in target.parents if p.exists())
    lines = [
        f"{plan.checkpoint.name}: {len(plan.steps):,} tensors, {size(plan.bytes_in)} in, "
        f"{size(plan.bytes_out)} out; {size(shutil.disk_usage(existing).free)} free in {existing}",
        f"widths: {widths(step.packing for step in plan.steps)}",
        f"a text decision will need {size(parameters)} of memory and {size(decision)} at 4,096 "
        "tokens (bfloat16)",
    ]
    for steps, what in (
        (plan.narrow_groups(), f"packed in groups smaller than {recipe.group_size}"),
        (plan.unpacked_linear(), "left unquantized: no group size divides their width"),
    ):
        if steps:
            names = [f"  {step.spec.name} (width {step.spec.shape[-1]})" for step in steps]
            lines.append(f"{len(names)} linear layers {what}:")
            lines += names[:LISTED]
            lines += [f"  and {len(names) - LISTED} more"] if len(names) > LISTED else []
    return lines
