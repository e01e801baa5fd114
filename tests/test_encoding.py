"""``encoding``: the prompt's exact tokens, where each span lies, and what is cut or refused."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from conftest import GOLDEN, golden_cases
from tokenizers import Tokenizer, models

from clef_mlx import (
    CheckpointError,
    Choice,
    EncodedRequest,
    Noul,
    RequestError,
    Score,
    parse_request,
)
from clef_mlx.encoding import (
    FIELD_END,
    FIELD_HEADER,
    OPTION_HEADER,
    OPTIONS_HEADER,
    PREFIX,
    SCHEMA_HEADER,
    SUFFIX,
    Encoder,
)
from clef_mlx.request import Request

TOKENIZER = GOLDEN / "tiny-dense" / "tokenizer.json"
LIMIT = 100_000
# The whole prompt of the first golden case, spelled out once: no piece may change by a byte.
PROMPT = """<|im_start|>system
Read the complete state and schema. Decide every field jointly. Each answer must be exactly one of \
that field's allowed options.<|im_end|>
<|im_start|>user
STATE:
The parcel arrived broken.

SCHEMA FIELDS:

FIELD 1
ID: damaged
TYPE: noul
INSTRUCTION: damaged
ALLOWED OPTIONS:
OPTION 1: {"description":"The proposition is true or the answer is yes.","option_id":"true"}
OPTION 2: {"description":"The proposition is false or the answer is no.","option_id":"false"}
END FIELD

<|im_end|>
<|im_start|>assistant
<think>

</think>

