"""The same network as ``clef_mlx`` computes, in torch, so that it can be trained.

Modules are named so that ``state_dict`` carries the release's tensor names; a batch is padded on
the right, and no record sees another. Axes: ``B`` records, ``L`` tokens, ``D`` backbone width,
``W`` head width, ``H`` / ``Hk`` heads, ``Dk`` / ``Dv`` head sizes, ``Q`` questions, ``O`` options.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

CHUNK = 32  # tokens solved together in the delta rule
L2_EPS = 1e-6
MAX_LOGIT_SCALE = math.log(100)


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


class RMSNorm(nn.Module):
    """``weight`` is stored as the scale minus one, or plainly for the gated norm."""

    def __init__(self, size: int, eps: float, shift: float = 1.0) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((size,), 1.0 - shift))
        self.eps, self.shift = eps, shift

    def forward(self, x: Tensor) -> Tensor:
        x = x.float()
        x = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps)
        return x * (self.shift + self.weight)


class MLP(nn.Module):
    """``down(silu(gate(x)) * up(x))``: ``[..., D]`` -> ``[..., D]``."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(width, inner, bias=False)
        self.up_proj = nn.Linear(width, inner, bias=False)
        self.down_proj = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class GatedAttention(nn.Module):
    """Causal attention with normed, rotated heads and a sigmoid gate: ``[B, L, D]`` -> same."""

    def __init__(self, text: dict[str, Any]) -> None:
        super().__init__()
        width, self.size = text["hidden_size"], text["head_dim"]
        self.heads, self.key_heads = text["num_attention_heads"], text["num_key_value_heads"]
        rope = text["rope_parameters"]
        rotary = int(self.size * rope["partial_rotary_factor"])
        steps = torch.arange(0, rotary, 2).float() / rotary
        self.register_buffer("frequency", rope["rope_theta"] ** -steps, persistent=False)
        self.q_proj = nn.Linear(width, 2 * self.heads * self.size, bias=False)
        self.k_proj = nn.Linear(width, self.key_heads * self.size, bias=False)
        self.v_proj = nn.Linear(width, self.key_heads * self.size, bias=False)
        self.o_proj = nn.Linear(self.heads * self.size, width, bias=False)
        self.q_norm = RMSNorm(self.size, text["rms_norm_eps"])
        self.k_norm = RMSNorm(self.size, text["rms_norm_eps"])

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        q, gate = self.q_proj(x).view(batch, length, self.heads, 2 * self.size).chunk(2, dim=-1)
        k = self.k_proj(x).view(batch, length, self.key_heads, self.size)
        v = self.v_proj(x).view(batch, length, self.key_heads, self.size)
        shared = self.heads // self.key_heads
        q = self._rotate(self.q_norm(q).transpose(1, 2)).to(v.dtype)
        k = self._rotate(self.k_norm(k).transpose(1, 2)).to(v.dtype)
        k = k.repeat_interleave(shared, dim=1)
        v = v.transpose(1, 2).repeat_interleave(shared, dim=1)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        y = y.transpose(1, 2) * torch.sigmoid(gate)
        return self.o_proj(y.reshape(batch, length, -1))

    def _rotate(self, x: Tensor) -> Tensor:
        """Rotary positions for ``[B, H, L, Dk]``; the dimensions beyond them stay."""
        half = self.frequency.numel()
        angle = torch.arange(x.shape[2])[:, None] * self.frequency
        cos, sin = angle.cos(), angle.sin()
        a, b, rest = x[..., :half], x[..., half : 2 * half], x[..., 2 * half :]
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1)


