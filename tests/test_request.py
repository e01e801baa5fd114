"""``request``: what may be asked, how it is rendered, and every refusal with its place."""

from __future__ import annotations

import dataclasses
import enum
import sys
from types import MappingProxyType
from typing import Any

import pytest

from clef_mlx import Choice, Noul, Request, RequestError, Score, parse_request
from clef_mlx.request import NOUL_DEFAULTS, Question

TOO_LONG = 10 ** (sys.get_int_max_str_digits() + 1)  # an integer that Python does not write
DEEP: Any = None
for _ in range(100_000):
    DEEP = [DEEP]
CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


def ask(question: Any, id: Any = "q") -> Question:
    """The one question of a request, parsed."""
    return parse_request({"state": "s", "questions": {id: question}}).questions[0]


def refusal(body: Any) -> tuple[str, str]:
    """The place at fault and the sentence with which ``body`` is refused."""
    with pytest.raises(RequestError) as caught:
        parse_request(body)
    str(caught.value).encode()
    return caught.value.param, str(caught.value)


def question_refusal(question: Any) -> tuple[str, str]:
    return refusal({"state": "s", "questions": {"q": question}})


def texts(question: Question) -> list[str]:
    return [option.text for option in question.options]


NOT_OBJECTS = [
    (None, "null"),
    (True, "true or false"),
    (5, "a number"),
    (0.5, "a number"),
    ("text", "a string"),
    ([1], "a list"),
    ((), "a list"),
    (b"{}", "a Python bytes"),
    (object(), "a Python object"),
]


@pytest.mark.parametrize(("value", "kind"), NOT_OBJECTS)
def test_what_is_not_an_object_is_refused_at_every_level(value: Any, kind: str) -> None:
    assert refusal(value) == ("", f"a request is an object, not {kind}")
    assert refusal({"state": 1, "questions": value}) == (
        "questions",
        f"questions must be an object of questions by id, not {kind}",
    )
    assert question_refusal(value) == ("questions.q", f"questions.q must be an object, not {kind}")


@pytest.mark.parametrize(("value", "kind"), [*NOT_OBJECTS, ({}, "an object")])
def test_the_model_must_be_a_string_or_left_out(value: Any, kind: str) -> None:
    body = {"model": value, "state": 1, "questions": {"q": Noul()}}
    if value is None or isinstance(value, str):
        assert parse_request(body).model == value
    else:
        assert refusal(body) == ("model", f"model must be a string, not {kind}")


def test_missing_state_and_questions() -> None:
    questions = {"q": Noul()}
    assert refusal({"questions": questions}) == ("state", "state is required (it may be null)")
    assert parse_request({"state": None, "questions": questions}).state == "null"
    assert refusal({"state": 1}) == ("questions", "questions is required")
    assert refusal({"state": 1, "question": questions}) == (
        "questions",
        "questions is required (unknown here: 'question')",
    )
    assert refusal({"state": 1, "questions": None}) == (
        "questions",
        "questions must be an object of questions by id, not null",
    )
    assert refusal({"state": 1, "questions": {}}) == (
        "questions",
        "at least one question is required",
    )


@pytest.mark.parametrize(
    ("type", "shown"),
    [
        (None, "null"),
        ("", "''"),
        ("bool", "'bool'"),
        ("Noul", "'Noul'"),
        ("noul ", "'noul '"),
        (["noul"], "a list"),
        ({"noul": 1}, "an object"),
        (0, "a number"),
        (True, "true or false"),
        ("\ud800", "'\\\\ud800'"),
    ],
)
def test_unknown_types_are_refused(type: Any, shown: str) -> None:
    assert question_refusal({"type": type, "criteria": {"a": None}}) == (
        "questions.q.type",
        f"questions.q.type must be noul, choice or score, not {shown}",
    )


def test_a_missing_type_is_refused() -> None:
    place, message = question_refusal({"instructions": "Is it?"})
    assert (place, message.endswith("not null")) == ("questions.q.type", True)


