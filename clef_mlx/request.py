"""What a caller may ask: Python questions or a System One body in, one checked ``Request`` out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import RequestError
from .json_text import Json, check_text, printable, render

# Prompt literals of the release (see NOTICE): they must match byte for byte.
NOUL_DEFAULTS = {
    "true": "The proposition is true or the answer is yes.",
    "false": "The proposition is false or the answer is no.",
}
TYPES = ("noul", "choice", "score")  # the index is the code that the joint head embeds
MEDIA = ("images", "videos", "audio")
BODY_FIELDS = ("model", "state", "questions", *MEDIA)
QUESTION_FIELDS = ("type", "instructions", "criteria")


@dataclass(frozen=True)
class Noul:
    """A yes/no question.

    ``criteria`` may describe the two sides: ``{"true": ..., "false": ...}``; a side left out keeps
    the release's own wording, ``None`` drops it.
    """

    instructions: Json = None  # None or "": the question's id is asked
    criteria: Mapping[str, Json] | None = None


@dataclass(frozen=True)
class Choice:
    """One of several named options: ``criteria`` maps each name to a description or ``None``."""

    instructions: Json = None
    criteria: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Score:
    """Ordered levels, lowest first: ``criteria`` lists them, each any JSON value."""

    instructions: Json = None
    criteria: Sequence[Json] = ()


@dataclass(frozen=True)
class Option:
    """One allowed answer: its id and the rendered text that the model reads."""

    id: str
    text: str


@dataclass(frozen=True)
class Question:
    """A checked question. ``options`` stand in request order; ``scored`` is the model's order."""

    id: str
    type: str  # one of TYPES
    instruction: str  # rendered, the id where none was given
    options: tuple[Option, ...]
    scored: tuple[int, ...]  # options[scored[k]] is the k-th option in the prompt
    legend: tuple[Json, ...] = ()  # a score's levels as given


@dataclass(frozen=True)
class Request:
    """A checked request. Built by ``parse_request``; nothing in it can fail later."""

    state: str  # rendered
    questions: tuple[Question, ...]
    model: str | None = None
    images: tuple[Any, ...] = ()
    videos: tuple[Any, ...] = ()
    audio: tuple[Any, ...] = ()
    warnings: tuple[str, ...] = ()


def parse_request(body: Any) -> Request:
    """Check a System One body and render its texts.

    ``body["questions"]`` maps ids to ``Noul``, ``Choice``, ``Score`` or their dicts. Unknown fields
    are named in ``Request.warnings``. Raises ``RequestError`` naming the field at fault.
    """
    if isinstance(body, Request):
        return body
    if not isinstance(body, Mapping):
        raise RequestError(f"a request is an object, not {_kind(body)}")
    model = body.get("model")
    if model is not None and not isinstance(model, str):
        raise RequestError(f"model must be a string, not {_kind(model)}", "model")
    if "state" not in body:
        raise RequestError("state is required (it may be null)", "state")
    if "questions" not in body:
        unknown = ", ".join(repr(printable(_key_text(k, ""))) for k in body if k not in BODY_FIELDS)
        hint = f" (unknown here: {unknown})" if unknown else ""
        raise RequestError(f"questions is required{hint}", "questions")
    questions = body["questions"]
    if not isinstance(questions, Mapping):
        raise RequestError(
            f"questions must be an object of questions by id, not {_kind(questions)}", "questions"
        )
    if not questions:
        raise RequestError("at least one question is required", "questions")
    warnings = [
        f"unknown field {printable(_key_text(key, ''))!r} was ignored"
        for key in body
        if key not in BODY_FIELDS
    ]
    ids = _texts(questions, "questions", "question ids")
    return Request(
        state=render(body["state"], "state"),
        questions=tuple(
            _parse_question(id, value, warnings)
            for id, value in zip(ids, questions.values(), strict=True)
        ),
        model=None if model is None else check_text(model, "model"),
        warnings=tuple(warnings),
        **{kind: _media(body.get(kind), kind) for kind in MEDIA},
    )


