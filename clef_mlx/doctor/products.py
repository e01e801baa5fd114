"""Products with packed, gathered and plain weights at the published shapes, against numpy's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import mlx.core as mx
import numpy as np

from ..layers.attention import Attention
from ..layers.feed_forward import MLP, SORT_FROM
from ..layers.linear import ExpertLinear, Linear
from ..layers.linear_attention import GatedDeltaNet
from ..packing import BITS, GROUP_SIZES, Packing, unpack
from ..published import NAMES, OMNI_NAME, published_config
from ..weights import expected_tensors
from .check import DTYPES, Check, Pair, bound_of, own_dtype, to_mlx, widened

# No multiples of 32. A GPU has kernels for a few rows, for some and for many; a CPU has one for any
# number, and is slow.
GPU_ROWS, CPU_ROWS = (33, 301), (3,)
MANY_ROWS = 32_801  # past 2^15, and no multiple of 32
ROUTED = (SORT_FROM - 23, SORT_FROM + 25)  # routed rows: unsorted and sorted
MERGED = (Attention.shared, GatedDeltaNet.shared, MLP.shared)
USED = 5  # experts that rows go to
SMALL = (128, 64)  # inputs and outputs where rows are many


def checks() -> list[Check]:
    """All checks of this module."""
    own = own_dtype()
    packings = [Packing(bits, 64) for bits in (4, 8)]
    experts = expert_shapes()
    cases: list[tuple[str, str, Callable[[], Iterator[Pair]]]] = []
    for name in NAMES:
        shapes = linear_shapes(name)
        for packing in packings if own == "bfloat16" else packings[:1]:
            title = f"{packing.bits}-bit products, {len(shapes)} shapes of {name}"
            cases.append((title, own, partial(_packed, shapes, packing, own)))
    for packing in packings:
        title = f"{packing.bits}-bit expert products of {OMNI_NAME}"
        cases.append((title, own, partial(_gathered, experts, packing, own)))
    cases.append(("plain expert products", own, partial(_gathered, experts, None, own)))
    # On a CPU MLX sums packed products of 16-bit numbers in 16 bits: weights are unpacked there.
    for dtype in DTYPES if own == "bfloat16" else ("float32",):
        cases.append(("every width and group size", dtype, partial(_widths, dtype)))
    for dtype in DTYPES:
        cases.append(("plain products", dtype, partial(_packed, [(4096, 1024)], None, dtype)))
    cases.append((f"products of {MANY_ROWS:,} rows", own, partial(_many_rows, own)))
    return [Check(f"{title}, {dtype}", bound_of(dtype), pairs) for title, dtype, pairs in cases]


def linear_shapes(name: str) -> list[tuple[int, int]]:
    """Distinct ``(inputs, outputs)`` of a decision's linear products, neighbours merged."""
    products: dict[tuple[str, tuple[str, ...], int], int] = defaultdict(int)
    for spec in expected_tensors(published_config(name), ()).values():
        if spec.kind == "linear":
            parent, _, own = spec.ours.removesuffix(".weight").rpartition(".")
            merged = next((names for names in MERGED if own in names), (own,))
            products[parent, merged, spec.shape[1]] += spec.shape[0]
    return sorted({(inputs, outputs) for (_, _, inputs), outputs in products.items()})


def expert_shapes() -> list[tuple[int, int, int]]:
    """Distinct ``(experts, outputs, inputs)`` of clef-omni."""
    specs = expected_tensors(published_config(OMNI_NAME), ()).values()
    return sorted({(s.shape[0], s.shape[1], s.shape[2]) for s in specs if s.kind == "experts"})


def _packed(
    shapes: list[tuple[int, int]],
    packing: Packing | None,
    dtype: str,
    row_counts: tuple[int, ...] = (),
) -> Iterator[Pair]:
    row_counts = row_counts or (GPU_ROWS if mx.default_device() == mx.gpu else CPU_ROWS)
    for inputs, outputs in shapes:
        layer = Linear(inputs, outputs)
        _fill(layer, (outputs, inputs), packing, dtype)
        weight = _expanded(layer)
        for rows in row_counts:
            x = _draw((rows, inputs), dtype)
            yield Pair(f"{rows:,} x {inputs} -> {outputs}", layer(x), widened(x) @ weight.T)


def _gathered(
    shapes: list[tuple[int, int, int]],
    packing: Packing | None,
    dtype: str,
    row_counts: tuple[int, ...] = ROUTED,
) -> Iterator[Pair]:
    """Rows through the first, the last and some experts between."""
    for experts, outputs, inputs in shapes:
        if packing is None:  # unpacked, 128 experts would take gigabytes
            experts = USED
        layer = ExpertLinear(experts, inputs, outputs)
        _fill(layer, (experts, outputs, inputs), packing, dtype)
        for rows in row_counts:
            # As in the model: sorted where rows are many.
            is_sorted = rows >= SORT_FROM
            chosen = np.linspace(0, experts - 1, USED).astype(np.uint32)
            chosen = np.random.default_rng(rows).choice(chosen, rows)
            chosen = np.sort(chosen) if is_sorted else chosen
            x = _draw((rows, inputs), dtype)
            fast, plain = layer(x, mx.array(chosen), is_sorted), np.zeros((rows, outputs))
            for expert in np.unique(chosen):
                at = chosen == expert
                plain[at] = widened(x)[at] @ _expanded(layer, int(expert)).T
            yield Pair(f"{rows:,} rows, {experts} experts, {inputs} -> {outputs}", fast, plain)


def _widths(dtype: str) -> Iterator[Pair]:
    for bits in BITS:
        for group_size in GROUP_SIZES:
            for pair in _packed([(1024, 512)], Packing(bits, group_size), dtype):
                yield replace(pair, case=f"{bits} bits, groups of {group_size}, {pair.case}")


def _many_rows(dtype: str) -> Iterator[Pair]:
    inputs, outputs = SMALL
    for packing in (Packing(4, 64), None):
        yield from _packed([SMALL], packing, dtype, (MANY_ROWS,))
        yield from _gathered([(USED, outputs, inputs)], packing, dtype, (MANY_ROWS,))


def _expanded(layer: Linear, expert: int | None = None) -> np.ndarray:
    """A layer's weight in float32, unpacked on the CPU: all of it, or one expert's."""
    at = slice(None) if expert is None else expert
    if layer.packing is None:
        return widened(layer.weight[at])
    with mx.stream(mx.cpu):
        return widened(unpack(layer.weight[at], layer.scales[at], layer.biases[at], layer.packing))


def _fill(layer: Linear, shape: tuple[int, ...], packing: Packing | None, dtype: str) -> None:
    """Give ``layer`` random weights; packed ones are drawn packed, as any words are codes."""
    *lead, inputs = shape
    if packing is None:
        layer.weight = _draw(shape, dtype) * inputs**-0.5
        return
    layer.pack(packing)
    words = np.random.default_rng(inputs).integers(
        0, 2**32, (*lead, packing.packed_width(inputs)), dtype=np.uint32
    )
    spread = 2 ** (packing.bits - 1)  # codes lie around it
    scales = (1.5 + _draw((*lead, packing.groups(inputs)), "float32")) * inputs**-0.5 / spread
    layer.weight = mx.array(words)
    layer.scales = scales.astype(DTYPES[dtype])
    layer.biases = (-spread * scales).astype(DTYPES[dtype])


def _draw(shape: tuple[int, ...], dtype: str) -> mx.array:
    """Numbers of -1 to 1, the same for the same shape."""
    drawn = np.random.default_rng(shape).random(shape, dtype=np.float32)
    return to_mlx(2 * drawn - 1, dtype)
