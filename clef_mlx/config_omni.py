"""The ``thinker_config`` of clef-omni's ``config.json``: text stack, vision tower, audio encoder.

The talker and ``code2wav``, which would speak, are no part of a decision: nothing of them is read.
"""

from __future__ import annotations

from typing import Any

from .architecture import VISION_SIZES, AudioConfig, MoeConfig, TextConfig, VisionConfig
from .errors import CheckpointError
from .fields import Fields, check_layers, check_moe, parse_rope

MROPE_SECTION = (24, 20, 20)  # where a config has none, as in the reference
_SIZES = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "vocab_size",
    "max_position_embeddings",
)
_LINEAR_SIZES = (  # of Qwen3.5's DeltaNet layers: there are none
    "linear_num_key_heads",
    "linear_num_value_heads",
    "linear_key_head_dim",
    "linear_value_head_dim",
    "linear_conv_kernel_dim",
)


def parse_thinker(values: Any, where: str) -> tuple[TextConfig, VisionConfig, AudioConfig]:
    """Check ``values``, the ``thinker_config`` of the file ``where``.

    Raises ``CheckpointError`` as ``config.parse_config`` does.
    """
    where = f"{where}: thinker_config"
    thinker = Fields(values, where)
    return (
        _parse_text(thinker, f"{where}: text_config"),
        _parse_vision(thinker.optional("vision_config"), f"{where}: vision_config"),
        _parse_audio(thinker.optional("audio_config"), f"{where}: audio_config"),
    )


def _parse_text(thinker: Fields, where: str) -> TextConfig:
    fields = Fields(thinker.optional("text_config"), where)
    for key, allowed in (
        ("attention_bias", False),
        ("attn_output_gate", False),
        ("hidden_act", "silu"),
        ("decoder_sparse_step", 1),
        ("sliding_window", None),
    ):
        fields.only(key, allowed)
    if fields.optional("mlp_only_layers"):
        raise CheckpointError(f"{where}: mlp_only_layers is not supported; experts in every layer")
    theta, rotary_dim, sections = parse_rope(fields, where, 1.0, MROPE_SECTION)
    tied = fields.flag("tie_word_embeddings")
    sizes = {key: fields.size(key) for key in _SIZES}
    check_layers(sizes["num_hidden_layers"], where)
    text = TextConfig(
        layer_types=("full_attention",) * sizes["num_hidden_layers"],
        rms_norm_eps=fields.number("rms_norm_eps"),
        rope_theta=theta,
        rotary_dim=rotary_dim,
        mrope_section=sections,
        attn_output_gate=False,
        tie_word_embeddings=bool(thinker.flag("tie_word_embeddings") if tied is None else tied),
        intermediate_size=None,
        moe=_parse_moe(fields, where),
        **sizes,
        **dict.fromkeys(_LINEAR_SIZES, 0),
    )
    if text.num_attention_heads % text.num_key_value_heads:
        raise CheckpointError(
            f"{where}: num_attention_heads ({text.num_attention_heads}) must be a multiple of "
            f"num_key_value_heads ({text.num_key_value_heads})"
        )
    return text


def _parse_moe(fields: Fields, where: str) -> MoeConfig:
    moe = MoeConfig(
        num_experts=fields.size("num_experts"),
        num_experts_per_tok=fields.size("num_experts_per_tok"),
        moe_intermediate_size=fields.size("moe_intermediate_size"),
        shared_expert_intermediate_size=0,
        norm_topk_prob=fields.flag("norm_topk_prob") is not False,
    )
    check_moe(moe, where)
    return moe


def _parse_vision(values: Any, where: str) -> VisionConfig:
    fields = Fields(values, where)
    sizes = {key: fields.size(key) for key in VISION_SIZES}
    blocks = fields.optional("deepstack_visual_indexes") or []
    known = range(sizes["depth"])
    if not isinstance(blocks, list) or blocks != [block for block in known if block in blocks]:
        raise CheckpointError(
            f"{where}: deepstack_visual_indexes must list blocks below {sizes['depth']} in order, "
            f"not {blocks!r}"
        )
    return VisionConfig(**sizes, deepstack_visual_indexes=tuple(blocks))


def _parse_audio(values: Any, where: str) -> AudioConfig:
    fields = Fields(values, where)
    fields.only("activation_function", "gelu")
    fields.only("scale_embedding", False)
    audio = AudioConfig(**{key: fields.size(key) for key in AudioConfig.__annotations__})
    if audio.d_model % audio.encoder_attention_heads or audio.d_model % 2:
        raise CheckpointError(
            f"{where}: d_model ({audio.d_model}) must be even and a multiple of "
            f"encoder_attention_heads ({audio.encoder_attention_heads})"
        )
    fields.only("n_window", 50)  # the release's processor counts tokens for no other
    if audio.n_window_infer % (2 * audio.n_window):
        raise CheckpointError(
            f"{where}: n_window_infer ({audio.n_window_infer}) must be whole chunks of twice "
            f"n_window ({audio.n_window})"
        )
    return audio