def _parse_question(id: str, value: Any, warnings: list[str]) -> Question:
    where = f"questions.{id}"
    if isinstance(value, Noul | Choice | Score):
        kind: Any = next(name for name, known in _CLASSES.items() if isinstance(value, known))
        instructions, criteria = value.instructions, value.criteria
    elif isinstance(value, Mapping):
        kind, instructions = value.get("type"), value.get("instructions")
        criteria = value.get("criteria")
        warnings.extend(
            f"unknown field {printable(f'{where}.{_key_text(key, where)}')!r} was ignored"
            for key in value
            if key not in QUESTION_FIELDS
        )
    else:
        raise RequestError(f"{where} must be an object, not {_kind(value)}", where)
    if not isinstance(kind, str) or kind not in TYPES:
        raise RequestError(
            f"{where}.type must be noul, choice or score, not {_shown(kind)}", f"{where}.type"
        )
    described, scored = _PARSERS[kind](criteria, f"{where}.criteria", warnings)
    return Question(
        id=id,
        type=kind,
        instruction=_instruction(id, instructions, where),
        options=tuple(
            Option(name, _option_text(name, value, f"{where}.criteria.{name}"))
            for name, value in described
        ),
        scored=tuple(scored),
        legend=tuple(value for _, value in described) if kind == "score" else (),
    )


_Described = list[tuple[str, Json]]  # option id and description, in request order


def _parse_noul(criteria: Any, where: str, warnings: list[str]) -> tuple[_Described, list[int]]:
    if criteria is not None and not isinstance(criteria, Mapping):
        raise RequestError(
            f"{where} of a noul must be an object with 'true' and 'false', not {_kind(criteria)}",
            where,
        )
    given = criteria or {}
    warnings.extend(
        f"{printable(f'{where}.{_key_text(key, where)}')!r} was ignored: a noul has only 'true' "
        "and 'false'"
        for key in given
        if not (isinstance(key, str) and key in NOUL_DEFAULTS)
    )
    return [(side, given.get(side, text)) for side, text in NOUL_DEFAULTS.items()], [0, 1]


def _parse_choice(criteria: Any, where: str, _: list[str]) -> tuple[_Described, list[int]]:
    if not isinstance(criteria, Mapping):
        raise RequestError(
            f"{where} of a choice must be an object of descriptions by option, "
            f"not {_kind(criteria)}",
            where,
        )
    if not criteria:
        raise RequestError(f"{where} must not be empty", where)
    names = _texts(criteria, where, "option names")
    # The model reads the options sorted by name; the answer keeps the caller's order.
    scored = sorted(range(len(names)), key=names.__getitem__)
    return list(zip(names, criteria.values(), strict=True)), scored


def _parse_score(criteria: Any, where: str, _: list[str]) -> tuple[_Described, list[int]]:
    if not isinstance(criteria, list | tuple):
        raise RequestError(
            f"{where} of a score must be a list of levels, lowest first, not {_kind(criteria)}",
            where,
        )
    if not criteria:
        raise RequestError(f"{where} must not be empty", where)
    return [(str(i), level) for i, level in enumerate(criteria)], list(range(len(criteria)))


_CLASSES = {"noul": Noul, "choice": Choice, "score": Score}
_PARSERS = {"noul": _parse_noul, "choice": _parse_choice, "score": _parse_score}


def _instruction(id: str, instructions: Json, where: str) -> str:
    # Only None and "" fall back to the id: 0, False, [] and {} are rendered.
    if instructions is None or (isinstance(instructions, str) and instructions == ""):
        if id == "":
            raise RequestError(
                "a question with the id '' needs instructions, or the model is asked nothing",
                f"{where}.instructions",
            )
        return id
    return render(instructions, f"{where}.instructions")


def _option_text(name: str, description: Json, where: str) -> str:
    body = {"option_id": name}
    return render(body if description is None else {**body, "description": description}, where)


def _texts(mapping: Mapping[Any, Any], where: str, what: str) -> list[str]:
    """The keys as text, as the reference reads them; two that become equal are refused."""
    seen: dict[str, Any] = {}
    for key in mapping:
        text = check_text(_key_text(key, where), where)
        if text in seen:
            raise RequestError(
                f"{where}: the {what} {seen[text]!r} and {key!r} are both {text!r} as text", where
            )
        seen[text] = key
    return list(seen)


def _key_text(key: Any, where: str) -> str:
    """``key`` as text; an integer may be longer than Python writes."""
    try:
        return str(key)
    except ValueError as error:
        raise RequestError(f"{where or 'the request'} has a key too long: {error}", where) from None


def _media(items: Any, kind: str) -> tuple[Any, ...]:
    if items is None:
        return ()
    if not isinstance(items, list | tuple):
        raise RequestError(f"{kind} must be a list, not {_kind(items)}", kind)
    return tuple(items)


def _kind(value: Any) -> str:
    """What ``value`` is, in JSON's words."""
    if value is None:
        return "null"
    names = {bool: "true or false", str: "a string", int: "a number", float: "a number"}
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    return names.get(type(value), f"a Python {type(value).__name__}")


def _shown(value: Any) -> str:
    return repr(printable(value)) if isinstance(value, str) else _kind(value)
