"""The joint head against one question and one option at a time, in float64."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import mlx.core as mx
import numpy as np
import pytest
from close import assert_close

from clef_mlx import Clef, EncodedRequest
from clef_mlx.encoding import EncodedQuestion
from clef_mlx.head import HeadAttention, HeadInputs, JointHead
from clef_mlx.packing import Packing

ATOL = 1e-4  # float32 against float64; measured 6e-6 on logits up to 9
WEIGHTS = dict[str, np.ndarray]


def weights_of(clef: Clef) -> WEIGHTS:
    parameters = clef.checkpoint.parameters("head", mx.float32, expand=True)
    return {k.removeprefix("head."): np.array(v, np.float64) for k, v in parameters.items()}


def encoded_request() -> EncodedRequest:
    """Three questions with 2, 1 and 5 options, spans of unlike lengths."""
    rng = np.random.default_rng(3)
    option_spans = [
        ((30, 41), (44, 46)),
        ((60, 61),),
        tuple((80 + 7 * i, 84 + 8 * i) for i in range(5)),
    ]
    spans = [(20, 27), (50, 58), (70, 71)]
    questions = tuple(
        EncodedQuestion(f"q{i}", kind, span, tuple(str(o) for o in range(len(options))), options)
        for i, (kind, span, options) in enumerate(
            zip(("noul", "choice", "score"), spans, option_spans, strict=True)
        )
    )
    return EncodedRequest([int(t) for t in rng.integers(0, 500, 130)], questions, 4, 15, 11)


def plain_head(
    w: WEIGHTS, hidden: np.ndarray, request: EncodedRequest, rows: np.ndarray
) -> list[float]:
    """The head's formulas as ``spec`` states them. ``rows`` is the whole ``lm_head`` table."""
    heads = 4

    def norm(name: str, x: np.ndarray) -> np.ndarray:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)
        return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]

    def linear(name: str, x: np.ndarray) -> np.ndarray:
        return x @ w[f"{name}.weight"].T + w.get(f"{name}.bias", 0.0)

    def gelu(x: np.ndarray) -> np.ndarray:
        return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2

    def attend(name: str, query: np.ndarray, memory: np.ndarray) -> np.ndarray:
        width = query.shape[-1]
        q, k, v = (
            x @ w[f"{name}.in_proj.weight"][i * width : (i + 1) * width].T
            + w[f"{name}.in_proj.bias"][i * width : (i + 1) * width]
            for i, x in enumerate((query, memory, memory))
        )
        size, out = width // heads, np.zeros_like(q)
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            for i in range(len(q)):
                scores = k[:, part] @ q[i, part] / math.sqrt(size)
                weights = np.exp(scores - scores.max())
                out[i, part] = weights / weights.sum() @ v[:, part]
        return linear(f"{name}.out_proj", out)

    h = norm("hidden_norm", hidden)
    memory, last = linear("memory_projection", h), h[-1]
    layers = 1 + max(int(k.split(".")[1]) for k in w if k.startswith("layers."))
    fields, scored, priors = [], [], []
    for q in request.questions:
        question = h[slice(*q.span)].mean(axis=0)
        options = []
        for span in q.option_spans:
            lexical = rows[request.input_ids[slice(*span)]].mean(axis=0)
            option = (
                linear("option_context_projection", h[slice(*span)].mean(axis=0))
                + linear("option_lexical_projection", lexical)
                + linear("option_question_projection", question)
            )[None]
            for i in range(2):
                at = f"evidence_layers.{i}"
                normed = norm(f"{at}.memory_norm", memory)
                option = option + attend(
                    f"{at}.attention", norm(f"{at}.query_norm", option), normed
                )
                inner = gelu(linear(f"{at}.feedforward.0", norm(f"{at}.feedforward_norm", option)))
                option = option + linear(f"{at}.feedforward.3", inner)
            options.append(option[0])
            unit = (
                lexical / np.linalg.norm(lexical),
                (question + last) / np.linalg.norm(question + last),
            )
            priors.append(unit[0] @ unit[1])
        options = np.array(options)
        base = linear("question_projection", question)
        match = np.exp(options @ base / math.sqrt(len(base)))
        summary = match / match.sum() @ options
        type_code = ("noul", "choice", "score").index(q.type)
        fields.append(
            base
            + norm("option_summary_norm", summary)
            + linear("global_projection", last)
            + w["type_embedding.weight"][type_code]
        )
        scored.append(options)
    field = np.array(fields)
    for i in range(layers):
        at = f"layers.{i}"
        normed = norm(f"{at}.norm1", field)
        field = field + attend(f"{at}.self_attn", normed, normed)
        field = field + attend(f"{at}.multihead_attn", norm(f"{at}.norm2", field), memory)
        inner = gelu(linear(f"{at}.linear1", norm(f"{at}.norm3", field)))
        field = field + linear(f"{at}.linear2", inner)
    field, logits = norm("field_norm", field), []
    scales = [math.exp(min(w[f"{n}_logit_scale"], math.log(100))) for n in ("prior", "joint")]
    for f, options in zip(field, scored, strict=True):
        for o in norm("option_norm", options):
            cosine = f @ o / np.linalg.norm(f) / np.linalg.norm(o)
            pair = np.concatenate([f, o, f * o, np.abs(f - o)])
            residual = linear("residual_scorer.3", gelu(linear("residual_scorer.0", pair)))[0]
            gate = 1 / (1 + math.exp(-w["residual_gate"]))
            logits.append(scales[0] * priors[len(logits)] + gate * (scales[1] * cosine + residual))
    return logits


