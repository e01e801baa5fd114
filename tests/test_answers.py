"""``answers``: logits to probabilities, the three confidence formulas, and the wire form."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from clef_mlx import (
    Choice,
    ChoiceAnswer,
    ClefError,
    Noul,
    NoulAnswer,
    RequestError,
    Response,
    Score,
    ScoreAnswer,
    parse_request,
)
from clef_mlx.answers import CONFIDENCE, build_answers, check_confidence

# The table of spec/systemone.md section 5: probabilities; reference, typesafe of a choice and of a
# score, entropy.
TABLE = [
    ((0.9, 0.05, 0.05), 0.9000, 0.8500, 0.7750, 0.6410),
    ((0.7, 0.2, 0.1), 0.7000, 0.5500, 0.4000, 0.2702),
    ((0.5, 0.3, 0.2), 0.5000, 0.2500, 0.0000, 0.0628),
    ((0.05, 0.1, 0.15, 0.3, 0.4), 0.4000, 0.2500, 0.0833, 0.1349),
]
ATOL = 6e-5  # the table has four decimals; float32 probabilities move the fifth


def answer(question: Any, logits: list[float], confidence: str = "reference") -> Any:
    """The answer to one question, logits in request order."""
    request = parse_request({"state": "s", "questions": {"q": question}})
    ids = [option.id for option in request.questions[0].options]
    by_id = dict(zip(ids, logits, strict=True))
    return build_answers(request, {"q": by_id}, confidence)["q"]


def choice(logits: list[float], confidence: str = "reference") -> ChoiceAnswer:
    names = [f"o{i}" for i in range(len(logits))]
    return answer(Choice("Which?", dict.fromkeys(names)), logits, confidence)


def score(logits: list[float], confidence: str = "reference") -> ScoreAnswer:
    return answer(Score("How?", [f"l{i}" for i in range(len(logits))]), logits, confidence)


@pytest.mark.parametrize(("p", "reference", "of_choice", "of_score", "entropy"), TABLE)
def test_confidence_formulas(
    p: tuple[float, ...], reference: float, of_choice: float, of_score: float, entropy: float
) -> None:
    logits = [math.log(value) for value in p]
    for make, typesafe in ((choice, of_choice), (score, of_score)):
        wanted = {"reference": reference, "typesafe": typesafe, "entropy": entropy}
        for name, value in wanted.items():
            assert make(logits, name).confidence == pytest.approx(value, abs=ATOL)


@pytest.mark.parametrize("name", CONFIDENCE)
def test_one_option_is_certain(name: str) -> None:
    for make in (choice, score):
        for logit in (-50.0, 0.0, 3.2):
            assert make([logit], name).confidence == 1.0
    assert choice([2.0], name).probabilities == {"o0": 1.0}
    assert score([2.0], name).score == 0.0


@pytest.mark.parametrize("name", CONFIDENCE)
def test_confidence_lies_between_0_and_1_and_is_never_minus_zero(name: str) -> None:
    rng = np.random.default_rng(0)
    for count in (1, 2, 3, 25, 49, 50, 101, 255):
        for logits in (np.zeros(count), rng.normal(size=count), 40 * rng.normal(size=count)):
            for make in (choice, score):
                sure = make(list(map(float, logits)), name).to_dict()["confidence"]
                assert 0 <= sure <= 1
                assert math.copysign(1, sure) == 1


def test_an_even_choice_has_no_confidence_but_the_reference_s() -> None:
    for count in (2, 25, 50, 255):
        even = [0.5] * count
        assert choice(even).confidence == pytest.approx(1 / count)
        assert choice(even, "typesafe").confidence == pytest.approx(0, abs=1e-6)
        assert choice(even, "entropy").confidence == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("name", ["", "Reference", "max", None, ["reference"], "\ud800"])
def test_other_formulas_are_refused_with_their_names(name: Any) -> None:
    with pytest.raises(RequestError) as caught:
        check_confidence(name)
    assert caught.value.param == "confidence"
    assert str(caught.value) == (
        f"confidence must be one of reference, typesafe, entropy, not {name!r}"
    )


def test_probabilities_are_a_softmax_in_request_order() -> None:
    got = answer(Choice("Which?", {"z": 1, "a": 2, "10": 3, "2": 4}), [1.0, -2.0, 0.5, 0.0])
    weights = [math.exp(x) for x in (1.0, -2.0, 0.5, 0.0)]
    assert list(got.probabilities) == ["z", "a", "10", "2"]
    assert list(got.probabilities.values()) == pytest.approx(
        [weight / sum(weights) for weight in weights], abs=1e-7
    )
    assert (got.choice, got.confidence) == ("z", max(got.probabilities.values()))
    for many in (2, 64, 255):
        logits = list(map(float, np.random.default_rng(many).normal(size=many) * 5))
        assert sum(choice(logits).probabilities.values()) == pytest.approx(1, abs=1e-6)


def test_large_logits_neither_overflow_nor_vanish() -> None:
    assert choice([1.5e38, -1.5e38]).probabilities == {"o0": 1.0, "o1": 0.0}
    assert choice([-1.5e38, -1.5e38]).probabilities == {"o0": 0.5, "o1": 0.5}
    shifted = choice([1e4 + 1, 1e4]).probabilities["o0"]
    assert shifted == pytest.approx(1 / (1 + math.exp(-1)), abs=1e-6)
    assert choice([1.5e38, -1.5e38], "entropy").confidence == 1.0


@pytest.mark.parametrize(
    ("logits", "first"),
    [
        ([1.0, 1.0, 1.0], "b"),
        ([0.0, 2.0, 2.0], "c"),
        ([2.0, 0.0, 2.0], "b"),
        ([1.0, 1.0 + 1e-9, 0.0], "b"),  # equal in float32, as in the reference
        ([1.0, 1.0 + 1e-6, 0.0], "c"),
    ],
)
def test_ties_go_to_the_first_in_request_order(logits: list[float], first: str) -> None:
    assert answer(Choice("Which?", {"b": None, "c": None, "a": None}), logits).choice == first


def test_a_tie_at_the_mode_takes_the_lower_level() -> None:
    # Two equal modes: the spread is counted from the first, so the second half weighs more.
    tied = score([1.0, 0.0, 0.0, 1.0], "typesafe")
    p = list(tied.probabilities.values())
    spread = sum(q * level for level, q in enumerate(p))
    assert tied.confidence == pytest.approx(max(0.0, 1 - spread / 1.0), abs=1e-6)


BROKEN = [float("nan"), float("inf"), float("-inf")]


@pytest.mark.parametrize("bad", BROKEN)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_logit_that_is_not_finite_is_an_error(bad: float, place: int) -> None:
    logits = [0.1, 0.2, 0.3]
    logits[place] = bad
    questions = [
        Choice("Which?", {"x": None, "y": None, "z": None}),
        Score("How?", ["low", "mid", "high"]),
    ]
    for question, names in zip(questions, ("xyz", "012"), strict=True):
        with pytest.raises(ClefError) as caught:
            answer(question, logits)
        assert not isinstance(caught.value, RequestError)
        assert str(caught.value).startswith(
            f"question 'q', option {names[place]!r}: the model computed {bad}, not a finite logit"
        )


@pytest.mark.parametrize("bad", BROKEN)
def test_a_noul_with_a_broken_side_is_an_error_too(bad: float) -> None:
    for logits in ([bad, 0.0], [0.0, bad], [bad, bad]):
        with pytest.raises(ClefError, match="not a finite logit"):
            answer(Noul("Is it?"), logits)


def test_score_is_the_expected_level() -> None:
    p = [0.1, 0.2, 0.3, 0.4]
    got = score([math.log(value) for value in p])
    assert got.score == pytest.approx(0.2 + 0.6 + 1.2, abs=1e-6)
    assert got.confidence == pytest.approx(0.4, abs=1e-6)
    assert score([-100.0, 0.0, -100.0]).score == pytest.approx(1.0, abs=1e-6)
    assert score([0.0] * 11).score == pytest.approx(5.0, abs=1e-5)


def test_the_legend_holds_the_levels_as_given() -> None:
    levels = ["low", None, {"b": 1, "a": [1.0, "é"]}, 0, False, "low", ""]
    got = answer(Score("How?", levels), [0.0] * len(levels))
    assert list(got.legend.items()) == [(str(i), level) for i, level in enumerate(levels)]
    assert list(got.legend) == list(got.probabilities)
    assert json.dumps(got.to_dict()["legend"]) == json.dumps(
        {str(i): level for i, level in enumerate(levels)}
    )


def test_rounding_happens_on_the_wire_only() -> None:
    logits = [0.123456, -0.7, 0.31]
    for got in (choice(logits), score(logits)):
        wire = got.to_dict()
        for name, p in got.probabilities.items():
            assert wire["probabilities"][name] == round(p, 4) != p
        assert wire["confidence"] == round(got.confidence, 4) != got.confidence
    assert score(logits).to_dict()["score"] == round(score(logits).score, 4) != score(logits).score
    yes = answer(Noul("Is it?"), [0.3, -0.1])
    assert yes.to_dict() == {"type": "noul", "noul": round(yes.noul, 4)}
    assert yes.noul == pytest.approx(1 / (1 + math.exp(-0.4)), abs=1e-7)
    assert yes.noul == yes.probabilities["true"]
    assert sum(yes.probabilities.values()) == pytest.approx(1, abs=1e-7)


def test_the_score_is_summed_from_unrounded_probabilities() -> None:
    logits = list(map(float, np.random.default_rng(3).normal(size=255)))
    got = score(logits)
    rounded = sum(int(level) * p for level, p in got.to_dict()["probabilities"].items())
    exact = sum(int(level) * p for level, p in got.probabilities.items())
    assert got.score == pytest.approx(exact, abs=1e-9)
    assert abs(rounded - exact) > 1e-3


def test_wire_form_of_each_kind() -> None:
    assert list(choice([0.0, 1.0]).to_dict()) == ["type", "choice", "confidence", "probabilities"]
    assert list(score([0.0, 1.0]).to_dict()) == [
        *("type", "score", "confidence", "legend", "probabilities"),
    ]
    assert list(answer(Noul("Is it?"), [0.0, 1.0]).to_dict()) == ["type", "noul"]


def test_questions_are_answered_in_request_order() -> None:
    questions = {"z": Noul("Is it?"), "a": Choice("Which?", {"b": None, "a": None}), "m": Noul("?")}
    request = parse_request({"state": "s", "questions": questions})
    logits = {q.id: {o.id: 0.0 for o in reversed(q.options)} for q in reversed(request.questions)}
    answers = build_answers(request, logits, "reference")
    assert list(answers) == ["z", "a", "m"]
    assert list(answers["a"].probabilities) == ["b", "a"]
    assert answers["a"].choice == "b"


def test_a_response_reads_like_a_mapping_and_writes_the_contract_only() -> None:
    response = Response(
        model="m",
        answers={"q": NoulAnswer(0.25, {"true": 0.25, "false": 0.75}), "c": choice([1.0, 0.0])},
        usage={"input_tokens": 12, "output_tokens": 0},
        warnings=("something",),
        truncated_tokens=3,
    )
    assert (list(response), len(response), response["q"].noul) == (["q", "c"], 2, 0.25)
    with pytest.raises(KeyError):
        response["other"]
    assert response.to_dict() == {
        "model": "m",
        "answers": {"q": {"type": "noul", "noul": 0.25}, "c": choice([1.0, 0.0]).to_dict()},
        "usage": {"input_tokens": 12, "output_tokens": 0},
    }
