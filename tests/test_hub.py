"""``hub``: which folder an argument means, with the Hub's functions replaced by our own."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub
import huggingface_hub.constants
import pytest
from conftest import GOLDEN
from huggingface_hub import errors

from clef_mlx import CheckpointError, hub

REPO = "Cloudflare/clef-flash"
SHA = "0123456789abcdef0123456789abcdef01234567"
WANTED = ["config.json", "joint_head.safetensors", "model-00001-of-00004.safetensors", "LICENSE"]


class Hub:
    """Answers in place of huggingface_hub; counts what it is asked."""

    def __init__(self, source: Path, cache: Path) -> None:
        self.source, self.cache = source, cache
        self.asked: list[str] = []  # revisions that the network was asked for
        self.failure: Exception | None = None  # of the network
        self.answers = False  # before it fails
        self.sizes = dict.fromkeys([*WANTED, "README.md", "pytorch_model.bin"], 1000)
        self.held: str | None = None  # the revision in the cache

    @property
    def snapshot(self) -> Path:
        return self.cache / f"models--{REPO.replace('/', '--')}" / "snapshots" / SHA

    def model_info(self, repo: str, revision: str | None, files_metadata: bool) -> Any:
        assert (repo, files_metadata) == (REPO, True)
        if self.failure is not None and not self.answers:
            raise self.failure
        siblings = [
            SimpleNamespace(rfilename=name, size=size, blob_id=f"blob-{name}", lfs=None)
            for name, size in self.sizes.items()
        ]
        return SimpleNamespace(sha=SHA, siblings=siblings)

    def hf_hub_download(self, repo: str, name: str, *, revision: str) -> str:
        assert (repo, name, revision) == (REPO, "config.json", SHA)
        return str(self.source / name)

    def snapshot_download(
        self,
        repo: str,
        *,
        revision: str | None,
        allow_patterns: list[str],
        local_files_only: bool = False,
    ) -> str:
        assert (repo, allow_patterns) == (REPO, hub.FILES)
        revision = revision or "main"
        if local_files_only:
            if self.held != revision:
                raise errors.LocalEntryNotFoundError("not here")
            return str(self.snapshot)
        self.asked.append(revision)
        if self.failure is not None:
            raise self.failure
        shutil.copytree(self.source, self.snapshot, dirs_exist_ok=True)
        self.held = revision
        return str(self.snapshot)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    cache = tmp_path / "cache"
    cache.mkdir()
    fake = Hub(GOLDEN / "tiny-dense", cache)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(socket.socket, "connect", no_network)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(huggingface_hub, "snapshot_download", fake.snapshot_download)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fake.hf_hub_download)
    monkeypatch.setattr(huggingface_hub, "HfApi", lambda: fake)
    return fake


def no_network(*_: Any) -> None:
    pytest.fail("a connection was opened")


def refusal(given: str | Path) -> str:
    with pytest.raises(CheckpointError) as caught:
        hub.resolve(given)
    return str(caught.value)


def http_error(kind: type[errors.HfHubHTTPError], status: int) -> Exception:
    return kind("refused", response=SimpleNamespace(headers={}, status_code=status, request=None))


def test_a_folder_always_wins(fake: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / REPO
    folder.mkdir(parents=True)
    fake.held = "main"
    monkeypatch.setenv("HOME", str(tmp_path))
    for given in (REPO, Path(REPO), f"./{REPO}", str(folder), f"{folder}/", f"~/{REPO}"):
        found, name = hub.resolve(given)
        assert (found.resolve(), name) == (folder.resolve(), "clef-flash")
    monkeypatch.chdir(folder)
    assert hub.resolve(".")[1] == "clef-flash"
    assert fake.asked == []


NEITHER = (
    *("", " ", "x", "clef-flash", "./missing", "../missing", "/no/such/folder", "a/b/c", "a/b/"),
    *("a/b@", "a@b/c", "a/b@../..", "a/b@x/../y", "a/b@/x", "a/b@.git", "a//b", "C:/x"),
    *("-a/b", "a/b-", "a--b/c", "a..b/c", "a/b.git", "é/ü", "a/ b", "a/b\n", "a\0b/c"),
    *("https://hf.co/a/b", f"a/{'b' * 97}", "a/b@\ud800"),
)


@pytest.mark.parametrize("given", NEITHER)
def test_what_is_neither_folder_nor_id(fake: Hub, given: str) -> None:
    assert refusal(given) == (
        f"{given!r} is neither a folder nor a Hub id such as Cloudflare/clef-flash"
    )
    assert fake.asked == []


def test_a_path_object_is_never_an_id(fake: Hub) -> None:
    assert "is neither a folder nor a Hub id" in refusal(Path(REPO))


@pytest.mark.parametrize(
    ("given", "reason"),
    [("x" * 5000, "File name too long"), ("~nobody-of-that-name/x", "Could not determine home")],
)
def test_a_name_that_the_system_refuses(fake: Hub, given: str, reason: str) -> None:
    assert refusal(given).startswith(f"{given} cannot be read: {reason}")


def test_a_folder_that_may_not_be_entered(fake: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(_: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "exists", denied)
    assert refusal("secret/model") == "secret/model cannot be read: Permission denied"


@pytest.mark.parametrize(
    ("given", "revision"),
    [
        (REPO, "main"),
        (f"{REPO}@main", "main"),
        (f"{REPO}@v1.0", "v1.0"),
        (f"{REPO}@{SHA}", SHA),
        (f"{REPO}@refs/pr/3", "refs/pr/3"),
    ],
)
def test_a_missing_model_is_fetched_once_at_its_revision(
    fake: Hub, given: str, revision: str
) -> None:
    for _ in range(3):
        assert hub.resolve(given) == (fake.snapshot, "clef-flash")
    assert fake.asked == [revision]


def test_what_cannot_be_run_is_refused_before_gigabytes_are_fetched(
    fake: Hub, release: Path
) -> None:
    config = json.loads((release / "config.json").read_text())
    (release / "config.json").write_text(json.dumps({**config, "model_type": "llama"}))
    fake.source = release
    assert refusal(REPO).startswith(f"{REPO} has model_type 'llama'")
    assert fake.asked == []


def test_a_whole_cached_copy_needs_no_network(fake: Hub) -> None:
    shutil.copytree(fake.source, fake.snapshot)
    fake.held, fake.failure = "main", errors.OfflineModeIsEnabled("off")
    assert hub.resolve(REPO) == (fake.snapshot, "clef-flash")
    assert fake.asked == []


def test_another_revision_is_not_the_cached_one(fake: Hub) -> None:
    shutil.copytree(fake.source, fake.snapshot)
    fake.held = "main"
    hub.resolve(f"{REPO}@v2")
    assert fake.asked == ["v2"]


LOST = ["config.json", "tokenizer.json", "joint_head.safetensors", "joint_head_config.json"]


@pytest.mark.parametrize("lost", [*LOST, "model-00003-of-00004.safetensors"])
def test_an_incomplete_snapshot_is_fetched_again(fake: Hub, lost: str) -> None:
    shutil.copytree(fake.source, fake.snapshot)
    (fake.snapshot / lost).unlink()
    fake.held = "main"
    assert hub.resolve(REPO)[0] == fake.snapshot
    assert fake.asked == ["main"]
    assert (fake.snapshot / lost).exists()


def test_an_incomplete_snapshot_without_a_network_says_what_is_missing(fake: Hub) -> None:
    shutil.copytree(fake.source, fake.snapshot)
    (fake.snapshot / "tokenizer.json").unlink()
    fake.held, fake.failure = "main", errors.OfflineModeIsEnabled("off")
    assert refusal(REPO) == (
        f"{REPO} is in the local cache, but {fake.snapshot / 'tokenizer.json'} is missing, and the "
        f"Hub cannot be reached (OfflineModeIsEnabled): with a network, run hf download {REPO}, or "
        "give a folder"
    )


NETWORK = {
    "offline": errors.OfflineModeIsEnabled("off"),
    "no answer": errors.HTTPError("Connection refused"),
    "a fault of the Hub": http_error(errors.HfHubHTTPError, 503),
    "broken off": ConnectionResetError(104, "reset"),
    "slow": TimeoutError("timed out"),
    "a page of the network's own": json.JSONDecodeError("Expecting value", "<html>", 0),
    "a broken transfer": RuntimeError("Data processing error"),
    "nothing cached": errors.LocalEntryNotFoundError("not here"),
}


@pytest.mark.parametrize("failure", NETWORK.values(), ids=NETWORK)
@pytest.mark.parametrize(("revision", "option"), [("", ""), ("@v2", " --revision v2")])
@pytest.mark.parametrize("answers", [False, True], ids=["at once", "during the download"])
def test_without_a_network_the_folder_and_the_command_are_named(
    fake: Hub, failure: Exception, revision: str, option: str, answers: bool
) -> None:
    fake.failure, fake.answers = failure, answers
    folder = fake.cache / "models--Cloudflare--clef-flash"
    assert refusal(REPO + revision) == (
        f"{REPO}{revision} is not whole in the local cache ({folder}) and the Hub cannot be "
        f"reached ({type(failure).__name__}): with a network, run hf download {REPO}{option}, or "
        "give a folder"
    )


@pytest.mark.parametrize(
    ("failure", "sentence"),
    [
        (
            http_error(errors.RepositoryNotFoundError, 404),
            f"there is no folder {REPO}@v9, and the Hub has no model {REPO} that you may read",
        ),
        (
            http_error(errors.GatedRepoError, 403),
            f"{REPO} asks for a login: accept its terms on the Hub, then run hf auth login",
        ),
        (
            http_error(errors.RevisionNotFoundError, 404),
            f"the Hub's {REPO} has no revision 'v9'",
        ),
    ],
)
def test_what_the_hub_refuses(fake: Hub, failure: Exception, sentence: str) -> None:
    fake.failure = failure
    assert refusal(f"{REPO}@v9") == sentence


@pytest.mark.parametrize("reason", ["No space left on device", "Read-only file system"])
def test_a_disk_that_takes_nothing_is_not_called_a_network(fake: Hub, reason: str) -> None:
    fake.failure, fake.answers = OSError(28, reason), True
    folder = fake.cache / "models--Cloudflare--clef-flash"
    assert refusal(REPO) == f"{REPO} cannot be stored in {folder}: {reason}"


def free(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=size))


def test_disk_space_is_checked_before_the_fetch(fake: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.sizes |= {"model-00001-of-00004.safetensors": 19_000_000_000, "pytorch_model.bin": 10**12}
    needed = 19_000_003_000
    free(monkeypatch, needed + hub.SPARE - 1)
    assert refusal(REPO) == (
        f"{REPO} needs 19.0 GB on disk, and {fake.cache} has 20.1 GB free: make room, or set "
        "HF_HOME to a larger disk"
    )
    assert fake.asked == []
    free(monkeypatch, needed + hub.SPARE)
    hub.resolve(REPO)
    assert fake.asked == ["main"]


def test_a_conversion_s_copy_must_fit_beside_the_download(
    fake: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one disk both count together; on two disks each for itself."""
    fake.sizes |= {"model-00001-of-00004.safetensors": 20_000_000_000}
    download, share = 20_000_003_000, 0.75
    copy = int(share * download)
    out = tmp_path / "new" / "out"  # not there yet: its nearest folder tells the disk
    free(monkeypatch, download + copy + hub.SPARE - 1)
    with pytest.raises(CheckpointError, match=r"needs 35\.0 GB on disk"):
        hub.resolve(REPO, copy=(out, share))
    assert fake.asked == []
    real = Path.stat

    def other_disk(path: Path, **options: Any) -> Any:
        found = real(path, **options)
        if path == tmp_path:
            return SimpleNamespace(st_dev=-1, st_mode=found.st_mode)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", other_disk)
        free(patch, copy + hub.SPARE - 1)
        assert copy < download  # the download is what does not fit
        with pytest.raises(CheckpointError, match=r"needs 20\.0 GB on disk"):
            hub.resolve(REPO, copy=(out, share))
    free(monkeypatch, download + copy + hub.SPARE)
    hub.resolve(REPO, copy=(out, share))
    assert fake.asked == ["main"]


