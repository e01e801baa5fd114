"""``config``: every size from the files, every impossible value refused by its key."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import GOLDEN

from clef_mlx import CheckpointError
from clef_mlx.architecture import ModelConfig
from clef_mlx.config import parse_config
from clef_mlx.fields import read_json_file

FOLDER = Path("model")
TEXT, HEAD = "text_config", "joint_head_config.json"
SIZES = (
    *("hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads"),
    *("head_dim", "linear_num_key_heads", "linear_num_value_heads", "linear_key_head_dim"),
    *("linear_value_head_dim", "linear_conv_kernel_dim", "vocab_size", "max_position_embeddings"),
)
MOE_SIZES = (
    *("num_experts", "num_experts_per_tok", "moe_intermediate_size"),
    "shared_expert_intermediate_size",
)
OMNI_SIZES = tuple(size for size in SIZES if not size.startswith("linear_"))
AUDIO_SIZES = (
    *("num_mel_bins", "d_model", "encoder_layers", "encoder_attention_heads", "encoder_ffn_dim"),
    *("downsample_hidden_size", "output_dim", "n_window", "n_window_infer"),
)
HEAD_SIZES = ("hidden_size", "width", "routing_layers", "layers", "heads", "feedforward")
VISION_SIZES = (
    *("depth", "hidden_size", "intermediate_size", "out_hidden_size", "in_channels"),
    *("num_position_embeddings", "patch_size", "spatial_merge_size", "temporal_patch_size"),
)
# Where a key lies: the kind of model, the path to its object, and how messages name that object.
AT_TEXT = ("tiny-dense", (TEXT,), f"model/config.json: {TEXT}")
AT_MOE = ("tiny-moe", (TEXT,), f"model/config.json: {TEXT}")
AT_OMNI = (
    "tiny-omni",
    ("thinker_config", TEXT),
    f"model/config.json: thinker_config: {TEXT}",
)
AT_DEEP = (
    "tiny-omni",
    ("thinker_config", "vision_config"),
    "model/config.json: thinker_config: vision_config",
)
AT_AUDIO = (
    "tiny-omni",
    ("thinker_config", "audio_config"),
    "model/config.json: thinker_config: audio_config",
)
AT_VISION = ("tiny-dense", ("vision_config",), "model/config.json: vision_config")
AT_ROPE = ("tiny-dense", (TEXT, "rope_parameters"), f"model/config.json: {TEXT}: rope_parameters")
AT_HEAD = ("tiny-dense", (HEAD,), f"model/{HEAD}")
SIZE_PLACES = [
    *((AT_TEXT, key) for key in (*SIZES, "intermediate_size")),
    *((AT_MOE, key) for key in MOE_SIZES),
    *((AT_VISION, key) for key in VISION_SIZES),
    *((AT_HEAD, key) for key in HEAD_SIZES),
    *((AT_OMNI, key) for key in (*OMNI_SIZES, *MOE_SIZES[:3])),
    *((AT_DEEP, key) for key in VISION_SIZES),
    *((AT_AUDIO, key) for key in AUDIO_SIZES),
]
NUMBER_PLACES = [
    (AT_TEXT, "rms_norm_eps"),
    (AT_ROPE, "rope_theta"),
    (AT_ROPE, "partial_rotary_factor"),
]
PLACES = [*SIZE_PLACES, *NUMBER_PLACES]


def files(name: str) -> dict[str, Any]:
    """``config.json`` of a golden miniature, with its head's file as one more key."""
    folder = GOLDEN / name
    config = json.loads((folder / "config.json").read_bytes())
    return {**config, HEAD: json.loads((folder / HEAD).read_bytes())}


def parse(config: dict[str, Any]) -> ModelConfig:
    config = copy.deepcopy(config)
    return parse_config(config, config.pop(HEAD), FOLDER)


def refusal(config: dict[str, Any]) -> str:
    with pytest.raises(CheckpointError) as caught:
        parse(config)
    return str(caught.value)


def changed(place: tuple[str, tuple[str, ...], str], **values: Any) -> dict[str, Any]:
    """The files with keys set at a place, or taken out where the value is ``...``."""
    name, path, _ = place
    config = files(name)
    target = config
    for key in path:
        target = target[key]
    target.update(values)
    for key in [key for key, value in values.items() if value is ...]:
        del target[key]
    return config


