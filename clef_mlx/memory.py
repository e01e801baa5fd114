"""How many bytes a model and a decision take: one formula for all who show or check it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod

import mlx.core as mx

from .architecture import ModelConfig, TextConfig
from .errors import RequestError
from .layers.delta_rule import CHUNK, SEGMENT
from .machine import machine_bytes
from .packing import Packing
from .sizes import size
from .weights import TensorSpec

BLOCK = 2_048  # tokens a block: the memory of a long prompt grows with what is kept, not with L^2
FLOAT32 = 4  # bytes
PROMPT_LENGTHS = (1_024, 4_096, 16_384)  # tokens, for tables


def parameter_bytes(
    specs: Iterable[TensorSpec],
    item: int,
    packing: Callable[[TensorSpec], Packing | None] = lambda spec: None,
    norm_item: int = FLOAT32,
) -> int:
    """Bytes of the parameters of ``specs``: packed, or ``item`` bytes a number.

    Norms and decays take ``norm_item``: float32 in memory, less on disk.
    """
    total = 0
    for spec in specs:
        numbers, packed = prod(spec.shape), packing(spec)
        if packed is not None and spec.kind != "gate":
            total += packed.bytes(numbers)
        else:
            total += numbers * (norm_item if spec.kind in ("norm", "float32") else item)
    return total


def decision_bytes(config: ModelConfig, tokens: int, item: int) -> int:
    """Upper estimate of what one decision on ``tokens`` takes beside the parameters.

    What is kept for the whole prompt, plus the widest layer's working set on one block, at
    ``item`` bytes a number. Schema-sized arrays of the head are small beside either.
    """
    return kept_bytes(config, tokens, item) + _working_bytes(config, tokens, item)


def check_room(config: ModelConfig, tokens: int, item: int) -> None:
    """Raise ``RequestError`` if the device has no room for ``tokens`` at ``item`` bytes a number.

    The estimate is held against what Metal recommends a program to take (on a CPU: the machine's
    memory), less what MLX holds.
    """
    limit = device_bytes()
    free = max(0, limit - mx.get_active_memory())
    needed = decision_bytes(config, tokens, item)
    if needed <= free:
        return
    low, high = 0, tokens  # the most tokens that fit
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high) if decision_bytes(config, middle, item) <= free else (low, middle)
        )
    raise RequestError(
        f"the request's {tokens:,} tokens need about {size(needed)} of memory, and {size(free)} of "
        f"the {size(limit)} that this machine allows are free: about {low:,} tokens would fit",
        "state",
    )


def device_bytes() -> int:
    """What a program should take at most of the device's memory."""
    recommended = mx.device_info().get("max_recommended_working_set_size")
    return machine_bytes() if recommended is None else int(recommended)


def kept_bytes(config: ModelConfig, tokens: int, item: int) -> int:
    """Bytes that grow with the prompt: layer states, hidden states and the head's memory."""
    text = config.text
    linear = text.layer_types.count("linear_attention")
    keys_values = 2 * text.num_key_value_heads * text.head_dim * item
    recurrent = text.linear_num_value_heads * text.linear_key_head_dim * text.linear_value_head_dim
    conv = (text.linear_conv_kernel_dim - 1) * text.conv_channels * item
    # Hidden states as they come, joined, and normed for the head; the head's memory, plain, normed
    # and as keys and values of one layer.
    head = (3 * text.hidden_size + 4 * config.head.width) * item
    states = (len(text.layer_types) - linear) * keys_values * tokens
    return states + linear * (recurrent * FLOAT32 + conv) + tokens * head


def _working_bytes(config: ModelConfig, tokens: int, item: int) -> int:
    """The largest layer's own arrays on one block, beside the float32 sum that runs through."""
    text, block = config.text, min(tokens, BLOCK)
    inner = text.intermediate_size or 0
    if text.moe is not None:
        inner = 2 * text.moe.num_experts_per_tok * text.moe.moe_intermediate_size
    feed_forward = block * (3 * inner + 2 * text.hidden_size) * item
    width = text.num_attention_heads * text.head_dim
    # Scores are counted in full: head size 256 has no fused kernel on most Macs, and the CPU none.
    scores = 2 * text.num_attention_heads * block * tokens * item
    keys = 2 * 2 * text.num_key_value_heads * text.head_dim * tokens * item
    attention = block * 6 * width * item + scores + keys
    linear = block * 3 * (text.conv_channels + text.linear_value_size) * item + _delta_bytes(text)
    return max(feed_forward, attention, linear) + block * 3 * text.hidden_size * FLOAT32


def _delta_bytes(text: TextConfig) -> int:
    """The chunked delta rule's float32 arrays of one segment."""
    tokens = CHUNK * SEGMENT
    squares = 6 * text.linear_num_value_heads * tokens * CHUNK
    rows = (
        3
        * text.linear_num_value_heads
        * tokens
        * (text.linear_key_head_dim + text.linear_value_head_dim)
    )
    return (squares + rows) * FLOAT32
