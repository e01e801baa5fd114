"""A checked ``Request`` to token ids and spans, piece by piece as the release does."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Regex, Tokenizer, pre_tokenizers

from .errors import CheckpointError, RequestError
from .request import Question, Request

# Prompt literals of the release (see NOTICE): they must match byte for byte.
# Reference: `encode_record` in joint_schema_model.py (Cloudflare/clef-flash @17f0b0ad).
PREFIX = (
    "<|im_start|>system\nRead the complete state and schema. Decide every field jointly. Each "
    "answer must be exactly one of that field's allowed options.<|im_end|>\n<|im_start|>user\n"
    "STATE:\n"
)
SCHEMA_HEADER = "\n\nSCHEMA FIELDS:\n"
FIELD_HEADER = "\nFIELD {number}\nID: {id}\nTYPE: {type}\nINSTRUCTION: "
OPTIONS_HEADER = "\nALLOWED OPTIONS:\n"
OPTION_HEADER = "OPTION {number}: "
FIELD_END = "END FIELD\n"
SUFFIX = "\n<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\nJOINT SCHEMA DECISIONS:"

Span = tuple[int, int]  # half-open, in tokens


@dataclass(frozen=True)
class EncodedQuestion:
    """Where one question stands in the prompt; options in the order the model reads them."""

    id: str
    type: str
    span: Span  # the instruction's tokens
    option_ids: tuple[str, ...]
    option_spans: tuple[Span, ...]  # each option's JSON body


@dataclass(frozen=True)
class EncodedRequest:
    """The whole prompt. ``input_ids`` are the ``L`` tokens of prefix, state, schema and suffix."""

    input_ids: list[int]
    questions: tuple[EncodedQuestion, ...]
    prefix_tokens: int  # the system prompt, the same in every request
    schema_start: int  # the first token after the state
    state_tokens: int  # kept
    truncated_tokens: int = 0  # of the state, cut from its end
    positions: Any = None  # [3, L] with media, None where all three axes count 0, 1, 2, ...
    media: Any = field(default_factory=dict)  # the release's tensors by name
    is_media: Any = None  # [L] with media: the tokens that stand for patches

    @property
    def media_key(self) -> str | None:
        """Content of the media: equal for equal media, and only then."""
        return self.media.key if self.media else None


@dataclass(frozen=True)
class MediaPrompt:
    """The tokens of a request's media, between the prefix and the state."""

    ids: list[int]
    grids: tuple[tuple[int, int, int], ...]  # of patches, one for each run of pads
    pads: frozenset[int]  # the tokens that stand for patches
    marks: frozenset[int] = frozenset()  # more tokens that mark media: no text may hold them
    positions: Any = None  # [3, M] counted from the first token of media; None: told from grids

    def is_pad(self) -> np.ndarray:
        """Which of ``ids`` stand for patches."""
        return np.isin(self.ids, list(self.pads))