class GatedDeltaNet(nn.Module):
    """Linear attention whose state is corrected toward each new value: ``[B, L, D]`` -> same."""

    def __init__(self, text: dict[str, Any]) -> None:
        super().__init__()
        width, self.taps = text["hidden_size"], text["linear_conv_kernel_dim"]
        self.key_heads, self.heads = text["linear_num_key_heads"], text["linear_num_value_heads"]
        self.key_dim, self.value_dim = text["linear_key_head_dim"], text["linear_value_head_dim"]
        self.keys, self.values = self.key_heads * self.key_dim, self.heads * self.value_dim
        channels = 2 * self.keys + self.values
        self.in_proj_qkv = nn.Linear(width, channels, bias=False)
        self.in_proj_z = nn.Linear(width, self.values, bias=False)
        self.in_proj_b = nn.Linear(width, self.heads, bias=False)
        self.in_proj_a = nn.Linear(width, self.heads, bias=False)
        self.conv1d = nn.Conv1d(channels, channels, self.taps, groups=channels, bias=False)
        self.A_log = nn.Parameter(torch.empty(self.heads).uniform_(1, 16).log())
        step = torch.empty(self.heads).uniform_(math.log(0.001), math.log(0.1)).exp()
        self.dt_bias = nn.Parameter(step + torch.log(-torch.expm1(-step)))
        self.norm = RMSNorm(self.value_dim, text["rms_norm_eps"], shift=0.0)
        self.out_proj = nn.Linear(self.values, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        qkv = F.silu(self._convolve(self.in_proj_qkv(x).float()))
        q, k, v = qkv.split([self.keys, self.keys, self.values], dim=-1)
        shared = self.heads // self.key_heads

        def by_head(rows: Tensor, size: int) -> Tensor:
            return rows.view(batch, length, -1, size).transpose(1, 2)

        q, k = (
            _l2(by_head(part, self.key_dim)).repeat_interleave(shared, dim=1) for part in (q, k)
        )
        decay = -self.A_log.exp() * F.softplus(self.in_proj_a(x).float() + self.dt_bias)
        beta = torch.sigmoid(self.in_proj_b(x).float())
        y = delta_rule(
            q * self.key_dim**-0.5,
            k,
            by_head(v, self.value_dim),
            decay.transpose(1, 2),
            beta.transpose(1, 2),
        )
        gate = self.in_proj_z(x).view(batch, length, self.heads, self.value_dim).float()
        y = self.norm(y.transpose(1, 2)) * F.silu(gate)
        return self.out_proj(y.reshape(batch, length, -1))

    def _convolve(self, x: Tensor) -> Tensor:
        """Causal convolution of each channel, as shifted multiply-adds: ``[B, L, C]`` -> same."""
        length = x.shape[1]
        x = F.pad(x, (0, 0, self.taps - 1, 0))
        weight = self.conv1d.weight[:, 0]
        return sum(x[:, tap : tap + length] * weight[:, tap] for tap in range(self.taps))


def _l2(x: Tensor) -> Tensor:
    return x * torch.rsqrt(x.square().sum(-1, keepdim=True) + L2_EPS)


def delta_rule(q: Tensor, k: Tensor, v: Tensor, decay: Tensor, beta: Tensor) -> Tensor:
    """The gated delta rule in chunks, float32; see ``clef_mlx.layers.delta_rule``.

    Shapes: ``q``, ``k`` ``[B, H, L, Dk]``, ``v`` ``[B, H, L, Dv]``, ``decay`` (log), ``beta``
    ``[B, H, L]`` -> ``[B, H, L, Dv]``. Within a chunk the corrections solve a triangular system.
    """
    length = q.shape[2]
    pad = -length % CHUNK

    def chunks(x: Tensor) -> Tensor:
        x = F.pad(x, (0, 0, 0, pad)) if x.ndim == 4 else F.pad(x, (0, pad))
        return x.unflatten(2, (-1, CHUNK))

    q, k, v, decay, beta = (chunks(x) for x in (q, k, v, decay, beta))
    total = decay.cumsum(-1)  # [B, H, N, C]
    kept = total.exp()
    lower = torch.ones(CHUNK, CHUNK, dtype=torch.bool).tril()
    between = (total[..., :, None] - total[..., None, :]).masked_fill(~lower, -math.inf).exp()
    scores = (q @ k.transpose(-1, -2)) * between
    system = beta[..., None] * (k @ k.transpose(-1, -2)) * between
    eye = torch.eye(CHUNK)
    inverse = _unit_lower_inverse(system.tril(-1), eye)
    from_values = inverse @ (beta[..., None] * v)
    from_state = inverse @ ((beta * kept)[..., None] * k)
    q_start = q * kept[..., None]
    k_end = k * (total[..., -1:] - total).exp()[..., None]
    state = torch.zeros(*q.shape[:2], k.shape[-1], v.shape[-1])
    outputs = []
    for c in range(q.shape[2]):
        delta = from_values[:, :, c] - from_state[:, :, c] @ state
        outputs.append(q_start[:, :, c] @ state + scores[:, :, c] @ delta)
        state = state * kept[:, :, c, -1, None, None] + k_end[:, :, c].transpose(-1, -2) @ delta
    return torch.stack(outputs, dim=2).flatten(2, 3)[:, :, :length]


def _unit_lower_inverse(a: Tensor, eye: Tensor) -> Tensor:
    """``(I + a)^-1`` of strictly lower triangular ``a``: ``prod (I + (-a)^(2^i))``."""
    power = -a
    inverse = eye + power
    for _ in range(int(math.log2(CHUNK)) - 1):
        power = power @ power
        inverse = inverse + inverse @ power
    return inverse


class DecoderLayer(nn.Module):
    """Attention of either kind, then the MLP, each on a normed copy and added back."""

    def __init__(self, text: dict[str, Any], is_linear: bool) -> None:
        super().__init__()
        if is_linear:
            self.linear_attn = GatedDeltaNet(text)
        else:
            self.self_attn = GatedAttention(text)
        self.is_linear = is_linear
        self.mlp = MLP(text["hidden_size"], text["intermediate_size"])
        self.input_layernorm = RMSNorm(text["hidden_size"], text["rms_norm_eps"])
        self.post_attention_layernorm = RMSNorm(text["hidden_size"], text["rms_norm_eps"])

    def forward(self, x: Tensor) -> Tensor:
        attention = self.linear_attn if self.is_linear else self.self_attn
        x = x + attention(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Backbone(nn.Module):
    """Token ids ``[B, L]`` to hidden states ``[B, L, D]`` after the final norm."""

    def __init__(self, text: dict[str, Any]) -> None:
        super().__init__()
        every, count = text["full_attention_interval"], text["num_hidden_layers"]
        self.embed_tokens = nn.Embedding(text["vocab_size"], text["hidden_size"])
        self.layers = nn.ModuleList(
            DecoderLayer(text, is_linear=bool((i + 1) % every)) for i in range(count)
        )
        self.norm = RMSNorm(text["hidden_size"], text["rms_norm_eps"])

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embed_tokens(ids)
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


class HeadAttention(nn.Module):
    """Multi-head attention: ``x`` ``[B, N, W]``, ``memory`` ``[B, L, W]`` -> ``[B, N, W]``.

    ``seen`` ``[B, L]`` bool hides the padding of ``memory``.
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
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=seen[:, None, None, :])
        return self.out_proj(y.transpose(1, 2).flatten(2))


class EvidenceLayer(nn.Module):
    """Each option looks through its whole prompt; the memory is normed here."""

    def __init__(self, head: dict[str, Any]) -> None:
        super().__init__()
        width, wide = head["width"], head["feedforward"]
        self.query_norm, self.memory_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.feedforward_norm = nn.LayerNorm(width)
        self.attention = HeadAttention(width, head["heads"])
        self.feedforward = nn.Sequential(
            nn.Linear(width, wide), nn.GELU(), nn.Identity(), nn.Linear(wide, width)
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
    """Hidden states ``[B, L, D]`` to a logit for every option, ``[B, O]``."""

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
            nn.Linear(4 * width, width), nn.GELU(), nn.Identity(), nn.Linear(width, 1)
        )
        self.prior_logit_scale = nn.Parameter(torch.tensor(math.log(4.0)))
        self.joint_logit_scale = nn.Parameter(torch.tensor(math.log(10.0)))
        self.residual_gate = nn.Parameter(torch.tensor(0.0))

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


class Mini(nn.Module):
    """Backbone and head with tied token tables: a ``Batch`` to logits ``[B, O]``."""

    def __init__(self, text: dict[str, Any], head: dict[str, Any]) -> None:
        super().__init__()
        self.backbone = Backbone(text)
        self.head = JointHead(head)
        for name, weight in self.named_parameters():
            if weight.ndim == 2 and "type_embedding" not in name and "in_proj_weight" not in name:
                nn.init.normal_(weight, std=weight.shape[-1] ** -0.5)
        # Layers start as small corrections of the running sum.
        depth = 2 * len(self.backbone.layers)
        for name, weight in self.backbone.named_parameters():
            if name.endswith(("o_proj.weight", "out_proj.weight", "down_proj.weight")):
                weight.data.mul_(depth**-0.5)

    def forward(self, batch: Batch) -> Tensor:
        hidden = self.backbone(batch.ids)
        return self.head(hidden, batch, self.backbone.embed_tokens(batch.ids))

    def release_tensors(self) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """The backbone's and the head's tensors by the release's names."""
        backbone = {f"model.language_model.{k}": v for k, v in self.backbone.state_dict().items()}
        return backbone, dict(self.head.state_dict())
