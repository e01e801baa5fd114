"""The same network as ``clef_mlx`` computes, in torch, so that it can be trained.

Modules are named so that ``state_dict`` carries the release's tensor names; a batch is padded on
the right, and no record sees another. Axes: ``B`` records, ``L`` tokens, ``D`` backbone width,
``W`` head width, ``H`` / ``Hk`` heads, ``Dk`` / ``Dv`` head sizes, ``Q`` questions, ``O`` options.
"""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from joint_head import ALWAYS, CHANGES, OUTSIDE, SHUN, SINK, SMALL, Batch, JointHead
from torch import Tensor, nn

BACKBONE = "model.language_model."  # before the names of its tensors in a release
CHUNK = 32  # tokens solved together in the delta rule
EMBEDDED = 0.5  # of a token's row, each entry's size at the start
MIXED = 4.0  # size of the state's mixture as attention adds it
L2_EPS = 1e-6


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

    def start_from_matching(self) -> None:
        """All heads see the state alone: half of them what is like a token, half a mixture."""
        shared, half = self.heads // self.key_heads, self.heads // 2
        q = self.q_proj.weight.unflatten(0, (self.heads, 2, self.size))
        k = self.k_proj.weight.unflatten(0, (self.key_heads, self.size))
        q[:half, 0] = k.repeat_interleave(shared, dim=0)[:half]
        q[:, 0, -2:], k[:, -2:] = 0, 0
        q[:, 0, -1, ALWAYS], k[:, -1, OUTSIDE] = 2 * SHUN, -2 * SHUN
        q[:half, 0, -2, ALWAYS], k[:, -2, CHANGES] = SINK, SINK
        v = self.v_proj.weight.unflatten(0, (self.key_heads, self.size))
        v[0, 0] = 0
        v[0, 0, CHANGES] = 1
        self.o_proj.weight.copy_(v.repeat_interleave(shared, dim=0).flatten(0, 1).T)
        self.o_proj.weight[:, half * self.size :] *= MIXED
        self.o_proj.weight[[ALWAYS, OUTSIDE]] = 0

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

    def start_with_mark(self) -> None:
        """The first head tells whether a token stands outside the state, which no other knows.

        It keeps what the last token with ``CHANGES`` said in ``OUTSIDE``; the other heads of its
        group keep a mixture of all tokens.
        """
        last_tap, qkv = torch.eye(self.taps)[-1], self.in_proj_qkv.weight
        for start in (0, self.keys):
            qkv[start : start + self.key_dim] = 0
            qkv[start, ALWAYS] = 8.0
            self.conv1d.weight[start, 0] = last_tap
        value = 2 * self.keys
        qkv[value : value + self.value_dim] = 0
        qkv[value, OUTSIDE], qkv[value + 1, OUTSIDE] = 4.0, -4.0  # SiLU keeps what is positive
        self.conv1d.weight[value : value + 2, 0] = last_tap
        self.in_proj_b.weight[0] = 0
        self.in_proj_b.weight[0, ALWAYS], self.in_proj_b.weight[0, CHANGES] = -6.0, 8.0
        self.A_log[0] = -8.0
        self.in_proj_z.weight[: self.value_dim] = 0
        self.in_proj_z.weight[:2, ALWAYS] = 3.0
        self.out_proj.weight[:, : self.value_dim] = 0
        size = 1 / (3 * self.value_dim**0.5)
        self.out_proj.weight[OUTSIDE, 0], self.out_proj.weight[OUTSIDE, 1] = size, -size

    def _convolve(self, x: Tensor) -> Tensor:
        """Causal convolution of each channel, as shifted multiply-adds: ``[B, L, C]`` -> same."""
        weight, last = self.conv1d.weight[:, 0], self.taps - 1
        return sum(
            F.pad(x, (0, 0, last - tap, tap - last)) * weight[:, tap] for tap in range(self.taps)
        )


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
    rows = (from_values, from_state, q_start, scores, kept[..., -1:, None], k_end.transpose(-1, -2))
    for value, read, query, score, keep, key in zip(*(x.unbind(2) for x in rows), strict=True):
        delta = value - read @ state
        outputs.append(query @ state + score @ delta)
        state = state * keep + key @ delta
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


class Mini(nn.Module):
    """Backbone and head with tied token tables: a ``Batch`` to logits ``[B, O]``."""

    def __init__(self, text: dict[str, Any], head: dict[str, Any]) -> None:
        super().__init__()
        self.backbone = Backbone(text)
        self.head = JointHead(head)
        for name, weight in self.named_parameters():
            if weight.ndim == 2 and "type_embedding" not in name and "in_proj_weight" not in name:
                nn.init.normal_(weight, std=weight.shape[-1] ** -0.5)
        self._start_from_matching()

    @torch.no_grad()
    def _start_from_matching(self) -> None:
        """Let equal tokens find each other from the first step: learning that takes longest.

        A token's own row dominates the running sum, half of the heads look for what is like
        themselves and carry it as it is, and the head begins in the backbone's space.
        """
        backbone, head = self.backbone, self.head
        backbone.embed_tokens.weight.mul_(EMBEDDED * backbone.embed_tokens.weight.shape[1] ** 0.5)
        for layer in backbone.layers:
            layer.mlp.down_proj.weight.mul_(SMALL)
            layer.mlp.down_proj.weight[[ALWAYS, OUTSIDE]] = 0
            if layer.is_linear:
                layer.linear_attn.start_with_mark()
            else:
                layer.self_attn.start_from_matching()
        head.start_from_matching()

    def forward(self, batch: Batch) -> Tensor:
        hidden = self.backbone(batch.ids)
        logits = self.head(hidden, batch, self.backbone.embed_tokens(batch.ids))
        self.kept = {"hidden": hidden, **self.head.kept}
        return logits

    def release_tensors(self) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """The backbone's and the head's tensors by the release's names."""
        backbone = {f"{BACKBONE}{k}": v for k, v in self.backbone.state_dict().items()}
        return backbone, dict(self.head.state_dict())