def test_the_files_are_read_as_they_are() -> None:
    config = parse(files("tiny-dense"))
    given = files("tiny-dense")
    for key in (*SIZES, "intermediate_size", "rms_norm_eps"):
        assert getattr(config.text, key) == given[TEXT][key]
    assert list(config.text.layer_types) == given[TEXT]["layer_types"]
    assert dataclasses.asdict(config.head) == given[HEAD]
    assert config.vision is not None
    assert all(getattr(config.vision, k) == given["vision_config"][k] for k in VISION_SIZES)
    assert (config.model_type, config.text.moe) == ("qwen3_5", None)
    assert not config.text.tie_word_embeddings
    assert config.text.linear_key_size == 2 * 32
    assert config.text.linear_value_size == 4 * 32
    assert config.text.conv_channels == 2 * 64 + 128


def test_experts_are_read_for_a_mixture_only() -> None:
    config = parse(files("tiny-moe"))
    assert config.text.moe is not None
    assert all(getattr(config.text.moe, k) == files("tiny-moe")[TEXT][k] for k in MOE_SIZES)
    assert config.text.intermediate_size is None
    assert parse(changed(AT_TEXT, num_experts="many")).text.moe is None


@pytest.mark.parametrize(("place", "key"), PLACES)
def test_a_missing_key_is_named(place: Any, key: str) -> None:
    beside = {"partial_rotary_factor": ...} if key == "partial_rotary_factor" else {}
    for value in (..., None):
        config = changed(place, **{key: value})
        for other in beside:  # a second place where this one may stand
            config[TEXT].pop(other)
        assert refusal(config) == f"{place[2]}: {key} is missing"


@pytest.mark.parametrize(
    "value", [True, False, 0, -1, 2**31, 10**400, 1.0, 64.5, "64", "", [64], {}]
)
@pytest.mark.parametrize(("place", "key"), SIZE_PLACES[::3])
def test_a_size_is_a_whole_number(place: Any, key: str, value: Any) -> None:
    assert refusal(changed(place, **{key: value})) == (
        f"{place[2]}: {key} must be a whole number of 1 to {2**31 - 1}, not {value!r}"
    )


@pytest.mark.parametrize(
    "value", [True, 0, -1e-6, float("nan"), float("inf"), 10**400, "1e-6", [1e-6], {}]
)
@pytest.mark.parametrize(("place", "key"), NUMBER_PLACES)
def test_a_number_is_finite_and_above_zero(place: Any, key: str, value: Any) -> None:
    assert refusal(changed(place, **{key: value})) == (
        f"{place[2]}: {key} must be a finite number above 0, not {value!r}"
    )


@pytest.mark.parametrize("value", [None, 5, "text", [], [{}]])
@pytest.mark.parametrize(
    ("path", "where"),
    [
        ((TEXT,), AT_TEXT[2]),
        ((HEAD,), AT_HEAD[2]),
        (("vision_config",), AT_VISION[2]),
        ((TEXT, "rope_parameters"), AT_ROPE[2]),
    ],
)
def test_every_part_is_an_object(path: tuple[str, ...], where: str, value: Any) -> None:
    *parents, last = path
    config = changed(("tiny-dense", tuple(parents), ""), **{last: value})
    if value is None and last == "vision_config":
        assert parse(config).vision is None
    elif value is None and last == "rope_parameters":
        assert refusal(config) == f"{where}: rope_theta is missing"
    else:
        assert refusal(config) == f"{where} must be a JSON object"


@pytest.mark.parametrize(
    ("factor", "head_dim", "rotated"),
    [(0.25, 32, 8), (0.5, 32, 16), (1.0, 32, 32), (1, 64, 64), (0.25, 256, 64), (0.1, 20, 2)],
)
def test_rotated_dimensions(factor: float, head_dim: int, rotated: int) -> None:
    config = changed(AT_ROPE, partial_rotary_factor=factor)
    config[TEXT]["head_dim"] = head_dim
    assert parse(config).text.rotary_dim == rotated


@pytest.mark.parametrize(
    ("factor", "head_dim", "rotated"),
    [(0.25, 20, 5), (0.01, 32, 0), (2.0, 32, 64), (1e300, 32, int(32 * 1e300)), (1.0, 33, 33)],
)
def test_impossible_rotations_are_refused(factor: float, head_dim: int, rotated: int) -> None:
    config = changed(AT_ROPE, partial_rotary_factor=factor)
    config[TEXT]["head_dim"] = head_dim
    assert refusal(config) == (
        f"{AT_TEXT[2]}: partial_rotary_factor rotates {rotated} of {head_dim} dimensions; it must "
        f"be an even number of 2 to {head_dim}"
    )


