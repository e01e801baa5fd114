"""What is known of a model's architecture: the keys of its config files as frozen dataclasses.

Fields are the JSON keys.
"""

from __future__ import annotations

from dataclasses import dataclass

DENSE, MOE, OMNI = "qwen3_5", "qwen3_5_moe", "qwen3_omni_moe"  # model_type
DEFAULT_MAX_LENGTH = 16_384  # tokens; the reference's default for clef and clef-flash
OMNI_MAX_LENGTH = 64_000  # tokens; its default for clef-omni


@dataclass(frozen=True)
class MoeConfig:
    """The sparse feed-forward block of a mixture-of-experts backbone."""

    num_experts: int
    num_experts_per_tok: int
    moe_intermediate_size: int
    shared_expert_intermediate_size: int  # 0: there is none
    norm_topk_prob: bool = True  # whether the weights of the chosen experts are made to sum to 1


@dataclass(frozen=True)
class TextConfig:
    """A text stack, Qwen3.5's or Qwen3-Omni's. Sizes in features unless said otherwise.

    Qwen3-Omni has attention in every layer: its ``linear_`` sizes are 0.
    """

    hidden_size: int
    num_hidden_layers: int
    layer_types: tuple[str, ...]  # "linear_attention" or "full_attention", one a layer
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    linear_num_key_heads: int
    linear_num_value_heads: int
    linear_key_head_dim: int
    linear_value_head_dim: int
    linear_conv_kernel_dim: int  # tokens
    rms_norm_eps: float
    vocab_size: int  # rows of embed_tokens and lm_head
    max_position_embeddings: int  # tokens
    rope_theta: float
    rotary_dim: int  # of head_dim, rotated; the rest stays as it is
    mrope_section: tuple[int, int, int]  # frequencies of time, height and width
    attn_output_gate: bool  # attention's output is gated, as in Qwen3.5
    tie_word_embeddings: bool
    intermediate_size: int | None  # of the dense MLP; None in a mixture of experts
    moe: MoeConfig | None

    @property
    def linear_key_size(self) -> int:
        return self.linear_num_key_heads * self.linear_key_head_dim

    @property
    def linear_value_size(self) -> int:
        return self.linear_num_value_heads * self.linear_value_head_dim

    @property
    def conv_channels(self) -> int:
        return 2 * self.linear_key_size + self.linear_value_size


@dataclass(frozen=True)
class VisionConfig:
    """The vision tower."""

    depth: int
    hidden_size: int
    intermediate_size: int
    num_heads: int
    out_hidden_size: int
    in_channels: int
    num_position_embeddings: int
    patch_size: int  # pixels
    spatial_merge_size: int
    temporal_patch_size: int  # frames
    # Blocks whose output also goes into the first layers of the backbone (deepstack), ascending.
    deepstack_visual_indexes: tuple[int, ...] = ()


@dataclass(frozen=True)
class AudioConfig:
    """The audio encoder."""

    num_mel_bins: int
    d_model: int
    encoder_layers: int
    encoder_attention_heads: int
    encoder_ffn_dim: int
    downsample_hidden_size: int  # channels of the convolutions
    output_dim: int
    n_window: int  # half a chunk, in frames: a chunk is convolved by itself
    n_window_infer: int  # frames that attend to each other


@dataclass(frozen=True)
class HeadConfig:
    """The joint schema head (``joint_head_config.json``)."""

    hidden_size: int
    width: int
    routing_layers: int  # evidence layers
    layers: int  # decoder layers
    heads: int
    feedforward: int


@dataclass(frozen=True)
class ModelConfig:
    """Everything a folder says about its model."""

    model_type: str
    text: TextConfig
    head: HeadConfig
    vision: VisionConfig | None
    audio: AudioConfig | None = None

    @property
    def default_max_length(self) -> int:
        """Tokens of the longest prompt where the caller names no limit."""
        default = OMNI_MAX_LENGTH if self.model_type == OMNI else DEFAULT_MAX_LENGTH
        return min(default, self.text.max_position_embeddings)


VISION_SIZES = tuple(
    key for key in VisionConfig.__annotations__ if key != "deepstack_visual_indexes"
)
