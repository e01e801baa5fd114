"""The published shapes: the catalogue counts exactly what the releases hold."""

from __future__ import annotations

from math import prod

import pytest

from clef_mlx.published import (
    disk_bytes,
    memory_bytes,
    published_config,
    suggested_bits,
)
from clef_mlx.recipe import Recipe
from clef_mlx.weights import expected_tensors

# Parameters of backbone, tables and tower; of the head; tensors without the head; bytes of all.
PUBLISHED = {
    "clef-flash": (9_409_813_744, 121_762_820, 760, 19_063_259_136),
    "clef": (27_356_728_560, 128_056_324, 1_184, 54_969_731_792),
    "clef-omni": (31_719_205_488, 109_175_812, None, 2 * (31_719_205_488 + 109_175_812)),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_catalogue_counts_the_release_to_the_last_parameter(name: str) -> None:
    parameters, head, tensors, size = PUBLISHED[name]
    specs = expected_tensors(published_config(name), ()).values()
    assert sum(prod(s.shape) for s in specs if s.part != "head") == parameters
    assert sum(prod(s.shape) for s in specs if s.part == "head") == head
    if tensors is not None:  # no index of clef-omni was seen
        assert sum(s.part != "head" for s in specs) == tensors
    assert disk_bytes(published_config(name), Recipe(16)) == pytest.approx(size, rel=1e-4)


def test_fewer_bits_take_less_and_tables_only_disk() -> None:
    config = published_config("clef-flash")
    disks = [disk_bytes(config, Recipe(bits)) for bits in (3, 4, 5, 6, 8, 16)]
    assert disks == sorted(disks)
    small, plain = Recipe(4, table_bits=8), Recipe(4)
    assert disk_bytes(config, small) < disk_bytes(config, plain) - 1.8e9
    assert memory_bytes(config, small) == memory_bytes(config, plain)


@pytest.mark.parametrize(
    ("name", "gigabytes", "bits"),
    [("clef-flash", 8, None), ("clef-flash", 16, 8), ("clef-flash", 32, 16), ("clef", 32, 4)],
)
def test_suggested_width_fits_the_machine(name: str, gigabytes: int, bits: int | None) -> None:
    assert suggested_bits(name, gigabytes << 30) == bits