@pytest.mark.parametrize(
    ("type", "criteria", "fragment"),
    [
        ("choice", None, "of a choice must be an object of descriptions by option, not null"),
        ("choice", ["a", "b"], "of a choice must be an object of descriptions by option, not a l"),
        ("choice", "ab", "of a choice must be an object of descriptions by option, not a string"),
        ("choice", 2, "of a choice must be an object of descriptions by option, not a number"),
        ("choice", True, "must be an object of descriptions by option, not true or false"),
        ("choice", {}, "must not be empty"),
        ("score", None, "of a score must be a list of levels, lowest first, not null"),
        ("score", "low", "of a score must be a list of levels, lowest first, not a string"),
        ("score", {"0": "low"}, "must be a list of levels, lowest first, not an object"),
        ("score", {1, 2}, "must be a list of levels, lowest first, not a Python set"),
        ("score", 3, "of a score must be a list of levels, lowest first, not a number"),
        ("score", [], "must not be empty"),
        ("score", (), "must not be empty"),
        ("noul", ["yes", "no"], "of a noul must be an object with 'true' and 'false', not a list"),
        ("noul", "yes", "of a noul must be an object with 'true' and 'false', not a string"),
        ("noul", 1, "of a noul must be an object with 'true' and 'false', not a number"),
        ("noul", False, "must be an object with 'true' and 'false', not true or false"),
    ],
)
def test_criteria_of_the_wrong_shape_are_refused(type: str, criteria: Any, fragment: str) -> None:
    place, message = question_refusal({"type": type, "criteria": criteria})
    assert place == "questions.q.criteria"
    assert message.startswith("questions.q.criteria ")
    assert fragment in message
    classes = {"noul": Noul, "choice": Choice, "score": Score}
    if not (type == "noul" and criteria is None):
        assert question_refusal(classes[type]("text", criteria)) == (place, message)


@pytest.mark.parametrize("keys", [(1, "1"), (True, "True"), (None, "None"), (1.0, "1.0")])
def test_keys_that_become_equal_as_text_are_refused(keys: tuple[Any, Any]) -> None:
    twice = dict.fromkeys(keys)
    text = str(keys[0])
    assert question_refusal(Choice("Which?", twice)) == (
        "questions.q.criteria",
        f"questions.q.criteria: the option names {keys[0]!r} and {keys[1]!r} are both {text!r} "
        "as text",
    )
    assert refusal({"state": 1, "questions": dict.fromkeys(keys, Noul("Is it?"))}) == (
        "questions",
        f"questions: the question ids {keys[0]!r} and {keys[1]!r} are both {text!r} as text",
    )


BAD_VALUES = [
    ({1, 2}, "cannot be written as JSON: Object of type set"),
    (b"x", "cannot be written as JSON: Object of type bytes"),
    ({1: 2, "a": 3}, "cannot be written as JSON: '<' not supported"),
    (CIRCLE, "cannot be written as JSON: Circular reference"),
    ([TOO_LONG], "cannot be written as JSON: Exceeds the limit"),
    (DEEP, "nests too deeply to be written as JSON"),
    (["\ud83d"], "holds a lone surrogate (U+D83D)"),
    ({"\udfff": 1}, "holds a lone surrogate (U+DFFF)"),
]


@pytest.mark.parametrize(("value", "fragment"), BAD_VALUES)
def test_values_that_cannot_be_rendered_are_refused_wherever_they_stand(
    value: Any, fragment: str
) -> None:
    places = [
        ("state", {"state": value, "questions": {"q": Noul()}}),
        ("questions.q.instructions", {"state": 1, "questions": {"q": Noul(value)}}),
        ("questions.q.criteria.no", {"state": 1, "questions": {"q": Choice("", {"no": value})}}),
        ("questions.q.criteria.1", {"state": 1, "questions": {"q": Score("", ["", value])}}),
        ("questions.q.criteria.true", {"state": 1, "questions": {"q": Noul("", {"true": value})}}),
    ]
    for place, body in places:
        got, message = refusal(body)
        assert got == place
        assert message.startswith(f"{place} ") and fragment in message


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\ude00\ud83d"])
def test_lone_surrogates_in_names_are_refused(text: str) -> None:
    fragment = "holds a lone surrogate"
    for place, body in [
        ("model", {"model": text, "state": 1, "questions": {"q": Noul()}}),
        ("state", {"state": text, "questions": {"q": Noul()}}),
        ("questions", {"state": 1, "questions": {text: Noul()}}),
        ("questions.q.criteria", {"state": 1, "questions": {"q": Choice("", {text: None})}}),
    ]:
        got, message = refusal(body)
        assert (got, fragment in message) == (place, True)


@pytest.mark.parametrize(
    ("place", "body"),
    [
        ("", {"state": 1, "questions": {"q": Noul()}, TOO_LONG: 1}),
        ("questions", {"state": 1, "questions": {TOO_LONG: Noul()}}),
        ("questions.q", {"state": 1, "questions": {"q": {"type": "noul", TOO_LONG: 1}}}),
        ("questions.q.criteria", {"state": 1, "questions": {"q": Noul("", {TOO_LONG: 1})}}),
        ("questions.q.criteria", {"state": 1, "questions": {"q": Choice("", {TOO_LONG: 1})}}),
    ],
)
def test_keys_too_long_to_be_written_are_refused(place: str, body: Any) -> None:
    got, message = refusal(body)
    assert got == place
    assert message.startswith(f"{place or 'the request'} has a key too long: Exceeds the limit")


