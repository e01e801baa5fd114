"""Questions on the command line, such as ``--choice "team: Which team? = billing, tech"``."""

from __future__ import annotations

from typing import Any

import click

NAMES = ("noul", "choice", "score")
_ORDER = "clef_mlx.question_order"


class QuestionCommand(click.Command):
    """Remembers in which order the question options came: the model reads questions in order."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta[_ORDER] = [param.name for param in order if param.name in NAMES]
        return super().parse_args(ctx, args)


def question_options(command: Any) -> Any:
    """Add ``--noul``, ``--choice`` and ``--score``."""
    for name, form, what in (
        ("score", "ID: TEXT = LOW, ..., HIGH", "Ask for a level; levels go from low to high"),
        ("choice", "ID: TEXT = A, B, ...", "Ask for one of several options"),
        ("noul", "ID: TEXT", "Ask yes or no"),
    ):
        command = click.option(f"--{name}", multiple=True, metavar=f"'{form}'", help=what)(command)
    return command


def parse_questions(ctx: click.Context, given: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """The questions of all three options, by id, in the order of the command line."""
    if not any(given.values()):
        raise click.UsageError("ask something: --noul, --choice or --score")
    waiting = {name: iter(values) for name, values in given.items()}
    questions: dict[str, Any] = {}
    for name in ctx.meta[_ORDER]:
        id, question = _parse(name, next(waiting[name]))
        if id in questions:
            raise click.BadParameter(f"the id {id!r} is asked twice", param_hint=f"--{name}")
        questions[id] = question
    return questions


def _parse(name: str, text: str) -> tuple[str, dict[str, Any]]:
    """The first ``: `` ends the id; the last `` = `` starts the options; commas split them."""
    hint = f"--{name}"
    id, colon, rest = text.partition(": ")
    if not colon:
        raise click.BadParameter(f"{text!r} has no ': ' after its id", param_hint=hint)
    if name == "noul":
        return id.strip(), {"type": name, "instructions": rest.strip()}
    instructions, equals, listed = rest.rpartition(" = ")
    options = [option.strip() for option in listed.split(",")]
    if not equals or "" in options:
        raise click.BadParameter(
            f"{text!r} needs its options after ' = ', split by commas", param_hint=hint
        )
    if name == "choice" and len(set(options)) < len(options):
        raise click.BadParameter(f"{text!r} names an option twice", param_hint=hint)
    criteria: Any = options if name == "score" else dict.fromkeys(options)
    return id.strip(), {"type": name, "instructions": instructions.strip(), "criteria": criteria}
