"""``processor_config.json``: how a release wants its pictures and clips prepared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..architecture import ModelConfig
from ..errors import CheckpointError
from ..fields import Fields, read_json_file
from .mel import HOP, SAMPLE_RATE, WINDOW

BICUBIC = 3  # Pillow's and torchvision's number for the filter


@dataclass(frozen=True)
class PictureSettings:
    """Sizes in pixels. A picture is resized to sides that are multiples of ``factor``."""

    patch_size: int
    temporal_patch_size: int  # frames a patch spans; a still picture is repeated
    merge_size: int  # patches a side that become one token
    mean: tuple[float, ...]  # of a channel, of values 0 to 1
    std: tuple[float, ...]
    rescale_factor: float  # from grey levels to 0 to 1
    min_pixels: int
    max_pixels: int

    @property
    def factor(self) -> int:
        return self.patch_size * self.merge_size

    def tokens(self, grid: tuple[int, int, int]) -> int:
        """Tokens of a grid of patches ``(t, h, w)``."""
        t, h, w = grid
        return t * h * w // self.merge_size**2


@dataclass(frozen=True)
class ClipSettings(PictureSettings):
    """``min_pixels`` and ``max_pixels`` hold for all frames of a clip together."""

    fps: float  # frames taken of a second
    min_frames: int
    max_frames: int


@dataclass(frozen=True)
class MediaSettings:
    """Settings of both kinds, and the tokens that mark them in the prompt."""

    image: PictureSettings
    video: ClipSettings
    image_token_id: int
    video_token_id: int
    vision_start_token_id: int
    vision_end_token_id: int


@dataclass(frozen=True)
class OmniSettings:
    """clef-omni's settings and marker tokens. ``video``'s pixel limits hold for each frame."""

    image: PictureSettings
    video: PictureSettings
    mel_bins: int
    max_seconds: int  # of sound: more would not fit the model's positions
    image_token_id: int
    video_token_id: int
    audio_token_id: int
    vision_start_token_id: int
    vision_end_token_id: int
    audio_start_token_id: int
    audio_end_token_id: int


# (min_pixels, max_pixels) of the published releases.
PUBLISHED_IMAGE_PIXELS = (65_536, 16_777_216)
PUBLISHED_VIDEO_PIXELS = (4_096, 25_165_824)


def read_settings(folder: Path, published_sizes: bool) -> MediaSettings:
    """Read ``processor_config.json`` and the marker tokens of ``config.json``.

    ``published_sizes`` puts the releases' pixel limits back where a re-saved file lost them.
    Raises ``CheckpointError`` for missing keys and for preparations that are not implemented.
    """
    path = folder / "processor_config.json"
    processor = read_json_file(path)
    if not isinstance(processor, Mapping):
        raise CheckpointError(f"{path} must hold a JSON object")
    image = Fields(processor.get("image_processor"), f"{path}: image_processor")
    video = Fields(processor.get("video_processor"), f"{path}: video_processor")
    tokens = Fields(read_json_file(folder / "config.json"), str(folder / "config.json"))
    pictures = PictureSettings(**_shared(image))
    clips = ClipSettings(
        **_shared(video),
        fps=video.number("fps"),
        min_frames=video.size("min_frames"),
        max_frames=video.size("max_frames"),
    )
    video.only("do_sample_frames", True)
    if published_sizes:
        least, most = PUBLISHED_IMAGE_PIXELS
        pictures = replace(pictures, min_pixels=least, max_pixels=most)
        least, most = PUBLISHED_VIDEO_PIXELS
        clips = replace(clips, min_pixels=least, max_pixels=most)
    names = ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")
    ids = {name: tokens.size(name, least=0) for name in names}
    return MediaSettings(image=pictures, video=clips, **ids)


# clef-omni's own code passes these, whatever the file says; a frame's are Qwen3-Omni's defaults.
OMNI_IMAGE_PIXELS = (65_536, 1_048_576)
OMNI_FRAME_PIXELS = (131_072, 786_432)
POSITIONS_A_SECOND = 13  # of time, on the first axis; as many as a second of sound has tokens


def read_omni_settings(folder: Path, config: ModelConfig) -> OmniSettings:
    """As ``read_settings``, for clef-omni."""
    path = folder / "processor_config.json"
    processor = Fields(read_json_file(path), str(path))
    image, video, sound = (
        Fields(processor.optional(name), f"{path}: {name}")
        for name in ("image_processor", "video_processor", "feature_extractor")
    )
    for key, allowed in (
        ("sampling_rate", SAMPLE_RATE),
        ("hop_length", HOP),
        ("n_fft", WINDOW),
        ("dither", 0.0),
        ("padding_value", 0.0),
    ):
        sound.only(key, allowed)
    assert config.audio is not None
    sound.only("feature_size", config.audio.num_mel_bins)
    where = f"{folder / 'config.json'}: thinker_config"
    thinker = Fields(read_json_file(folder / "config.json")["thinker_config"], where)
    thinker.only("position_id_per_seconds", POSITIONS_A_SECOND)
    names = [name for name in OmniSettings.__annotations__ if name.endswith("_token_id")]
    return OmniSettings(
        image=PictureSettings(**_shared(image, OMNI_IMAGE_PIXELS)),
        video=PictureSettings(**_shared(video, OMNI_FRAME_PIXELS)),
        mel_bins=config.audio.num_mel_bins,
        max_seconds=config.text.max_position_embeddings // POSITIONS_A_SECOND,
        **{name: thinker.size(name, least=0) for name in names},
    )


def _shared(fields: Fields, limits: tuple[int, int] | None = None) -> dict[str, Any]:
    """What both kinds have; ``limits`` in pixels stand in for the file's own."""
    for key in ("do_convert_rgb", "do_resize", "do_rescale", "do_normalize"):
        fields.only(key, True)
    fields.only("resample", BICUBIC)
    least, most = limits or _limits(fields)
    return {
        "patch_size": fields.size("patch_size"),
        "temporal_patch_size": fields.size("temporal_patch_size"),
        "merge_size": fields.size("merge_size"),
        "mean": fields.numbers("image_mean", 3),
        "std": fields.numbers("image_std", 3),
        "rescale_factor": fields.number("rescale_factor"),
        "min_pixels": least,
        "max_pixels": most,
    }


def _limits(fields: Fields) -> tuple[int, int]:
    size = fields.optional("size")
    if size is None:  # an older way to say the same
        return fields.size("min_pixels"), fields.size("max_pixels")
    sizes = Fields(size, "processor_config.json: size")
    return sizes.size("shortest_edge"), sizes.size("longest_edge")
