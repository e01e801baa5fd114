"""Asks clef-omni about a tone that this script makes: python examples/tone.py MODEL

MODEL is a folder or Hub id of clef-omni: "Cloudflare/clef-omni", or a folder that clef-mlx
converted from it.
"""

import sys

import numpy as np

import clef_mlx

RATE = 16_000  # samples a second, as clef-omni hears


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    seconds = np.arange(2 * RATE) / RATE
    tone = (0.3 * np.sin(2 * np.pi * 440 * seconds)).astype(np.float32)

    clef = clef_mlx.load(sys.argv[1])
    result = clef.decide(
        "A microphone recorded this.",
        {
            "sound": clef_mlx.Choice(
                "What is heard?",
                {"tone": "one steady tone", "speech": "a person speaking", "silence": "nothing"},
            ),
            "pitch": clef_mlx.Score("How high is it?", ["low", "middle", "high"]),
        },
        audio=[tone],
    )
    print(f"heard {result['sound'].choice}, pitch {result['pitch'].score:.1f} of 0 to 2")
    print(f"{result.usage['input_tokens']} tokens")


if __name__ == "__main__":
    try:
        main()
    except clef_mlx.ClefError as error:
        sys.exit(str(error))
