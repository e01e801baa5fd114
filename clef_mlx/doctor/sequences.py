"""What runs along a prompt, against its definition: DeltaNet, attention, positions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import mlx.core as mx
import numpy as np

from ..architecture import TextConfig
from ..layers.attention import causal_attention
from ..layers.delta_rule import gated_delta, gated_delta_chunked
from ..layers.rope import Rotary
from ..published import NAMES, published_config
from .check import DTYPES, Check, Pair, bound_of, own_dtype, to_mlx, widened

LENGTHS = (1, 33, 64, 150)  # tokens; most are no multiple of 32
MANY = 32_801  # tokens, past 2^15
BLOCKS = ((77, 77), (130, 333), (1_100, 1_100))  # queries, and keys they look back on
FAR = (0, 40_000)  # first positions
Delta = Callable[..., tuple[mx.array, mx.array]]


def checks() -> list[Check]:
    """All checks of this module."""
    own = own_dtype()
    made = []
    for heads, size in delta_shapes():
        title = f"DeltaNet, {heads[0]}/{heads[1]} heads of {size}"
        for dtype in DTYPES:
            bound = bound_of(dtype)
            cases = partial(_delta, _kernel, heads, size, LENGTHS, dtype)
            made.append(Check(f"{title}, Metal kernel, {dtype}", bound, cases, only_metal=True))
        cases = partial(_delta, _chunks, heads, size, LENGTHS, "float32")
        made.append(Check(f"{title}, in chunks, float32", bound_of("float32"), cases))
    for name, fast in (("Metal kernel", _kernel), ("in chunks", _chunks)):
        cases = partial(_delta, fast, (1, 1), 32, (MANY,), "float32")
        title = f"DeltaNet, {MANY:,} tokens, {name}, float32"
        made.append(Check(title, bound_of("float32"), cases, only_metal=fast is _kernel))
    shapes = attention_shapes()
    for (group, size), names in shapes.items():
        title = f"attention of {', '.join(names)}, heads of {size}, {own}"
        made.append(Check(title, bound_of(own), partial(_attention, [(group, size)], BLOCKS, own)))
    for dtype in (name for name in DTYPES if name != own):
        cases = partial(_attention, list(shapes), BLOCKS[:1], dtype)
        made.append(Check(f"attention of all models, {dtype}", bound_of(dtype), cases))
    cases = partial(_attention, [(2, 256)], ((33, MANY),), own)
    made.append(Check(f"attention to {MANY:,} tokens, heads of 256, {own}", bound_of(own), cases))
    for name in ("clef-flash", "clef-omni"):
        title = f"rotary positions of {name} up to {FAR[-1] + LENGTHS[-1]:,}, {own}"
        # An angle of 40,000 has three decimals in float32, whoever forms it.
        made.append(Check(title, max(bound_of(own), 1e-2), partial(_rotary, name, own)))
    return made


def delta_shapes() -> list[tuple[tuple[int, int], int]]:
    """Distinct key and value heads, and their size, of the releases."""
    texts = [published_config(name).text for name in NAMES]
    return sorted(
        {
            ((t.linear_num_key_heads, t.linear_num_value_heads), t.linear_key_head_dim)
            for t in texts
            if t.linear_num_key_heads
        }
    )


def attention_shapes() -> dict[tuple[int, int], list[str]]:
    """Query heads of one key head, and their size: the releases that have them."""
    found: dict[tuple[int, int], list[str]] = {}
    for name in NAMES:
        text = published_config(name).text
        group = text.num_attention_heads // text.num_key_value_heads
        found.setdefault((group, text.head_dim), []).append(name)
    return found


def _kernel(*inputs: mx.array) -> tuple[mx.array, mx.array]:
    return gated_delta(*inputs)


def _chunks(*inputs: mx.array) -> tuple[mx.array, mx.array]:
    return gated_delta_chunked(*inputs)


def _delta(
    fast: Delta, heads: tuple[int, int], size: int, lengths: tuple[int, ...], dtype: str
) -> Iterator[Pair]:
    for length in lengths:
        inputs = _delta_inputs(length, heads, size, dtype)
        plain = recurrence(*(widened(x).astype(np.float64) for x in inputs))
        for what, got, want in zip(("outputs", "state"), fast(*inputs), plain, strict=True):
            yield Pair(f"{what}, {length:,} tokens", got, want)


def _delta_inputs(length: int, heads: tuple[int, int], size: int, dtype: str) -> list[mx.array]:
    """Queries, keys, values, log decays, betas and a state, as a layer makes them.

    Decays are from almost nothing (which bfloat16 would round away) to almost all.
    """
    rng = np.random.default_rng(length)

    def draw(*tail: int) -> np.ndarray:
        return rng.normal(size=(1, length, *tail))

    q, k = draw(heads[0], size), draw(heads[0], size)
    q, k = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (q, k))
    log_decay = -(10.0 ** rng.uniform(-4, 0.7, (1, length, heads[1])))
    beta = rng.random((1, length, heads[1]))
    state = rng.normal(size=(1, heads[1], size, size))
    narrow = [q * size**-0.5, k, draw(heads[1], size)]
    wide = [log_decay, beta, state]
    return [*(to_mlx(x, dtype) for x in narrow), *(to_mlx(x, "float32") for x in wide)]


def recurrence(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    log_decay: np.ndarray,
    beta: np.ndarray,
    state: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The gated delta rule as ``layers/delta_rule.py`` defines it, token by token."""
    shared = v.shape[2] // k.shape[2]
    q, k = np.repeat(q, shared, axis=2), np.repeat(k, shared, axis=2)
    decay = np.exp(log_decay)[..., None, None]
    outputs = []
    for t in range(q.shape[1]):
        state = state * decay[:, t]
        seen = (state @ k[:, t, :, :, None])[..., 0]
        delta = (v[:, t] - seen) * beta[:, t, :, None]
        state = state + delta[..., None] * k[:, t, :, None, :]
        outputs.append((state @ q[:, t, :, :, None])[..., 0])
    return np.stack(outputs, axis=1), state