JOINT SCHEMA DECISIONS:"""
REQUESTS: list[dict[str, Any]] = [
    {"state": "plain text", "questions": {"q": Noul("Is it?")}},
    {"state": "", "questions": {"q": Noul(" "), "0": Noul(0), "{x}": Choice("{0}", {"{}": "{y}"})}},
    {
        "state": {"b": [1, 2.5, None], "a": "日本語 ünïcödé 😀"},
        "questions": {
            "team": Choice(
                "Which\nteam?\n", {"tech": None, "billing": "charges", "10": "", "2": {}}
            ),
            "urgency": Score({"ask": "How urgent?"}, ["low", None, {"z": 1, "a": [2]}]),
        },
    },
    {
        "state": "\n\n\n  x\t",
        "questions": {"  ": Noul("\n\n"), "é": Score("\x00\x7f", ["\r\n"] * 12)},
    },
    {"state": "x", "questions": {f"q{i}": Choice("?", dict.fromkeys("cab")) for i in range(12)}},
    {"state": "<|im_end|>", "questions": {"<think>": Choice("<|im_start|>", {"<|image_pad|>": 1})}},
]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder.from_file(TOKENIZER)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(TOKENIZER))


def ids_of(tokenizer: Tokenizer, text: str) -> list[int]:
    return tokenizer.encode(text, add_special_tokens=False).ids


def text_of(tokenizer: Tokenizer, ids: list[int]) -> str:
    return tokenizer.decode(ids, skip_special_tokens=False)


def pieces_of(request: Request) -> list[str]:
    """The texts that are tokenized one by one: the plain twin of the encoder."""
    pieces = [PREFIX, request.state, SCHEMA_HEADER]
    for number, question in enumerate(request.questions, 1):
        header = {"number": number, "id": question.id, "type": question.type}
        pieces += [FIELD_HEADER.format(**header), question.instruction, OPTIONS_HEADER]
        for k, index in enumerate(question.scored, 1):
            pieces += [OPTION_HEADER.format(number=k), question.options[index].text, "\n"]
        pieces.append(FIELD_END)
    return [*pieces, SUFFIX]


def refusal(call: Any) -> tuple[str, str]:
    with pytest.raises(RequestError) as caught:
        call()
    return caught.value.param, str(caught.value)


def test_the_whole_prompt_byte_for_byte(encoder: Encoder, tokenizer: Tokenizer) -> None:
    golden = golden_cases("dense")[0]
    request = parse_request(golden["request"])
    assert "".join(pieces_of(request)) == PROMPT
    encoded = encoder.encode(request, LIMIT)
    assert encoded.input_ids == golden["expected"]["input_ids"]
    assert text_of(tokenizer, encoded.input_ids) == PROMPT


@pytest.mark.parametrize("body", REQUESTS)
def test_every_piece_is_tokenized_by_itself(
    encoder: Encoder, tokenizer: Tokenizer, body: dict[str, Any]
) -> None:
    pieces = pieces_of(parse_request(body))
    separately = [id for piece in pieces for id in ids_of(tokenizer, piece)]
    assert encoder.encode(parse_request(body), LIMIT).input_ids == separately
    # A merge across a border would give other ids: the test above can fail.
    assert ids_of(tokenizer, "".join(pieces)) != separately


@pytest.mark.parametrize("body", REQUESTS)
def test_spans_decode_to_the_rendered_texts(
    encoder: Encoder, tokenizer: Tokenizer, body: dict[str, Any]
) -> None:
    request = parse_request(body)
    encoded = encoder.encode(request, LIMIT)
    assert encoded.truncated_tokens == 0
    for asked, placed in zip(request.questions, encoded.questions, strict=True):
        assert (placed.id, placed.type) == (asked.id, asked.type)
        assert text_of(tokenizer, encoded.input_ids[slice(*placed.span)]) == asked.instruction
        scored = [asked.options[index] for index in asked.scored]
        assert list(placed.option_ids) == [option.id for option in scored]
        for option, span in zip(scored, placed.option_spans, strict=True):
            assert text_of(tokenizer, encoded.input_ids[slice(*span)]) == option.text


def test_the_order_asked_does_not_change_the_prompt_of_a_choice(encoder: Encoder) -> None:
    names = ["b", "10", "a", "2", "B"]

    def encode(order: list[str]) -> EncodedRequest:
        body = {"state": "s", "questions": {"q": Choice("Which?", dict.fromkeys(order))}}
        return encoder.encode(parse_request(body), LIMIT)

    assert encode(names) == encode(sorted(names)) == encode(names[::-1])
    assert encode(names).questions[0].option_ids == ("10", "2", "B", "a", "b")


@pytest.mark.parametrize(
    ("text", "id"),
    [("<|endoftext|>", 1996), ("<|im_start|>", 1997), ("<|im_end|>", 1998), ("<think>", 2020)],
)
def test_special_tokens_in_text_become_special_ids(encoder: Encoder, text: str, id: int) -> None:
    inside = f"x{text}y"
    plain = parse_request({"state": "xy", "questions": {"xy": Choice("xy", {"xy": "xy"})}})
    special = parse_request(
        {"state": inside, "questions": {inside: Choice(inside, {inside: inside})}}
    )
    counts = [encoder.encode(request, LIMIT).input_ids.count(id) for request in (plain, special)]
    assert counts[1] - counts[0] == 5


@pytest.mark.parametrize("text", ["é", "Åström", "각", "ṩ̣", "한국어 e\u0301", "क़", "ﬁ e\u0301"])
def test_decomposed_text_gives_the_ids_of_composed_text(encoder: Encoder, text: str) -> None:
    def encode(form: str) -> EncodedRequest:
        given = unicodedata.normalize(form, text)
        body = {"state": given, "questions": {"q": Choice(given, {"a": given})}}
        return encoder.encode(parse_request(body), LIMIT)

    assert encode("NFD").input_ids == encode("NFC").input_ids


def test_truncation_keeps_the_first_tokens_of_the_state(
    encoder: Encoder, tokenizer: Tokenizer
) -> None:
    state = "one 日本 two 😀 three " * 3
    request = parse_request(
        {"state": state, "questions": {"q": Choice("Which?", {"b": 1, "a": 2})}}
    )
    ids = ids_of(tokenizer, state)
    whole = encoder.encode(request, LIMIT)
    fixed = len(whole.input_ids) - len(ids)
    prefix = len(ids_of(tokenizer, PREFIX))
    for kept in range(len(ids) + 1):
        cut = encoder.encode(request, fixed + kept, truncate=True)
        lost = len(ids) - kept
        assert cut.input_ids == (
            whole.input_ids[: prefix + kept] + whole.input_ids[prefix + len(ids) :]
        )
        assert (cut.state_tokens, cut.truncated_tokens) == (kept, lost)
        for moved, full in zip(cut.questions, whole.questions, strict=True):
            spans = [(first - lost, last - lost) for first, last in (full.span, *full.option_spans)]
            assert [moved.span, *moved.option_spans] == spans


def test_a_request_that_fits_exactly_needs_no_cut(encoder: Encoder) -> None:
    request = parse_request({"state": "some state", "questions": {"q": Noul("Is it?")}})
    exact = len(encoder.encode(request, LIMIT).input_ids)
    for truncate in (False, True):
        assert encoder.encode(request, exact, truncate).truncated_tokens == 0


def test_an_empty_state_may_fill_the_limit_with_the_schema_alone(encoder: Encoder) -> None:
    request = parse_request({"state": "", "questions": {"q": Noul("Is it?")}})
    fixed = len(encoder.encode(request, LIMIT).input_ids)
    assert encoder.encode(request, fixed).state_tokens == 0
    for truncate in (False, True):
        assert refusal(lambda cut=truncate: encoder.encode(request, fixed - 1, cut)) == (
            "questions",
            f"schema requires {fixed} tokens before state; maximum is {fixed - 1}",
        )


def test_a_state_too_long_is_refused_with_the_counts(
    encoder: Encoder, tokenizer: Tokenizer
) -> None:
    request = parse_request({"state": "word " * 50, "questions": {"q": Noul("Is it?")}})
    needed = len(encoder.encode(request, LIMIT).input_ids)
    state = len(ids_of(tokenizer, request.state))
    place, message = refusal(lambda: encoder.encode(request, needed - 3))
    assert place == "state"
    assert f"needs {needed} tokens and the limit is {needed - 3}" in message
    assert f"{state} are state, {state - 3} of them would fit" in message
    assert "max_length" in message and "truncate" in message


def test_instructions_without_a_token_are_refused() -> None:
    encoder = Encoder(Tokenizer(models.BPE({"a": 0}, [])))  # knows one letter, drops the rest
    body = {"state": "a", "questions": {"fine": Noul("a"), "odd": Noul("zzz")}}
    assert refusal(lambda: encoder.encode(parse_request(body), LIMIT)) == (
        "questions.odd.instructions",
        "questions.odd.instructions render to no token",
    )


SETTINGS: list[dict[str, Any]] = [
    {"truncation": {"direction": "Left", "max_length": 7, "strategy": "LongestFirst", "stride": 0}},
    {
        "padding": {
            "strategy": {"Fixed": 64},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 5,
            "pad_type_id": 0,
            "pad_token": "x",
        }
    },
    {
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<|im_end|>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}],
            "special_tokens": {
                "<|im_end|>": {"id": "<|im_end|>", "ids": [1998], "tokens": ["<|im_end|>"]}
            },
        }
    },
]


@pytest.mark.parametrize("settings", SETTINGS, ids=["truncation", "padding", "post_processor"])
def test_settings_of_the_tokenizer_file_change_no_id(
    encoder: Encoder, tmp_path: Path, settings: dict[str, Any]
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({**json.loads(TOKENIZER.read_bytes()), **settings}))
    text = "The settings change a plain call."
    plain, changed = (Tokenizer.from_file(str(file)).encode(text).ids for file in (TOKENIZER, path))
    assert plain != changed
    for body in REQUESTS:
        request = parse_request(body)
        assert Encoder.from_file(path).encode(request, LIMIT) == encoder.encode(request, LIMIT)


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"\xff\xfe", b"null", TOKENIZER.read_bytes()[:5000]],
    ids=["empty", "no keys", "list", "not UTF-8", "null", "cut short"],
)
def test_a_broken_tokenizer_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(CheckpointError) as caught:
        Encoder.from_file(path)
    assert str(caught.value).startswith(f"{path} is not a tokenizer file: ")


@pytest.mark.parametrize("make", [None, Path.mkdir], ids=["missing", "a folder"])
def test_a_missing_tokenizer_file_is_named(tmp_path: Path, make: Any) -> None:
    path = tmp_path / "tokenizer.json"
    if make:
        make(path)
    with pytest.raises(CheckpointError) as caught:
        Encoder.from_file(path)
    assert str(caught.value) == f"{path} is missing: the model cannot read text without it"
