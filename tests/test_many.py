"""Many requests at once: the answers of each alone, in order, whatever stands beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import GOLDEN

from clef_mlx import Choice, Clef, Noul, RequestError, Response, Score, load
from clef_mlx.many import SEEN_TOKENS, plan_batches

ATOL = 1e-4  # of a logit, in float32; measured 2e-5
QUESTIONS = {"paid": Noul("Is it paid?"), "mood": Score("How calm?", ["low", "mid", "high"])}
OTHER = {"team": Choice("Which?", {"billing": "charges", "tech": None})}
PICTURE = np.full((64, 64, 3), 90, np.uint8)


@pytest.fixture(scope="module")
def clef() -> Clef:
    return load(GOLDEN / "tiny-dense", dtype="float32")


def body(words: int, questions: Any = QUESTIONS, **media: Any) -> dict[str, Any]:
    return {"state": "ab " * words, "questions": questions, **media}


def probabilities(response: Any) -> list[float]:
    assert isinstance(response, Response)
    return [p for answer in response.answers.values() for p in answer.probabilities.values()]


def assert_as_alone(clef: Clef, requests: list[dict[str, Any]], **options: Any) -> None:
    together = clef.decide_many(requests, **options)
    assert len(together) == len(requests)
    for request, response in zip(requests, together, strict=True):
        alone = clef.respond(request)
        assert list(response.answers) == list(alone.answers)
        assert response.usage["input_tokens"] == alone.usage["input_tokens"]
        difference = np.abs(np.subtract(probabilities(response), probabilities(alone)))
        assert difference.max() <= ATOL


def test_a_neighbour_never_changes_an_answer(clef: Clef) -> None:
    """Lengths 1 to 40, same and other schemas, media beside text, all in one batch or in many."""
    requests = [
        body(1),
        body(400),
        body(10, OTHER),
        body(3, images=[PICTURE]),
        body(80, OTHER),
        body(2),
        body(40),
    ]
    for tokens in (100_000, 600):
        assert_as_alone(clef, requests, batch_tokens=tokens)
        assert_as_alone(clef, requests[::-1], batch_tokens=tokens)


def test_batches_longer_than_a_block(clef: Clef, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clef_mlx.prefill.BLOCK", 64)
    assert_as_alone(clef, [body(1), body(70), body(30, OTHER)], batch_tokens=100_000)


def test_one_state_with_many_schemas_is_read_once(clef: Clef) -> None:
    clef._prefill.cache.clear()
    schemas = [{f"q{i}": Noul(f"Is it {i}?")} for i in range(5)] + [OTHER]
    requests = [{"state": "A parcel is late. " * 20, "questions": q} for q in schemas]
    end = clef.encode(requests[0]).schema_start
    for response in clef.decide_many(requests):
        assert isinstance(response, Response)
        assert response.usage["cached_tokens"] == end
    assert_as_alone(clef, requests)


def test_a_bad_request_has_its_error_and_the_rest_go_on(clef: Clef) -> None:
    good, long = body(5), body(3000)
    bad: list[Any] = [{"state": "x", "questions": {}}, "no object", {**good, "images": [b"none"]}]
    found = clef.decide_many([good, bad[0], long, bad[1], bad[2], good], max_length=900)
    assert [type(answer) for answer in found] == [
        *(Response, RequestError, RequestError, RequestError, RequestError, Response)
    ]
    for request, answer in zip([bad[0], long, bad[1], bad[2]], found[1:5], strict=True):
        with pytest.raises(RequestError) as alone:
            clef.respond(request, max_length=900)
        assert str(answer) == str(alone.value)
    assert clef.decide_many([]) == []


def test_options_hold_for_every_request(clef: Clef) -> None:
    found = clef.decide_many([body(300), body(5)], max_length=420, truncate=True)
    assert isinstance(found[0], Response) and isinstance(found[1], Response)
    assert found[0].truncated_tokens > 0 and found[0].warnings
    assert found[1].truncated_tokens == 0
    with pytest.raises(RequestError, match="confidence must be one of"):
        clef.decide_many([body(5)], confidence="high")
    with pytest.raises(RequestError, match="confidence must be one of"):
        next(clef.decide_each([body(5)], confidence="high"))


def test_the_iterator_takes_a_window_at_a_time_in_order(clef: Clef) -> None:
    taken = []

    def source() -> Any:
        for i in range(7):
            taken.append(i)
            yield body(1 + (5 * i) % 7, {f"q{i}": Noul("Is it?")})

    answers = clef.decide_each(source(), window=3)
    first = next(answers)
    assert isinstance(first, Response) and list(first.answers) == ["q0"]
    assert taken == [0, 1, 2]
    names = [list(response.answers) for response in answers if isinstance(response, Response)]
    assert names == [[f"q{i}"] for i in range(1, 7)]


def test_progress_counts_the_tokens_of_all(clef: Clef) -> None:
    requests, told = [body(5), body(9), body(200)], []
    clef.decide_many(requests, progress=lambda *tokens: told.append(tokens))
    total = sum(len(clef.encode(request).input_ids) for request in requests)
    assert [t for _, t in told] == [total] * 3
    assert told[-1][0] == total and told == sorted(told)


def test_batches_are_bounded(clef: Clef) -> None:
    """No batch holds more than it may, but for a prompt that is longer alone."""
    prompts = {i: clef.encode(body(words)) for i, words in enumerate((1, 700, 2, 300, 5, 90, 91))}
    shared = [clef.encode({**body(600), "questions": {f"q{i}": Noul("?")}}) for i in range(40)]
    prompts.update({100 + i: encoded for i, encoded in enumerate(shared)})
    seen: list[int] = []
    for batch in plan_batches(prompts, 1000):
        lengths = [len(prompts[key].input_ids) for key in batch.members]
        padded = len(lengths) * (max(lengths) - batch.shared)
        assert len(lengths) == 1 or padded <= 1000
        assert len(lengths) == 1 or len(lengths) * max(lengths) <= SEEN_TOKENS
        heads = {tuple(prompts[key].input_ids[: batch.shared]) for key in batch.members}
        assert len(heads) == 1
        seen += batch.members
    assert sorted(seen) == sorted(prompts)


def test_omni_requests_side_by_side(omni: Clef) -> None:
    requests = [body(1), body(50, OTHER), body(4, images=[PICTURE])]
    assert_as_alone(omni, requests)


def test_batches_on_one_state_read_it_once_without_a_cache(
    dense: Clef, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = [{"state": "ab " * 90, "questions": {f"q{i}": Noul("?")}} for i in range(4)]
    end = dense.encode(requests[0]).schema_start
    whole = end + sum(len(dense.encode(request).input_ids) - end for request in requests)
    told = []
    read = dense._prefill._backbone.__class__.__call__

    def spy(self: Any, x: Any, *rest: Any) -> Any:
        told.append(x.shape[0] * x.shape[1])
        return read(self, x, *rest)

    monkeypatch.setattr(dense._prefill._backbone.__class__, "__call__", spy)
    monkeypatch.setattr("clef_mlx.many.SEEN_TOKENS", 1_000)
    for tokens in (700, 100):  # some side by side, each alone
        told.clear()
        dense.decide_many(requests, batch_tokens=tokens)
        assert sum(told) <= 1.1 * whole
