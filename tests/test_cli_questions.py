"""``cli.questions``: questions written as options, kept in the order of the command line."""

from __future__ import annotations

from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from clef_mlx import Choice, Noul, Score, parse_request
from clef_mlx.cli.questions import QuestionCommand, parse_questions, question_options


def run(*arguments: str) -> tuple[Result, dict[str, Any]]:
    """A command with only the question options, and the questions that it was asked."""
    heard: dict[str, Any] = {}

    @click.command(cls=QuestionCommand)
    @click.option("--other", multiple=True)
    @question_options
    @click.pass_context
    def command(ctx: click.Context, other: tuple[str, ...], **given: tuple[str, ...]) -> None:
        heard.update(parse_questions(ctx, given))

    return CliRunner().invoke(command, arguments), heard


def asked(*arguments: str) -> dict[str, Any]:
    result, heard = run(*arguments)
    assert result.exit_code == 0, result.output
    return heard


@pytest.mark.parametrize(
    "order",
    [
        ("noul", "choice", "score"),
        ("score", "noul", "choice"),
        ("choice", "score", "noul", "noul", "score", "noul", "choice"),
    ],
)
def test_questions_keep_the_order_of_the_command_line(order: tuple[str, ...]) -> None:
    arguments = []
    for number, kind in enumerate(order):
        text = f"q{number}: Is it?{'' if kind == 'noul' else ' = x, y'}"
        arguments += [f"--{kind}={text}"] if number % 2 else [f"--{kind}", text, "--other", "x"]
    assert [(id, question["type"]) for id, question in asked(*arguments).items()] == [
        (f"q{number}", kind) for number, kind in enumerate(order)
    ]


@pytest.mark.parametrize(
    ("option", "text", "id", "question"),
    [
        ("noul", "q: Is it?", "q", Noul("Is it?")),
        ("noul", " q :  Is it?  ", "q", Noul("Is it?")),
        ("noul", "a:b: c: d", "a:b", Noul("c: d")),
        ("noul", "q: ", "q", Noul("")),
        ("noul", ": Is it?", "", Noul("Is it?")),
        ("noul", "é: ü = a, b", "é", Noul("ü = a, b")),
        ("choice", "q: Is a = b? = yes, no", "q", Choice("Is a = b?", {"yes": None, "no": None})),
        ("choice", "q: x = only", "q", Choice("x", {"only": None})),
        ("choice", "q:  = b, a", "q", Choice("", {"b": None, "a": None})),
        ("choice", "q: x=y = a=1, b: 2", "q", Choice("x=y", {"a=1": None, "b: 2": None})),
        ("score", "q: How? = 1, 2 ,3", "q", Score("How?", ["1", "2", "3"])),
        ("score", "q: How? = low, low", "q", Score("How?", ["low", "low"])),
    ],
)
def test_text_to_question(option: str, text: str, id: str, question: Any) -> None:
    questions = asked(f"--{option}", text)
    assert parse_request({"state": 1, "questions": questions}) == parse_request(
        {"state": 1, "questions": {id: question}}
    )


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("noul", "Is it?", "'Is it?' has no ': ' after its id"),
        ("noul", "q:Is it?", "'q:Is it?' has no ': ' after its id"),
        ("noul", "", "'' has no ': ' after its id"),
        ("choice", "q: Which?", "'q: Which?' needs its options after ' = ', split by commas"),
        ("choice", "q: W?=a,b", "'q: W?=a,b' needs its options after ' = ', split by commas"),
        ("score", "q: How? = ", "'q: How? = ' needs its options after ' = ', split by commas"),
        ("score", "q: = a,, b", "'q: = a,, b' needs its options after ' = ', split by commas"),
        ("choice", "q: Which? = a, b, a", "'q: Which? = a, b, a' names an option twice"),
    ],
)
def test_text_of_the_wrong_form_is_wrong_usage(option: str, text: str, message: str) -> None:
    result, _ = run(f"--{option}", text)
    assert result.exit_code == 2
    assert f"Error: Invalid value for --{option}: {message}\n" in result.stderr


def test_no_question_at_all_is_wrong_usage() -> None:
    result, _ = run("--other", "x")
    assert result.exit_code == 2
    assert "Error: ask something: --noul, --choice or --score" in result.stderr


def test_an_id_asked_twice_is_wrong_usage() -> None:
    result, _ = run("--noul", "q: One?", "--score", "q: Two? = a, b")
    assert result.exit_code == 2
    assert "Invalid value for --score: the id 'q' is asked twice" in result.stderr
