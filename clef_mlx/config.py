"""``config.json`` and ``joint_head_config.json`` as frozen dataclasses, checked once.

Fields are the JSON keys. Sizes have no defaults: a key that is missing is an error.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import CheckpointError, RequestError
from .json_text import parse_json

DENSE, MOE, OMNI = "qwen3_5", "qwen3_5_moe", "qwen3_omni_moe"
MAX_LAYERS = 1_024
MROPE_SECTION = (11, 11, 10)  # where a config has none, as in the reference
MAX_SIZE = 2**31 - 1  # MLX counts in 32 bits
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


class Fields:
    """Typed reads from one JSON object; every complaint names the file and the key."""

    def __init__(self, values: Any, where: str) -> None:
        if not isinstance(values, Mapping):
            raise CheckpointError(f"{where} must be a JSON object")
        self._values, self._where = values, where

    def size(self, key: str, least: int = 1) -> int:
        value = self._get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_SIZE:
            raise CheckpointError(
                f"{self._where}: {key} must be a whole number of {least} to {MAX_SIZE}, "
                f"not {value!r}"
            )
        return value

    def number(self, key: str) -> float:
        value = self._get(key)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 < value <= sys.float_info.max:
            raise CheckpointError(
                f"{self._where}: {key} must be a finite number above 0, not {value!r}"
            )
        return float(value)

    def flag(self, key: str) -> bool | None:
        """``None`` where the key is left out."""
        value = self._values.get(key)
        if value is not None and not isinstance(value, bool):
            raise CheckpointError(f"{self._where}: {key} must be true or false, not {value!r}")
        return value

    def numbers(self, key: str, count: int) -> tuple[float, ...]:
        values = self._get(key)
        if not isinstance(values, list) or len(values) != count:
            raise CheckpointError(f"{self._where}: {key} must list {count} numbers, not {values!r}")
        return tuple(Fields({key: value}, self._where).number(key) for value in values)

    def only(self, key: str, allowed: Any) -> None:
        """Refuse what this implementation does not compute; a key left out means ``allowed``."""
        value = self._values.get(key)
        if value is not None and value != allowed:
            raise CheckpointError(
                f"{self._where}: {key} is {value!r}; only {allowed!r} is supported"
            )

    def optional(self, key: str) -> Any:
        return self._values.get(key)

    def _get(self, key: str) -> Any:
        if self._values.get(key) is None:
            raise CheckpointError(f"{self._where}: {key} is missing")
        return self._values[key]


def read_json_file(path: Path) -> Any:
    """Parse one of the folder's JSON files. Raises ``CheckpointError`` naming the file."""
    try:
        return parse_json(path.read_bytes(), str(path))
    except FileNotFoundError:
        raise CheckpointError(f"{path} is missing") from None
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from None
    except RequestError as error:
        raise CheckpointError(str(error)) from None


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
        from .config_omni import parse_thinker  # which builds on this module

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
        ("attn_output_gate", True),
        ("hidden_act", "silu"),
    ):
        fields.only(key, allowed)
    tied = fields.flag("tie_word_embeddings")
    theta, rotary_dim, sections = parse_rope(fields, where)
    text = TextConfig(
        layer_types=_parse_layer_types(fields, where),
        rms_norm_eps=fields.number("rms_norm_eps"),
        rope_theta=theta,
        rotary_dim=rotary_dim,
        mrope_section=sections,
        attn_output_gate=True,
        tie_word_embeddings=bool(outer.flag("tie_word_embeddings") if tied is None else tied),
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


def check_layers(count: int, where: str) -> None:
    if count > MAX_LAYERS:
        raise CheckpointError(
            f"{where}: num_hidden_layers is {count}; at most {MAX_LAYERS} are read"
        )


def parse_rope(
    fields: Fields,
    where: str,
    factor: float | None = None,
    default_sections: tuple[int, int, int] = MROPE_SECTION,
) -> tuple[float, int, tuple[int, int, int]]:
    """Base, rotated width and sections.

    ``rope_parameters`` wins; older configs spread the same keys. A config without a rotated share
    or sections has ``factor`` and ``default_sections``.
    """
    rope = fields.optional("rope_parameters")
    if rope is None:
        older = Fields(fields.optional("rope_scaling") or {}, f"{where}: rope_scaling")
        rope = {
            "rope_theta": fields.optional("rope_theta"),
            "partial_rotary_factor": fields.optional("partial_rotary_factor"),
            "mrope_section": older.optional("mrope_section"),
            "rope_type": older.optional("rope_type") or older.optional("type"),
        }
        if rope["rope_type"] == "mrope":  # the older word: plain rotary, three position axes
            rope["rope_type"] = "default"
    elif isinstance(rope, Mapping) and rope.get("partial_rotary_factor") is None:
        rope = {**rope, "partial_rotary_factor": fields.optional("partial_rotary_factor")}
    parameters = Fields(rope, f"{where}: rope_parameters")
    parameters.only("rope_type", "default")
    theta = parameters.number("rope_theta")
    if factor is None or parameters.optional("partial_rotary_factor") is not None:
        factor = parameters.number("partial_rotary_factor")
    head_dim = fields.size("head_dim")
    rotary_dim = int(head_dim * factor)
    if rotary_dim % 2 or not 0 < rotary_dim <= head_dim:
        raise CheckpointError(
            f"{where}: partial_rotary_factor rotates {rotary_dim} of {head_dim} dimensions; "
            f"it must be an even number of 2 to {head_dim}"
        )
    sections = parameters.optional("mrope_section") or default_sections
    if (
        not isinstance(sections, list | tuple)
        or len(sections) != 3
        or not all(type(section) is int and section >= 0 for section in sections)
    ):
        raise CheckpointError(f"{where}: mrope_section must be 3 whole numbers, not {sections!r}")
    time, height, width = sections
    return theta, rotary_dim, (time, height, width)


def _parse_moe(fields: Fields, where: str) -> MoeConfig:
    moe = MoeConfig(
        num_experts=fields.size("num_experts"),
        num_experts_per_tok=fields.size("num_experts_per_tok"),
        moe_intermediate_size=fields.size("moe_intermediate_size"),
        shared_expert_intermediate_size=fields.size("shared_expert_intermediate_size"),
    )
    check_moe(moe, where)
    return moe


def check_moe(moe: MoeConfig, where: str) -> None:
    if moe.num_experts_per_tok > moe.num_experts:
        raise CheckpointError(
            f"{where}: num_experts_per_tok ({moe.num_experts_per_tok}) is above num_experts "
            f"({moe.num_experts})"
        )


def _parse_vision(values: Any, where: str) -> VisionConfig:
    fields = Fields(values, where)
    if fields.optional("deepstack_visual_indexes"):
        raise CheckpointError(f"{where}: deepstack_visual_indexes is not supported here")
    sizes: dict[str, Any] = {key: fields.size(key) for key in VISION_SIZES}
    return VisionConfig(**sizes)


VISION_SIZES = tuple(
    key for key in VisionConfig.__annotations__ if key != "deepstack_visual_indexes"
)


def _parse_head(values: Any, where: str) -> HeadConfig:
    fields = Fields(values, where)
    head = HeadConfig(**{key: fields.size(key) for key in HeadConfig.__annotations__})
    if head.width % head.heads:
        raise CheckpointError(
            f"{where}: width ({head.width}) must be a multiple of heads ({head.heads})"
        )
    return head
