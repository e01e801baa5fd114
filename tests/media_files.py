"""Encoded files for tests, made with PyAV: a moving picture, a tone, or both."""

from __future__ import annotations

import io

import av
import numpy as np


def tone(seconds: float, rate: int, hertz: float = 440.0) -> np.ndarray:
    return (0.4 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)).astype("f4")


def sound_file(samples: np.ndarray, rate: int, container: str = "wav") -> bytes:
    """``samples`` ``[channels, S]`` of -1 to 1 as 16-bit PCM."""
    file, channels = io.BytesIO(), len(samples)
    with av.open(file, "w", format=container) as made:
        layout = "stereo" if channels == 2 else "mono"
        stream = made.add_stream("pcm_s16le", rate=rate, layout=layout)
        levels = np.round(samples * 32_767).astype(np.int16)
        if levels.size:
            frame = av.AudioFrame.from_ndarray(levels.T.reshape(1, -1), format="s16", layout=layout)
            frame.sample_rate = rate
            made.mux(stream.encode(frame))
        made.mux(stream.encode())
    return file.getvalue()


def clip_file(
    frames: int, fps: int, size: tuple[int, int] = (64, 48), sound: float | None = None
) -> bytes:
    """``frames`` of ``size`` (width, height); ``sound`` seconds of a stereo tone at 44.1 kHz."""
    file, (width, height) = io.BytesIO(), size
    with av.open(file, "w", format="mp4") as made:
        stream = made.add_stream("mpeg4", rate=fps)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        heard = None if sound is None else made.add_stream("aac", rate=44_100, layout="stereo")
        for number in range(frames):
            pixels = np.zeros((height, width, 3), np.uint8)
            pixels[..., 0] = (np.arange(width) * 2 + 9 * number) % 256
            pixels[..., 1] = (np.arange(height) * 3)[:, None] % 256
            pixels[..., 2] = 20 * number % 256
            made.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        made.mux(stream.encode())
        if heard is not None and sound is not None:
            wave = tone(sound, 44_100)
            frame = av.AudioFrame.from_ndarray(
                np.stack([wave, wave / 2]), format="fltp", layout="stereo"
            )
            frame.sample_rate = 44_100
            made.mux(heard.encode(frame))
            made.mux(heard.encode())
    return file.getvalue()