@pytest.mark.parametrize("instructions", [None, ""])
@pytest.mark.parametrize("kind", ["noul", "choice", "score"])
def test_an_empty_id_needs_instructions(kind: str, instructions: Any) -> None:
    criteria: Any = {"noul": None, "choice": {"a": None}, "score": ["low"]}[kind]
    question = {"type": kind, "instructions": instructions, "criteria": criteria}
    place, message = refusal({"state": 1, "questions": {"": question}})
    assert place == "questions..instructions"
    assert "the id '' needs instructions" in message
    assert ask({**question, "instructions": "Is it?"}, id="").instruction == "Is it?"


@pytest.mark.parametrize(
    ("instructions", "rendered"),
    [
        (None, "q"),
        ("", "q"),
        (" ", " "),
        ("\n", "\n"),
        (0, "0"),
        (0.0, "0.0"),
        (False, "false"),
        ([], "[]"),
        ({}, "{}"),
        ({"b": 1, "a": [None, "é"]}, '{"a":[null,"é"],"b":1}'),
        ("null", "null"),
    ],
)
def test_only_none_and_the_empty_string_fall_back_to_the_id(
    instructions: Any, rendered: str
) -> None:
    assert ask(Noul(instructions)).instruction == rendered
    assert ask(Choice(instructions, {"a": None})).instruction == rendered
    assert ask({"type": "score", "instructions": instructions, "criteria": ["l"]}).instruction == (
        rendered
    )


def test_ids_become_text() -> None:
    for id, text in [(7, "7"), (None, "None"), (True, "True"), (1.5, "1.5"), ("", "")]:
        question = ask({"type": "noul", "instructions": "Is it?"}, id)
        assert question.id == text
    assert ask(Noul(), 7).instruction == "7"


TRUE, FALSE = NOUL_DEFAULTS["true"], NOUL_DEFAULTS["false"]


@pytest.mark.parametrize(
    ("criteria", "true", "false"),
    [
        (None, f'"description":"{TRUE}",', f'"description":"{FALSE}",'),
        ({}, f'"description":"{TRUE}",', f'"description":"{FALSE}",'),
        ({"true": "paid"}, '"description":"paid",', f'"description":"{FALSE}",'),
        ({"false": "late"}, f'"description":"{TRUE}",', '"description":"late",'),
        ({"false": None}, f'"description":"{TRUE}",', ""),
        ({"true": None, "false": None}, "", ""),
        ({"true": "", "false": 0}, '"description":"",', '"description":0,'),
        (
            {"false": [], "true": {"b": 1, "a": 2}},
            '"description":{"a":2,"b":1},',
            '"description":[],',
        ),
    ],
)
def test_the_two_sides_of_a_noul(criteria: Any, true: str, false: str) -> None:
    for question in (ask(Noul("Is it?", criteria)), ask({"type": "noul", "criteria": criteria})):
        assert texts(question) == [
            f'{{{true}"option_id":"true"}}',
            f'{{{false}"option_id":"false"}}',
        ]
        assert [option.id for option in question.options] == ["true", "false"]
        assert (question.scored, question.legend) == ((0, 1), ())


def test_the_default_sides_are_the_releases_own() -> None:
    assert NOUL_DEFAULTS == {
        "true": "The proposition is true or the answer is yes.",
        "false": "The proposition is false or the answer is no.",
    }


@pytest.mark.parametrize(
    ("names", "scored"),
    [
        (["b", "a", "c"], ["a", "b", "c"]),
        (["2", "10", "1"], ["1", "10", "2"]),
        ([2, 10, 1], ["1", "10", "2"]),
        (["b", "B", "ä", "a", "Z"], ["B", "Z", "a", "b", "ä"]),
        (["\U00010000", "\uffff", "é"], ["é", "\uffff", "\U00010000"]),
        (["a b", "a", ""], ["", "a", "a b"]),
        ([True, None, 2.5], ["2.5", "None", "True"]),
        (["only"], ["only"]),
    ],
)
def test_choices_are_scored_sorted_and_answered_as_asked(
    names: list[Any], scored: list[str]
) -> None:
    question = ask(Choice("Which?", dict.fromkeys(names)))
    assert [option.id for option in question.options] == [str(name) for name in names]
    assert [question.options[index].id for index in question.scored] == scored


def test_descriptions_of_options() -> None:
    criteria = {"a": None, "b": "", "c": {"z": 1, "y": [1.0]}, "d": 0, "e": False, 'f"\n': "x"}
    assert texts(ask(Choice("Which?", criteria))) == [
        '{"option_id":"a"}',
        '{"description":"","option_id":"b"}',
        '{"description":{"y":[1.0],"z":1},"option_id":"c"}',
        '{"description":0,"option_id":"d"}',
        '{"description":false,"option_id":"e"}',
        '{"description":"x","option_id":"f\\"\\n"}',
    ]


