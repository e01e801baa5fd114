"""What training tells the network beside the answers; none of it ships.

The generator's notes become a class for every token that means something, and the tokens of the
state that settle a question (its evidence). The network learns to see them long before it could
find out from answers alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from asking import Note
from lexicon import about_classes, class_codes, says_classes
from questions import size_class
from torch import Tensor, nn

from clef_mlx.encoding import EncodedRequest, Encoder
from clef_mlx.request import Request

NUMBER = re.compile(r"\d+")
UNKNOWN = -100  # a token without a class: cross-entropy ignores it
FLOOR = 1e-4  # of the attention on the evidence, so that its logarithm stays finite
ABOUT = {name: i for i, name in enumerate(about_classes())}
SAYS = {name: i for i, name in enumerate(says_classes())}
CODE_SCALE = 2.0  # of a class's first direction
Span = tuple[int, int]


@dataclass
class Marks:
    """One example's classes, by token position, and where its questions' evidence lies."""

    about: dict[int, tuple[int, float]] = field(default_factory=dict)  # class, weight
    says: dict[int, tuple[int, float]] = field(default_factory=dict)
    questions: list[list[Span]] = field(default_factory=list)  # evidence, one list a question
    options: list[list[Span]] = field(default_factory=list)  # and one an option, all in a row
    question_numbers: list[list[Span]] = field(default_factory=list)  # its threshold
    option_numbers: list[list[Span]] = field(default_factory=list)  # its bounds
    yes: list[int] = field(default_factory=list)  # 0 or 1 for a noul's answer, else UNKNOWN

    def add(self, span: Span, note: Note) -> None:
        """Give the tokens of ``span`` the classes of ``note``, its last tokens the most weight:
        they have seen the whole of it."""
        start, end = span
        for place in range(start, end):
            weight = ((place - start + 1) / (end - start)) ** 2
            if note.about:
                self.about[place] = ABOUT.get(note.about, UNKNOWN), weight
            if note.says:
                self.says[place] = SAYS[note.says], weight

    def add_numbers(self, encoder: OffsetEncoder, whole: str, part: str, start: int) -> list[Span]:
        """Give the last digit of every number in ``part`` of ``whole`` the class of its size.

        ``start`` is where the tokens of ``whole`` begin. Returns where these digits are.
        """
        first = whole.lower().index(part.lower())
        found = []
        for match in NUMBER.finditer(part):
            end = _find(encoder, whole, match[0], start, first + match.start())[1]
            self.says[end - 1] = SAYS[size_class(int(match[0]))], 1.0
            found.append((end - 1, end))
        return found


class OffsetEncoder(Encoder):
    """An ``Encoder`` that also tells where tokens stand in a text."""

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return self._tokenizer.encode(text, add_special_tokens=False).offsets


def read_notes(
    encoder: OffsetEncoder, request: Request, encoded: EncodedRequest, example: dict[str, Any]
) -> Marks:
    """The marks of a generated example."""
    marks, notes = Marks(), example["notes"]
    start = len(encoder.prefix)
    evidence: dict[str, list[Span]] = {}
    for text, about, says in notes["state"]:
        span = _find(encoder, request.state, text, start)
        marks.add(span, Note(text, about, says))
        if about.startswith("number"):
            marks.add_numbers(encoder, request.state, text, start)
        evidence.setdefault(about, []).append(span)
    for question, place in zip(request.questions, encoded.questions, strict=True):
        told, expected = notes["questions"][question.id], example["expected"][question.id]
        marks.add(place.span, Note("", told["about"], told["says"]))
        texts = {option.id: option.text for option in question.options}
        of_question = told["about"]
        if of_question == "topic":
            of_question = told["options"][expected][1]
        marks.questions.append(evidence.get(of_question, []))
        is_number = told["about"].startswith("number")
        text = question.instruction
        marks.question_numbers.append(
            marks.add_numbers(encoder, text, text, place.span[0]) if is_number else []
        )
        for name, span in zip(place.option_ids, place.option_spans, strict=True):
            about = told["about"]
            if name in told["options"]:
                note = Note(*told["options"][name])
                inside = _find(encoder, texts[name], note.text, span[0]) if note.text else span
                marks.add(inside, note)
                about = note.about if told["about"] == "topic" else about
            marks.options.append(evidence.get(about, []))
            is_band = is_number and question.type == "score"
            level = texts[name].rpartition('","')[0]  # without its id
            marks.option_numbers.append(
                marks.add_numbers(encoder, texts[name], level, span[0]) if is_band else []
            )
        marks.yes.append(int(expected == "true") if question.type == "noul" else UNKNOWN)
    return marks


def _find(encoder: OffsetEncoder, whole: str, part: str, shift: int, after: int = 0) -> Span:
    """The tokens of ``part`` in ``whole``, counted from ``shift``; cases are the same."""
    first = whole.lower().index(part.lower(), after)
    offsets = encoder.offsets(whole)
    places = [i for i, (a, b) in enumerate(offsets) if b > first and a < first + len(part)]
    return shift + places[0], shift + places[-1] + 1


@dataclass(frozen=True)
class Hints:
    """A batch's marks as arrays; rows of an evidence matrix are 1 on its tokens."""

    about: Tensor  # [B, L] class or UNKNOWN
    about_weight: Tensor  # [B, L]
    says: Tensor  # [B, L]
    says_weight: Tensor  # [B, L]
    question_evidence: Tensor  # [B, Q, L]
    question_numbers: Tensor  # [B, Q, L]
    option_evidence: Tensor  # [B, O, L]
    option_numbers: Tensor  # [B, O, L]
    yes: Tensor  # [B, Q]


