"""What ``load`` and ``-m`` are given to a folder on disk, fetched from the Hub if need be."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from .errors import CheckpointError

MINI = "mini"  # the name of the model that is part of this package
MINI_FOLDER = Path(__file__).with_name("mini")
# What a decision needs of a repository; its other files stay where they are.
FILES = ["*.json", "*.safetensors", "LICENSE*", "NOTICE*"]
SPARE = 1 << 30  # bytes of disk left free after a download
_HUB_ID = re.compile(
    r"(?P<repo>[\w.-]+/[\w.-]+?)(?:@(?P<revision>[\w-][\w.-]*(?:/[\w-][\w.-]*)*))?", re.ASCII
)


def resolve(path_or_id: str | Path, copy: tuple[Path, float] | None = None) -> tuple[Path, str]:
    """The folder of a model and its name.

    The text ``mini`` is the model that is part of this package: never a download, and never a
    folder of that name, which is ``./mini`` or a ``Path``.
    A folder that exists is taken as it is, without any network. Anything of the form
    ``owner/name`` or ``owner/name@revision`` is a Hub id: its cached copy is used if whole, else it
    is fetched with progress after a check of free disk space. ``copy`` is where a copy will be
    written and its size as a share of the download: it must fit as well.
    Raises ``CheckpointError``.
    """
    if path_or_id == MINI:
        return _shipped(), MINI
    text = str(path_or_id)
    folder = _existing(text)
    if folder is not None:
        return folder, folder.resolve().name
    match = None if isinstance(path_or_id, Path) else _HUB_ID.fullmatch(text)
    if match is None or not _is_repo_id(match["repo"]):
        raise CheckpointError(
            f"{text!r} is neither a folder nor a Hub id such as Cloudflare/clef-flash"
        )
    repo, revision = match["repo"], match["revision"]
    cached = _cached(repo, revision)
    fault = f"not whole in the local cache ({_cache_folder(repo)})"
    if cached is not None:
        found = _fault(cached)
        if found is None:
            return cached, repo.split("/")[1]
        fault = f"in the local cache, but {found},"
    return _fetch(repo, revision, fault, copy), repo.split("/")[1]


def _shipped() -> Path:
    """The folder of ``mini``; its files are checked, for nothing else can replace them."""
    fault = _fault(MINI_FOLDER) if MINI_FOLDER.is_dir() else f"{MINI_FOLDER} is missing"
    if fault is None:
        return MINI_FOLDER
    raise CheckpointError(f"{MINI} is part of clef-mlx, but {fault}: install clef-mlx again")


def _existing(text: str) -> Path | None:
    if not text:  # Path("") would be the current folder
        return None
    try:
        folder = Path(text).expanduser()
        return folder if folder.exists() else None
    except OSError as error:
        raise CheckpointError(f"{text} cannot be read: {error.strerror}") from None
    except RuntimeError as error:  # "~name" of nobody here
        raise CheckpointError(f"{text} cannot be read: {error}") from None


def _is_repo_id(repo: str) -> bool:
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(repo)
    except HFValidationError:
        return False
    return True


def _cached(repo: str, revision: str | None) -> Path | None:
    """The snapshot in the local cache, or ``None``; opens no connection."""
    from huggingface_hub import snapshot_download

    try:
        # Asked for more than is ever fetched, the library would call the snapshot incomplete.
        folder = snapshot_download(
            repo, revision=revision, allow_patterns=FILES, local_files_only=True
        )
    except OSError:  # LocalEntryNotFoundError, or a cache that cannot be read
        return None
    return Path(folder)


def _fault(folder: Path) -> str | None:
    """What keeps ``folder`` from being loaded, or ``None``."""
    from .checkpoint import open_checkpoint

    try:
        open_checkpoint(folder)
    except CheckpointError as error:
        return str(error)
    tokenizer = folder / "tokenizer.json"
    return None if tokenizer.exists() else f"{tokenizer} is missing"


def _fetch(repo: str, revision: str | None, fault: str, copy: tuple[Path, float] | None) -> Path:
    """Download what is missing. ``fault`` says what the cache lacks, for messages."""
    from huggingface_hub import HfApi, hf_hub_download, snapshot_download

    from .fields import read_json_file
    from .layout import check_kind

    with _explained(repo, revision, fault):
        info = HfApi().model_info(repo, revision=revision, files_metadata=True)
        config = Path(hf_hub_download(repo, "config.json", revision=info.sha))
        check_kind(read_json_file(config), repo)  # before gigabytes of what cannot be run
        _check_disk(info, repo, copy)
        # By its branch, not its commit: else the cache would not know the branch without a network.
        return Path(snapshot_download(repo, revision=revision, allow_patterns=FILES))


@contextmanager
def _explained(repo: str, revision: str | None, fault: str) -> Iterator[None]:
    """Turn what the Hub and the network can answer into one sentence each."""
    from huggingface_hub.errors import (
        GatedRepoError,
        HTTPError,  # of httpx or its successor, whichever this huggingface_hub speaks through
        LocalEntryNotFoundError,
        RemoteEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    at = "" if revision is None else f"@{revision}"
    try:
        yield
    except GatedRepoError:
        raise CheckpointError(
            f"{repo} asks for a login: accept its terms on the Hub, then run hf auth login"
        ) from None
    except RepositoryNotFoundError:
        raise CheckpointError(
            f"there is no folder {repo}{at}, and the Hub has no model {repo} that you may read"
        ) from None
    except RemoteEntryNotFoundError:
        raise CheckpointError(f"the Hub's {repo} has no config.json: it is no model") from None
    except RevisionNotFoundError:
        raise CheckpointError(f"the Hub's {repo} has no revision {revision!r}") from None
    except (
        HTTPError,
        ConnectionError,  # also OfflineModeIsEnabled
        TimeoutError,
        LocalEntryNotFoundError,
        JSONDecodeError,  # a page of the network's own instead of the Hub's answer
        RuntimeError,  # hf_xet's, for a transfer that broke
    ) as error:
        raise CheckpointError(
            f"{repo}{at} is {fault} and the Hub cannot be reached ({type(error).__name__}): with "
            f"a network, run hf download {repo}"
            f"{'' if revision is None else f' --revision {revision}'}, or give a folder"
        ) from None
    except OSError as error:
        raise CheckpointError(
            f"{repo}{at} cannot be stored in {_cache_folder(repo)}: {error.strerror or error}"
        ) from None


def _check_disk(info: Any, repo: str, copy: tuple[Path, float] | None) -> None:
    from fnmatch import fnmatch

    folder = _cache_folder(repo)
    files = [
        file
        for file in info.siblings or ()
        if any(fnmatch(file.rfilename, pattern) for pattern in FILES)
    ]
    missing = sum(max(0, (file.size or 0) - _stored(folder / "blobs", file)) for file in files)
    needed = {_existing_parent(folder): missing}
    if copy is not None:
        written = int(copy[1] * sum(file.size or 0 for file in files))
        disk = _existing_parent(copy[0])
        same = [other for other in needed if other.stat().st_dev == disk.stat().st_dev]
        needed[same[0] if same else disk] = written + (missing if same else 0)
    for disk, count in needed.items():
        free = shutil.disk_usage(disk).free
        if count + SPARE > free:
            raise CheckpointError(
                f"{repo} needs {count / 1e9:.1f} GB on disk, and {disk} has {free / 1e9:.1f} GB "
                "free: make room, or set HF_HOME to a larger disk"
            )


def _existing_parent(path: Path) -> Path:
    return next(parent for parent in (path, *path.parents) if parent.exists())


def _stored(blobs: Path, file: Any) -> int:
    """Bytes of ``file`` that the cache holds already, whole or begun."""
    name = file.blob_id if file.lfs is None else file.lfs.sha256
    copies = (blobs / f"{name}{end}" for end in ("", ".incomplete"))
    return max((copy.stat().st_size for copy in copies if copy.is_file()), default=0)


def _cache_folder(repo: str) -> Path:
    from huggingface_hub.constants import HF_HUB_CACHE

    return Path(HF_HUB_CACHE) / f"models--{repo.replace('/', '--')}"
