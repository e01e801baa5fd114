"""Typed reads of a folder's JSON files, and the checks that all architectures share."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .architecture import MoeConfig
from .errors import CheckpointError, RequestError
from .json_text import parse_json

MAX_LAYERS = 1_024
MAX_SIZE = 2**31 - 1  # MLX counts in 32 bits


class Fields:
    """Typed reads from one JSON object; every complaint names the file and the key."""

    def __init__(self, values: Any, where: str) -> None:
        if not isinstance(values, Mapping):
            raise CheckpointError(f"{where} must be a JSON object")
        self._values, self._where = values, where

    def size(self, key: str, least: int = 1) -> int:
        value = self._get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_SIZE:
            raise CheckpointError(
                f"{self._where}: {key} must be a whole number of {least} to {MAX_SIZE}, "
                f"not {value!r}"
            )
        return value

    def number(self, key: str) -> float:
        value = self._get(key)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 < value <= sys.float_info.max:
            raise CheckpointError(
                f"{self._where}: {key} must be a finite number above 0, not {value!r}"
            )
        return float(value)

    def flag(self, key: str) -> bool | None:
        """``None`` where the key is left out."""
        value = self._values.get(key)
        if value is not None and not isinstance(value, bool):
            raise CheckpointError(f"{self._where}: {key} must be true or false, not {value!r}")
        return value

    def numbers(self, key: str, count: int) -> tuple[float, ...]:
        values = self._get(key)
        if not isinstance(values, list) or len(values) != count:
            raise CheckpointError(f"{self._where}: {key} must list {count} numbers, not {values!r}")
        return tuple(Fields({key: value}, self._where).number(key) for value in values)

    def only(self, key: str, allowed: Any) -> None:
        """Refuse what this implementation does not compute; a key left out means ``allowed``."""
        value = self._values.get(key)
        if value is not None and value != allowed:
            raise CheckpointError(
                f"{self._where}: {key} is {value!r}; only {allowed!r} is supported"
            )

    def optional(self, key: str) -> Any:
        return self._values.get(key)

    def _get(self, key: str) -> Any:
        if self._values.get(key) is None:
            raise CheckpointError(f"{self._where}: {key} is missing")
        return self._values[key]


def read_json_file(path: Path) -> Any:
    """Parse one of the folder's JSON files. Raises ``CheckpointError`` naming the file."""
    try:
        return parse_json(path.read_bytes(), str(path))
    except FileNotFoundError:
        raise CheckpointError(f"{path} is missing") from None
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from None
    except RequestError as error:
        raise CheckpointError(str(error)) from None


def check_layers(count: int, where: str) -> None:
    if count > MAX_LAYERS:
        raise CheckpointError(
            f"{where}: num_hidden_layers is {count}; at most {MAX_LAYERS} are read"
        )


def parse_rope(
    fields: Fields,
    where: str,
    factor: float | None,
    default_sections: tuple[int, int, int],
) -> tuple[float, int, tuple[int, int, int]]:
    """Base, rotated width and sections.

    ``rope_scaling``, the older name, wins over ``rope_parameters`` as in transformers 5.10.2; what
    either leaves out may stand beside it. A config without a rotated share or sections has
    ``factor`` and ``default_sections``.
    """
    name = "rope_scaling" if fields.optional("rope_scaling") else "rope_parameters"
    given = fields.optional(name)
    inside = Fields({} if given is None else given, f"{where}: {name}")
    rope = {
        key: fields.optional(key) if inside.optional(key) is None else inside.optional(key)
        for key in ("rope_theta", "partial_rotary_factor")
    }
    rope["mrope_section"] = inside.optional("mrope_section")
    rope["rope_type"] = inside.optional("rope_type") or inside.optional("type")
    if rope["rope_type"] == "mrope":  # an older word: plain rotary, three position axes
        rope["rope_type"] = "default"
    parameters = Fields(rope, f"{where}: rope_parameters")
    parameters.only("rope_type", "default")
    theta = parameters.number("rope_theta")
    if factor is None or parameters.optional("partial_rotary_factor") is not None:
        factor = parameters.number("partial_rotary_factor")
    head_dim = fields.size("head_dim")
    rotary_dim = int(head_dim * factor)
    if rotary_dim % 2 or not 0 < rotary_dim <= head_dim:
        raise CheckpointError(
            f"{where}: partial_rotary_factor rotates {rotary_dim} of {head_dim} dimensions; "
            f"it must be an even number of 2 to {head_dim}"
        )
    sections = parameters.optional("mrope_section") or default_sections
    if (
        not isinstance(sections, list | tuple)
        or len(sections) != 3
        or not all(type(section) is int and section >= 0 for section in sections)
    ):
        raise CheckpointError(f"{where}: mrope_section must be 3 whole numbers, not {sections!r}")
    time, height, width = sections
    return theta, rotary_dim, (time, height, width)


def check_moe(moe: MoeConfig, where: str) -> None:
    if moe.num_experts_per_tok > moe.num_experts:
        raise CheckpointError(
            f"{where}: num_experts_per_tok ({moe.num_experts_per_tok}) is above num_experts "
            f"({moe.num_experts})"
        )
