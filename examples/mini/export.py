"""Write a trained run as a release, hold ``clef_mlx`` to its logits, draw its learning curve.

python examples/mini/export.py build/mini clef_mlx/mini
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
from itertools import islice
from pathlib import Path

import matplotlib
import torch
from decisions import decisions
from encoded import RememberingTokenizer, batches, collate, encode_examples
from evidence import OffsetEncoder
from network import BACKBONE, Mini
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor
from train import HEAD, TEXT, Random

import clef_mlx

ATOL = 1e-3  # of a logit, torch against clef_mlx, both float32 from the same bfloat16 weights
COMPARED = 300  # requests
CALIBRATED = 1000  # examples of either kind
TOKENS = 4096  # of a batch
ABOUT = """\
mini is NOT Clef: it is a miniature of the same architecture, trained on synthetic messages, that
ships with clef-mlx to try it out and to test applications with. It reads short English messages
and small JSON objects on everyday matters (support, invoices, deliveries, incidents, repairs,
banking, staff), picks their topic or a named detail, and answers yes or no and simple scales.
It knows a few thousand words, has no knowledge of the world, reads no pictures, and is often
wrong on wordings unlike its training's. Decide nothing that matters with it."""
LICENSE = """\
The files in this folder (weights, configuration, tokenizer) were made by clef-mlx's
examples/mini and are under the same license as clef-mlx, Apache 2.0. They are not Cloudflare's
Clef, hold nothing of its weights, and come without any warranty.
"""


def trained_model(run: Path) -> Mini:
    """The averaged weights of ``run``."""
    model = Mini(TEXT, HEAD)
    model.load_state_dict(torch.load(run / "run.pt")["average"])
    return model.eval()


@torch.no_grad()
def calibrate(model: Mini, encoder: OffsetEncoder) -> float:
    """Divide all logits by the temperature that suits new examples best; returns it.

    Half of them are worded as in training, half with the wordings kept for calibration. The head's
    last scales carry it, so the release needs nothing new.
    """
    examples = [
        example
        for split in ("train", "valid")
        for example in encode_examples(encoder, islice(decisions(1, split), CALIBRATED))
    ]
    found: list[tuple[Tensor, Tensor]] = []
    for group in batches(examples, TOKENS, Random(0)):
        batch, targets = collate(group)
        picked = model(batch).flatten()[targets.slots].masked_fill(~targets.real, -1e9)
        found.append((picked, targets.answers))

    def loss(temperature: float) -> float:
        return sum(
            torch.nn.functional.cross_entropy(logits / temperature, answers, reduction="sum").item()
            for logits, answers in found
        )

    temperature = min((0.7 + 0.02 * i for i in range(90)), key=loss)
    head = model.head
    head.prior_logit_scale -= math.log(temperature)
    gate = torch.sigmoid(head.residual_gate) / temperature
    head.residual_gate.copy_(torch.logit(gate.clamp(max=0.999)))
    return temperature


def write_release(model: Mini, run: Path, folder: Path) -> None:
    """``config.json``, ``joint_head_config.json``, ``tokenizer.json``, weights in bfloat16."""
    folder.mkdir(parents=True, exist_ok=True)
    backbone, head = model.release_tensors()
    for name, tensors in (("model", backbone), ("joint_head", head)):
        rounded = {key: value.bfloat16().contiguous() for key, value in tensors.items()}
        file = folder / f"{name}.safetensors"
        save_file(rounded, file, metadata={"format": "pt"})
        file.chmod(0o644)
    config = {
        "model_type": "qwen3_5",
        "dtype": "bfloat16",
        "text_config": TEXT,
        "clef_mlx_about": ABOUT,
    }
    (folder / "LICENSE").write_text(LICENSE, encoding="utf-8")
    for name, value in (("config.json", config), ("joint_head_config.json", HEAD)):
        (folder / name).write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
    shutil.copyfile(run / "tokenizer.json", folder / "tokenizer.json")


def read_release(folder: Path) -> Mini:
    """The torch twin of a release that ``write_release`` wrote."""
    model = Mini(TEXT, HEAD)
    for name, part in (("model", model.backbone), ("joint_head", model.head)):
        tensors = load_file(folder / f"{name}.safetensors")
        part.load_state_dict({k.removeprefix(BACKBONE): v.float() for k, v in tensors.items()})
    return model.eval()


@torch.no_grad()
def largest_difference(encoder: OffsetEncoder, folder: Path) -> float:
    """The largest difference of a logit, torch against ``clef_mlx``, over test requests."""
    model = read_release(folder)
    clef = clef_mlx.load(folder, dtype="float32")
    worst = 0.0
    for example in islice(decisions(2, "test"), COMPARED):
        batch, _ = collate(encode_examples(encoder, [example]))
        ours = [v for options in clef.logits(example["request"]).values() for v in options.values()]
        worst = max(worst, (model(batch)[0] - torch.tensor(ours)).abs().max().item())
    return worst


def draw_curve(run: Path) -> None:
    """``curve.png`` beside ``log.jsonl``: loss, and accuracy on wordings held out."""
    matplotlib.use("Agg")
    from matplotlib import pyplot

    lines = (run / "log.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4))
    left.plot([e["step"] for e in entries], [e["loss"] for e in entries], linewidth=0.8)
    left.set(xlabel="step", ylabel="loss", title="Training loss")
    checked = [e for e in entries if "held_out" in e]
    for kind in ("noul", "choice", "score"):
        values = [e["held_out"][kind] for e in checked]
        right.plot([e["step"] for e in checked], values, label=kind)
    right.set(xlabel="step", ylabel="accuracy", title="Wordings kept for calibration", ylim=(0, 1))
    right.legend()
    right.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(run / "curve.png", dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a trained run as a release.")
    parser.add_argument("run", type=Path)
    parser.add_argument("release", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = Tokenizer.from_file(str(arguments.run / "tokenizer.json"))
    encoder = OffsetEncoder(RememberingTokenizer(tokenizer))
    model = trained_model(arguments.run)
    print(f"temperature {calibrate(model, encoder):.2f}")
    write_release(model, arguments.run, arguments.release)
    draw_curve(arguments.run)
    size = sum(file.stat().st_size for file in arguments.release.iterdir())
    print(f"{arguments.release}: {size / 1e6:.2f} MB")
    worst = largest_difference(encoder, arguments.release)
    print(f"largest difference of a logit over {COMPARED} requests: {worst:.1e}")
    if worst > ATOL:
        raise SystemExit(f"clef_mlx does not compute what was trained: {worst:.1e} > {ATOL:.0e}")


if __name__ == "__main__":
    main()
