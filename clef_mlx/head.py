"""The joint schema head: hidden states and spans in, one logit for every allowed option out.

All options of all questions run together; nothing here loops over them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from .architecture import HeadConfig
from .encoding import EncodedRequest, Span
from .layers.linear import Linear
from .request import TYPES

LAYER_NORM_EPS = 1e-5
MAX_LOGIT_SCALE = math.log(100)


@dataclass(frozen=True)
class HeadInputs:
    """Where the head reads, as arrays. ``Q`` questions, ``O`` options of all of them in a row.

    ``M`` tokens of the schema hold all spans; a ``mean`` array has 1 where a row's span has a
    token (a count, where tokens repeat) and is divided by ``length`` afterwards.
    """

    schema: Span  # counted from the schema's first token
    question_mean: mx.array  # [Q, M]
    question_length: mx.array  # [Q, 1]
    option_mean: mx.array  # [O, M]
    option_length: mx.array  # [O, 1]
    token_ids: np.ndarray  # [U]: the distinct tokens of all option spans
    token_mean: mx.array  # [O, U]
    question_of: mx.array  # [O]: each option's question
    members: mx.array  # [Q, O] bool: which options are a question's
    types: mx.array  # [Q]: index into TYPES

    @classmethod
    def build(cls, encoded: EncodedRequest) -> HeadInputs:
        """Lay out the spans of ``encoded``; pure bookkeeping, no model."""
        questions = encoded.questions
        question_spans = np.array([q.span for q in questions])
        option_spans = np.array([span for q in questions for span in q.option_spans])
        owners = np.repeat(np.arange(len(questions)), [len(q.option_spans) for q in questions])
        first = int(min(question_spans.min(), option_spans.min()))
        last = int(max(question_spans.max(), option_spans.max()))
        place = np.arange(first, last)
        in_question, in_option = (
            (place >= spans[:, :1]) & (place < spans[:, 1:])
            for spans in (question_spans, option_spans)
        )
        token_ids, column = np.unique(np.array(encoded.input_ids[first:last]), return_inverse=True)
        counts = np.zeros((len(option_spans), len(token_ids)), dtype=np.float32)
        rows, places = np.nonzero(in_option)
        np.add.at(counts, (rows, column[places]), 1)
        used = counts.any(axis=0)
        return cls(
            schema=(first - encoded.schema_start, last - encoded.schema_start),
            question_mean=mx.array(in_question.astype(np.float32)),
            question_length=mx.array(_lengths(question_spans)),
            option_mean=mx.array(in_option.astype(np.float32)),
            option_length=mx.array(_lengths(option_spans)),
            token_ids=token_ids[used],
            token_mean=mx.array(counts[:, used]),
            question_of=mx.array(owners.astype(np.uint32)),
            members=mx.array(owners == np.arange(len(questions))[:, None]),
            types=mx.array([TYPES.index(q.type) for q in questions]),
        )


def _lengths(spans: np.ndarray) -> np.ndarray:
    return np.asarray(spans[:, 1:] - spans[:, :1], dtype=np.float32)


class HeadAttention(nn.Module):
    """Multi-head attention without a mask; queries from one place, keys and values from another.

    Shapes: ``x`` ``[N, W]``, ``memory`` ``[L, W]`` -> ``[N, W]``.
    Reference: torch 2.11, ``nn.MultiheadAttention``.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.width, self.heads = width, heads
        self.is_eager = False  # keys and values are made even where that costs more
        self._scale = (width // heads) ** -0.5
        self.in_proj = Linear(width, 3 * width, bias=True)  # rows: queries, keys, values
        self.out_proj = Linear(width, width, bias=True)

    def __call__(self, x: mx.array, memory: mx.array) -> mx.array:
        q = self._by_head(self.in_proj(x, slice(0, self.width)))
        projects = self.is_eager or not self._is_cheaper(len(x), len(memory))
        attend = self._on_outputs if projects else self._on_inputs
        return self.out_proj(attend(q, memory).swapaxes(1, 2).reshape(x.shape))

    def _is_cheaper(self, queries: int, keys: int) -> bool:
        """Whether ``_on_inputs`` takes fewer multiplications than ``_on_outputs``."""
        return keys * self.width > keys * self.heads * queries + queries * self.width

    def _on_outputs(self, q: mx.array, memory: mx.array) -> mx.array:
        """Keys and values of the whole memory, then attention."""
        keys_and_values = self.in_proj(memory, slice(self.width, None))
        k, v = (self._by_head(part) for part in mx.split(keys_and_values, 2, axis=-1))
        return mx.fast.scaled_dot_product_attention(q, k, v, scale=self._scale)

    def _on_inputs(self, q: mx.array, memory: mx.array) -> mx.array:
        """The same for few queries and a long memory, whose rows are then never projected.

        ``q (W m + b)`` is ``(q W) m`` and a number that the softmax does not see; a weighted mean
        of ``W m + b`` is ``W`` on the mean of ``m``, and ``b``.
        """
        width, queries = self.width, q.shape[2]
        towards = self.in_proj.by_head(q[0], slice(width, 2 * width), transpose=False)
        # MLX has no fused kernel for heads so wide, and bfloat16 scores would be too coarse.
        one_head, rows = (x.reshape(1, 1, -1, width).astype(mx.float32) for x in (towards, memory))
        mean = mx.fast.scaled_dot_product_attention(one_head, rows, rows, scale=self._scale)
        mean = mean.astype(q.dtype).reshape(-1, queries, width)
        v = self.in_proj.by_head(mean, slice(2 * width, None))
        return (v + self.in_proj.bias[2 * width :].reshape(self.heads, 1, -1))[None]

    def _by_head(self, rows: mx.array) -> mx.array:
        """Shapes: ``[N, W]`` -> ``[1, heads, N, W / heads]``."""
        # MLX's CPU backend multiplies strided views slowly: a copy takes a third of the time.
        return mx.contiguous(rows.reshape(1, rows.shape[0], self.heads, -1).swapaxes(1, 2))


class EvidenceLayer(nn.Module):
    """Each option looks through the whole prompt, on its own; the memory is normed here.

    Shapes: ``options`` ``[O, W]`` float32, ``memory`` ``[L, W]`` -> ``[O, W]`` float32.
    """

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        self.query_norm = _layer_norm(config.width)
        self.memory_norm = _layer_norm(config.width)
        self.feedforward_norm = _layer_norm(config.width)
        self.attention = HeadAttention(config.width, config.heads)
        # The release's numbering: a linear layer, GELU, dropout (inactive), a linear layer.
        self.feedforward = [
            Linear(config.width, config.feedforward, bias=True),
            nn.GELU(),
            nn.Identity(),
            Linear(config.feedforward, config.width, bias=True),
        ]

    def __call__(self, options: mx.array, memory: mx.array) -> mx.array:
        dtype = memory.dtype
        query = self.query_norm(options).astype(dtype)
        options = options + self.attention(query, self.memory_norm(memory))
        return options + _run(self.feedforward, self.feedforward_norm(options).astype(dtype))


class JointLayer(nn.Module):
    """All questions look at each other, then at the prompt; the memory is *not* normed here.

    Shapes: ``fields`` ``[Q, W]`` float32, ``memory`` ``[L, W]`` -> ``[Q, W]`` float32.
    Reference: torch 2.11, ``nn.TransformerDecoderLayer`` with ``norm_first`` and exact GELU.
    """

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        self.self_attn = HeadAttention(config.width, config.heads)
        self.multihead_attn = HeadAttention(config.width, config.heads)
        self.linear1 = Linear(config.width, config.feedforward, bias=True)
        self.linear2 = Linear(config.feedforward, config.width, bias=True)
        self.norm1 = _layer_norm(config.width)
        self.norm2 = _layer_norm(config.width)
        self.norm3 = _layer_norm(config.width)

    def __call__(self, fields: mx.array, memory: mx.array) -> mx.array:
        dtype = memory.dtype
        normed = self.norm1(fields).astype(dtype)
        fields = fields + self.self_attn(normed, normed)
        fields = fields + self.multihead_attn(self.norm2(fields).astype(dtype), memory)
        return fields + self.linear2(nn.gelu(self.linear1(self.norm3(fields).astype(dtype))))


class JointHead(nn.Module):
    """Scores every allowed option of every question in one pass.

    Reference: ``JointSchemaHead`` in joint_schema_model.py (Cloudflare/clef-flash @17f0b0ad).
    """

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        hidden, width = config.hidden_size, config.width
        self.hidden_norm = _layer_norm(hidden)
        for name in (
            "memory_projection",
            "question_projection",
            "option_question_projection",
            "global_projection",
            "option_context_projection",
            "option_lexical_projection",
        ):
            setattr(self, name, Linear(hidden, width))
        self.type_embedding = nn.Embedding(len(TYPES), width)
        self.evidence_layers = [EvidenceLayer(config) for _ in range(config.routing_layers)]
        self.option_summary_norm = _layer_norm(width)
        self.layers = [JointLayer(config) for _ in range(config.layers)]
        self.field_norm = _layer_norm(width)
        self.option_norm = _layer_norm(width)
        self.residual_scorer = [
            Linear(4 * width, width, bias=True),
            nn.GELU(),
            nn.Identity(),
            Linear(width, 1, bias=True),
        ]
        self.prior_logit_scale = mx.zeros(())
        self.joint_logit_scale = mx.zeros(())
        self.residual_gate = mx.zeros(())

    def read(self, hidden: mx.array) -> tuple[mx.array, mx.array]:
        """What the head needs of any tokens: their normed hidden states and the memory of them.

        Shapes: ``hidden`` ``[..., D]`` (after the backbone's final norm) -> the same and
        ``[..., W]``.
        """
        normed = self.hidden_norm(hidden)
        return normed, self.memory_projection(normed)

    def __call__(
        self, memory: mx.array, tail: mx.array, inputs: HeadInputs, token_rows: mx.array
    ) -> mx.array:
        """Logits of all options, in the order of ``inputs``.

        Shapes: ``memory`` ``[L, W]`` of the whole prompt, ``tail`` ``[T, D]`` normed hidden states
        from the schema's first token on, both as from ``read``; ``token_rows`` ``[U, D]``
        (``lm_head`` rows of ``inputs.token_ids``, as stored) -> ``[O]`` float32.
        """
        dtype = tail.dtype
        last = tail[-1:]  # the prompt's last token has seen everything
        schema = tail[slice(*inputs.schema)].astype(mx.float32)
        question = inputs.question_mean @ schema / inputs.question_length
        context = inputs.option_mean @ schema / inputs.option_length
        lexical = inputs.token_mean @ token_rows.astype(mx.float32) / inputs.option_length
        own_question = inputs.question_of

        # Like the backbone's, the sums that run through the layers are float32: they are small.
        options = (
            self.option_context_projection(context.astype(dtype)).astype(mx.float32)
            + self.option_lexical_projection(lexical.astype(dtype))
            + self.option_question_projection(question.astype(dtype))[own_question]
        )
        for evidence in self.evidence_layers:
            options = evidence(options, memory)

        fields = self.question_projection(question.astype(dtype)).astype(mx.float32)
        fields = (
            fields
            + self.option_summary_norm(_summarize(fields, options, inputs.members))
            + self.global_projection(last)
            + self.type_embedding(inputs.types)
        )
        for layer in self.layers:
            fields = layer(fields, memory)
        fields = self.field_norm(fields).astype(dtype)
        options = self.option_norm(options).astype(dtype)

        prior = _cosine(lexical, (question + last)[own_question], 1e-12)
        return self._score(fields[own_question], options, prior)

    def _score(self, fields: mx.array, options: mx.array, prior: mx.array) -> mx.array:
        """Shapes: ``fields``, ``options`` ``[O, W]``, ``prior`` ``[O]`` -> ``[O]`` float32."""
        pair = mx.concatenate(
            [fields, options, fields * options, mx.abs(fields - options)], axis=-1
        )
        residual = _run(self.residual_scorer, pair).squeeze(-1).astype(mx.float32)
        joint = _scale(self.joint_logit_scale) * _cosine(fields, options, 1e-8) + residual
        gate = mx.sigmoid(self.residual_gate.astype(mx.float32))
        return _scale(self.prior_logit_scale) * prior + gate * joint


def _summarize(fields: mx.array, options: mx.array, members: mx.array) -> mx.array:
    """Each question's options, weighted by how well they match it: ``[Q, W]``.

    A softmax over the question's own options; the float32 ``[Q, O]`` matrix holds 0 elsewhere.
    """
    match = (fields @ options.T).astype(mx.float32) * options.shape[-1] ** -0.5
    weights = mx.softmax(mx.where(members, match, -mx.inf), axis=-1)
    return weights.astype(options.dtype) @ options


def _cosine(a: mx.array, b: mx.array, eps: float) -> mx.array:
    """Cosine of each pair of rows, each length at least ``eps``: ``[N, D]`` -> ``[N]`` float32."""
    a, b = a.astype(mx.float32), b.astype(mx.float32)
    lengths = [mx.maximum(mx.linalg.norm(x, axis=-1), eps) for x in (a, b)]
    return (a * b).sum(axis=-1) / lengths[0] / lengths[1]


def _scale(log_scale: mx.array) -> mx.array:
    return mx.exp(mx.minimum(log_scale.astype(mx.float32), MAX_LOGIT_SCALE))


def _layer_norm(size: int) -> nn.LayerNorm:
    return nn.LayerNorm(size, eps=LAYER_NORM_EPS)


def _run(layers: list[nn.Module], x: mx.array) -> mx.array:
    for layer in layers:
        x = layer(x)
    return x
