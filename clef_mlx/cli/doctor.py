"""``clef-mlx doctor``: whether this machine computes Clef correctly, and which models fit it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ..sizes import size

if TYPE_CHECKING:
    from rich.table import Table

    from ..doctor import Finding
    from ..machine import Machine


@click.command(short_help="Check that this machine computes Clef correctly")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one JSON object")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Compare every fast path with the plain one, on this machine; needs no model.

    Takes about a minute. Exit status 1 if a path disagrees.
    """
    from rich.console import Console

    from ..doctor import all_checks, run
    from ..machine import this_machine
    from ..published import NAMES, suggested_bits
    from .progress import progress

    machine, checks, findings = this_machine(), all_checks(), []
    with progress(len(checks)) as step:
        for check in checks:
            step(0, check.name)
            findings.append(run(check))
            step()
    fits = {name: suggested_bits(name, machine.memory) for name in NAMES}
    correct = all(finding.agrees for finding in findings)
    if as_json:
        paths = [finding.to_dict() for finding in findings]
        body = {"machine": asdict(machine), "paths": paths, "correct": correct, "fits": fits}
        click.echo(json.dumps(body, indent=2))
    else:
        console = Console(highlight=False, soft_wrap=True)
        for line in _facts(machine):
            console.print(line, markup=False)
        console.print(_table(findings))
        for finding in findings:
            if finding.error:
                console.print(f"{finding.name}: {finding.error}", markup=False)
        console.print(f"\n{_verdict(findings)} {_room(machine, fits)}", markup=False)
    ctx.exit(0 if correct else 1)


def _facts(machine: Machine) -> list[str]:
    packages = ", ".join(f"{name} {version}" for name, version in machine.packages.items())
    advice = ""
    if machine.recommended is not None:
        advice = f", of which Metal recommends at most {size(machine.recommended)} for a program"
    return [
        machine.title,
        f"memory: {size(machine.memory)}{advice}",
        f"versions: Python {machine.python}, {packages}",
        "",
    ]


def _table(findings: list[Finding]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("path", overflow="fold")
    table.add_column("off by", justify="right", no_wrap=True)
    table.add_column("allowed", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for finding in findings:
        if finding.difference is None:
            cells = ("", "", Text("not run", style="dim"))
        else:
            verdict = Text("agrees") if finding.agrees else Text("DISAGREES", style="bold red")
            cells = (f"{finding.difference:.1e}", f"{finding.bound:.0e}", verdict)
        name = finding.name if finding.agrees else f"{finding.name} ({finding.case})"
        table.add_row(Text(name), *cells)
    return table


def _verdict(findings: list[Finding]) -> str:
    wrong = sum(not finding.agrees for finding in findings)
    ran = sum(finding.ran for finding in findings)
    if wrong:
        return f"This machine does NOT compute Clef correctly: {wrong} of {ran} paths disagree."
    if ran < len(findings):
        return (
            f"This machine computes Clef correctly, as far as it could be tried: {ran} paths agree,"
            f" {len(findings) - ran} need a GPU with Metal."
        )
    return f"This machine computes Clef correctly: all {ran} paths agree."


def _room(machine: Machine, fits: dict[str, int | None]) -> str:
    from ..published import LONG, USABLE

    models = ", ".join(
        f"no width of {name}" if bits is None else f"{name} at {bits} bits"
        for name, bits in fits.items()
    )
    room = f"{USABLE:.0%} of its {size(machine.memory)}"
    return f"Into {room} fits, with a prompt of {LONG:,} tokens: {models}."
