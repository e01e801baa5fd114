"""What ``load`` and ``-m`` are given to a folder on disk, fetched from the Hub if need be."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from .errors import CheckpointError

# What a decision needs of a repository; its other files stay where they are.
FILES = ["*.json", "*.safetensors", "LICENSE*", "NOTICE*"]
SPARE = 1 << 30  # bytes of disk left free after a download
_HUB_ID = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+?)(?:@(?P<revision>[\w./-]+))?")


def resolve(path_or_id: str | Path) -> tuple[Path, str]:
    """The folder of a model and its name.

    A folder that exists is taken as it is, without any network. Anything of the form
    ``owner/name`` or ``owner/name@revision`` is a Hub id: its cached copy is used if whole, else it
    is fetched with progress after a check of free disk space.
    Raises ``CheckpointError``.
    """
    text = str(path_or_id)
    folder = Path(text).expanduser()
    if folder.exists():
        return folder, folder.resolve().name
    match = _HUB_ID.fullmatch(text)
    if match is None or isinstance(path_or_id, Path):
        raise CheckpointError(
            f"{text} is neither a folder nor a Hub id such as Cloudflare/clef-flash"
        )
    repo, revision = match["repo"], match["revision"]
    return _cached(repo, revision) or _fetch(repo, revision, text), repo.split("/")[1]


def _cached(repo: str, revision: str | None) -> Path | None:
    """The whole snapshot in the local cache, or ``None``; opens no connection."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(repo, revision=revision, local_files_only=True))
    except LocalEntryNotFoundError:
        return None
    return folder if _is_whole(folder) else None


def _is_whole(folder: Path) -> bool:
    from .checkpoint import open_checkpoint

    try:
        open_checkpoint(folder)
    except CheckpointError:
        return False
    return (folder / "tokenizer.json").exists()


def _fetch(repo: str, revision: str | None, text: str) -> Path:
    from httpx import HTTPError
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        info = HfApi().model_info(repo, revision=revision, files_metadata=True)
        _check_disk(info, repo)
        return Path(snapshot_download(repo, revision=info.sha, allow_patterns=FILES))
    except GatedRepoError:
        raise CheckpointError(
            f"{repo} asks for a login: accept its terms on the Hub, then run hf auth login"
        ) from None
    except RepositoryNotFoundError:
        raise CheckpointError(f"the Hub has no model {repo} that you may read") from None
    except RevisionNotFoundError:
        raise CheckpointError(f"the Hub's {repo} has no revision {revision!r}") from None
    except (
        HfHubHTTPError,
        HTTPError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        OSError,
    ) as error:
        raise CheckpointError(
            f"{text} is not in the local cache ({_cache_folder(repo)}) and the Hub cannot be "
            f"reached ({type(error).__name__}): with a network, run hf download {repo}"
            f"{'' if revision is None else f' --revision {revision}'}, or give a folder"
        ) from None


def _check_disk(info: Any, repo: str) -> None:
    from fnmatch import fnmatch

    needed = sum(
        file.size or 0
        for file in info.siblings
        if any(fnmatch(file.rfilename, pattern) for pattern in FILES)
    )
    folder = _cache_folder(repo)
    already = sum(f.stat().st_size for f in folder.glob("blobs/*") if f.is_file())
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(existing).free
    missing = max(0, needed - already)
    if missing + SPARE > free:
        raise CheckpointError(
            f"{repo} needs {missing / 1e9:.1f} GB on disk, and {existing} has {free / 1e9:.1f} GB "
            "free: make room, or set HF_HOME to a larger disk"
        )


def _cache_folder(repo: str) -> Path:
    from huggingface_hub.constants import HF_HUB_CACHE

    return Path(HF_HUB_CACHE) / f"models--{repo.replace('/', '--')}"
