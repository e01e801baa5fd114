"""Which prompts run side by side: those of like length, and those on one state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .encoding import EncodedRequest
from .memory import BLOCK

BATCH_TOKENS = BLOCK  # padded tokens of a batch: what one block of a long prompt has
SEEN_TOKENS = 8 * BLOCK  # tokens whose keys and values a batch holds, shared ones once a row
WINDOW = 64  # requests that are laid out at once


@dataclass(frozen=True)
class Batch:
    """Prompts, by their keys, that share their first ``shared`` tokens."""

    members: tuple[int, ...]
    shared: int


def plan_batches(prompts: Mapping[int, EncodedRequest], tokens: int) -> Iterator[Batch]:
    """Batches of at most ``tokens`` padded tokens; longer prompts are alone.

    Prompts on one state share it. The others share the system prompt only. Batches on one state
    follow each other.
    """
    by_state: dict[tuple[int, ...], list[int]] = {}
    for key, encoded in prompts.items():
        by_state.setdefault(tuple(encoded.input_ids[: encoded.schema_start]), []).append(key)
    single = []
    for members in by_state.values():
        if len(members) == 1:
            single += members
        else:
            yield from _packed(prompts, members, prompts[members[0]].schema_start, tokens)
    if single:
        yield from _packed(prompts, single, prompts[single[0]].prefix_tokens, tokens)


def _packed(
    prompts: Mapping[int, EncodedRequest], members: list[int], shared: int, tokens: int
) -> Iterator[Batch]:
    """Shortest first: a row is padded to the next longest, which is little."""
    batch: list[int] = []
    for key in sorted(members, key=lambda key: len(prompts[key].input_ids)):
        length = len(prompts[key].input_ids)
        rows = len(batch) + 1
        if batch and (rows * (length - shared) > tokens or rows * length > SEEN_TOKENS):
            yield Batch(tuple(batch), shared)
            batch = []
        batch.append(key)
    yield Batch(tuple(batch), shared)