def collate_marks(found: list[Marks], length: int, questions: int, options: int) -> Hints:
    """Pad ``found`` to the sizes of a batch."""
    size = len(found)
    about = torch.full((size, length), UNKNOWN)
    says, yes = about.clone(), torch.full((size, questions), UNKNOWN)
    about_weight, says_weight = torch.zeros(size, length), torch.zeros(size, length)
    of_questions = torch.zeros(2, size, questions, length)  # evidence, numbers
    of_options = torch.zeros(2, size, options, length)
    for b, marks in enumerate(found):
        for table, weights, given in (
            (about, about_weight, marks.about),
            (says, says_weight, marks.says),
        ):
            places = torch.tensor(list(given), dtype=torch.long)
            table[b, places] = torch.tensor([c for c, _ in given.values()], dtype=torch.long)
            weights[b, places] = torch.tensor([w for _, w in given.values()])
        for rows, lists in (
            (of_questions[0], marks.questions),
            (of_questions[1], marks.question_numbers),
            (of_options[0], marks.options),
            (of_options[1], marks.option_numbers),
        ):
            for row, spans in enumerate(lists):
                for start, end in spans:
                    rows[b, row, start:end] = 1
        yes[b, : len(marks.yes)] = torch.tensor(marks.yes)
    return Hints(about, about_weight, says, says_weight, *of_questions, *of_options, yes)


class Tutor(nn.Module):
    """Reads classes off the hidden states and answers off the fields; it does not ship."""

    def __init__(self, hidden: int, width: int) -> None:
        super().__init__()
        codes = class_codes(hidden)
        self.about = nn.Linear(hidden, len(ABOUT))
        self.says = nn.Linear(hidden, len(SAYS))
        self.yes = nn.Linear(width, 2)
        with torch.no_grad():
            for layer, names in ((self.about, ABOUT), (self.says, SAYS)):
                layer.weight.copy_(CODE_SCALE * torch.stack([codes[name] for name in names]))
                layer.bias.zero_()

    def forward(self, seen: dict[str, Tensor], hints: Hints) -> dict[str, Tensor]:
        """The mean loss of each kind. ``seen`` is what the model kept of its pass: ``hidden``
        ``[B, L, D]``, ``fields`` ``[B, Q, W]``, and attention ``option_looks`` ``[B, H, O, L]``
        and ``question_looks`` ``[B, H, Q, L]``."""
        return {
            "about": _classified(self.about, seen["hidden"], hints.about, hints.about_weight),
            "says": _classified(self.says, seen["hidden"], hints.says, hints.says_weight),
            "yes": F.cross_entropy(self.yes(seen["fields"]).flatten(0, 1), hints.yes.flatten())
            if (hints.yes >= 0).any()
            else torch.zeros(()),
            "options": _unseen(seen["option_looks"], hints.option_evidence, hints.option_numbers),
            "questions": _unseen(
                seen["question_looks"], hints.question_evidence, hints.question_numbers
            ),
        }


def _classified(layer: nn.Linear, hidden: Tensor, classes: Tensor, weight: Tensor) -> Tensor:
    known = classes >= 0
    losses = F.cross_entropy(layer(hidden[known]), classes[known], reduction="none")
    weight = weight[known]
    return (losses * weight).sum() / weight.sum().clamp_min(1)


def _unseen(looks: Tensor, evidence: Tensor, numbers: Tensor) -> Tensor:
    """How much attention misses the evidence: minus the logarithm of the heads' mean share.

    Where there are ``numbers`` to compare the evidence with, half of the heads look at those.
    """
    half = looks.shape[1] // 2

    def missed(heads: Tensor, wanted: Tensor) -> Tensor:
        return -(heads.mean(1) * wanted).sum(-1).clamp_min(FLOOR).log()

    both = (missed(looks[:, :half], evidence) + missed(looks[:, half:], numbers)) / 2
    losses = torch.where(numbers.any(-1), both, missed(looks, evidence))
    known = evidence.any(-1)
    return losses[known].sum() / known.sum().clamp_min(1)