def test_rope_parameters_win_over_keys_beside_them() -> None:
    rope = {"rope_theta": 5e5, "partial_rotary_factor": 0.5, "rope_type": "default"}
    config = changed(
        AT_TEXT,
        rope_parameters=rope,
        rope_theta=1e4,
        partial_rotary_factor=0.25,
    )
    assert (parse(config).text.rope_theta, parse(config).text.rotary_dim) == (5e5, 16)
    both = changed(AT_TEXT, rope_parameters=rope, rope_scaling={**rope, "rope_theta": 3e4})
    assert parse(both).text.rope_theta == 3e4  # the older name wins where both are given
    del rope["partial_rotary_factor"]
    config = changed(AT_TEXT, rope_parameters=rope, partial_rotary_factor=0.25)
    assert parse(config).text.rotary_dim == 8


OLDER = {"rope_parameters": ..., "rope_theta": 1e6, "partial_rotary_factor": 0.25}


@pytest.mark.parametrize(
    "scaling",
    [
        ...,
        None,
        {},
        {"rope_type": "default"},
        {"type": "default"},
        {"type": "mrope", "mrope_section": [1, 1, 2]},
        {"rope_type": "mrope"},
        {"rope_type": None, "type": "mrope"},
    ],
)
def test_older_configs_spread_the_rotary_keys(scaling: Any) -> None:
    text = parse(changed(AT_TEXT, **OLDER, rope_scaling=scaling)).text
    assert (text.rope_theta, text.rotary_dim) == (1e6, 8)


@pytest.mark.parametrize("kind", ["yarn", "linear", "dynamic", "llama3"])
def test_other_kinds_of_rotation_are_refused(kind: str) -> None:
    sentence = f"{AT_ROPE[2]}: rope_type is {kind!r}; only 'default' is supported"
    assert refusal(changed(AT_ROPE, rope_type=kind)) == sentence
    for key in ("type", "rope_type"):
        config = changed(AT_TEXT, **OLDER, rope_scaling={key: kind, "factor": 4.0})
        assert refusal(config) == sentence


@pytest.mark.parametrize("scaling", [5, "yarn", [1], True])
def test_an_older_rope_scaling_is_an_object(scaling: Any) -> None:
    assert refusal(changed(AT_TEXT, **OLDER, rope_scaling=scaling)) == (
        f"{AT_TEXT[2]}: rope_scaling must be a JSON object"
    )


LINEAR, FULL = "linear_attention", "full_attention"


def test_layer_types_win_over_the_interval() -> None:
    kinds = [FULL, LINEAR, LINEAR, FULL, FULL, LINEAR, LINEAR, LINEAR]
    assert parse(changed(AT_TEXT, layer_types=kinds)).text.layer_types == tuple(kinds)
    without = changed(AT_TEXT, layer_types=kinds, full_attention_interval=...)
    assert parse(without).text.layer_types == tuple(kinds)


@pytest.mark.parametrize(("count", "interval"), [(8, 4), (8, 2), (8, 1), (5, 3), (3, 4), (1, 1)])
def test_the_interval_places_full_attention_last_in_each_group(count: int, interval: int) -> None:
    config = changed(
        AT_TEXT, layer_types=..., num_hidden_layers=count, full_attention_interval=interval
    )
    kinds = parse(config).text.layer_types
    assert [i for i, kind in enumerate(kinds, 1) if kind == FULL] == [
        i for i in range(1, count + 1) if i % interval == 0
    ]
    assert len(kinds) == count


