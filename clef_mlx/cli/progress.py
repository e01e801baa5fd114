"""A progress bar for people: on stderr, and only on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Step(Protocol):
    """Call it when something is done; ``doing`` names what comes next."""

    def __call__(self, done: int = 1, doing: str | None = None) -> None: ...


@contextmanager
def progress(total: int, doing: str = "") -> Iterator[Step]:
    """A bar of ``total`` steps while open; it leaves no trace."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress

    console = Console(stderr=True)
    columns = (*Progress.get_default_columns(), MofNCompleteColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(doing, total=total)

        def step(done: int = 1, doing: str | None = None) -> None:
            bar.update(task, advance=done, description=doing)

        yield step
