"""``cli.table``: a response for people, whole at any width and harmless to a terminal."""

from __future__ import annotations

from typing import Any

import pytest

from clef_mlx import Choice, Noul, Response, Score, parse_request
from clef_mlx.answers import build_answers
from clef_mlx.cli.table import BAR, SHOWN, print_response

QUESTIONS = {
    "refund": Noul("Is money asked back?"),
    "team": Choice("Which?", {"billing": None, "shipping": None, "tech": None}),
    "urgency": Score("How?", ["Whenever there is time", "This week", {"b": [1], "a": None}, None]),
}


def response(questions: dict[str, Any], model: str = "tiny") -> Response:
    """Answers from logits that fall from option to option."""
    request = parse_request({"state": "s", "questions": questions})
    logits = {
        q.id: {option.id: -0.3 * i for i, option in enumerate(q.options)} for q in request.questions
    }
    answers = build_answers(request, logits, "reference")
    return Response(model, answers, {"input_tokens": 1234, "output_tokens": 0})


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def show(response: Response, width: int = 100) -> str:
        monkeypatch.setenv("COLUMNS", str(width))
        print_response(response)
        return capsys.readouterr().out

    return show


def test_every_answer_is_shown_with_its_options(shown: Any) -> None:
    got = response(QUESTIONS)
    lines = shown(got).splitlines()
    assert lines[0].split() == ["question", "answer", "option", "probability"]
    assert lines[-1] == "tiny, 1234 tokens"
    for text in (
        f"refund    yes ({got['refund'].noul:.2f})",
        f"team      billing ({got['team'].confidence:.2f})",
        f"urgency   {got['urgency'].score:.2f} of 3 ({got['urgency'].confidence:.2f})",
    ):
        assert sum(line.startswith(text) for line in lines) == 1
    names = {
        "refund": ["yes", "no"],
        "team": ["billing", "shipping", "tech"],
        "urgency": [
            "0: Whenever there is time",
            "1: This week",
            '2: {"a":null,"b":[1]}',
            "3: null",
        ],
    }
    for id, options in names.items():
        for name, p in zip(options, got[id].probabilities.values(), strict=True):
            (line,) = (line for line in lines if f" {name} " in line and f" {p:.4f} " in line)
            assert abs(line.count("█") - p * BAR) <= 1


@pytest.mark.parametrize(("logit", "answer"), [(0.0, "yes (0.50)"), (-0.1, "no (0.48)")])
def test_a_noul_says_yes_or_no(shown: Any, logit: float, answer: str) -> None:
    request = parse_request({"state": "s", "questions": {"q": Noul("Is it?")}})
    answers = build_answers(request, {"q": {"true": logit, "false": 0.0}}, "reference")
    assert answer in shown(Response("m", answers, {"input_tokens": 1, "output_tokens": 0}))


@pytest.mark.parametrize("width", [20, 30, 40, 63, 64, 80, 200])
def test_any_width_keeps_every_answer(shown: Any, width: int) -> None:
    output = shown(response(QUESTIONS), width)
    lines = output.splitlines()
    assert all(len(line) <= width for line in lines)
    assert all(any(line.startswith(id) for line in lines) for id in QUESTIONS)
    assert "…" not in output
    assert ("█" in output) == (width >= 64)


def test_long_names_are_wrapped_and_never_cut(shown: Any) -> None:
    long = "abcdefghij" * 20
    output = shown(response({long: Choice("Which?", {long[::-1]: None, "B": None})}), 80)
    for letter in "cdfghj":  # in no other word of the table
        assert output.count(letter) == 3 * 20  # the question's id, the answer, the option


def test_of_many_options_the_likeliest_are_shown(shown: Any) -> None:
    got = response({"q": Choice("Which?", {f"option{i:03}": None for i in range(255)})})
    output = shown(got)
    assert output.count("option0") == SHOWN + 1  # and once as the answer
    rest = 1 - sum(list(got["q"].probabilities.values())[:SHOWN])
    assert f"{255 - SHOWN} others, {rest:.4f} together" in output


def test_text_of_a_request_does_not_steer_the_terminal(shown: Any) -> None:
    evil = "\x1b[31mred\x1b[0m\x07\r\x9b2J\x7f"
    questions = {evil: Choice("?", {evil: None, "b": None}), "s": Score("?", [evil, "x\ny\tz"])}
    output = shown(response(questions, evil))
    assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 for c in output)
    assert "[31mred" in output


def test_brackets_are_text_and_not_markup(shown: Any) -> None:
    output = shown(response({"[bold]q[/bold]": Choice("?", {"[red]x[/]": None, "[/b]": None})}))
    assert "[bold]q[/bold]" in output and "[red]x[/]" in output and "[/b]" in output