@pytest.mark.parametrize(
    ("values", "fragment"),
    [
        (
            {"layer_types": ..., "full_attention_interval": ...},
            "full_attention_interval is missing",
        ),
        ({"layer_types": [LINEAR] * 7}, "layer_types must list 8 layers"),
        ({"layer_types": []}, "layer_types must list 8 layers"),
        ({"layer_types": LINEAR}, "layer_types must list 8 layers"),
        ({"layer_types": {str(i): LINEAR for i in range(8)}}, "layer_types must list 8 layers"),
        (
            {"layer_types": [LINEAR] * 7 + ["sliding_attention"]},
            "holds 'sliding_attention', an unk",
        ),
        ({"layer_types": [LINEAR] * 7 + [None]}, "holds None, an unknown kind of layer"),
        ({"layer_types": [[LINEAR]] * 8}, "an unknown kind of layer"),
        ({"attention_bias": True}, "attention_bias is True; only False is supported"),
        ({"hidden_act": "gelu"}, "hidden_act is 'gelu'; only 'silu' is supported"),
        (
            {"num_key_value_heads": 3},
            "num_attention_heads (4) must be a multiple of num_key_value_heads (3)",
        ),
        (
            {"linear_num_key_heads": 8},
            "linear_num_value_heads (4) must be a multiple of linear_num_key_heads (8)",
        ),
    ],
)
def test_variants_and_sizes_that_do_not_fit_are_refused(
    values: dict[str, Any], fragment: str
) -> None:
    message = refusal(changed(AT_TEXT, **values))
    assert message.startswith(f"{AT_TEXT[2]}: ") and fragment in message


@pytest.mark.parametrize("key", ["attention_bias", "hidden_act"])
def test_a_variant_left_out_or_null_means_the_usual_one(key: str) -> None:
    for value in (..., None):
        assert parse(changed(AT_TEXT, **{key: value})) == parse(files("tiny-dense"))


@pytest.mark.parametrize("sections", [5, "text", [3, 3], [3, 3, 2, 1], [3, 3, -1], [3, 3, 2.0]])
def test_rotary_sections_are_three_whole_numbers(sections: Any) -> None:
    sentence = f"{AT_TEXT[2]}: mrope_section must be 3 whole numbers, not {sections!r}"
    assert refusal(changed(AT_ROPE, mrope_section=sections)) == sentence
    older = changed(AT_TEXT, **OLDER, rope_scaling={"mrope_section": sections})
    assert refusal(older) == sentence
    assert parse(files("tiny-dense")).text.mrope_section == (3, 3, 2)


def test_experts_per_token_are_at_most_all() -> None:
    assert refusal(changed(AT_MOE, num_experts=4, num_experts_per_tok=5)) == (
        f"{AT_MOE[2]}: num_experts_per_tok (5) is above num_experts (4)"
    )
    moe = parse(changed(AT_MOE, num_experts=4, num_experts_per_tok=4)).text.moe
    assert moe is not None and moe.num_experts_per_tok == 4


def test_the_head_must_belong_to_the_backbone() -> None:
    assert refusal(changed(AT_HEAD, hidden_size=96)) == (
        "the head's hidden_size is 96 and the backbone's 64: joint_head_config.json belongs to "
        "another model"
    )
    assert refusal(changed(AT_HEAD, heads=5)) == (
        f"model/{HEAD}: width (64) must be a multiple of heads (5)"
    )


def test_a_vision_tower_with_deepstack_is_refused() -> None:
    assert refusal(changed(AT_VISION, deepstack_visual_indexes=[8, 16])) == (
        f"{AT_VISION[2]}: deepstack_visual_indexes is not supported here"
    )


@pytest.mark.parametrize(
    ("inner", "outer", "tied"),
    [
        (True, False, False),
        (False, True, True),
        (..., True, True),
        (None, True, True),
        (..., False, False),
        (..., ..., False),
    ],
)
def test_tied_tables_are_said_inside_or_outside(inner: Any, outer: Any, tied: bool) -> None:
    config = changed(AT_TEXT, tie_word_embeddings=inner)
    config["tie_word_embeddings"] = outer
    if outer is ...:
        del config["tie_word_embeddings"]
    assert parse(config).text.tie_word_embeddings is tied


@pytest.mark.parametrize("value", ["false", 0, 1, []])
def test_tied_tables_are_true_or_false(value: Any) -> None:
    sentence = f"tie_word_embeddings must be true or false, not {value!r}"
    assert refusal(changed(AT_TEXT, tie_word_embeddings=value)) == f"{AT_TEXT[2]}: {sentence}"
    outside = {**changed(AT_TEXT, tie_word_embeddings=...), "tie_word_embeddings": value}
    assert refusal(outside) == f"model/config.json: {sentence}"


