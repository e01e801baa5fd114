"""The synthetic decisions and the hand-written set that ``mini`` is trained and measured on."""

from __future__ import annotations

import importlib
import json
import sys
from itertools import islice
from pathlib import Path

import pytest

import clef_mlx

FOLDER = Path(__file__).parent.parent / "examples" / "mini"
COUNT = 150  # examples of each split


@pytest.fixture(scope="module")
def decisions(request):
    """The generator; its folder is on the path only while these tests run."""
    sys.path.insert(0, str(FOLDER))
    request.addfinalizer(lambda: sys.path.remove(str(FOLDER)))
    return importlib.import_module("decisions").decisions


@pytest.fixture(scope="module")
def questions(decisions):
    return importlib.import_module("questions")


def check(example):
    """A request that is valid, and every expected answer is one of its options."""
    request = clef_mlx.parse_request(example["request"])
    assert not request.warnings
    assert {q.id for q in request.questions} == set(example["expected"])
    for question in request.questions:
        assert example["expected"][question.id] in [option.id for option in question.options]
    return request


@pytest.mark.parametrize("split", ["train", "valid", "test", "domain"])
def test_generated_requests_are_valid(decisions, split):
    requests = [check(example) for example in islice(decisions(3, split), COUNT)]
    assert {q.type for r in requests for q in r.questions} == {"noul", "choice", "score"}
    assert all(1 <= len(r.questions) <= 5 for r in requests)
    assert all(2 <= len(q.options) <= 12 for r in requests for q in r.questions)
    assert any(r.state.startswith("{") for r in requests)
    assert not all(r.state.startswith("{") for r in requests)


def test_generator_is_deterministic(decisions):
    first, again, other = (
        json.dumps(list(islice(decisions(seed, "train"), 20))) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_wordings_of_the_test_never_occur_in_training(decisions, questions):
    """Instructions, which come whole from their lists, are disjoint between the splits."""

    def instructions(split):
        return {
            question["instructions"]
            for example in islice(decisions(5, split), 4 * COUNT)
            for question in example["request"]["questions"].values()
            if question["type"] == "choice"
        }

    assert instructions("train").isdisjoint(instructions("test"))
    assert instructions("train").isdisjoint(instructions("valid"))
    assert instructions("valid").isdisjoint(instructions("test"))


def test_held_out_domain_is_not_a_training_domain(decisions):
    module = importlib.import_module("decisions")
    trained = json.dumps([module.DOMAINS])
    said = [
        said for topic in module.HELD_OUT_DOMAIN["hotel"].values() for said in topic[1].split("|")
    ]
    assert len(said) > 20
    assert not [sentence for sentence in said if sentence in trained]


def test_answers_are_not_given_away_by_position(decisions):
    rights = [
        list(question["criteria"]).index(example["expected"][id]) / len(question["criteria"])
        for example in islice(decisions(6, "test"), 4 * COUNT)
        for id, question in example["request"]["questions"].items()
        if question["type"] == "choice"
    ]
    assert 0.3 < sum(rights) / len(rights) < 0.5  # a uniform place would give about 0.38


def test_handwritten_set_is_well_formed():
    lines = (FOLDER / "handwritten.jsonl").read_text(encoding="utf-8").splitlines()
    examples = [json.loads(line) for line in lines]
    assert len(examples) >= 100
    requests = [check(example) for example in examples]
    assert len({request.state for request in requests}) > 95
    assert {q.type for r in requests for q in r.questions} == {"noul", "choice", "score"}