class Encoder:
    """Tokenizes requests with the folder's own ``tokenizer.json``, used as shipped."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        # A file may carry padding or truncation settings; the release's calls use neither.
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer
        self._last_state: tuple[str, list[int]] = "", []
        self._fixed = {
            text: self.tokenize(text)
            for text in (PREFIX, SCHEMA_HEADER, OPTIONS_HEADER, "\n", FIELD_END, SUFFIX)
        }

    @classmethod
    def from_file(cls, path: Path, word_rule: str | None = None) -> Encoder:
        """Read ``tokenizer.json``; ``word_rule`` replaces the rule by which it splits words.

        Raises ``CheckpointError`` if the file is missing or broken.
        """
        if not path.is_file():
            raise CheckpointError(f"{path} is missing: the model cannot read text without it")
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise CheckpointError(f"{path} is not a tokenizer file: {error}") from None
        if word_rule is not None:
            tokenizer.pre_tokenizer = word_splitter(word_rule)
        return cls(tokenizer)

    def encode(
        self,
        request: Request,
        max_length: int,
        truncate: bool = False,
        media: MediaPrompt | None = None,
    ) -> EncodedRequest:
        """Lay out the prompt in at most ``max_length`` tokens.

        Every piece is tokenized by itself, so that no merge crosses a border. A state that does
        not fit is refused, or with ``truncate`` cut to its first tokens as the reference cuts it.
        Raises ``RequestError``, with the counts, where the request does not fit.
        """
        prefix, suffix = self.prefix + ([] if media is None else media.ids), self._fixed[SUFFIX]
        pads = frozenset() if media is None else media.pads | media.marks
        schema, questions = self._encode_schema(request.questions, pads)
        state = self._tokenize_state(request.state)
        _refuse_pads(state, pads, "state")
        fixed = len(prefix) + len(schema) + len(suffix)
        if fixed > max_length:
            raise RequestError(
                f"schema requires {fixed} tokens before state; maximum is {max_length}",
                "questions",
            )
        room = max_length - fixed
        if len(state) > room and not truncate:
            raise RequestError(
                f"the request needs {fixed + len(state)} tokens and the limit is {max_length}: "
                f"{len(state)} are state, {room} of them would fit; shorten the state, raise the "
                "limit (max_length) or have the state cut (truncate)",
                "state",
            )
        kept = state[:room]
        shift = len(prefix) + len(kept)
        return EncodedRequest(
            input_ids=prefix + kept + schema + suffix,
            questions=tuple(_shifted(question, shift) for question in questions),
            prefix_tokens=len(self.prefix),
            schema_start=shift,
            state_tokens=len(kept),
            truncated_tokens=len(state) - len(kept),
        )

    def _encode_schema(
        self, questions: tuple[Question, ...], pads: frozenset[int]
    ) -> tuple[list[int], list[EncodedQuestion]]:
        """The schema's tokens, and every question with spans counted from the schema's start."""
        ids = list(self._fixed[SCHEMA_HEADER])

        def append(piece: list[int]) -> Span:
            ids.extend(piece)
            return len(ids) - len(piece), len(ids)

        encoded = []
        for number, question in enumerate(questions, start=1):
            start = len(ids)
            header = FIELD_HEADER.format(number=number, id=question.id, type=question.type)
            append(self.tokenize(header))
            span = append(self.tokenize(question.instruction))
            if span[0] == span[1]:
                raise RequestError(
                    f"questions.{question.id}.instructions render to no token",
                    f"questions.{question.id}.instructions",
                )
            append(self._fixed[OPTIONS_HEADER])
            options = [question.options[index] for index in question.scored]
            spans = []
            for k, option in enumerate(options, start=1):
                append(self.tokenize(OPTION_HEADER.format(number=k)))
                spans.append(append(self.tokenize(option.text)))
                append(self._fixed["\n"])
            append(self._fixed[FIELD_END])
            _refuse_pads(ids[start:], pads, f"questions.{question.id}")
            names = tuple(option.id for option in options)
            encoded.append(EncodedQuestion(question.id, question.type, span, names, tuple(spans)))
        return ids, encoded

    @property
    def prefix(self) -> list[int]:
        """The tokens before pictures and state, the same in every prompt."""
        return self._fixed[PREFIX]

    def _tokenize_state(self, text: str) -> list[int]:
        """As ``tokenize``; the next request often has the same state, so the last is kept."""
        last, ids = self._last_state
        if text != last:
            ids = self.tokenize(text)
            self._last_state = text, ids
        return ids

    def tokenize(self, text: str) -> list[int]:
        """One piece of the prompt by itself."""
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids


def _refuse_pads(ids: list[int], pads: frozenset[int], where: str) -> None:
    """With media in the request, a pad token in its text has no patches to stand for."""
    if not pads.isdisjoint(ids):
        raise RequestError(
            f"{where} holds the text of a media token (such as <|image_pad|>), which the model "
            "cannot tell from real media in the same request; take it out",
            where,
        )


def word_splitter(rule: str) -> pre_tokenizers.PreTokenizer:
    """The release's way to bytes: words by ``rule``, then each word's bytes."""
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(rule), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


def _shifted(question: EncodedQuestion, by: int) -> EncodedQuestion:
    return EncodedQuestion(
        question.id,
        question.type,
        _move(question.span, by),
        question.option_ids,
        tuple(_move(span, by) for span in question.option_spans),
    )


def _move(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by
