"""What each way of packing changes: prints the README's table, on the mini or another release.

    python examples/mini/widths.py --release FOLDER --requests 1300

Reference is the release itself. Requests are the generator's held-out wording; those that
calibrate and that choose widths are others, from the training split. Needs nothing but clef-mlx.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from itertools import islice
from pathlib import Path

from decisions import decisions

import clef_mlx
from clef_mlx.checkpoint import open_checkpoint
from clef_mlx.compare import request_set
from clef_mlx.compare.figures import Estimate, Figures, figures
from clef_mlx.compare.run import Run, run
from clef_mlx.convert import Listener, Order
from clef_mlx.convert.mixed import spend
from clef_mlx.convert.plan import make_plan
from clef_mlx.convert.sensitivity import Damage, Trials
from clef_mlx.recipe import Recipe
from clef_mlx.units import Unit

TESTED, FITTED = 7, 21  # seeds of the generator
FITTED_COUNT = 250  # requests that calibrate, and of which the first measure each projection
VARIANTS: dict[str, Recipe | float] = {  # a number: bits a weight, spent by measured damage
    "16 bits": Recipe(16),
    "8 bits (`8bit`)": Recipe(8),
    "4 bits, plain (`--no-refit`)": Recipe(4, refit=False),
    "4 bits (`4bit`)": Recipe(4),
    "4 bits, careful (`4bit-careful`)": Recipe.named("4bit-careful", None, None),
    "4 bits, calibrated": Recipe(4),
    "mixed, 4.5 bits": 4.5,
    "mixed, 4.5 bits, calibrated": 4.5,
    "mixed, 5 bits": 5.0,
    "mixed, 5 bits, calibrated": 5.0,
    "backbone 16, head 8": Recipe(16, head_bits=8),
    "backbone 16, head 4": Recipe(16, head_bits=4),
    "backbone 4, head 16": Recipe(4, head_bits=16),
    "backbone 4, head 8": Recipe(4, head_bits=8),
}
PLAIN = "4 bits, plain (`--no-refit`)"


def write_requests(path: Path, split: str, seed: int, count: int) -> Path:
    """JSON Lines of the generator's requests, as ``--requests`` and ``--calibrate`` read them."""
    lines = (json.dumps(d, ensure_ascii=False) for d in islice(decisions(seed, split), count))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def row(title: str, made: Run, found: Figures, plain: Figures | None) -> str:
    """One line of the table; KL in thousandths of a nat, and as a share of plain 4 bits'."""

    def shown(value: Estimate, factor: float, form: str) -> str:
        low, high = value.low * factor, value.high * factor
        return f"{value.mean * factor:{form}} ({low:{form}}-{high:{form}})"

    share = "" if plain is None else f"{found.kl.mean / plain.kl.mean:.2f}"
    cells = (
        title,
        f"{made.disk_bytes / 1e6:.2f} MB",
        f"{shown(found.changed_share, 100, '.1f')} %",
        str(found.changes["all"].clear_changed),
        shown(found.kl, 1000, ".3g"),
        share,
        f"{found.drift.mean:.4f}",
        f"{found.drift_99:.3f}",
        f"{found.drift_max:.3f}",
    )
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure every way of packing a release.")
    parser.add_argument("--release", type=Path, default=Path(clef_mlx.__file__).parent / "mini")
    parser.add_argument("--requests", type=int, default=1300)
    parser.add_argument("--only", nargs="*", help="titles of rows; default: all")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clef-mlx-") as scratch:
        folder = Path(scratch)
        tested = write_requests(folder / "tested.jsonl", "test", TESTED, arguments.requests)
        fitted = write_requests(folder / "fitted.jsonl", "train", FITTED, FITTED_COUNT)
        asked = request_set(str(tested))
        reference = run(open_checkpoint(arguments.release), asked, None, lambda model, done: None)
        print(f"{len(reference.answers):,} questions of {len(asked.requests):,} requests\n")
        print(
            "| packed | on disk | changed answers | of clear ones | mean KL, 1/1000 | of plain "
            "4 bits | mean drift | 99 % below | largest |"
        )
        print("|" + "---|" * 9)
        plain, mixer = None, Mixer(arguments.release, fitted)
        for title, wanted in VARIANTS.items():
            if arguments.only and title not in arguments.only and title != PLAIN:
                continue
            began = time.perf_counter()
            recipe = mixer.recipe(wanted) if isinstance(wanted, float) else wanted
            calibrate = str(fitted) if title.endswith("calibrated") else None
            out = folder / f"made {len(list(folder.iterdir()))}"
            Order(recipe, calibrate=calibrate).carry_out(arguments.release, out, Listener())
            seconds = time.perf_counter() - began
            packed = run(open_checkpoint(out), asked, None, lambda model, done: None)
            found = figures(reference.answers, packed.answers)
            plain = found if title == PLAIN else plain
            print(row(title, packed, found, plain), f"<!-- {seconds:.0f} s -->", flush=True)


class Mixer:
    """Measures every projection once, when the first budget is to be spent."""

    def __init__(self, release: Path, requests: Path) -> None:
        self._plan = make_plan(release, release.name, Recipe())
        self._requests = request_set(str(requests))
        self._damages: dict[Unit, Damage] = {}

    def recipe(self, target_bits: float) -> Recipe:
        """Widths of at most ``target_bits`` a weight."""
        if not self._damages:
            trials = Trials(self._plan.checkpoint, self._plan.recipe, self._requests)
            self._damages = trials.damages(lambda done, total: None)
        mix = spend(self._plan, self._damages, target_bits)
        return Recipe(widths=mix.widths(self._plan))


if __name__ == "__main__":
    main()
