"""Threads that come and go leave a process that ends well."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from clef_mlx.steady import steady

RUNS = 5  # without the lasting thread each aborted with a chance of 0.4
SCRIPT = """
import threading
import clef_mlx

clef = clef_mlx.load("mini")
question = {"q": clef_mlx.Noul("Is it paid?")}
want = clef.decide("The invoice is paid.", question).answers
found = []

def work():
    found.append(clef.decide("The invoice is paid.", question).answers)

for _ in range(3):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
assert found == [want] * 3
"""


class Probe:
    @steady
    def where(self) -> threading.Thread:
        return threading.current_thread()

    @steady
    def nested(self) -> threading.Thread:
        return self.where()

    @steady
    def fail(self) -> None:
        raise ValueError("told")


def in_thread(work: object) -> object:
    found: list[object] = []

    def run() -> None:
        try:
            found.append(work())  # type: ignore[operator]
        except ValueError as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def test_threads_that_end_hand_over_to_one_that_lasts() -> None:
    probe = Probe()
    assert probe.where() is threading.main_thread()
    first, second, third = (in_thread(w) for w in (probe.where, probe.where, probe.nested))
    assert isinstance(first, threading.Thread)
    assert first is second is third and first.is_alive() and first.daemon
    assert str(in_thread(probe.fail)) == "told"
    with pytest.raises(ValueError, match="told"):
        probe.fail()


@pytest.mark.parametrize("attempt", range(RUNS))
def test_a_process_whose_threads_decided_ends_well(attempt: int) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
