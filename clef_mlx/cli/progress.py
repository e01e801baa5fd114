"""Progress bars on stderr, with the time that is left, where that is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)


class Bars:
    """Bars one below the other, each made when its work begins."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._current: Progress | None = None
        self._counters: dict[str, Callable[[int], None]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.stop()

    def reading(self, total: int) -> Callable[[int], None]:
        """A bar over ``total`` bytes of a conversion's source."""
        return self._bar("converting", total, DownloadColumn())

    def answering(self, total: int) -> Callable[[str, int], None]:
        """A bar for each model that answers ``total`` requests; told the model and the count."""
        bars: dict[str, Callable[[int], None]] = {}

        def told(model: str, done: int) -> None:
            if done == 1 or model not in bars:
                bars[model] = self._bar(f"{model} answers", total, MofNCompleteColumn())
            bars[model](done)

        return told

    def counting(self, title: str, done: int, total: int) -> None:
        """A bar called ``title``, made when it is first told."""
        if title not in self._counters:
            self._counters[title] = self._bar(title, total, MofNCompleteColumn())
        self._counters[title](done)

    def _bar(self, title: str, total: int, count: ProgressColumn) -> Callable[[int], None]:
        self.stop()
        title_column = TextColumn("{task.description}", markup=False)
        columns = (title_column, BarColumn(), count, TimeRemainingColumn())
        progress = self._current = Progress(
            *columns, console=self._console, disable=not self._console.is_terminal
        )
        task: TaskID = progress.add_task(title, total=total)
        progress.start()

        def advance(done: int) -> None:
            progress.update(task, completed=done)

        return advance

    def stop(self) -> None:
        """Leave the present bar as it is."""
        if self._current is not None:
            self._current.stop()
            self._current = None


@contextmanager
def blocks() -> Iterator[Callable[[int, int], None]]:
    """A bar over the tokens of a prompt, from its first block on until it is done."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("reading", visible=False)

        def told(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=done < total)

        yield told


class Step(Protocol):
    """Call it when something is done; ``doing`` names what comes next."""

    def __call__(self, done: int = 1, doing: str | None = None) -> None: ...


@contextmanager
def progress(total: int, doing: str = "") -> Iterator[Step]:
    """A bar of ``total`` steps while open; it leaves no trace."""
    console = Console(stderr=True)
    columns = (*Progress.get_default_columns(), MofNCompleteColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(doing, total=total)

        def step(done: int = 1, doing: str | None = None) -> None:
            bar.update(task, advance=done, description=doing)

        yield step