def test_levels_keep_their_order_and_values() -> None:
    levels = ["low", None, {"b": 2, "a": 1}, 4, ["x"], "low"] + ["more"] * 6
    question = ask(Score("How?", levels))
    assert texts(question)[:4] == [
        '{"description":"low","option_id":"0"}',
        '{"option_id":"1"}',
        '{"description":{"a":1,"b":2},"option_id":"2"}',
        '{"description":4,"option_id":"3"}',
    ]
    assert [option.id for option in question.options] == [str(i) for i in range(12)]
    assert question.scored == tuple(range(12))
    assert list(question.legend) == levels
    assert ask(Score("How?", tuple(levels))) == question


@pytest.mark.parametrize("option_count", [1, 2, 255, 1000])
def test_any_number_of_options_is_accepted(option_count: int) -> None:
    names = [str(i) for i in range(option_count)]
    assert len(ask(Choice("Which?", dict.fromkeys(names))).options) == option_count
    assert len(ask(Score("How?", names)).options) == option_count


def test_objects_equal_their_dicts() -> None:
    objects = {
        "n": Noul("Is it?", {"true": "yes"}),
        "c": Choice({"ask": "Which?"}, {"b": None, "a": "first"}),
        "s": Score(None, ["low", "high"]),
    }
    dicts = {
        "n": {"type": "noul", "instructions": "Is it?", "criteria": {"true": "yes"}},
        "c": {
            "type": "choice",
            "instructions": {"ask": "Which?"},
            "criteria": objects["c"].criteria,
        },
        "s": {"type": "score", "criteria": ["low", "high"]},
    }
    body = {"model": "m", "state": {"a": 1}}
    assert parse_request({**body, "questions": objects}) == parse_request(
        {**body, "questions": dicts}
    )


def test_subclasses_and_other_mappings_are_questions_too() -> None:
    class Urgent(Noul):
        pass

    class Side(enum.StrEnum):
        LEFT = "left"

    assert ask(Urgent("Is it?")) == ask(Noul("Is it?"))
    assert ask(MappingProxyType({"type": "noul"})) == ask({"type": "noul"})
    assert ask({"type": "noul", "instructions": Side.LEFT}).instruction == "left"


def test_unknown_fields_are_named_in_warnings_in_their_order() -> None:
    request = parse_request(
        {
            "temperature": 0.5,
            "state": "s",
            "questions": {
                "a": {
                    "type": "noul",
                    "criterion": 1,
                    "criteria": {"true": "x", "maybe": 2, True: 1},
                },
                "b": {"type": "choice", "criteria": {"x": None}, "options": []},
            },
            "media_kwargs": {},
            "\ud800": 1,
            5: 1,
        }
    )
    assert request.warnings == (
        "unknown field 'temperature' was ignored",
        "unknown field 'media_kwargs' was ignored",
        "unknown field '\\\\ud800' was ignored",
        "unknown field '5' was ignored",
        "unknown field 'questions.a.criterion' was ignored",
        "'questions.a.criteria.maybe' was ignored: a noul has only 'true' and 'false'",
        "'questions.a.criteria.True' was ignored: a noul has only 'true' and 'false'",
        "unknown field 'questions.b.options' was ignored",
    )
    assert texts(request.questions[0])[0] == '{"description":"x","option_id":"true"}'


def test_known_fields_warn_of_nothing() -> None:
    question = {"type": "noul", "instructions": "Is it?", "criteria": None}
    media = {"images": None, "videos": [], "audio": ()}
    request = parse_request({"model": "m", "state": 1, "questions": {"q": question}, **media})
    assert request.warnings == ()
    assert (request.images, request.videos, request.audio) == ((), (), ())


@pytest.mark.parametrize("kind", ["images", "videos", "audio"])
def test_media_come_in_lists(kind: str) -> None:
    body = {"state": 1, "questions": {"q": Noul()}}
    assert getattr(parse_request({**body, kind: ["x", b"y"]}), kind) == ("x", b"y")
    for value, shown in [("x", "a string"), ({}, "an object"), (b"x", "a Python bytes")]:
        assert refusal({**body, kind: value}) == (kind, f"{kind} must be a list, not {shown}")


def test_a_checked_request_passes_through_and_cannot_be_changed() -> None:
    request = parse_request({"state": 1, "questions": {"q": Noul()}})
    assert parse_request(request) is request
    for record in (request, request.questions[0], request.questions[0].options[0], Noul()):
        with pytest.raises(dataclasses.FrozenInstanceError):
            record.id = "other"  # type: ignore[misc]
    assert isinstance(request, Request)
