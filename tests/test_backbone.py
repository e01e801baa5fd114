"""The stack in blocks, and against mlx-lm's own Qwen3.5 text model on the same weights."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
from close import assert_close

from clef_mlx import Clef
from clef_mlx.backbone import Deepstack

ATOL = 1e-4  # float32; measured 1e-5 on hidden states up to 4
HARSH_ATOL = 5e-4  # two float32 implementations on random weights; measured 1.1e-4


def embedded(clef: Clef, length: int) -> mx.array:
    ids = np.random.default_rng(0).integers(0, 1000, length)
    return clef._embeddings.read(ids).astype(mx.float32)[None]


@pytest.mark.parametrize("cuts", [(1,), (5, 6, 7), (63,), (64, 128), (100, 190)])
def test_blocks_give_the_hidden_states_of_one_call(dense: Clef, cuts: tuple[int, ...]) -> None:
    x = embedded(dense, 200)
    whole, _ = dense._backbone(x)
    state, parts = None, []
    for first, last in zip((0, *cuts), (*cuts, 200), strict=True):
        hidden, state = dense._backbone(x[:, first:last], state)
        parts.append(hidden)
    assert_close(mx.concatenate(parts, axis=1), whole, ATOL)


def test_deepstack_adds_after_the_first_layers_at_its_tokens(omni: Clef) -> None:
    """Layer by layer, with the sum written out."""
    rng = np.random.default_rng(2)
    x, at = mx.array(rng.normal(size=(1, 9, 64)).astype(np.float32)), [2, 3, 7]
    features = mx.array(rng.normal(size=(3, 128)).astype(np.float32))
    got, _ = omni._backbone(x, deepstack=Deepstack(mx.array(at), features))
    hidden = x
    for i, layer in enumerate(omni._backbone.layers):
        hidden, _ = layer(hidden, None, mx.float32, None)
        added = np.zeros((1, 9, 64), np.float32)
        if i < 2:
            added[0, at] = np.array(features)[:, 64 * i : 64 * (i + 1)]
        hidden = hidden + mx.array(added)
    assert_close(got, omni._backbone.norm(hidden), 1e-5)
    plain, _ = omni._backbone(x)
    assert_close(got[:, :2], plain[:, :2], 1e-6)  # tokens before them see nothing of it
    assert mx.abs(got[:, 2:] - plain[:, 2:]).min(axis=-1).max().item() > 0


def test_a_state_can_be_resumed_twice(dense: Clef) -> None:
    x = embedded(dense, 90)
    _, state = dense._backbone(x[:, :70])
    first, _ = dense._backbone(x[:, 70:], state)
    again, _ = dense._backbone(x[:, 70:], state)
    assert_close(again, first, 0)


AGREEMENT = """
import sys
import mlx.core as mx
import numpy as np
from mlx_lm.models import qwen3_5
from clef_mlx import load

clef = load(sys.argv[1], dtype="float32")
text = clef.checkpoint.config.text
args = qwen3_5.TextModelArgs.from_dict({
    **{key: getattr(text, key) for key in (
        "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads",
        "head_dim", "linear_num_key_heads", "linear_num_value_heads", "linear_key_head_dim",
        "linear_value_head_dim", "linear_conv_kernel_dim", "rms_norm_eps", "vocab_size",
    )},
    "model_type": "qwen3_5_text",
    "intermediate_size": text.intermediate_size or 0,
    "full_attention_interval": 4,
    "tie_word_embeddings": False,
    "rope_parameters": {
        "type": "default",
        "mrope_section": [3, 3, 2],
        "rope_theta": text.rope_theta,
        "partial_rotary_factor": text.rotary_dim / text.head_dim,
    },
    **({} if text.moe is None else {
        "num_experts": text.moe.num_experts,
        "num_experts_per_tok": text.moe.num_experts_per_tok,
        "moe_intermediate_size": text.moe.moe_intermediate_size,
        "shared_expert_intermediate_size": text.moe.shared_expert_intermediate_size,
        "norm_topk_prob": True,
    }),
})
model = qwen3_5.Qwen3_5TextModel(args)
weights = []
for name, value in clef.checkpoint.parameters("backbone", mx.float32, expand=True).items():
    name = name.removeprefix("backbone.")
    if name.endswith("conv1d.weight"):
        value = value.T[..., None]
    elif name.endswith("experts.gate_up_proj.weight"):
        stem = name.replace("experts.gate_up_proj.weight", "switch_mlp.")
        gate, up = mx.split(value, 2, axis=1)
        weights += [(stem + "gate_proj.weight", gate), (stem + "up_proj.weight", up)]
        continue
    elif name.endswith("experts.down_proj.weight"):
        name = name.replace("experts.down_proj", "switch_mlp.down_proj")
    weights.append((name, value))
ids = np.random.default_rng(0).integers(0, 300, 130)
embeddings = clef._embeddings.read(ids).astype(mx.float32)[None]
table = mx.zeros((text.vocab_size, text.hidden_size))
model.load_weights([*weights, ("embed_tokens.weight", table)])
theirs = model(mx.array(ids)[None], input_embeddings=embeddings)
ours, _ = clef._backbone(embeddings)
print(mx.abs(theirs - ours).max().item())
"""


@pytest.mark.slow
@pytest.mark.parametrize("model_type", ["qwen3_5", "qwen3_5_moe"])
def test_agrees_with_mlx_lm(
    miniature: Callable[..., Path], model_type: str, tmp_path: Path
) -> None:
    """A contract for the mlx-lm pin. In a process of its own: importing mlx-lm changes limits."""
    script = tmp_path / "agreement.py"
    script.write_text(AGREEMENT)
    done = subprocess.run(
        [sys.executable, str(script), str(miniature(model_type=model_type))],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < HARSH_ATOL
