"""How many operations MLX runs for a decision: they must not grow with its questions."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from ..head import HeadInputs
from ..memory import BLOCK
from ..model import Clef
from ..request import parse_request

# Questions and options of each; the first is what the others are compared with.
SCHEMAS = ((1, 2), (1, 77), (1, 255), (64, 2))


@dataclass(frozen=True)
class GraphSize:
    """Operations of the head for one schema."""

    questions: int
    options: int  # of each question
    operations: int

    def to_dict(self) -> dict[str, int]:
        return {
            "questions": self.questions,
            "options": self.options,
            "head_operations": self.operations,
        }


def graph_size(*arrays: mx.array) -> int:
    """Operations that evaluating ``arrays`` would run; evaluated ones are leaves and count 0."""
    text = io.StringIO()
    mx.export_to_dot(text, *arrays)
    return text.getvalue().count("shape=rectangle")


def schema_request(questions: int, options: int) -> dict[str, Any]:
    """A request that asks so many questions with so many options each."""
    question = {
        "type": "choice",
        "instructions": "Which?",
        "criteria": {f"o{number}": None for number in range(options)},
    }
    return {"state": "", "questions": {f"q{number}": question for number in range(questions)}}


def head_graph(clef: Clef, questions: int, options: int) -> GraphSize:
    """Count the head's operations on hidden states that are there already; runs none of them."""
    request = parse_request(schema_request(questions, options))
    limit = clef.checkpoint.config.text.max_position_embeddings
    encoded = clef.encode(request, max_length=limit)
    inputs = HeadInputs.build(encoded)
    width = clef.checkpoint.config.text.hidden_size
    hidden = mx.zeros((len(encoded.input_ids), width), clef.dtype)
    rows = mx.zeros((len(inputs.token_ids), width), mx.bfloat16)
    mx.eval(hidden, rows)
    normed, memory = clef._head.read(hidden)
    logits = clef._head(memory, normed[encoded.schema_start :], inputs, rows)
    return GraphSize(questions, options, graph_size(logits))


def backbone_graph(clef: Clef, tokens: int) -> int:
    """Count the backbone's operations on a prompt's first block, whatever it asks."""
    width = clef.checkpoint.config.text.hidden_size
    rows = mx.zeros((1, min(tokens, BLOCK), width), clef.dtype)
    mx.eval(rows)
    hidden, _ = clef._backbone(rows)
    return graph_size(hidden)
