"""How a folder stores a model: which of three layouts it declares, and what is packed how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .architecture import DENSE, MOE, OMNI
from .errors import CheckpointError
from .naming import COMMUNITY, RELEASE, Naming
from .packing import BITS, GROUP_SIZES, Packing, companions
from .weights import TensorSpec

STAMP = "clef_mlx"  # our key in the config.json of a converted folder
# How the release splits text into words before byte pairs are merged (no \\p{M}).
PUBLISHED_WORD_RULE = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
FORMAT = 1  # of converted folders; raised when an older clef-mlx could not read them
NEEDS = "0.1.0"  # the first clef-mlx that reads FORMAT
PACKABLE = ("linear", "experts")


@dataclass(frozen=True)
class Layout:
    """A declared layout. ``packing`` says how a stored tensor is packed, or ``None``."""

    title: str  # for people
    naming: Naming
    packing: Callable[[TensorSpec], Packing | None]
    stamp: Mapping[str, Any] = field(default_factory=dict)  # of a converted folder
    word_rule: str | None = None  # put back into tokenizer.json; None: the file is used as shipped


def check_kind(raw: Any, folder: Path | str) -> None:
    """Refuse, by name, the architectures that are not run here."""
    kind = raw.get("model_type") if isinstance(raw, Mapping) else None
    if kind == "clef":
        raise CheckpointError(
            f"{folder} is in mlx-vlm's own clef layout; convert the published release instead"
        )
    if kind not in (DENSE, MOE, OMNI):
        raise CheckpointError(
            f"{folder} has model_type {kind!r}; a Clef backbone is {DENSE!r}, {MOE!r} or {OMNI!r}"
        )


def declared_layout(
    raw: Mapping[str, Any], formats: Mapping[Path, str | None], stored: Iterable[str], folder: Path
) -> Layout:
    """The layout that ``config.json`` (``raw``) and the shards' metadata ``formats`` declare.

    ``stored`` are the folder's tensor names. Nothing is guessed from shapes or values: norms are
    stored differently in each layout, and a wrong guess would be silent.
    """
    stamp = raw.get(STAMP)
    if stamp is not None:
        _require(formats, "mlx", "a folder converted by clef-mlx")
        return _converted(stamp, folder)
    if "mlx" in formats.values():
        _require(formats, "mlx", "an mlx-community build")
        if raw.get("model_type") in (MOE, OMNI):
            what = "clef-omni" if raw["model_type"] == OMNI else "a mixture of experts"
            raise CheckpointError(
                f"{folder} is an mlx-community build of {what}, which is not read here; convert "
                "the published release instead"
            )
        return _community(raw, frozenset(stored), folder)
    _require(formats, "pt", "a published release")
    return Layout("published release", RELEASE, lambda spec: None)


def _require(formats: Mapping[Path, str | None], wanted: str, what: str) -> None:
    for path, declared in formats.items():
        if declared != wanted:
            raise CheckpointError(
                f"{path} declares format {declared!r}; {what} declares {wanted!r} (the layout is "
                "never guessed, since norms are stored differently in each)"
            )


def _converted(stamp: Any, folder: Path) -> Layout:
    where = f"{folder / 'config.json'}: {STAMP}"
    if not isinstance(stamp, Mapping) or not isinstance(stamp.get("format"), int):
        raise CheckpointError(f"{where} is not the stamp of a conversion")
    if stamp["format"] > FORMAT:
        raise CheckpointError(
            f"{folder} is in format {stamp['format']}, which clef-mlx {stamp.get('needs', '?')} "
            f"or newer reads; this is clef-mlx {version('clef-mlx')}"
        )
    packed = stamp.get("packed")
    if not isinstance(packed, Mapping) or not isinstance(packed.get("exceptions"), Mapping):
        raise CheckpointError(f"{where} does not say which tensors are packed")
    default = _packing(packed.get("default"), where)
    exceptions = {name: _packing(value, where) for name, value in packed["exceptions"].items()}

    def packing(spec: TensorSpec) -> Packing | None:
        return exceptions.get(spec.name, default if spec.kind in PACKABLE else None)

    return Layout("converted by clef-mlx", RELEASE, packing, stamp)


def _community(raw: Mapping[str, Any], stored: frozenset[str], folder: Path) -> Layout:
    where = f"{folder / 'config.json'}: quantization"
    declared = raw.get("quantization", {})
    if not isinstance(declared, Mapping):
        raise CheckpointError(f"{where} must be a JSON object")
    for entry in (declared, *declared.values()):
        mode = entry.get("mode", "affine") if isinstance(entry, Mapping) else "affine"
        if mode != "affine":
            raise CheckpointError(f"{where} has mode {mode!r}; only 'affine' is read here")
    default = _packing(declared, where) if "bits" in declared else None

    def packing(spec: TensorSpec) -> Packing | None:
        name = COMMUNITY.stored_name(spec)
        if companions(name)[0] not in stored:
            return None
        own = declared.get(name.removesuffix(".weight"))
        found = _packing(own, where) if isinstance(own, Mapping) else default
        if found is None:
            raise CheckpointError(f"{where} does not say how {name} is packed")
        return found

    # Their tokenizer.json was rebuilt with another rule, which splits combining marks differently.
    return Layout("mlx-community build", COMMUNITY, packing, word_rule=PUBLISHED_WORD_RULE)


def _packing(value: Any, where: str) -> Packing | None:
    if value is None:
        return None
    bits, size = (
        (value.get(key) if isinstance(value, Mapping) else None) for key in ("bits", "group_size")
    )
    if bits not in BITS or size not in GROUP_SIZES:
        raise CheckpointError(
            f"{where} has {bits} bits in groups of {size}; read here are {BITS} and {GROUP_SIZES}"
        )
    return Packing(bits, size)
