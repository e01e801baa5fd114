"""What training ``mini`` rests on: marks of meaning, wordings held out, a network that learns."""

from __future__ import annotations

import importlib
import sys
from itertools import islice
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
FOLDER = Path(__file__).parent.parent / "examples" / "mini"
MODULES = ("asking", "decisions", "encoded", "evidence", "lexicon", "network", "questions", "train")


@pytest.fixture(scope="module")
def code(request):
    """The modules of examples/mini by name; the folder is on the path only while these run."""
    sys.path.insert(0, str(FOLDER))
    request.addfinalizer(lambda: sys.path.remove(str(FOLDER)))
    return {name: importlib.import_module(name) for name in MODULES}


@pytest.fixture(scope="module")
def tokenizer(code):
    return code["encoded"].train_tokenizer(2048, records=300)


@pytest.fixture(scope="module")
def encoder(code, tokenizer):
    return code["evidence"].OffsetEncoder(tokenizer)


def test_marks_lie_on_what_they_mean(code, tokenizer, encoder):
    """Evidence decodes to a sentence of the state that is about what is asked."""
    checked = 0
    for example in islice(code["decisions"].decisions(4, "train"), 100):
        (encoded,) = code["encoded"].encode_examples(encoder, [example])
        said: dict[str, list[str]] = {}
        for text, about, _ in example["notes"]["state"]:
            said.setdefault(about, []).append(text.lower())
        asked = example["notes"]["questions"].values()
        for told, spans in zip(asked, encoded.marks.questions, strict=True):
            for start, end in spans if told["about"] in said else ():
                found = tokenizer.decode(encoded.encoded.input_ids[start:end]).lower()
                assert any(text in found for text in said[told["about"]])
                checked += 1
    assert checked > 50


def test_last_digit_of_a_number_has_the_class_of_its_size(code, tokenizer, encoder):
    state = "I paid 833 euros."
    marks = code["evidence"].Marks()
    marks.add_numbers(encoder, state, state, 0)
    ((place, (size, _)),) = marks.says.items()
    ids = encoder.tokenize(state)
    assert tokenizer.decode(ids[place : place + 1]).strip() == "3"
    assert tokenizer.decode(ids[: place + 1]).endswith("833")
    assert code["lexicon"].says_classes()[size] == code["questions"].size_class(833) == "size 29"


def test_words_are_learned_from_training_phrases_alone(code):
    """No phrase that the classifier of words sees is one kept for the tests."""
    ask = code["asking"].Ask(code["asking"].Random(0), "train")
    seen = {phrase for phrase, _ in code["lexicon"].training_phrases()}
    for domain in code["decisions"].DOMAINS.values():
        for lists in domain.values():
            for bars in lists[1:]:
                held_out = bars.split("|")[-2:]
                assert seen.isdisjoint(held_out)
                assert set(ask.allowed(bars.split("|"))) <= seen


def test_what_is_hidden_never_turns_an_answer(code, tokenizer):
    can_hide = code["encoded"].can_hide(tokenizer, 2048)
    for text in ("not", " no", " never", "7", " Berlin", " less", "?", '"}'):
        (token, *more) = tokenizer.encode(text, add_special_tokens=False).ids
        assert more or not can_hide[token], text
    assert can_hide[tokenizer.encode(" parcel", add_special_tokens=False).ids[0]]


def test_every_prompt_literal_is_one_token(code, tokenizer):
    for text in code["encoded"].LITERALS:
        assert len(tokenizer.encode(text, add_special_tokens=False).ids) == 1


def test_network_learns_a_handful_of_examples(code, tokenizer, encoder):
    torch.manual_seed(0)
    small = {**code["train"].TEXT, "vocab_size": 2048, "hidden_size": 64, "head_dim": 16}
    head = {**code["train"].HEAD, "hidden_size": 64, "width": 64}
    model = code["network"].Mini(small, head)
    tutor = code["evidence"].Tutor(64, 64)
    optimizers = code["train"].make_optimizers(model, tutor, False, 3e-3)
    examples = code["encoded"].encode_examples(
        encoder, islice(code["decisions"].decisions(1, "train"), 4)
    )
    batch, targets = code["encoded"].collate(examples)
    found = []
    for _ in range(30):
        losses, probabilities = code["train"].question_losses(model(batch), targets)
        lessons = tutor(model.kept, targets.hints)
        (losses.mean() + sum(lessons.values())).backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        found.append({"loss": losses.mean().item()} | {k: v.item() for k, v in lessons.items()})
    assert all(found[-1][name] < 0.7 * found[0][name] for name in found[0]), (found[0], found[-1])
    assert (probabilities.argmax(-1) == targets.answers).float().mean() > 0.8
