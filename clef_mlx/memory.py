"""How many bytes a model and a decision take: one formula for all who show or check it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod

from .architecture import ModelConfig, TextConfig
from .layers.delta_rule import CHUNK, SEGMENT
from .packing import Packing
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
