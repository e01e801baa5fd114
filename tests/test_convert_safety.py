"""A conversion that is stopped, anywhere and anyhow, leaves nothing that loads and can be rerun."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from test_model import QUESTIONS

from clef_mlx import CheckpointError, load
from clef_mlx.convert import convert, folder
from clef_mlx.convert.folder import LOCK

Writer = Callable[..., Path]
# Some 60 MB, so that a conversion takes long enough to be hit.
LARGE = {"hidden_size": 512, "intermediate_size": 3072, "num_hidden_layers": 6}


def assert_nothing_is_left(parent: Path, target: Path) -> None:
    assert not target.exists()
    assert not [path for path in parent.iterdir() if "converting" in path.name]


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left")])
@pytest.mark.parametrize("after", [0, 1, 60, 137])
def test_stopped_after_any_tensor(
    miniature: Writer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stop: BaseException,
    after: int,
) -> None:
    original, calls = folder.write_step, 0

    def failing(*args: object) -> None:
        nonlocal calls
        calls += 1
        if calls > after:
            raise stop
        original(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(folder, "write_step", failing)
    target = tmp_path / "out"
    wanted = CheckpointError if isinstance(stop, OSError) else KeyboardInterrupt
    with pytest.raises(wanted):
        convert(miniature(), target)
    assert_nothing_is_left(tmp_path, target)
    monkeypatch.undo()
    assert load(convert(miniature(), target)).decide("x", QUESTIONS)


@pytest.mark.parametrize("limit", [0, 1000, 40_000, 150_000])
def test_full_disk(miniature: Writer, tmp_path: Path, limit: int) -> None:
    """A limit on file size stands for a full disk: writes fail part way."""
    target = tmp_path / "out"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import resource, sys; n = int(sys.argv[1]);"
            "from clef_mlx.cli import main;"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (n, n));"
            "main(['convert', *sys.argv[2:]])",
            *(str(limit), str(miniature()), str(target)),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "could not be written: File too large; nothing was left there" in done.stderr
    assert_nothing_is_left(tmp_path, target)


def test_too_little_disk_is_said_before_the_work_starts(
    miniature: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "SPARE", 10**18)
    monkeypatch.setattr(folder, "write_step", lambda *args: pytest.fail("work was started"))
    with pytest.raises(CheckpointError, match=r"would take \d+ kB and .* kept free, but .* has "):
        convert(miniature(), tmp_path / "out")
    assert_nothing_is_left(tmp_path, tmp_path / "out")


def test_leavings_of_a_killed_run_are_removed(miniature: Writer, tmp_path: Path) -> None:
    staging = tmp_path / ".out.converting"
    staging.mkdir()
    for name in (LOCK, "model-00001-of-00009.safetensors", "config.json"):
        (staging / name).write_text("left")
    assert load(convert(miniature(), tmp_path / "out")).decide("x", QUESTIONS)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_two_conversions_to_one_target(miniature: Writer, tmp_path: Path) -> None:
    target = tmp_path / "out"
    with (
        folder._staging(target),
        pytest.raises(CheckpointError, match="another conversion is writing"),
    ):
        convert(miniature(), target)
    assert convert(miniature(), target) == target


def test_unwritable_parent(
    miniature: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckpointError, match="cannot be made"):
        convert(miniature(), tmp_path / "file" / "out")

    def denied(path: object, flags: int, mode: int = 0o777) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(CheckpointError, match="Permission denied; nothing was left there"):
        convert(miniature(), tmp_path / "out")


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_killed_at_random_points(miniature: Writer, tmp_path: Path, sign: signal.Signals) -> None:
    """20 runs killed at random, then one that is left alone; each starts on what the last left."""
    source, target = miniature(text=LARGE), tmp_path / "out"
    command = [sys.executable, "-m", "clef_mlx", "convert", str(source), str(target)]
    started = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    whole = time.monotonic() - started
    subprocess.run(["rm", "-r", str(target)], check=True)
    points, killed = random.Random(0), 0
    for _ in range(100):
        if killed == 20:
            break
        running = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        time.sleep(points.uniform(0, whole))
        running.send_signal(sign)
        _, errors = running.communicate()
        assert b"Traceback" not in errors or sign != signal.SIGINT, errors
        if target.exists():  # it was faster this time
            assert load(target).decide("x", QUESTIONS)
            subprocess.run(["rm", "-r", str(target)], check=True)
            continue
        killed += 1
        if sign == signal.SIGINT:
            assert_nothing_is_left(tmp_path, target)
    assert killed == 20
    subprocess.run(command, check=True, capture_output=True)
    assert load(target).decide("x", QUESTIONS)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
