"""The joint schema head in torch: hidden states and spans in, a logit for every option out.

Names, axes and results are those of ``clef_mlx.head``; see ``network`` for the letters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

MAX_LOGIT_SCALE = math.log(100)
ALWAYS, OUTSIDE, CHANGES = range(3)  # columns of token rows with a meaning at the start
DROPPED = 0.1  # of what the head's inner layers hold, while training
SMALL = 0.3  # of layers at the start, against the running sum
SHUN = 3.0  # how little tokens outside the state are looked at
SINK = 3.0  # how much the word before the state is looked at where nothing in it is alike
SHARP = 1.6  # of the evidence layers' queries and keys at the start
HEAD_STARTS = {  # multiples of the identity
    **{"memory": 1.0, "question": 1.0, "global": 1.0},
    **{"option_context": 0.5, "option_lexical": 2.0, "option_question": 0.7},
}


@dataclass(frozen=True)
class Batch:
    """Encoded records, padded. Rows of a ``mean`` matrix sum to 1 over their span's tokens."""

    ids: Tensor  # [B, L]
    tokens: Tensor  # [B, L] bool: real ones
    last: Tensor  # [B]: index of each record's last token
    question_mean: Tensor  # [B, Q, L]
    option_mean: Tensor  # [B, O, L]
    owner: Tensor  # [B, O]: each option's question
    members: Tensor  # [B, Q, O] bool
    types: Tensor  # [B, Q]
    asked: Tensor  # [B, Q] bool: real questions


