"""A response as a table for people."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..answers import Answer, ChoiceAnswer, NoulAnswer, Response
from ..json_text import render

BAR = 20  # characters for probability 1
WIDE = 64  # characters of a terminal that has room for bars
SHOWN = 8  # options of one question
# A request's text must not steer the terminal; line breaks and tabs may stay.
_CONTROLS = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_EIGHTHS = " ▏▎▍▌▋▊▉"


def print_response(response: Response) -> None:
    """Print every answer with a bar for each option's probability."""
    console = Console(highlight=False)
    bar = BAR if console.width >= WIDE else 0
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("question", "answer", "option"):
        table.add_column(column, overflow="fold", min_width=len(column))
    table.add_column("probability", no_wrap=True, min_width=bar + len("0.0000 "))
    for number, (id, answer) in enumerate(response.answers.items()):
        if number:
            table.add_row()
        rows = list(_rows(answer))
        for row, (option, probability, chosen) in enumerate(rows):
            style = "bold" if chosen else ""
            table.add_row(
                _text(id if row == 0 else "", "bold"),
                _text(_summary(answer) if row == 0 else "", "bold"),
                _text(option, style),
                Text("" if probability is None else _bar(probability, bar), style=style),
            )
    console.print(table)
    console.print(_text(f"{response.model}, {response.usage['input_tokens']} tokens", "dim"))


def _text(text: str, style: str) -> Text:
    return Text(text.translate(_CONTROLS), style=style)


def _summary(answer: Answer) -> str:
    return _found(answer) + (", near tie" if answer.near_tie else "")


def _found(answer: Answer) -> str:
    if isinstance(answer, NoulAnswer):
        return f"{'yes' if answer.noul >= 0.5 else 'no'} ({answer.noul:.2f})"
    if isinstance(answer, ChoiceAnswer):
        return f"{answer.choice} ({answer.confidence:.2f})"
    return f"{answer.score:.2f} of {len(answer.probabilities) - 1} ({answer.confidence:.2f})"


def _rows(answer: Answer) -> Iterator[tuple[str, float | None, bool]]:
    """Option, probability and whether it is the likeliest; of many options the likeliest few."""
    if isinstance(answer, NoulAnswer):
        named = {"yes": answer.noul, "no": answer.probabilities["false"]}
    elif isinstance(answer, ChoiceAnswer):
        named = dict(answer.probabilities)
    else:
        named = {
            f"{level}: {_legend(answer.legend[level])}": p
            for level, p in answer.probabilities.items()
        }
    best = max(named, key=named.__getitem__)
    shown = (
        named
        if len(named) <= SHOWN
        else dict(sorted(named.items(), key=lambda item: -item[1])[:SHOWN])
    )
    for option, probability in shown.items():
        yield option, probability, option == best
    if len(shown) < len(named):
        rest = sum(named.values()) - sum(shown.values())
        yield f"{len(named) - len(shown)} others, {rest:.4f} together", None, False


def _legend(level: object) -> str:
    return level if isinstance(level, str) else render(level, "a level")


def _bar(probability: float, cells: int) -> str:
    eighths = round(probability * cells * 8)
    bar = "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
    return f"{probability:.4f} {bar}"
