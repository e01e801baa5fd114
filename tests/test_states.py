"""States kept and resumed: the bytes of a run from the start, for the tokens of the schema."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from conftest import GOLDEN, golden_cases

from clef_mlx import Choice, Clef, ClefError, Noul, RequestError, Score, load
from clef_mlx.kept import KeptState

MEDIA = GOLDEN / "media"
BLOCK = 64  # tokens, so that a short text has several
FIRST = {
    "paid": Noul("Is it paid?"),
    "team": Choice("Which?", {"billing": None, "shipping": None, "tech": None}),
}
SECOND = {"mood": Score("How calm?", ["low", "mid", "high"])}
TEXT = " ".join(f"Message {i}: the parcel {i * 7} is late." for i in range(8))


@pytest.fixture(autouse=True)
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clef_mlx.prefill.BLOCK", BLOCK)


@pytest.fixture(scope="module")
def loaded() -> Clef:
    return load(GOLDEN / "tiny-dense", dtype="float32")


@pytest.fixture
def warm(loaded: Clef) -> Iterator[Clef]:
    loaded._prefill.cache.clear()
    loaded._prefill.cache.limit = 1 << 30
    yield loaded
    loaded._prefill.cache.clear()


def body(state: Any, questions: Any, **media: Any) -> dict[str, Any]:
    return {"state": state, "questions": questions, **media}


def cached(clef: Clef, request: dict[str, Any]) -> int:
    return clef.respond(request).usage["cached_tokens"]


def end_of_state(clef: Clef, request: dict[str, Any]) -> int:
    return clef.encode(request).schema_start


def test_warm_answers_are_the_bytes_of_cold_ones(warm: Clef, dense: Clef) -> None:
    """First, second, third and interleaved uses, on two states."""
    other = TEXT.upper()
    order = [(TEXT, FIRST), (TEXT, SECOND), (other, FIRST), (TEXT, FIRST), (other, SECOND)]
    for state, questions in [*order, *order]:
        request = body(state, questions)
        assert warm.logits(request) == dense.logits(request)
    for state, questions in order:
        request = body(state, questions)
        assert cached(warm, request) == end_of_state(warm, request) > 2 * BLOCK


def test_golden_cases_agree_warm_and_at_any_block(
    warm: Clef, dense: Clef, monkeypatch: pytest.MonkeyPatch
) -> None:
    for block in (50, 2048):
        monkeypatch.setattr("clef_mlx.prefill.BLOCK", block)
        warm._prefill.cache.clear()
        for case in golden_cases("dense")[:10]:
            if "error" in case or case["request"].get("images") or case["request"].get("videos"):
                continue
            limits = {"max_length": case["max_length"], "truncate": True}
            cold = dense.logits(case["request"], **limits)
            assert warm.logits(case["request"], **limits) == cold
            assert warm.logits(case["request"], **limits) == cold  # now from what was kept
            for question in case["expected"]["questions"]:
                want = dict(zip(question["option_ids"], question["logits"], strict=True))
                got = cold[question["id"]]
                assert max(abs(got[id] - want[id]) for id in want) <= 1e-4  # measured 2e-5


def test_a_transcript_that_grew_resumes_at_its_last_unchanged_border(
    warm: Clef, dense: Clef
) -> None:
    warm.logits(body(TEXT, FIRST))
    grown = body(TEXT + " One more message.", FIRST)
    end = end_of_state(warm, body(TEXT, FIRST))
    assert cached(warm, grown) == end // BLOCK * BLOCK
    assert warm.logits(grown) == dense.logits(grown)
    changed_early = body("X" + TEXT, FIRST)
    assert cached(warm, changed_early) == warm.encode(changed_early).prefix_tokens


def test_borders_of_a_grown_state_are_kept_too(warm: Clef, dense: Clef) -> None:
    """What was resumed passes on the borders before it."""
    warm.logits(body(TEXT, FIRST))
    warm.logits(body(TEXT + " More.", FIRST))
    kept = list(warm._prefill.cache._kept.values())[-1]
    borders = [p for p in kept.snapshots if p % BLOCK == 0]
    assert borders == list(range(BLOCK, max(kept.snapshots), BLOCK))
    shorter = body(TEXT[: len(TEXT) // 2], FIRST)
    assert cached(warm, shorter) >= BLOCK
    assert warm.logits(shorter) == dense.logits(shorter)


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_ends_around_a_border(warm: Clef, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """States and schemas that end one to 65 tokens from a border, or on it."""
    question = {"q": Noul("Is it?")}
    for length in range(1, 66, step):
        request = body("w" * length, question)
        monkeypatch.setattr("clef_mlx.prefill.BLOCK", 2048)
        whole = warm.logits(request)["q"]
        monkeypatch.setattr("clef_mlx.prefill.BLOCK", BLOCK)
        warm._prefill.cache.clear()
        cold = warm.logits(request)["q"]
        assert warm.logits(request)["q"] == cold
        assert max(abs(cold[id] - whole[id]) for id in whole) <= 1e-4  # measured 2e-5


def test_media_are_told_apart_by_content(warm: Clef, dense: Clef) -> None:
    picture = np.zeros((64, 64, 3), np.uint8)
    other = picture + 200
    first = body(TEXT, FIRST, images=[picture])
    for media in ([picture], [other], [picture, other], [other, picture], []):
        request = body(TEXT, FIRST, images=media)
        assert warm.logits(request) == dense.logits(request)
        assert warm.logits(request) == dense.logits(request)
        assert cached(warm, request) == end_of_state(warm, request)
    warm._prefill.cache.clear()
    warm.logits(first)
    encoded = warm.encode(body(TEXT, FIRST, images=[other]))
    assert cached(warm, body(TEXT, FIRST, images=[other])) == encoded.prefix_tokens


def test_a_held_state_pays_for_questions_alone(warm: Clef, dense: Clef) -> None:
    warm._prefill.cache.limit = 0  # held by the caller, not by the cache
    for media in ({}, {"images": [MEDIA / "receipt.png"]}):
        with warm.state(TEXT, **media) as state:
            assert state.tokens == end_of_state(warm, body(TEXT, FIRST, **media))
            assert state.nbytes > 0
            for questions in (FIRST, SECOND, FIRST):
                response = state.decide(questions)
                assert response.usage["cached_tokens"] == state.tokens
                cold = dense.respond(body(TEXT, questions, **media))
                assert response.answers == cold.answers
                assert cold.usage["cached_tokens"] == 0
    assert warm._prefill.cache.nbytes == 0


def test_a_held_state_that_no_longer_fits_is_cut_as_any(warm: Clef, dense: Clef) -> None:
    with warm.state(TEXT) as state:
        whole = len(warm.encode(body(TEXT, FIRST)).input_ids)
        limits = {"max_length": whole - 20, "truncate": True}
        response = state.decide(FIRST, **limits)
        assert response.truncated_tokens > 0
        assert response.answers == dense.respond(body(TEXT, FIRST), **limits).answers
        with pytest.raises(RequestError, match="the request needs"):
            state.decide(FIRST, max_length=whole - 20)


def test_a_closed_state_says_so(warm: Clef) -> None:
    with warm.state(TEXT) as state:
        pass
    with pytest.raises(ClefError, match="this state is closed"):
        state.decide(FIRST)
    with pytest.raises(RequestError, match="maximum is 50"):
        warm.state(TEXT, max_length=50)


def test_the_cache_is_bounded_and_drops_the_least_used(warm: Clef, dense: Clef) -> None:
    texts = [f"{i} {TEXT}" for i in range(4)]
    warm.logits(body(texts[0], FIRST))
    *_, one = warm._prefill.cache._kept.values()
    warm._prefill.cache.limit = int(2.5 * one.nbytes)
    for text in texts[1:3]:
        warm.logits(body(text, FIRST))
        warm.logits(body(texts[0], FIRST))
        assert warm._prefill.cache.nbytes <= warm._prefill.cache.limit
    assert cached(warm, body(texts[0], SECOND)) > 2 * BLOCK
    assert cached(warm, body(texts[1], SECOND)) < BLOCK
    assert warm.logits(body(texts[1], SECOND)) == dense.logits(body(texts[1], SECOND))


def test_a_state_too_large_with_its_borders_keeps_its_end(warm: Clef) -> None:
    warm.logits(body(TEXT, FIRST))
    *_, whole = warm._prefill.cache._kept.values()
    assert len(whole.snapshots) > 2 and whole.only_last().nbytes < whole.nbytes
    warm._prefill.cache.clear()
    warm._prefill.cache.limit = whole.nbytes - 1
    warm.logits(body(TEXT, FIRST))
    assert cached(warm, body(TEXT, SECOND)) == end_of_state(warm, body(TEXT, SECOND))


def test_bytes_are_those_of_the_arrays(warm: Clef) -> None:
    """Snapshots share their keys and values; what is recurrent each has for itself."""
    warm.logits(body(TEXT, FIRST))
    *_, kept = warm._prefill.cache._kept.values()
    assert isinstance(kept, KeptState)
    text = warm.checkpoint.config.text
    tokens, count = len(kept.ids), len(kept.snapshots)
    linear = text.layer_types.count("linear_attention")
    recurrent = text.linear_num_value_heads * text.linear_value_head_dim * text.linear_key_head_dim
    conv = (text.linear_conv_kernel_dim - 1) * text.conv_channels
    keys = 2 * text.num_key_value_heads * text.head_dim * tokens * (len(text.layer_types) - linear)
    memory = tokens * warm.checkpoint.config.head.width
    numbers = count * linear * (recurrent + conv) + keys + memory
    assert kept.nbytes == 4 * numbers + 8 * tokens


def test_progress_counts_up_and_may_stop_the_work(warm: Clef, dense: Clef) -> None:
    told: list[tuple[int, int]] = []
    request = body(TEXT, FIRST)
    warm.respond(request, progress=lambda *tokens: told.append(tokens))
    total = len(warm.encode(request).input_ids)
    assert [t for _, t in told] == [total] * len(told)
    done = [d for d, _ in told]
    assert done == sorted(done) and done[-1] == total and len(done) > 4

    class Stopped(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done >= 2 * BLOCK:
            raise Stopped

    warm._prefill.cache.clear()
    with pytest.raises(Stopped):
        warm.respond(request, progress=stop)
    assert warm._prefill.cache.nbytes == 0
    assert warm.logits(request) == dense.logits(request)
    with pytest.raises(Stopped):
        warm.state("another " + TEXT, progress=stop)
    assert warm.logits(body("another " + TEXT, SECOND)) == dense.logits(
        body("another " + TEXT, SECOND)
    )


def test_threads_share_kept_states(warm: Clef, dense: Clef) -> None:
    requests = [body(TEXT, FIRST), body(TEXT, SECOND), body(TEXT.upper(), FIRST)] * 3
    want = [dense.logits(request) for request in requests[:3]] * 3
    got: list[Any] = [None] * len(requests)

    def work(i: int) -> None:
        got[i] = warm.logits(requests[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(requests))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == want


def test_cached_tokens_are_on_the_wire_only_on_request(warm: Clef) -> None:
    request = body(TEXT, {"paid": {"type": "noul", "instructions": "Is it paid?"}})
    warm.systemone(request)
    assert "cached_tokens" not in warm.systemone(request)["usage"]
    usage = warm.systemone(request, cached_tokens=True)["usage"]
    assert usage["cached_tokens"] == end_of_state(warm, request)


def test_omni_states_are_resumed(omni: Clef) -> None:
    """Attention alone, with deepstack, pictures and sounds."""
    warm = load(Path(GOLDEN / "tiny-omni"), dtype="float32")
    media = {
        "images": [MEDIA / "receipt.png"],
        "audio": [np.sin(np.arange(8_000) * 0.1).astype(np.float32)],
    }
    for questions in (FIRST, SECOND):
        request = body("What is it?", questions, **media)
        assert warm.logits(request) == omni.logits(request)
    assert cached(warm, request) == end_of_state(warm, request)
    quieter = {**media, "audio": [media["audio"][0] * 0.5]}
    request = body("What is it?", FIRST, **quieter)
    assert cached(warm, request) <= warm.encode(request).prefix_tokens
    assert warm.logits(request) == omni.logits(request)


def test_nothing_lazy_is_kept(warm: Clef) -> None:
    """A kept array that was not evaluated could not be used by another thread."""
    warm.logits(body(TEXT, FIRST))
    before = mx.get_active_memory()
    for kept in warm._prefill.cache._kept.values():
        mx.eval(kept.memory, [vars(layer) for s in kept.snapshots.values() for layer in s])
    assert mx.get_active_memory() == before
