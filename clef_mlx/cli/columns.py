"""Plain tables: a first column of names, then numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def columns(first: str, *numbers: str) -> Table:
    """A table without lines; numbers are set to the right."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(first, overflow="fold")
    for number in numbers:
        table.add_column(number, justify="right")
    return table
