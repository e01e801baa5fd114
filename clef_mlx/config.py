"""``config.json`` and ``joint_head_config.json`` as frozen dataclasses, checked once.

Sizes have no defaults: a key that is missing is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .architecture import (
    MOE,
    OMNI,
    VISION_SIZES,
    AudioConfig,
    HeadConfig,
    ModelConfig,
    MoeConfig,
    TextConfig,
    VisionConfig,
)
from .config_omni import parse_thinker
from .errors import CheckpointError
from .fields import Fields, check_layers, check_moe, parse_rope

MROPE_SECTION = (11, 11, 10)  # where a config has none, as in the reference


def parse_config(config: Mapping[str, Any], head: Any, folder: Path) -> ModelConfig:
    """Check ``config.json`` and ``joint_head_config.json`` of ``folder``.

    Raises ``CheckpointError`` for a missing or impossible value and for variants of the
    architecture that are not implemented.
    """
    where = str(folder / "config.json")
    model_type = str(config.get("model_type"))
    tower: VisionConfig | None
    audio: AudioConfig | None = None
    if model_type == OMNI:
        text, tower, audio = parse_thinker(config.get("thinker_config"), where)
    else:
        text, tower = _parse_text(config, model_type, where), None
        if config.get("vision_config") is not None:
            tower = _parse_vision(config["vision_config"], f"{where}: vision_config")
    parsed_head = _parse_head(head, str(folder / "joint_head_config.json"))
    if parsed_head.hidden_size != text.hidden_size:
        raise CheckpointError(
            f"the head's hidden_size is {parsed_head.hidden_size} and the backbone's "
            f"{text.hidden_size}: joint_head_config.json belongs to another model"
        )
    return ModelConfig(model_type, text, parsed_head, tower, audio)


def _parse_text(config: Mapping[str, Any], model_type: str, where: str) -> TextConfig:
    outer = Fields(config, where)
    where = f"{where}: text_config"
    fields = Fields(config.get("text_config"), where)
    for key, allowed in (
        ("attention_bias", False),
        ("hidden_act", "silu"),
    ):
        fields.only(key, allowed)
    outside, inside = (f.flag("tie_word_embeddings") for f in (outer, fields))
    theta, rotary_dim, sections = parse_rope(fields, where, None, MROPE_SECTION)
    text = TextConfig(
        layer_types=_parse_layer_types(fields, where),
        rms_norm_eps=fields.number("rms_norm_eps"),
        rope_theta=theta,
        rotary_dim=rotary_dim,
        mrope_section=sections,
        attn_output_gate=True,
        tie_word_embeddings=bool(inside if outside is None else outside),
        intermediate_size=None if model_type == MOE else fields.size("intermediate_size"),
        moe=_parse_moe(fields, where) if model_type == MOE else None,
        **{key: fields.size(key) for key in _TEXT_SIZES},
    )
    for many, few in (
        ("num_attention_heads", "num_key_value_heads"),
        ("linear_num_value_heads", "linear_num_key_heads"),
    ):
        if getattr(text, many) % getattr(text, few):
            raise CheckpointError(
                f"{where}: {many} ({getattr(text, many)}) must be a multiple of {few} "
                f"({getattr(text, few)})"
            )
    return text


_TEXT_SIZES = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "linear_num_key_heads",
    "linear_num_value_heads",
    "linear_key_head_dim",
    "linear_value_head_dim",
    "linear_conv_kernel_dim",
    "vocab_size",
    "max_position_embeddings",
)


def _parse_layer_types(fields: Fields, where: str) -> tuple[str, ...]:
    count = fields.size("num_hidden_layers")
    check_layers(count, where)
    kinds = fields.optional("layer_types")
    if kinds is None:
        every = fields.size("full_attention_interval")
        kinds = ["linear_attention" if (i + 1) % every else "full_attention" for i in range(count)]
    if not isinstance(kinds, list) or len(kinds) != count:
        raise CheckpointError(f"{where}: layer_types must list {count} layers")
    for kind in kinds:
        if kind not in ("linear_attention", "full_attention"):
            raise CheckpointError(f"{where}: layer_types holds {kind!r}, an unknown kind of layer")
    return tuple(kinds)


def _parse_moe(fields: Fields, where: str) -> MoeConfig:
    moe = MoeConfig(
        num_experts=fields.size("num_experts"),
        num_experts_per_tok=fields.size("num_experts_per_tok"),
        moe_intermediate_size=fields.size("moe_intermediate_size"),
        shared_expert_intermediate_size=fields.size("shared_expert_intermediate_size"),
    )
    check_moe(moe, where)
    return moe


def _parse_vision(values: Any, where: str) -> VisionConfig:
    fields = Fields(values, where)
    if fields.optional("deepstack_visual_indexes"):
        raise CheckpointError(f"{where}: deepstack_visual_indexes is not supported here")
    sizes: dict[str, Any] = {key: fields.size(key) for key in VISION_SIZES}
    return VisionConfig(**sizes)


def _parse_head(values: Any, where: str) -> HeadConfig:
    fields = Fields(values, where)
    head = HeadConfig(**{key: fields.size(key) for key in HeadConfig.__annotations__})
    if head.width % head.heads:
        raise CheckpointError(
            f"{where}: width ({head.width}) must be a multiple of heads ({head.heads})"
        )
    return head
