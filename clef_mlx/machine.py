"""What this machine is: chip, memory, versions, and what this process takes of its memory."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import mlx.core as mx

PACKAGES = ("clef-mlx", "mlx", "mlx-lm", "numpy", "pillow", "tokenizers", "av")  # av: an extra


@dataclass(frozen=True)
class Machine:
    """Facts that belong beside every measurement. Bytes unless said otherwise."""

    system: str  # "macOS 15.5" or "Linux 6.1"
    architecture: str  # "arm64"
    chip: str
    cores: int
    backend: str  # "Metal" or "CPU": where MLX computes by default
    memory: int
    recommended: int | None  # what Metal says a program should take at most; None on a CPU
    python: str
    packages: dict[str, str]  # version by name; what is not installed is left out

    @property
    def title(self) -> str:
        """One line: ``Apple M4 Max (16 cores), macOS 15.5 arm64, MLX 0.32.4 on Metal``."""
        return (
            f"{self.chip} ({self.cores} cores), {self.system} {self.architecture}, "
            f"MLX {self.packages['mlx']} on {self.backend}"
        )


def this_machine() -> Machine:
    """Look at the machine and the installed packages."""
    on_gpu = mx.default_device() == mx.gpu
    info = mx.device_info()
    recommended = info.get("max_recommended_working_set_size")
    mac = platform.mac_ver()[0]
    return Machine(
        system=f"macOS {mac}" if mac else f"{platform.system()} {platform.release()}",
        architecture=platform.machine(),
        chip=str(info.get("device_name") or platform.processor() or "unknown chip"),
        cores=os.cpu_count() or 1,
        backend="Metal" if on_gpu else "CPU",
        memory=machine_bytes(),
        recommended=None if recommended is None else int(recommended),
        python=platform.python_version(),
        packages=_versions(),
    )


def machine_bytes() -> int:
    """Memory of this machine."""
    if mx.metal.is_available():
        return int(mx.device_info()["memory_size"])
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


# What ``own_bytes`` reads: pages of files, which the system may drop at any time, do not count.
MEASURE = "physical footprint" if sys.platform == "darwin" else "anonymous memory (RssAnon)"


def own_bytes() -> int:
    """Memory that this process holds and that only it can give back."""
    if sys.platform == "darwin":
        return _footprint()
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"RssAnon:\s+(\d+) kB", status)
    if found is None:
        raise OSError("this system does not tell a process's anonymous memory")
    return 1024 * int(found[1])


class _Usage(ctypes.Structure):
    """``rusage_info_v0`` of macOS's libproc."""

    _fields_ = (
        ("uuid", ctypes.c_uint8 * 16),
        *(
            (name, ctypes.c_uint64)
            for name in (
                *("user_time", "system_time", "pkg_idle_wkups", "interrupt_wkups", "pageins"),
                *("wired_size", "resident_size", "phys_footprint"),
                *("proc_start_abstime", "proc_exit_abstime"),
            )
        ),
    )


def _footprint() -> int:
    usage = _Usage()
    if ctypes.CDLL(None).proc_pid_rusage(os.getpid(), 0, ctypes.byref(usage)) != 0:
        raise OSError("macOS does not tell this process's footprint")
    return int(usage.phys_footprint)