@pytest.mark.parametrize(
    ("write", "fragment"),
    [
        (None, "is missing"),
        (Path.mkdir, "cannot be read: Is a directory"),
        (lambda path: path.write_bytes(b"{"), "is not JSON: "),
        (lambda path: path.write_bytes(b"\xff"), "is not UTF-8: "),
        (lambda path: path.write_bytes(b'{"a":1,"a":2}'), "repeats the key 'a' in one object"),
        (lambda path: path.write_bytes(b"[" * 100_000), "nests too deeply to be read"),
    ],
)
def test_files_that_cannot_be_read_are_named(
    tmp_path: Path, write: Callable[[Path], Any] | None, fragment: str
) -> None:
    path = tmp_path / "config.json"
    if write is not None:
        write(path)
    with pytest.raises(CheckpointError) as caught:
        read_json_file(path)
    assert str(caught.value).startswith(f"{path} {fragment}")


def test_configs_cannot_be_changed() -> None:
    config = parse(files("tiny-moe"))
    for record in (config, config.text, config.text.moe, config.head):
        with pytest.raises(dataclasses.FrozenInstanceError):
            record.hidden_size = 1  # type: ignore[union-attr,misc]


def test_clef_omni_s_sizes() -> None:
    config = parse(files("tiny-omni"))
    text, audio = config.text, config.audio
    assert config.default_max_length == 64_000
    assert text.layer_types == ("full_attention",) * 4
    assert (text.rotary_dim, text.head_dim, text.mrope_section) == (32, 32, (6, 5, 5))
    assert not text.attn_output_gate and text.moe is not None
    assert (text.moe.shared_expert_intermediate_size, text.moe.norm_topk_prob) == (0, True)
    assert config.vision is not None and config.vision.deepstack_visual_indexes == (0, 1)
    assert audio is not None and (audio.n_window, audio.n_window_infer) == (50, 800)
    assert parse(files("tiny-dense")).default_max_length == 16_384


def test_clef_omni_s_older_way_to_say_the_same_of_positions() -> None:
    scaling = {"mrope_section": [6, 5, 5], "rope_type": "default", "type": "default"}
    older = changed(AT_OMNI, rope_parameters=..., rope_theta=1e6, rope_scaling=scaling)
    assert parse(older) == parse(files("tiny-omni"))
    del scaling["mrope_section"]
    plain = changed(AT_OMNI, rope_parameters=..., rope_theta=1e6, rope_scaling=scaling)
    assert parse(plain).text.mrope_section == (24, 20, 20)


@pytest.mark.parametrize(
    ("place", "key", "value", "said"),
    [
        (AT_OMNI, "mlp_only_layers", [1], "mlp_only_layers is not supported"),
        (AT_OMNI, "decoder_sparse_step", 2, "decoder_sparse_step is 2; only 1"),
        (AT_OMNI, "sliding_window", 4096, "sliding_window is 4096; only None"),
        (AT_OMNI, "attn_output_gate", True, "attn_output_gate is True; only False"),
        (AT_OMNI, "num_key_value_heads", 3, "must be a multiple of num_key_value_heads (3)"),
        (AT_OMNI, "num_experts_per_tok", 9, "num_experts_per_tok (9) is above num_experts (8)"),
        (AT_OMNI, "norm_topk_prob", "yes", "norm_topk_prob must be true or false, not 'yes'"),
        (AT_DEEP, "deepstack_visual_indexes", [1, 0], "must list blocks below 2 in order"),
        (AT_DEEP, "deepstack_visual_indexes", [2], "must list blocks below 2 in order"),
        (AT_DEEP, "deepstack_visual_indexes", "all", "must list blocks below 2 in order"),
        (AT_AUDIO, "n_window", 100, "n_window is 100; only 50"),
        (AT_AUDIO, "n_window_infer", 850, "must be whole chunks of twice n_window (50)"),
        (AT_AUDIO, "activation_function", "relu", "activation_function is 'relu'; only 'gelu'"),
        (AT_AUDIO, "encoder_attention_heads", 3, "must be even and a multiple of"),
    ],
)
def test_what_is_not_computed_of_clef_omni_is_refused(
    place: tuple[str, tuple[str, ...], str], key: str, value: Any, said: str
) -> None:
    message = refusal(changed(place, **{key: value}))
    assert message.startswith(place[2]) and said in message


def test_a_thinker_is_needed() -> None:
    config = files("tiny-omni")
    del config["thinker_config"]
    assert refusal(config) == "model/config.json: thinker_config must be a JSON object"
