"""Writes omni.npz: pieces of Qwen3-Omni's own code run on tiny-omni, beyond the whole decisions.

    python tests/golden/make_omni.py

Needs torch and transformers 5.10.2 (the file here: torch 2.13, CPU, float32). Kept for each set of
sounds: frames, and the tokens of the audio encoder; for each mix of media: token ids of the
processor and positions of ``get_rope_index``, with 36 tokens of text before and 40 after.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import MethodType, SimpleNamespace
from typing import Any

import numpy as np

HERE = Path(__file__).parent
SETS = {  # samples of each sound: several windows, none a whole chunk, whole and begun chunks
    "windows": [128_001, 136_000],
    "short": [12_000, 3_000, 7_999],
    "unequal": [48_077, 1, 500, 16_000, 40_001],
    "shortest": [201],
}
MIXES = [  # images, sounds, frames of all sounds, clip grids, image grids, clips are heard
    (0, 0, [200], [[2, 4, 6]], [], True),
    (0, 0, [50], [[3, 8, 4]], [], True),
    (0, 0, [900], [[1, 40, 4]], [], True),
    (1, 1, [333, 200, 61], [[2, 4, 6], [4, 4, 4]], [[1, 16, 16]], True),
    (2, 2, [100, 99], [[2, 4, 6]], [[1, 16, 16], [1, 4, 8]], False),
]


def wave(samples: int) -> np.ndarray:
    """A rising tone with bursts of noise."""
    t = np.arange(samples) / 16_000
    noise = np.random.default_rng(samples).normal(size=samples)
    tone = 0.3 * np.sin(2 * np.pi * 440 * t * (1 + t / 10))
    return (tone + 0.05 * noise * (t % 1 > 0.5)).astype(np.float32)


def sounds(folder: Path) -> dict[str, np.ndarray]:
    import torch
    from safetensors.torch import load_file
    from transformers import WhisperFeatureExtractor
    from transformers.models.qwen3_omni_moe import configuration_qwen3_omni_moe as configuration
    from transformers.models.qwen3_omni_moe import modeling_qwen3_omni_moe as modeling

    config = json.loads((folder / "config.json").read_text())["thinker_config"]["audio_config"]
    known = configuration.Qwen3OmniMoeAudioEncoderConfig.__annotations__
    config = {key: value for key, value in config.items() if key in known}
    encoder = modeling.Qwen3OmniMoeAudioEncoder(
        configuration.Qwen3OmniMoeAudioEncoderConfig(**config)
    )
    prefix, weights = "thinker.audio_tower.", {}
    for file in folder.glob("model-*.safetensors"):
        weights.update(load_file(file))
    encoder.float().eval().load_state_dict(
        {k.removeprefix(prefix): v.float() for k, v in weights.items() if k.startswith(prefix)}
    )
    processor = json.loads((folder / "processor_config.json").read_text())
    extract = WhisperFeatureExtractor(**processor["feature_extractor"])
    found = {}
    for name, lengths in SETS.items():
        made = extract(
            [wave(length) for length in lengths],
            sampling_rate=16_000,
            padding=True,
            truncation=False,
            return_attention_mask=True,
            return_tensors="pt",
        )
        mask = made["attention_mask"].bool()
        features = made["input_features"].permute(0, 2, 1)[mask].permute(1, 0)
        with torch.no_grad():
            tokens = encoder(features, feature_lens=mask.sum(1)).last_hidden_state
        found[f"{name}/frames"] = mask.sum(1).numpy()
        found[f"{name}/tokens"] = tokens.numpy()
    return found


def mixes(folder: Path) -> dict[str, np.ndarray]:
    import torch
    from tokenizers import Tokenizer
    from transformers.models.qwen3_omni_moe import modeling_qwen3_omni_moe as modeling
    from transformers.models.qwen3_omni_moe import processing_qwen3_omni_moe as processing

    thinker = json.loads((folder / "config.json").read_text())["thinker_config"]
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokens = {f"{kind}_token": f"<|{kind}_pad|>" for kind in ("image", "video", "audio")}
    merge: Any = SimpleNamespace(merge_size=2)
    processor: Any = SimpleNamespace(
        **tokens,
        vision_bos_token="<|vision_start|>",
        vision_eos_token="<|vision_end|>",
        audio_bos_token="<|audio_start|>",
        audio_eos_token="<|audio_end|>",
        image_processor=merge,
        video_processor=merge,
    )
    model: Any = SimpleNamespace(spatial_merge_size=2, config=SimpleNamespace(**thinker))
    base = modeling.Qwen3OmniMoePreTrainedModelForConditionalGeneration
    model.get_llm_pos_ids_for_vision = MethodType(base.get_llm_pos_ids_for_vision, model)
    found = {}
    for number, (images, given, frames, clips, pictures, heard) in enumerate(MIXES):
        text = "".join(
            [
                "<|vision_start|><|image_pad|><|vision_end|>\n" * images,
                "<|audio_start|><|audio_pad|><|audio_end|>\n" * given,
                "<|vision_start|><|video_pad|><|vision_end|>\n" * len(clips),
            ]
        )
        (text,) = processing.Qwen3OmniMoeProcessor.replace_multimodal_special_tokens(
            processor,
            [text],
            iter([int(processing._get_feat_extract_output_lengths(n)) for n in frames]),
            iter(np.array(pictures)),
            iter(np.array(clips)),
            video_second_per_grid=iter([1.0] * len(clips)),
            use_audio_in_video=heard,
            position_id_per_seconds=13.0,
            seconds_per_chunk=2.0,
        )
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        whole = torch.tensor([[0] * 36 + ids + [0] * 40])
        positions, _ = base.get_rope_index(
            model,
            whole,
            torch.tensor(pictures) if pictures else None,
            torch.tensor(clips),
            torch.ones_like(whole),
            heard,
            torch.tensor(frames),
            torch.ones(len(clips)),
        )
        found[f"mix{number}/ids"] = np.array(ids, dtype=np.int32)
        found[f"mix{number}/positions"] = positions[:, 0].numpy().astype(np.int32)
    return found


if __name__ == "__main__":
    release = HERE / "tiny-omni"
    np.savez_compressed(HERE / "omni.npz", **sounds(release), **mixes(release))