@pytest.mark.parametrize(
    ("blob", "counts"),
    [
        ("blob-model-00001-of-00004.safetensors", True),
        ("blob-model-00001-of-00004.safetensors.incomplete", True),
        ("blob-of-another-revision", False),
    ],
)
def test_only_bytes_of_this_model_count_as_there(
    fake: Hub, monkeypatch: pytest.MonkeyPatch, blob: str, counts: bool
) -> None:
    blobs = fake.cache / "models--Cloudflare--clef-flash" / "blobs"
    blobs.mkdir(parents=True)
    (blobs / blob).write_bytes(bytes(1000))
    free(monkeypatch, 3 * 1000 + hub.SPARE)  # one of the four wanted files must be there already
    if counts:
        hub.resolve(REPO)
    else:
        assert "make room" in refusal(REPO)


def cached(cache: Path, listed: list[str]) -> Path:
    """A snapshot as huggingface_hub itself leaves it, with its own list of the repository."""
    home = cache / f"models--{REPO.replace('/', '--')}"
    snapshot = home / "snapshots" / SHA
    shutil.copytree(GOLDEN / "tiny-dense", snapshot)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(SHA)
    (home / "trees").mkdir()
    tree = {"format_version": 1, "files": {name: {"size": 1, "blob_id": "x"} for name in listed}}
    (home / "trees" / f"{SHA}.json").write_text(json.dumps(tree))
    return snapshot


@pytest.mark.parametrize("given", [REPO, f"{REPO}@main", f"{REPO}@{SHA}"])
def test_the_real_library_finds_a_fetched_copy_offline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    """Files that are never fetched (README.md) must not make a copy count as incomplete."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(socket.socket, "connect", no_network)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    snapshot = cached(tmp_path, ["config.json", "README.md", "joint_schema_model.py"])
    assert hub.resolve(given) == (snapshot, "clef-flash")


def test_names_of_errors_that_the_installed_library_has() -> None:
    assert issubclass(errors.HfHubHTTPError, errors.HTTPError)
    assert issubclass(errors.OfflineModeIsEnabled, ConnectionError)