def run(clef: Clef, hidden: np.ndarray, request: EncodedRequest) -> mx.array:
    return score(clef._head, clef, hidden, request)


def score(head: JointHead, clef: Clef, hidden: np.ndarray, request: EncodedRequest) -> mx.array:
    inputs = HeadInputs.build(request)
    normed, memory = head.read(mx.array(hidden.astype(np.float32)))
    rows = clef._lm_head.read(inputs.token_ids)
    return head(memory, normed[request.schema_start :], inputs, rows)


def hidden_states() -> np.ndarray:
    return np.random.default_rng(5).normal(size=(130, 64))


def table_of(clef: Clef) -> np.ndarray:
    return np.array(clef._lm_head.read(np.arange(2048)).astype(mx.float32), dtype=np.float64)


def test_head_is_its_definition(dense: Clef) -> None:
    request = encoded_request()
    want = plain_head(weights_of(dense), hidden_states(), request, table_of(dense))
    assert_close(run(dense, hidden_states(), request), want, ATOL)


def test_logit_scales_are_clamped_at_100(dense: Clef) -> None:
    """Never active in the goldens, so held here."""
    request, weights = encoded_request(), weights_of(dense)
    weights["prior_logit_scale"] = np.array(6.0)
    weights["joint_logit_scale"] = np.array(5.0)
    head = JointHead(dense.checkpoint.config.head)
    head.load_weights([(k, mx.array(v.astype(np.float32))) for k, v in weights.items()])
    got = score(head, dense, hidden_states(), request)
    want = plain_head(weights, hidden_states(), request, table_of(dense))
    assert np.abs(want).max() > 30  # the clamp at ln 100 is in force
    assert_close(got, want, 1e-3)  # logits are ten times larger here


def test_padding_of_option_lists_leaks_nothing(dense: Clef) -> None:
    """Evidence is per option: a question's own prior and context ignore other questions' spans."""
    request = encoded_request()
    inputs = HeadInputs.build(request)
    counts = np.array(inputs.token_mean).sum(axis=1)
    lengths = [last - first for q in request.questions for first, last in q.option_spans]
    assert counts.tolist() == lengths
    assert np.array(inputs.option_length)[:, 0].tolist() == lengths
    assert np.array(inputs.members).sum(axis=0).tolist() == [1] * len(lengths)


