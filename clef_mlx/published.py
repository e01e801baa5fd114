"""The shapes of the published releases, to say what a width costs before anything is fetched.

Source: the parameter counts and dimensions in the model cards and configs of Cloudflare/clef-flash
(17f0b0ad) and Cloudflare/clef (2f3de3dd), and of Cloudflare/clef-omni (0db1cd26) with Qwen3-Omni's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .architecture import DENSE, OMNI, ModelConfig
from .config import parse_config
from .memory import decision_bytes, parameter_bytes
from .recipe import Recipe
from .weights import expected_tensors

_SHARED_TEXT: dict[str, Any] = {
    "full_attention_interval": 4,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "linear_num_key_heads": 16,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_conv_kernel_dim": 4,
    "rms_norm_eps": 1e-6,
    "vocab_size": 248_320,
    "max_position_embeddings": 262_144,
    "tie_word_embeddings": False,
    "rope_parameters": {"rope_theta": 1e7, "partial_rotary_factor": 0.25, "rope_type": "default"},
}
_OWN_TEXT: dict[str, dict[str, int]] = {
    "clef-flash": {
        "hidden_size": 4096,
        "intermediate_size": 12_288,
        "num_hidden_layers": 32,
        "num_attention_heads": 16,
        "linear_num_value_heads": 32,
    },
    "clef": {
        "hidden_size": 5120,
        "intermediate_size": 17_408,
        "num_hidden_layers": 64,
        "num_attention_heads": 24,
        "linear_num_value_heads": 48,
    },
}
OMNI_NAME = "clef-omni"
NAMES = (*_OWN_TEXT, OMNI_NAME)
_OMNI_TEXT: dict[str, Any] = {
    "hidden_size": 2048,
    "num_hidden_layers": 48,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "num_experts": 128,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 768,
    "norm_topk_prob": True,
    "rms_norm_eps": 1e-6,
    "vocab_size": 152_064,
    "max_position_embeddings": 65_536,
    "tie_word_embeddings": False,
    "rope_parameters": {"rope_theta": 1e6, "rope_type": "default"},
}
_AUDIO = {
    "num_mel_bins": 128,
    "d_model": 1280,
    "encoder_layers": 32,
    "encoder_attention_heads": 20,
    "encoder_ffn_dim": 5120,
    "downsample_hidden_size": 480,
    "output_dim": 2048,
    "n_window": 50,
    "n_window_infer": 800,
}
_VISION = {
    "depth": 27,
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_heads": 16,
    "in_channels": 3,
    "num_position_embeddings": 2304,
    "patch_size": 16,
    "spatial_merge_size": 2,
    "temporal_patch_size": 2,
}
_HEAD = {"width": 1024, "routing_layers": 2, "layers": 4, "heads": 16, "feedforward": 4096}
LONG = 16_384  # tokens of the longest prompt by default
USABLE = 0.7  # of a Mac's memory: macOS and other programs want the rest


def published_json(name: str, layers: int | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """What config.json and joint_head_config.json of one of ``NAMES`` hold.

    As far as sizes go; ``layers`` makes the backbone less deep.
    """
    text = {**_OMNI_TEXT} if name == OMNI_NAME else {**_SHARED_TEXT, **_OWN_TEXT[name]}
    text["num_hidden_layers"] = layers or text["num_hidden_layers"]
    vision: dict[str, Any] = {**_VISION, "out_hidden_size": text["hidden_size"]}
    config: dict[str, Any] = {"text_config": text, "vision_config": vision}
    if name == OMNI_NAME:
        vision["deepstack_visual_indexes"] = [8, 16, 24]
        config = {"model_type": OMNI, "thinker_config": {**config, "audio_config": _AUDIO}}
    else:
        config["model_type"] = DENSE
    return config, {**_HEAD, "hidden_size": text["hidden_size"]}


def published_config(name: str) -> ModelConfig:
    """The configuration of one of ``NAMES``."""
    return parse_config(*published_json(name), Path(name))


def disk_bytes(config: ModelConfig, recipe: Recipe) -> int:
    """Bytes of the tensors of a converted folder, from bfloat16."""
    specs = expected_tensors(config, ()).values()
    return parameter_bytes(specs, 2, recipe.settled(specs).packing, norm_item=2)


def memory_bytes(config: ModelConfig, recipe: Recipe, tokens: int = LONG) -> tuple[int, int]:
    """Bytes of the parameters of a text decision, and of the decision itself, in bfloat16."""
    specs = [s for s in expected_tensors(config, ()).values() if s.part in ("backbone", "head")]
    packing = recipe.settled(specs).packing
    return parameter_bytes(specs, 2, packing), decision_bytes(config, tokens, 2)


def suggested_bits(name: str, memory: int) -> int | None:
    """The largest of 16, 8, 6 and 4 bits with which a long prompt fits ``memory`` bytes."""
    config = published_config(name)
    for bits in (16, 8, 6, 4):
        if sum(memory_bytes(config, Recipe(bits))) <= USABLE * memory:
            return bits
    return None
