"""A miniature release with random weights in the published layout, to try the machinery on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import mlx.core as mx
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

from .architecture import DENSE, MOE, OMNI
from .checkpoint import HEAD_CONFIG, HEAD_FILE, INDEX_FILE
from .config import parse_config
from .encoding import word_splitter
from .errors import CheckpointError
from .layout import PUBLISHED_WORD_RULE
from .weights import TensorSpec, expected_tensors

# The release's special tokens; the vocabulary here is the 256 bytes.
SPECIAL = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>"),
    *("<|image_pad|>", "<|video_pad|>"),
)
PLAIN_ADDED = ("<think>", "</think>")
SOUND = ("<|audio_start|>", "<|audio_end|>", "<|audio_pad|>")  # clef-omni's; after the others
TEXT: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 192,
    "num_hidden_layers": 8,
    "full_attention_interval": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 32,
    "linear_value_head_dim": 32,
    "linear_conv_kernel_dim": 4,
    "rms_norm_eps": 1e-6,
    "vocab_size": 320,
    "max_position_embeddings": 262_144,
    "rope_parameters": {"rope_theta": 1e7, "partial_rotary_factor": 0.25, "rope_type": "default"},
    "tie_word_embeddings": False,
}
MOE_TEXT: dict[str, Any] = {
    "num_experts": 8,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 64,
    "shared_expert_intermediate_size": 64,
}
OMNI_TEXT: dict[str, Any] = {
    **{key: TEXT[key] for key in ("hidden_size", "num_attention_heads", "num_key_value_heads")},
    **{key: TEXT[key] for key in ("head_dim", "rms_norm_eps", "vocab_size")},
    "num_hidden_layers": 4,
    "num_experts": 8,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 64,
    "max_position_embeddings": 65_536,
    "rope_theta": 1e6,
    "rope_scaling": {"mrope_section": [6, 5, 5], "rope_type": "default"},
    "tie_word_embeddings": False,
}
TOWERS: dict[str, Any] = {
    "vision_config": {
        "depth": 3,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_heads": 4,
        "out_hidden_size": 64,
        "in_channels": 3,
        "num_position_embeddings": 64,
        "patch_size": 16,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
        "deepstack_visual_indexes": [0, 2],
    },
    "audio_config": {
        "num_mel_bins": 128,
        "d_model": 64,
        "encoder_layers": 2,
        "encoder_attention_heads": 4,
        "encoder_ffn_dim": 128,
        "downsample_hidden_size": 16,
        "output_dim": 64,
        "n_window": 50,
        "n_window_infer": 800,
    },
}
_PICTURES = {
    "patch_size": 16,
    "temporal_patch_size": 2,
    "merge_size": 2,
    "image_mean": [0.5, 0.5, 0.5],
    "image_std": [0.5, 0.5, 0.5],
    "rescale_factor": 1 / 255,
}
PROCESSOR: dict[str, Any] = {
    "image_processor": _PICTURES,
    "video_processor": _PICTURES,
    "feature_extractor": {"feature_size": 128},
}
HEAD: dict[str, Any] = {
    "width": 64,
    "routing_layers": 2,
    "layers": 3,
    "heads": 4,
    "feedforward": 128,
}


def write_release(
    folder: str | Path,
    *,
    model_type: str = "qwen3_5",
    text: Mapping[str, Any] | None = None,
    head: Mapping[str, Any] | None = None,
    tokenizer: Tokenizer | None = None,
    single_experts: bool = False,
    seed: int = 0,
) -> None:
    """Write a release to ``folder`` (made if absent): config, tokenizer, shards, joint head.

    ``text`` and ``head`` override sizes; without ``tokenizer`` each byte is a token. Weights are
    random bfloat16, the same for the same ``seed``; its answers mean nothing.
    """
    folder = Path(folder)
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise CheckpointError(f"{folder} is not empty: give the name of a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizer or byte_tokenizer(SOUND if model_type == OMNI else ())
    known = {DENSE: TEXT, MOE: {**TEXT, **MOE_TEXT}, OMNI: OMNI_TEXT}[model_type]
    text_config = {**known, **(text or {})}
    config: dict[str, Any] = {"model_type": model_type, "dtype": "bfloat16"}
    if model_type == OMNI:
        config["thinker_config"] = {"text_config": text_config, **TOWERS, **_marks(tokenizer)}
        _write_json(folder / "processor_config.json", PROCESSOR)
    else:
        config["text_config"] = text_config
    head_config = {"hidden_size": text_config["hidden_size"], **HEAD, **(head or {})}
    parsed = parse_config(config, head_config, folder)
    specs = expected_tensors(parsed, [".experts.0."] if single_experts else [])
    weights = random_weights(specs, seed)
    backbone = [name for name, spec in specs.items() if spec.part != "head"]
    half = len(backbone) // 2
    shards = {
        f"model-{number:05}-of-00002.safetensors": names
        for number, names in ((1, backbone[:half]), (2, backbone[half:]))
    }
    for shard, names in shards.items():
        _save(folder / shard, {name: weights[name] for name in names})
    _save(folder / HEAD_FILE, {n: weights[n] for n, spec in specs.items() if spec.part == "head"})
    weight_map = {name: shard for shard, names in shards.items() for name in names}
    _write_json(folder / INDEX_FILE, {"metadata": {}, "weight_map": weight_map})
    _write_json(folder / "config.json", config)
    _write_json(folder / HEAD_CONFIG, head_config)
    tokenizer.save(str(folder / "tokenizer.json"))


def random_weights(specs: Mapping[str, TensorSpec], seed: int) -> dict[str, mx.array]:
    """Weights that make every part of the model matter: no norm, gate or decay is trivial."""
    mx.random.seed(seed)
    weights = {}
    for name, spec in specs.items():
        noise = mx.random.normal(spec.shape)
        if name.endswith("A_log"):
            noise = mx.log(mx.random.uniform(1, 16, spec.shape))
        elif name.endswith("logit_scale"):
            noise = mx.array(2.3)
        elif spec.kind == "float32" or _is_scale(spec):
            noise = 1 + 0.2 * noise
        elif spec.kind == "filters":
            noise = noise * prod(spec.shape[1:]) ** -0.5
        elif spec.kind in ("norm", "vector"):
            noise = 0.2 * noise
        elif spec.kind == "conv":
            noise = 0.5 * noise
        else:
            noise = noise * spec.shape[-1] ** -0.5
        weights[name] = noise.astype(mx.bfloat16)
    return weights


def _is_scale(spec: TensorSpec) -> bool:
    """Whether a tensor is the scale of a LayerNorm."""
    if spec.kind == "tower":
        return len(spec.shape) == 1 and spec.name.endswith("weight")
    return spec.kind == "vector" and spec.name.endswith("norm.weight")


def byte_tokenizer(more: Sequence[str] = ()) -> Tokenizer:
    """Byte-level, without merges: every byte is a token. ``more`` special tokens come last."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({byte: i for i, byte in enumerate(alphabet)}, []))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = word_splitter(PUBLISHED_WORD_RULE)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(
        [AddedToken(text, normalized=False, special=True) for text in SPECIAL]
    )
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in PLAIN_ADDED])
    tokenizer.add_special_tokens(
        [AddedToken(text, normalized=False, special=True) for text in more]
    )
    return tokenizer


def _marks(tokenizer: Tokenizer) -> dict[str, int | None]:
    """The token ids that clef-omni's config names."""
    tokens = {
        **{f"{kind}_token_id": f"<|{kind}_pad|>" for kind in ("image", "video", "audio")},
        **{
            f"{kind}_{side}_token_id": f"<|{kind}_{side}|>"
            for kind in ("vision", "audio")
            for side in ("start", "end")
        },
    }
    return {key: tokenizer.token_to_id(text) for key, text in tokens.items()}


def _save(path: Path, tensors: dict[str, mx.array]) -> None:
    mx.save_safetensors(str(path), tensors, metadata={"format": "pt"})


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
