"""Train ``mini`` on synthetic decisions. A run that was stopped goes on where it was.

    python examples/mini/train.py build/mini --muon
    python examples/mini/export.py build/mini clef_mlx/mini

The rate of learning rises, stays, and falls over the last part of ``--minutes``: to end a run
sooner, stop it and start it again with fewer. Minutes are of processor time; short prompts come
first, longer ones as the run goes on.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from decisions import decisions
from encoded import (
    Example,
    RememberingTokenizer,
    Targets,
    batches,
    can_hide,
    collate,
    encode_examples,
    first_rows,
    train_tokenizer,
)
from evidence import OffsetEncoder, Tutor
from network import EMBEDDED, Mini
from tokenizers import Tokenizer
from torch import Tensor

TEXT: dict[str, Any] = {
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 2,
    "full_attention_interval": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "head_dim": 32,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 32,
    "linear_value_head_dim": 32,
    "linear_conv_kernel_dim": 4,
    "rms_norm_eps": 1e-6,
    "vocab_size": 6144,
    "max_position_embeddings": 4096,
    "rope_parameters": {"rope_theta": 1e4, "partial_rotary_factor": 0.25, "rope_type": "default"},
    "tie_word_embeddings": True,
}
HEAD: dict[str, Any] = {
    "hidden_size": 128,
    "width": 128,
    "routing_layers": 1,
    "layers": 1,
    "heads": 4,
    "feedforward": 256,
}
BLOCK = 1024  # examples drawn at once, then sorted by length
LONGEST = ((0.08, 120), (0.2, 200))  # tokens of the longest prompt, up to a part of the run
LESSONS = {"about": 0.5, "says": 0.3, "yes": 0.3, "options": 0.2, "questions": 0.2}  # weights
HIDDEN = 0.12  # of the words, those that a step hides
BLANK = "<|endoftext|>"  # the token they become
WARM_UP = 60  # steps
FALL = 0.6  # last part of the run
EMA = 0.995
BRIER = 0.5  # weight of the calibration term
LEVEL = 1.0  # weight of a score's squared error, in parts of its range
SAVE_EVERY = 180.0  # seconds
LOG_EVERY = 25  # steps
EVALUATED = 400  # examples of the split kept for calibration


@dataclass
class Run:
    """Everything a stopped run needs to go on."""

    model: Mini
    average: Mini  # of the weights over the last steps: what ships
    tutor: Tutor
    optimizers: list[torch.optim.Optimizer]
    step: int = 0
    block: int = 0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.rates = [optimizer.param_groups[0]["lr"] for optimizer in self.optimizers]

    def save(self, path: Path) -> None:
        partial = path.with_suffix(".partial")
        torch.save(
            {
                "model": self.model.state_dict(),
                "average": self.average.state_dict(),
                "tutor": self.tutor.state_dict(),
                "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
                "step": self.step,
                "block": self.block,
                "seconds": self.seconds,
            },
            partial,
        )
        partial.rename(path)

    def restore(self, path: Path) -> None:
        saved = torch.load(path)
        self.model.load_state_dict(saved["model"])
        self.average.load_state_dict(saved["average"])
        self.tutor.load_state_dict(saved["tutor"])
        for optimizer, state in zip(self.optimizers, saved["optimizers"], strict=True):
            optimizer.load_state_dict(state)
        self.step, self.block, self.seconds = saved["step"], saved["block"], saved["seconds"]


def question_losses(logits: Tensor, targets: Targets) -> tuple[Tensor, Tensor]:
    """The loss of every question, and its probabilities ``[N, K]``.

    Cross-entropy, the Brier score (which rewards honest probabilities), and for a score the
    squared distance of the expected level from the true one.
    """
    picked = logits.flatten()[targets.slots].masked_fill(~targets.real, -1e9)
    entropy = F.cross_entropy(picked, targets.answers, reduction="none")
    probabilities = picked.softmax(-1)
    hit = F.one_hot(targets.answers, picked.shape[1])
    brier = (probabilities - hit).square().sum(-1)
    levels = torch.arange(picked.shape[1])
    span = (targets.real.sum(-1) - 1).clamp_min(1)
    off = ((probabilities * levels).sum(-1) - targets.answers) / span
    return entropy + BRIER * brier + LEVEL * off.square() * (targets.types == 2), probabilities


def learning_rate(step: int, progress: float) -> float:
    """As a part of the highest: up, level, down to nearly nothing; ``progress`` is from 0 to 1."""
    return max(0.01, min(1.0, (step + 1) / WARM_UP, (1 - progress) / FALL))


def make_optimizers(
    model: Mini, tutor: Tutor, muon: bool, rate: float
) -> list[torch.optim.Optimizer]:
    """AdamW, or Muon for the model's matrices and AdamW for the rest."""
    tables = ("embed_tokens", "type_embedding", "in_proj_a", "in_proj_b", "residual_scorer.3")
    matrices, rest = [], list(tutor.parameters())
    for name, weight in model.named_parameters():
        is_matrix = weight.ndim == 2 and not any(part in name for part in tables)
        (matrices if is_matrix else rest).append(weight)
    adam = {"lr": rate, "betas": (0.9, 0.98), "weight_decay": 0.01}
    if not muon:
        return [torch.optim.AdamW([*matrices, *rest], fused=True, **adam)]
    return [
        torch.optim.AdamW(rest, fused=True, **adam),
        torch.optim.Muon(matrices, lr=rate * 2, weight_decay=0.05, adjust_lr_fn="match_rms_adamw"),
    ]