def _attention(
    shapes: list[tuple[int, int]], blocks: tuple[tuple[int, int], ...], dtype: str
) -> Iterator[Pair]:
    for group, size in shapes:
        for queries, keys in blocks:
            rng = np.random.default_rng(keys)
            q, k, v = (
                to_mlx(rng.normal(size=(1, heads, length, size)), dtype)
                for heads, length in ((group, queries), (1, keys), (1, keys))
            )
            plain = softmax_attention(widened(q)[0], widened(k)[0], widened(v)[0])
            case = f"{queries:,} queries, {keys:,} keys of {size}"
            yield Pair(case, causal_attention(q, k, v)[0], plain)


def softmax_attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Causal attention of the last tokens, all scores at once: ``[H, L, Dk]`` -> the same."""
    scores = q.shape[-1] ** -0.5 * (q @ k.swapaxes(-1, -2))
    seen = np.arange(k.shape[1]) - (k.shape[1] - q.shape[1])
    scores = np.where(seen <= np.arange(q.shape[1])[:, None], scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray((weights / weights.sum(axis=-1, keepdims=True)) @ v)


def _rotary(name: str, dtype: str) -> Iterator[Pair]:
    text = published_config(name).text
    length = LENGTHS[-1]
    x = to_mlx(np.random.default_rng(0).normal(size=(1, 2, length, text.head_dim)), dtype)
    for first in FAR:
        fast = mx.fast.rope(
            *(x, text.rotary_dim),
            traditional=False,
            base=text.rope_theta,
            scale=1.0,
            offset=first,
        )
        yield Pair(f"from {first:,}", fast, rotate(widened(x), first, text))


def rotate(x: np.ndarray, first: int, text: TextConfig) -> np.ndarray:
    """Rotary positions from ``first`` on, by the tables that prompts with pictures use."""
    positions = np.tile(np.arange(first, first + x.shape[2]), (3, 1))
    table = Rotary.at(positions, text)
    cos, sin = np.array(table.cos), np.array(table.sin)
    half = text.rotary_dim // 2
    low, high, rest = x[..., :half], x[..., half : 2 * half], x[..., 2 * half :]
    return np.concatenate([low * cos - high * sin, high * cos + low * sin, rest], axis=-1)
