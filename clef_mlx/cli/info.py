"""``clef-mlx info``: what a folder holds and what it costs to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..sizes import size
from .columns import columns
from .widths import widths

if TYPE_CHECKING:
    from rich.table import Table

    from ..checkpoint import Checkpoint


@click.command(short_help="Show what a model holds and costs to run")
@click.argument("model", envvar="CLEF_MODEL")
def info(model: str) -> None:
    """Show layout, sizes, memory and limits of MODEL (mini, folder or Hub id); reads no weights."""
    from rich.console import Console

    from ..checkpoint import open_checkpoint
    from ..hub import MINI_FOLDER, resolve

    checkpoint = open_checkpoint(*resolve(model))
    where = "clef-mlx itself" if checkpoint.folder == MINI_FOLDER else checkpoint.folder
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{checkpoint.name}: {checkpoint.layout.title} in {where}", markup=False)
    for line in (*checkpoint.about.splitlines(), *_architecture(checkpoint), *_storage(checkpoint)):
        console.print(line, markup=False)
    for table in (_parts(checkpoint), _decisions(checkpoint)):
        console.print()
        console.print(table)
    if checkpoint.config.audio is not None:
        console.print(
            "(each tower is loaded when the first picture or sound comes; tables stay on disk)"
        )
    elif checkpoint.config.vision is not None:
        console.print(
            "(the vision tower is loaded when the first picture comes; tables stay on disk)"
        )


def _architecture(checkpoint: Checkpoint) -> list[str]:
    text, head = checkpoint.config.text, checkpoint.config.head
    linear = text.layer_types.count("linear_attention")
    deltas, kind = f"{linear} Gated DeltaNet, " if linear else "", "dense"
    if text.moe is not None:
        moe = text.moe
        shared = " and one shared" if moe.shared_expert_intermediate_size else ""
        kind = f"{moe.num_experts} experts, {moe.num_experts_per_tok} active{shared}"
    limit, default = text.max_position_embeddings, checkpoint.config.default_max_length
    return [
        f"backbone: {len(text.layer_types)} layers of width {text.hidden_size} "
        f"({deltas}{len(text.layer_types) - linear} attention), {kind}",
        f"joint head: {head.routing_layers} evidence and {head.layers} joint layers of width "
        f"{head.width}",
        f"limit: {default:,} tokens, --max-length up to {limit:,}; reads {_reads(checkpoint)}",
    ]


def _reads(checkpoint: Checkpoint) -> str:
    config, kinds = checkpoint.config, "text and JSON"
    if config.vision is not None:
        kinds += ", pictures and clips"
    return kinds if config.audio is None else f"{kinds}, with or without sound, and sounds"


def _storage(checkpoint: Checkpoint) -> list[str]:
    """How the weights are stored, where that is not simply as released."""
    layout, lines = checkpoint.layout, []
    if layout.stamp:
        stamp = layout.stamp
        revision = f" @ {stamp['revision']}" if stamp.get("revision") else ""
        lines.append(
            f"written by clef-mlx {stamp.get('written_by')} from {stamp.get('source')}{revision} "
            f"(format {stamp['format']})"
        )
    lines += _certified(checkpoint)
    packings = [layout.packing(spec) for spec in checkpoint.specs.values()]
    if any(packings):
        lines.append(f"widths: {widths(packings)}")
    if layout.word_rule is not None:
        lines.append(
            "its tokenizer.json splits words by another rule than the release, and its "
            "processor_config.json has other picture sizes: the published ones are put back on load"
        )
    return lines


def _certified(checkpoint: Checkpoint) -> list[str]:
    """What the conversion was measured to change."""
    certificate = checkpoint.certificate
    if certificate is None:
        return []
    found = certificate.figures
    changed, drift, kl = (found[name] for name in ("changed_share", "drift", "kl"))
    warning = ", which it was calibrated on" if certificate.calibrated_on else ""
    return [
        f"measured on {found['questions']:,} questions, {certificate.set}{warning} "
        f"({certificate.sha256[:12]}, {certificate.dtype} on {certificate.backend}):",
        f"  answers changed {changed[0]:.2%} ({changed[1]:.2%} to {changed[2]:.2%}), mean KL "
        f"{kl[0]:.2g} ({kl[1]:.2g} to {kl[2]:.2g})",
        f"  probabilities moved {drift[0]:.4f} on average, 99 % less than {certificate.drift:.4f}, "
        f"at most {found['drift_max']:.4f}; closer answers are marked as near ties",
    ]


def _parts(checkpoint: Checkpoint) -> Table:
    from math import prod

    from ..memory import parameter_bytes

    table = columns("part", "parameters", "on disk", "memory, bfloat16", "memory, float32")
    totals = [0, 0, 0, 0]
    for part in ("backbone", "head", "vision", "audio", "tables"):
        specs = [spec for spec in checkpoint.specs.values() if spec.part == part]
        if not specs:
            continue
        kept = [] if part == "tables" else specs  # tables are never loaded whole
        row = [
            sum(prod(spec.shape) for spec in specs),
            sum(checkpoint.disk_bytes(spec) for spec in specs),
            parameter_bytes(kept, 2, checkpoint.layout.packing),
            parameter_bytes(kept, 4),  # on a CPU packed weights are expanded
        ]
        totals = [total + value for total, value in zip(totals, row, strict=True)]
        table.add_row(part, f"{row[0]:,}", *(size(value) for value in row[1:]))
    table.add_row("all", f"{totals[0]:,}", *(size(value) for value in totals[1:]))
    return table


def _decisions(checkpoint: Checkpoint) -> Table:
    from ..memory import PROMPT_LENGTHS, decision_bytes

    table = columns("one decision takes", "bfloat16", "float32")
    longest = checkpoint.config.default_max_length
    for tokens in sorted({*PROMPT_LENGTHS, longest}):
        values = (decision_bytes(checkpoint.config, tokens, item) for item in (2, 4))
        table.add_row(f"at {tokens:,} tokens", *(size(value) for value in values))
    return table