class HeadAttention(nn.Module):
    """Multi-head attention: ``x`` ``[B, N, W]``, ``memory`` ``[B, L, W]`` -> ``[B, N, W]``.

    ``seen`` ``[B, L]`` bool hides the padding of ``memory``; ``looks`` ``[B, H, N, L]`` is what
    the last pass attended to.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * width, width))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * width))
        self.out_proj = nn.Linear(width, width)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def forward(self, x: Tensor, memory: Tensor, seen: Tensor) -> Tensor:
        width = x.shape[-1]
        q = F.linear(x, self.in_proj_weight[:width], self.in_proj_bias[:width])
        k, v = F.linear(memory, self.in_proj_weight[width:], self.in_proj_bias[width:]).chunk(2, -1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))
        scores = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5
        self.looks = scores.masked_fill(~seen[:, None, None, :], -math.inf).softmax(-1)
        return self.out_proj((self.looks @ v).transpose(1, 2).flatten(2))


class EvidenceLayer(nn.Module):
    """Each option looks through its whole prompt; the memory is normed here."""

    def __init__(self, head: dict[str, Any]) -> None:
        super().__init__()
        width, wide = head["width"], head["feedforward"]
        self.query_norm, self.memory_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.feedforward_norm = nn.LayerNorm(width)
        self.attention = HeadAttention(width, head["heads"])
        self.feedforward = nn.Sequential(
            nn.Linear(width, wide), nn.GELU(), nn.Dropout(DROPPED), nn.Linear(wide, width)
        )

    def forward(self, options: Tensor, memory: Tensor, seen: Tensor) -> Tensor:
        query = self.query_norm(options)
        options = options + self.attention(query, self.memory_norm(memory), seen)
        return options + self.feedforward(self.feedforward_norm(options))


class JointLayer(nn.Module):
    """A record's questions look at each other, then at the prompt, which is not normed here."""

    def __init__(self, head: dict[str, Any]) -> None:
        super().__init__()
        width, wide = head["width"], head["feedforward"]
        self.self_attn = HeadAttention(width, head["heads"])
        self.multihead_attn = HeadAttention(width, head["heads"])
        self.linear1, self.linear2 = nn.Linear(width, wide), nn.Linear(wide, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.norm3 = nn.LayerNorm(width)

    def forward(self, fields: Tensor, asked: Tensor, memory: Tensor, seen: Tensor) -> Tensor:
        normed = self.norm1(fields)
        fields = fields + self.self_attn(normed, normed, asked)
        fields = fields + self.multihead_attn(self.norm2(fields), memory, seen)
        return fields + self.linear2(F.gelu(self.linear1(self.norm3(fields))))


class JointHead(nn.Module):
    """Hidden states ``[B, L, D]`` to a logit for every option, ``[B, O]``.

    ``kept`` is what training looks at of the last pass (see ``evidence.Tutor``).
    """

    def __init__(self, head: dict[str, Any]) -> None:
        super().__init__()
        hidden, width = head["hidden_size"], head["width"]
        self.hidden_norm = nn.LayerNorm(hidden)
        for name in ("memory", "question", "option_question", "global", "option_context"):
            setattr(self, f"{name}_projection", nn.Linear(hidden, width, bias=False))
        self.option_lexical_projection = nn.Linear(hidden, width, bias=False)
        self.type_embedding = nn.Embedding(3, width)
        self.evidence_layers = nn.ModuleList(
            EvidenceLayer(head) for _ in range(head["routing_layers"])
        )
        self.option_summary_norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(JointLayer(head) for _ in range(head["layers"]))
        self.field_norm, self.option_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.residual_scorer = nn.Sequential(
            nn.Linear(4 * width, width), nn.GELU(), nn.Dropout(DROPPED), nn.Linear(width, 1)
        )
        self.prior_logit_scale = nn.Parameter(torch.tensor(math.log(10.0)))
        self.joint_logit_scale = nn.Parameter(torch.tensor(math.log(10.0)))
        self.residual_gate = nn.Parameter(torch.tensor(0.0))

    def start_from_matching(self) -> None:
        """Begin in the backbone's space, every option looking through the state for its like."""
        for name, size in HEAD_STARTS.items():
            weight = getattr(self, f"{name}_projection").weight
            weight.mul_(SMALL * size).add_(torch.eye(*weight.shape), alpha=size)
        for evidence in self.evidence_layers:
            attention = evidence.attention
            q, k, v = attention.in_proj_weight.chunk(3)
            last = len(q) // attention.heads - 1
            k[last :: last + 1], k[last - 1 :: last + 1], v[0] = 0, 0, 0
            q.copy_(k.mul_(SHARP))
            k[last :: last + 1, OUTSIDE], k[last - 1 :: last + 1, CHANGES] = -SHUN, SINK / 5
            bias = attention.in_proj_bias[: len(q)]
            bias[last :: last + 1], bias[last - 1 :: last + 1] = SHUN, SINK
            v[0, CHANGES] = 0.3
            attention.out_proj.weight.copy_(v.T)

    def forward(self, hidden: Tensor, batch: Batch, rows: Tensor) -> Tensor:
        """``rows`` ``[B, L, D]`` are the ``lm_head`` rows of the tokens."""
        hidden = self.hidden_norm(hidden)
        memory = self.memory_projection(hidden)
        last = hidden[torch.arange(len(hidden)), batch.last][:, None]  # [B, 1, D]
        question = batch.question_mean @ hidden
        context = batch.option_mean @ hidden
        lexical = batch.option_mean @ rows
        options = (
            self.option_context_projection(context)
            + self.option_lexical_projection(lexical)
            + _take(self.option_question_projection(question), batch.owner)
        )
        for evidence in self.evidence_layers:
            options = evidence(options, memory, batch.tokens)
        fields = self.question_projection(question)
        fields = (
            fields
            + self.option_summary_norm(_summarize(fields, options, batch.members))
            + self.global_projection(last)
            + self.type_embedding(batch.types)
        )
        for layer in self.layers:
            fields = layer(fields, batch.asked, memory, batch.tokens)
        fields, options = self.field_norm(fields), self.option_norm(options)
        self.kept = {
            "fields": fields,
            "option_looks": self.evidence_layers[-1].attention.looks,
            "question_looks": self.layers[-1].multihead_attn.looks,
        }
        prior = _cosine(lexical, _take(question + last, batch.owner), 1e-12)
        fields = _take(fields, batch.owner)
        pair = torch.cat([fields, options, fields * options, (fields - options).abs()], dim=-1)
        residual = self.residual_scorer(pair).squeeze(-1).float()
        joint = _scale(self.joint_logit_scale) * _cosine(fields, options, 1e-8) + residual
        gate = torch.sigmoid(self.residual_gate)
        return _scale(self.prior_logit_scale) * prior + gate * joint


def _take(rows: Tensor, owner: Tensor) -> Tensor:
    """Each option's question: ``[B, Q, W]``, ``[B, O]`` -> ``[B, O, W]``."""
    return rows.gather(1, owner[..., None].expand(-1, -1, rows.shape[-1]))


def _summarize(fields: Tensor, options: Tensor, members: Tensor) -> Tensor:
    """Each question's options, weighted by how well they match it: ``[B, Q, W]``."""
    match = (fields @ options.transpose(-1, -2)).float() * options.shape[-1] ** -0.5
    match = match.masked_fill(~members, -1e9)
    return match.softmax(-1).to(options.dtype) @ options


def _cosine(a: Tensor, b: Tensor, eps: float) -> Tensor:
    a, b = a.float(), b.float()
    lengths = [x.square().sum(-1).clamp_min(eps**2).sqrt() for x in (a, b)]
    return (a * b).sum(-1) / lengths[0] / lengths[1]


def _scale(log_scale: Tensor) -> Tensor:
    return log_scale.clamp_max(MAX_LOGIT_SCALE).exp()
