"""A whole conversion as it is asked for, and who is told how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ..compare import BUILTIN, CALIBRATED, RequestSet, request_set
from ..errors import CheckpointError
from ..hub import resolve
from ..recipe import Recipe
from .calibration import calibrator, check_calibration
from .check import certifier, check_memory
from .folder import check_disk, convert_to, is_free
from .mixed import Mix, check_budget, spend
from .plan import Plan, make_plan
from .sensitivity import Trials

Done = Callable[[int], None]


class Listener:
    """Is told what happens; this one does nothing with it."""

    def planned(self, plan: Plan, target: Path) -> None:
        """Everything is checked and nothing is written yet."""

    def mixed(self, mix: Mix) -> None:
        """Widths of single units were chosen."""

    def measuring(self, done: int, total: int) -> None:
        """Units are packed in turn, to see how much the answers move."""

    def calibrating(self, done: int, total: int) -> None:
        """Layers, and then the head, are calibrated."""

    def reading(self, total: int) -> Done:
        """Bytes of the source are read and written."""
        return _nothing

    def answering(self, total: int) -> Callable[[str, int], None]:
        """Two models answer the requests of a check."""
        return lambda model, done: None


@dataclass(frozen=True)
class Order:
    """What is wanted. ``check`` and ``calibrate`` name sets of requests, or ``"builtin"``."""

    recipe: Recipe
    check: str | None = None
    calibrate: str | None = None
    target_bits: float | None = None
    measure: str | None = None  # requests by which target_bits are spent; default: calibrate's

    def carry_out(self, source: str | Path, out: str | Path, listener: Listener) -> Path:
        """Convert ``source`` into the new folder ``out``.

        Whatever can be found wrong before the work is: requests, widths, memory, disk. Raises
        ``RequestError`` for requests, ``CheckpointError`` for everything else.
        """
        checked = None if self.check is None else request_set(self.check)
        used = None if self.calibrate is None else request_set(self.calibrate, CALIBRATED)
        target = is_free(Path(out))
        folder, name = resolve(source, copy=(target, self.recipe.share))
        plan = make_plan(folder, name, self.recipe)
        check_disk(plan, target, used is not None)
        known = None if used is None else used.sha256
        certify = None
        if checked is not None:
            certify = certifier(plan, checked, known, listener.answering(len(checked.requests)))
        if used is not None:
            check_calibration(plan, used)
        if self.target_bits is not None:
            plan = self._mixed(plan, used, listener)
        calibrate = None
        if used is not None:
            note = {"set": used.name, "sha256": used.sha256}
            plan = replace(plan, notes={**plan.notes, "calibration": note})
            calibrate = calibrator(plan, used, listener.calibrating)
        listener.planned(plan, target)
        read = listener.reading(plan.bytes_in)
        return convert_to(plan, target, read, certify, calibrate)

    def _mixed(self, plan: Plan, used: RequestSet | None, listener: Listener) -> Plan:
        assert self.target_bits is not None
        requests = used
        if requests is None or self.measure is not None:
            requests = request_set(self.measure or BUILTIN, CALIBRATED)
        if self.recipe.careful:
            raise CheckpointError("target_bits chooses the widths: leave out recipe 4bit-careful")
        check_budget(plan, self.target_bits)
        check_memory(plan.checkpoint, requests, "--target-bits")
        trials = Trials(plan.checkpoint, plan.recipe, requests)
        damages = trials.damages(listener.measuring)
        mix = spend(plan, damages, self.target_bits)
        listener.mixed(mix)
        recipe = replace(self.recipe, widths=mix.widths(plan))
        made = make_plan(plan.checkpoint.folder, plan.checkpoint.name, recipe)
        note = {"target_bits": self.target_bits, "mean_bits": round(mix.mean_bits, 4)}
        return replace(made, notes=note)


def _nothing(done: int) -> None:
    pass