@pytest.mark.parametrize("what", ["option spans", "question span", "types", "last token"])
def test_what_the_head_reads_matters(dense: Clef, what: str) -> None:
    request, hidden = encoded_request(), hidden_states()
    want = run(dense, hidden, request)
    first, second, third = request.questions
    if what == "option spans":
        first = replace(first, option_spans=first.option_spans[::-1])
    elif what == "question span":
        second = replace(second, span=first.span)
    elif what == "types":
        third = replace(third, type="noul")
    else:
        hidden[-1] = hidden[0]
    changed = run(dense, hidden, replace(request, questions=(first, second, third)))
    assert mx.abs(changed - want).max().item() > 100 * ATOL


@pytest.mark.parametrize("bits", [None, 4])
def test_few_queries_look_through_a_memory_that_is_not_projected(bits: int | None) -> None:
    """Both ways give the same numbers; the cheaper one is taken."""
    rng = np.random.default_rng(7)
    layer, memory = HeadAttention(64, 4), mx.array(rng.normal(size=(300, 64)).astype(np.float32))
    for linear in (layer.in_proj, layer.out_proj):
        linear.weight = mx.array(rng.normal(size=linear.weight.shape).astype(np.float32)) / 4
        linear.bias = mx.array(rng.normal(size=linear.bias.shape).astype(np.float32))
        if bits is not None:
            weight = linear.weight
            linear.pack(Packing(bits, 64))
            linear.weight, linear.scales, linear.biases = mx.quantize(weight, 64, bits)
    for queries, few in ((1, True), (15, True), (16, False), (40, False)):
        x = mx.array(rng.normal(size=(queries, 64)).astype(np.float32))
        q = mx.array(rng.normal(size=(1, 4, queries, 16)).astype(np.float32))
        want = layer._on_outputs(q, memory)
        assert mx.abs(want).max().item() > 1
        assert_close(layer._on_inputs(q, memory), want, 4e-5)  # measured 1.4e-5 on outputs up to 5
        layer.is_eager = True
        plain = layer(x, memory)
        layer.is_eager = False
        assert_close(layer(x, memory), plain, 4e-5)
        assert (not mx.array_equal(layer(x, memory), plain).item()) == few


def test_a_memory_that_is_not_projected_keeps_bfloat16_closer() -> None:
    """Against float32: what projecting rounds, keys and values, is not rounded."""
    rng = np.random.default_rng(8)
    q, memory, weight, bias = (
        mx.array(rng.normal(size=shape).astype(np.float32))
        for shape in ((1, 4, 8, 64), (2000, 256), (768, 256), (768,))
    )
    layer, errors = HeadAttention(256, 4), []
    layer.in_proj.weight, layer.in_proj.bias = weight / 11, bias / 10
    want = layer._on_outputs(q, memory)
    layer.set_dtype(mx.bfloat16)
    for attend in (layer._on_inputs, layer._on_outputs):
        got = attend(q.astype(mx.bfloat16), memory.astype(mx.bfloat16))
        assert got.dtype == mx.bfloat16
        errors.append(mx.square(got.astype(mx.float32) - want).sum().item())
    assert errors[0] < 0.7 * errors[1]  # squares; measured 0.48


def test_graph_does_not_grow_with_options(dense: Clef) -> None:
    """No more operations for 200 options than for 2, or for 40 questions than for 1."""

    def operations(request: EncodedRequest) -> int:
        graph = io.StringIO()
        mx.export_to_dot(graph, run(dense, hidden_states(), request))
        return graph.getvalue().count("->")

    few = replace(encoded_request(), schema_start=0)
    many_options = replace(
        few.questions[1],
        option_ids=tuple(str(i) for i in range(200)),
        option_spans=tuple((i % 100, i % 100 + 3) for i in range(200)),
    )
    many = replace(few, questions=(many_options,) * 40, schema_start=0)
    # Attention from few options has another form, of some more operations.
    assert 0.95 * operations(few) < operations(many) <= operations(few)