def update(run: Run, loss: Tensor, progress: float) -> None:
    """Change the weights by the gradient of ``loss``."""
    loss.backward()
    torch.nn.utils.clip_grad_norm_(run.model.parameters(), 1.0)
    factor = learning_rate(run.step, progress)
    for optimizer, rate in zip(run.optimizers, run.rates, strict=True):
        optimizer.param_groups[0]["lr"] = rate * factor
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    run.step += 1
    with torch.no_grad():
        share = 1 - min(EMA, run.step / (run.step + 10))
        pairs = zip(run.average.parameters(), run.model.parameters(), strict=True)
        for kept, new in pairs:
            kept.lerp_(new, share)


@torch.no_grad()
def accuracies(model: Mini, groups: list[list[Example]]) -> dict[str, float]:
    """Accuracy by question type, and the mean loss."""
    hits: dict[int, list[float]] = {0: [], 1: [], 2: []}
    losses = []
    for group in groups:
        batch, targets = collate(group)
        loss, probabilities = question_losses(model(batch), targets)
        losses += loss.tolist()
        right = probabilities.argmax(-1) == targets.answers
        for kind, hit in zip(targets.types.tolist(), right.tolist(), strict=True):
            hits[kind].append(hit)
    found = {
        name: sum(hits[kind]) / max(1, len(hits[kind]))
        for kind, name in enumerate(("noul", "choice", "score"))
    }
    return {**found, "loss": sum(losses) / len(losses)}


def groups(
    encoder: OffsetEncoder, run: Run, arguments: argparse.Namespace
) -> Iterator[list[Example]]:
    """Batches for ever; keeps ``run.block``, the block they are from."""
    for block in count(run.block):
        run.block = block
        seed = (arguments.seed + 1) * 1_000_000 + block
        examples = encode_examples(encoder, islice(decisions(seed, "train"), BLOCK))
        progress = run.seconds / (60 * arguments.minutes)
        longest = next((size for end, size in LONGEST if progress < end), 4096)
        examples = [e for e in examples if len(e.encoded.input_ids) <= longest]
        yield from batches(examples, arguments.tokens, Random(seed))


def prepare(folder: Path, arguments: argparse.Namespace) -> tuple[OffsetEncoder, Run]:
    """A new run, or the one that was stopped."""
    tokenizer_file, checkpoint = folder / "tokenizer.json", folder / "run.pt"
    if not tokenizer_file.exists():
        train_tokenizer(TEXT["vocab_size"]).save(str(tokenizer_file), pretty=False)
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    model, average = Mini(TEXT, HEAD), Mini(TEXT, HEAD).eval()
    table = model.backbone.embed_tokens.weight
    table.data = EMBEDDED * first_rows(tokenizer, *table.shape)
    average.load_state_dict(model.state_dict())
    tutor = Tutor(TEXT["hidden_size"], HEAD["width"])
    run = Run(model, average, tutor, make_optimizers(model, tutor, arguments.muon, arguments.rate))
    if checkpoint.exists():
        run.restore(checkpoint)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters; step {run.step}")
    return OffsetEncoder(RememberingTokenizer(tokenizer)), run


def train(folder: Path, arguments: argparse.Namespace) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(arguments.threads)
    encoder, run = prepare(folder, arguments)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    hideable, blank = can_hide(tokenizer, TEXT["vocab_size"]), tokenizer.token_to_id(BLANK)
    kept = encode_examples(encoder, islice(decisions(0, "valid"), EVALUATED))
    held_out = batches(kept, arguments.tokens, Random(0))
    limit, saved, recent = 60 * arguments.minutes, time.process_time(), []
    log = (folder / "log.jsonl").open("a", encoding="utf-8")
    earlier, began = run.seconds, time.process_time()
    for group in groups(encoder, run, arguments):
        batch, targets = collate(group)
        batch.ids[hideable[batch.ids] & (torch.rand(batch.ids.shape) < HIDDEN)] = blank
        losses, probabilities = question_losses(run.model(batch), targets)
        lessons = run.tutor(run.model.kept, targets.hints)
        taught = sum(LESSONS[name] * loss for name, loss in lessons.items())
        update(run, losses.mean() + taught, run.seconds / limit)
        right = (probabilities.argmax(-1) == targets.answers).float().mean()
        recent.append([losses.mean().item(), right.item(), *(v.item() for v in lessons.values())])
        run.seconds = earlier + time.process_time() - began
        is_over = run.seconds >= limit
        if run.step % LOG_EVERY == 0 or is_over:
            means = [round(sum(column) / len(recent), 4) for column in zip(*recent, strict=True)]
            entry = {"step": run.step, "seconds": round(run.seconds, 1)}
            entry |= dict(zip(("loss", "accuracy", *lessons), means, strict=True))
            if run.step % (10 * LOG_EVERY) == 0 or is_over:
                entry["held_out"] = accuracies(run.average, held_out)
            print(json.dumps(entry), file=log, flush=True)
            print(json.dumps(entry), flush=True)
            recent = []
        if time.process_time() - saved > SAVE_EVERY or is_over:
            run.save(folder / "run.pt")
            saved = time.process_time()
        if is_over:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description="Train mini on synthetic decisions.")
    parser.add_argument("folder", type=Path, help="where the run is kept")
    parser.add_argument("--minutes", type=float, default=60.0, help="of the whole run")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=3000, help="of a batch, padded")
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--muon", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    train(arguments.folder, arguments)


if __name__ == "__main__":
    main()
