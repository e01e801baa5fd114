"""What a conversion says on stderr while it runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
from rich.console import Console

from ..convert import Listener, Plan
from ..convert.mixed import Mix
from ..memory import decision_bytes, parameter_bytes
from ..sizes import size
from .columns import columns
from .progress import Bars
from .widths import widths

LISTED = 6  # exceptions shown of a plan
EXPLAINED = 110  # characters of a line that explains a projection's width


class Reporter(Bars, Listener):
    """Says the plan, shows bars, and explains a mix of widths if asked to."""

    def __init__(self, explain: bool) -> None:
        super().__init__()
        self._explain = explain

    def planned(self, plan: Plan, target: Path) -> None:
        for line in describe(plan, target):
            click.echo(line, err=True)

    def mixed(self, mix: Mix) -> None:
        self.stop()
        if self._explain:
            print_mix(mix)

    def measuring(self, done: int, total: int) -> None:
        self.counting("measuring", done, total)

    def calibrating(self, done: int, total: int) -> None:
        self.counting("calibrating", done, total)


def print_mix(mix: Mix) -> None:
    """A line for each unit: its width, and the mean KL of the answers when it alone is packed."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.width = max(console.width, EXPLAINED)  # names of projections stay whole
    table = columns("projection", "weights", "KL at 3 bits", "KL at 4 bits", "bits", "KL left")
    for unit, bits in mix.bits.items():
        damage = mix.damages[unit]
        measured = (f"{damage.kl[tried]:.2e}" for tried in (3, 4))
        table.add_row(
            str(unit), f"{damage.weights:,}", *measured, str(bits), f"{damage.at(bits):.2e}"
        )
    console.print(table)
    console.print(
        f"{mix.mean_bits:.2f} bits a weight, scales and biases included; expected mean KL "
        f"{mix.kl:.2e} if projections add up"
    )


def describe(plan: Plan, target: Path) -> list[str]:
    """The plan in a few lines: what is read, what is written, what a decision will need."""

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
