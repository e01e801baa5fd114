"""The audio encoder: log-mel features to tokens of the backbone's width."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from ..architecture import AudioConfig
from ..layers.linear import Linear

SLOWEST = 10_000.0  # the longest wave of the positions, in tokens (divided by 2 pi)


class AudioAttention(nn.Module):
    """Attention among all tokens given, without a mask.

    Shapes: ``x`` ``[N, D]`` -> ``[N, D]``.
    Reference: transformers 5.10.2, ``Qwen3OmniMoeAudioAttention``.
    """

    def __init__(self, config: AudioConfig) -> None:
        super().__init__()
        self.heads, width = config.encoder_attention_heads, config.d_model
        self.q_proj = Linear(width, width, bias=True)
        self.k_proj = Linear(width, width, bias=True)
        self.v_proj = Linear(width, width, bias=True)
        self.out_proj = Linear(width, width, bias=True)

    def __call__(self, x: mx.array) -> mx.array:
        q, k, v = (
            project(x).reshape(1, len(x), self.heads, -1).swapaxes(1, 2)
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        y = mx.fast.scaled_dot_product_attention(q, k, v, scale=q.shape[-1] ** -0.5)
        return self.out_proj(y.swapaxes(1, 2).reshape(x.shape))


class AudioLayer(nn.Module):
    """Attention and two layers around GELU, each on a normed copy and added back.

    The sum stays float32, as in the backbone: the reference clips it where float16 would overflow.
    Shapes: ``x`` ``[N, D]`` float32 -> the same.
    Reference: transformers 5.10.2, ``Qwen3OmniMoeAudioEncoderLayer``.
    """

    def __init__(self, config: AudioConfig) -> None:
        super().__init__()
        self.self_attn = AudioAttention(config)
        self.self_attn_layer_norm = nn.LayerNorm(config.d_model)
        self.fc1 = Linear(config.d_model, config.encoder_ffn_dim, bias=True)
        self.fc2 = Linear(config.encoder_ffn_dim, config.d_model, bias=True)
        self.final_layer_norm = nn.LayerNorm(config.d_model)

    def __call__(self, x: mx.array, dtype: mx.Dtype) -> mx.array:
        x = x + self.self_attn(self.self_attn_layer_norm(x).astype(dtype))
        return x + self.fc2(nn.gelu(self.fc1(self.final_layer_norm(x).astype(dtype))))


class AudioTower(nn.Module):
    """Convolutions on each chunk, attention within one window of chunks, projections.

    Reference: transformers 5.10.2, ``Qwen3OmniMoeAudioEncoder``.
    """

    def __init__(self, config: AudioConfig) -> None:
        super().__init__()
        self.chunk, self.window = 2 * config.n_window, config.n_window_infer  # frames
        channels, rows = config.downsample_hidden_size, config.num_mel_bins
        self.conv2d1 = nn.Conv2d(1, channels, 3, stride=2, padding=1)
        self.conv2d2 = nn.Conv2d(channels, channels, 3, stride=2, padding=1)
        self.conv2d3 = nn.Conv2d(channels, channels, 3, stride=2, padding=1)
        for _ in range(3):
            rows = (rows + 1) // 2
        self.conv_out = Linear(channels * rows, config.d_model)
        self.layers = [AudioLayer(config) for _ in range(config.encoder_layers)]
        self.ln_post = nn.LayerNorm(config.d_model)
        self.proj1 = Linear(config.d_model, config.d_model, bias=True)
        self.proj2 = Linear(config.d_model, config.output_dim, bias=True)

    def __call__(self, features: mx.array, longest: int) -> mx.array:
        """Tokens of one window: no window hears another, so a long clip comes piece by piece.

        ``longest`` is the longest chunk, in frames, among all sounds of the request: the reference
        pads shorter chunks to it, and the convolutions see the padding.

        Shapes: ``features`` ``[mel_bins, F]`` of at most ``window`` frames -> ``[N, output_dim]``.
        """
        dtype, x = features.dtype, self._convolve(features, longest).astype(mx.float32)
        for layer in self.layers:
            x = layer(x, dtype)
        x = self.ln_post(x).astype(dtype)
        return self.proj2(nn.gelu(self.proj1(x)))

    def _convolve(self, features: mx.array, longest: int) -> mx.array:
        """Chunks side by side, each with its own positions: ``[mel_bins, F]`` -> ``[N, D]``."""
        bins, frames = features.shape
        lengths = [min(self.chunk, frames - first) for first in range(0, frames, self.chunk)]
        padded = mx.pad(features, [(0, 0), (0, len(lengths) * longest - frames)])
        x = padded.reshape(bins, len(lengths), longest).swapaxes(0, 1)[..., None]
        for convolution in (self.conv2d1, self.conv2d2, self.conv2d3):
            x = nn.gelu(convolution(x))
            lengths = [(length + 1) // 2 for length in lengths]
        x = x.transpose(0, 2, 3, 1)  # [chunks, time, channels, rows]
        x = self.conv_out(x.flatten(2))
        x = x + mx.array(_positions(*x.shape[1:])).astype(x.dtype)
        return mx.concatenate([chunk[:length] for chunk, length in zip(x, lengths, strict=True)])


def _positions(count: int, width: int) -> np.ndarray:
    """Sines, then cosines, of waves from 1 to ``SLOWEST``: ``[count, width]`` float32."""
    waves = SLOWEST ** (-np.arange(width // 2) / (width // 2 - 1))
    angles = np.arange(count)[:, None] * waves
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)
