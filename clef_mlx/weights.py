"""The catalogue of a release's tensors: name, shape, kind, and the parameter each becomes.

With ``naming.py`` the only place that knows foreign names. Everything that looks at a folder's
tensors (the strict check, loading, sizes, the miniature writer) reads this one list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from .architecture import (
    OMNI,
    AudioConfig,
    HeadConfig,
    ModelConfig,
    MoeConfig,
    TextConfig,
    VisionConfig,
)

Kind = Literal[
    "linear",  # a projection; quantizable
    "experts",  # projections of all experts, or of one where a release stores them singly
    "gate",  # small projections that decide decay, routing or scale: never quantized
    "norm",  # Qwen3.5's RMSNorm: the release stores the scale minus one; ours is float32
    "float32",  # used in float32 as stored: the gated norm, A_log, dt_bias
    "conv",  # depthwise convolution [C, 1, K]; ours is [K, C]
    "vector",  # norms with bias, biases, scalars, the type embedding
    "table",  # stays on disk, read row by row
    "patches",  # the vision tower's patch embedding [V, C, T, ph, pw]; ours is [V, C * T * ph * pw]
    "filters",  # the audio encoder's convolutions [O, C, kh, kw]; ours are [O, kh, kw, C]
    "tower",  # the rest of the towers; each is loaded when the first picture or sound comes
]
Part = Literal["backbone", "head", "vision", "audio", "tables"]
# Of clef-omni's release: what would speak. Never read, copied or asked for.
SPEECH = ("talker.", "code2wav.")


@dataclass(frozen=True)
class TensorSpec:
    """One tensor of a release."""

    name: str
    shape: tuple[int, ...]
    kind: Kind
    part: Part
    ours: str  # dotted path of our parameter; "" where none is made
    slot: tuple[int, int] = (0, 0)  # (expert, gate or up) where several tensors make one parameter


def expected_tensors(config: ModelConfig, stored: Iterable[str]) -> dict[str, TensorSpec]:
    """Every tensor a folder with ``config`` must hold, by name.

    ``stored`` are the names it does hold: they only decide whether experts are fused or single,
    which the config does not say, and whether tied tables were stored apart all the same.
    """
    family = THINKER if config.model_type == OMNI else QWEN3_5
    experts = [name for name in stored if ".experts.0." in name and not name.startswith(SPEECH)]
    single = config.text.moe is not None and bool(experts)
    is_tied = config.text.tie_word_embeddings
    apart = not is_tied or any(name.endswith("lm_head.weight") for name in stored)
    specs = [*_text(config.text, family, single, apart), *_head(config.head)]
    if config.vision is not None:
        specs.extend(_vision(config.vision, family))
    if config.audio is not None:
        specs.extend(_audio(config.audio))
    return {spec.name: spec for spec in specs}


@dataclass(frozen=True)
class Family:
    """How the releases of one architecture name what both have."""

    text: str  # before the text stack's names
    visual: str  # before the vision tower's
    lm_head: str
    norm: Kind  # of the text stack's norms
    merger: tuple[str, str, str]  # norm and the two layers of a patch merger


QWEN3_5 = Family(
    "model.language_model", "model.visual", "lm_head", "norm", ("norm", "linear_fc1", "linear_fc2")
)
THINKER = Family(
    "thinker.model", "thinker.visual", "thinker.lm_head", "float32", ("ln_q", "mlp.0", "mlp.2")
)


def _text(
    c: TextConfig, family: Family, single_experts: bool, has_lm_head: bool
) -> Iterator[TensorSpec]:
    theirs = family.text
    table = (c.vocab_size, c.hidden_size)
    yield TensorSpec(f"{theirs}.embed_tokens.weight", table, "table", "tables", "")
    if has_lm_head:
        yield TensorSpec(f"{family.lm_head}.weight", table, "table", "tables", "")
    yield _backbone(f"{theirs}.norm.weight", (c.hidden_size,), family.norm)
    for i, layer_kind in enumerate(c.layer_types):
        layer = f"{theirs}.layers.{i}"
        for name in ("input_layernorm", "post_attention_layernorm"):
            yield _backbone(f"{layer}.{name}.weight", (c.hidden_size,), family.norm)
        if layer_kind == "linear_attention":
            yield from _linear_attention(layer, c)
        else:
            yield from _self_attention(layer, c, family.norm)
        if c.moe is None:
            yield from _mlp(f"{layer}.mlp", c.hidden_size, c.intermediate_size or 0)
        else:
            yield from _moe(f"{layer}.mlp", c.hidden_size, c.moe, single_experts)


def _linear_attention(layer: str, c: TextConfig) -> Iterator[TensorSpec]:
    at = f"{layer}.linear_attn"
    width, value_heads = c.hidden_size, c.linear_num_value_heads
    yield _backbone(f"{at}.in_proj_qkv.weight", (c.conv_channels, width), "linear")
    yield _backbone(f"{at}.in_proj_z.weight", (c.linear_value_size, width), "linear")
    yield _backbone(f"{at}.in_proj_a.weight", (value_heads, width), "gate")
    yield _backbone(f"{at}.in_proj_b.weight", (value_heads, width), "gate")
    yield _backbone(f"{at}.out_proj.weight", (width, c.linear_value_size), "linear")
    yield _backbone(f"{at}.conv1d.weight", (c.conv_channels, 1, c.linear_conv_kernel_dim), "conv")
    yield _backbone(f"{at}.norm.weight", (c.linear_value_head_dim,), "float32")
    yield _backbone(f"{at}.A_log", (value_heads,), "float32")
    yield _backbone(f"{at}.dt_bias", (value_heads,), "float32")


def _self_attention(layer: str, c: TextConfig, norm: Kind) -> Iterator[TensorSpec]:
    at = f"{layer}.self_attn"
    queries, keys = c.num_attention_heads * c.head_dim, c.num_key_value_heads * c.head_dim
    gates = queries if c.attn_output_gate else 0
    yield _backbone(f"{at}.q_proj.weight", (queries + gates, c.hidden_size), "linear")
    yield _backbone(f"{at}.k_proj.weight", (keys, c.hidden_size), "linear")
    yield _backbone(f"{at}.v_proj.weight", (keys, c.hidden_size), "linear")
    yield _backbone(f"{at}.o_proj.weight", (c.hidden_size, queries), "linear")
    yield _backbone(f"{at}.q_norm.weight", (c.head_dim,), norm)
    yield _backbone(f"{at}.k_norm.weight", (c.head_dim,), norm)


def _mlp(at: str, width: int, inner: int) -> Iterator[TensorSpec]:
    yield _backbone(f"{at}.gate_proj.weight", (inner, width), "linear")
    yield _backbone(f"{at}.up_proj.weight", (inner, width), "linear")
    yield _backbone(f"{at}.down_proj.weight", (width, inner), "linear")


def _moe(at: str, width: int, moe: MoeConfig, single: bool) -> Iterator[TensorSpec]:
    yield _backbone(f"{at}.gate.weight", (moe.num_experts, width), "gate")
    if moe.shared_expert_intermediate_size:
        yield _backbone(f"{at}.shared_expert_gate.weight", (1, width), "gate")
        yield from _mlp(f"{at}.shared_expert", width, moe.shared_expert_intermediate_size)
    experts, inner = moe.num_experts, moe.moe_intermediate_size
    if not single:
        yield _backbone(f"{at}.experts.gate_up_proj", (experts, 2 * inner, width), "experts")
        yield _backbone(f"{at}.experts.down_proj", (experts, width, inner), "experts")
        return
    ours = _ours(f"{at}.experts")
    for e in range(experts):
        for name, shape, target, part in (
            ("gate_proj", (inner, width), "gate_up_proj", 0),
            ("up_proj", (inner, width), "gate_up_proj", 1),
            ("down_proj", (width, inner), "down_proj", 0),
        ):
            yield TensorSpec(
                f"{at}.experts.{e}.{name}.weight",
                shape,
                "experts",
                "backbone",
                f"{ours}.{target}.weight",
                (e, part),
            )


def _head(c: HeadConfig) -> Iterator[TensorSpec]:
    width, wide = c.width, c.feedforward

    def norm(at: str, size: int = width) -> Iterator[TensorSpec]:
        yield _joint(f"{at}.weight", (size,), "vector")
        yield _joint(f"{at}.bias", (size,), "vector")

    def linear(at: str, outputs: int, inputs: int, kind: Kind = "linear") -> Iterator[TensorSpec]:
        yield _joint(f"{at}.weight", (outputs, inputs), kind)
        yield _joint(f"{at}.bias", (outputs,), "vector")

    def attention(at: str) -> Iterator[TensorSpec]:
        yield _joint(f"{at}.in_proj_weight", (3 * width, width), "linear")
        yield _joint(f"{at}.in_proj_bias", (3 * width,), "vector")
        yield from linear(f"{at}.out_proj", width, width)

    yield from norm("hidden_norm", c.hidden_size)
    for name in ("memory", "question", "option_question", "global", "option_context"):
        yield _joint(f"{name}_projection.weight", (width, c.hidden_size), "linear")
    yield _joint("option_lexical_projection.weight", (width, c.hidden_size), "linear")
    yield _joint("type_embedding.weight", (3, width), "vector")
    for i in range(c.routing_layers):
        at = f"evidence_layers.{i}"
        for name in ("query_norm", "memory_norm", "feedforward_norm"):
            yield from norm(f"{at}.{name}")
        yield from attention(f"{at}.attention")
        yield from linear(f"{at}.feedforward.0", wide, width)
        yield from linear(f"{at}.feedforward.3", width, wide)
    for i in range(c.layers):
        at = f"layers.{i}"
        yield from attention(f"{at}.self_attn")
        yield from attention(f"{at}.multihead_attn")
        yield from linear(f"{at}.linear1", wide, width)
        yield from linear(f"{at}.linear2", width, wide)
        for name in ("norm1", "norm2", "norm3"):
            yield from norm(f"{at}.{name}")
    for name in ("option_summary_norm", "field_norm", "option_norm"):
        yield from norm(name)
    yield from linear("residual_scorer.0", width, 4 * width)
    yield from linear("residual_scorer.3", 1, width, "vector")
    for name in ("prior_logit_scale", "joint_logit_scale", "residual_gate"):
        yield _joint(name, (), "vector")


def _vision(c: VisionConfig, family: Family) -> Iterator[TensorSpec]:
    def tower(name: str, *shape: int, ours: str = "") -> TensorSpec:
        kind: Kind = "patches" if len(shape) == 5 else "tower"
        return TensorSpec(
            f"{family.visual}.{name}", shape, kind, "vision", f"vision.{ours or name}"
        )

    def layer(name: str, *shape: int, ours: str = "") -> Iterator[TensorSpec]:
        ours = ours or name
        yield tower(f"{name}.weight", *shape, ours=f"{ours}.weight")
        yield tower(f"{name}.bias", shape[0], ours=f"{ours}.bias")

    def merger(name: str, ours: str, normed: int) -> Iterator[TensorSpec]:
        norm, first, second = (f"{name}.{part}" for part in family.merger)
        yield from layer(norm, normed, ours=f"{ours}.norm")
        yield from layer(first, merged, merged, ours=f"{ours}.linear_fc1")
        yield from layer(second, c.out_hidden_size, merged, ours=f"{ours}.linear_fc2")

    size, merged = c.hidden_size, c.hidden_size * c.spatial_merge_size**2
    patch = (c.in_channels, c.temporal_patch_size, c.patch_size, c.patch_size)
    yield tower("patch_embed.proj.weight", size, *patch)
    yield tower("patch_embed.proj.bias", size)
    yield tower("pos_embed.weight", c.num_position_embeddings, size)
    for i in range(c.depth):
        at = f"blocks.{i}"
        yield from layer(f"{at}.attn.qkv", 3 * size, size)
        yield from layer(f"{at}.attn.proj", size, size)
        yield from layer(f"{at}.mlp.linear_fc1", c.intermediate_size, size)
        yield from layer(f"{at}.mlp.linear_fc2", size, c.intermediate_size)
        yield from layer(f"{at}.norm1", size)
        yield from layer(f"{at}.norm2", size)
    yield from merger("merger", "merger", size)
    for i in range(len(c.deepstack_visual_indexes)):
        yield from merger(f"merger_list.{i}", f"deepstack.{i}", merged)


def _audio(c: AudioConfig) -> Iterator[TensorSpec]:
    def tower(name: str, *shape: int, kind: Kind = "tower") -> TensorSpec:
        return TensorSpec(f"thinker.audio_tower.{name}", shape, kind, "audio", f"audio.{name}")

    def layer(name: str, *shape: int, kind: Kind = "tower") -> Iterator[TensorSpec]:
        yield tower(f"{name}.weight", *shape, kind=kind)
        yield tower(f"{name}.bias", shape[0])

    width, channels, rows = c.d_model, c.downsample_hidden_size, c.num_mel_bins
    for i, inputs in ((1, 1), (2, channels), (3, channels)):
        yield from layer(f"conv2d{i}", channels, inputs, 3, 3, kind="filters")
        rows = (rows + 1) // 2
    yield tower("conv_out.weight", width, channels * rows)
    for i in range(c.encoder_layers):
        at = f"layers.{i}"
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            yield from layer(f"{at}.self_attn.{name}", width, width)
        yield from layer(f"{at}.self_attn_layer_norm", width)
        yield from layer(f"{at}.fc1", c.encoder_ffn_dim, width)
        yield from layer(f"{at}.fc2", width, c.encoder_ffn_dim)
        yield from layer(f"{at}.final_layer_norm", width)
    yield from layer("ln_post", width)
    yield from layer("proj1", width, width)
    yield from layer("proj2", c.output_dim, width)


def _backbone(name: str, shape: tuple[int, ...], kind: Kind) -> TensorSpec:
    return TensorSpec(name, shape, kind, "backbone", _ours(name))


def _ours(name: str) -> str:
    fused = ".weight" if name.endswith(("experts.gate_up_proj", "experts.down_proj")) else ""
    for family in (QWEN3_5, THINKER):
        name = name.replace(f"{family.text}.", "backbone.", 1)
    return name + fused


def _joint(name: str, shape: tuple[int, ...], kind: Kind) -> TensorSpec:
    ours = name.replace("in_proj_", "in_proj.")  # one linear layer like any other
    return TensorSpec(name, shape, kind, "head", f"head.{ours}")
