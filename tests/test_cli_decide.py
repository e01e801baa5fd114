"""``clef-mlx decide``: every way to give a request, and nothing but the answer on stdout."""

from __future__ import annotations

import inspect
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from conftest import GOLDEN
from media_files import sound_file, tone

from clef_mlx import Choice, Clef, ClefError, Noul, Request, RequestError, Score, parse_request
from clef_mlx.cli import main
from clef_mlx.cli.decide import EXAMPLES, _as_json

MODEL = str(GOLDEN / "tiny-dense")
TICKET = Path(__file__).parent.parent / "examples" / "ticket.json"
NOUL = ("--noul", "q: Is it?")
Decide = Callable[..., Result]
ATOL = 2e-4  # two processes may sum with different BLAS; four decimals are written


@pytest.fixture
def decide(dense: Clef, monkeypatch: pytest.MonkeyPatch) -> Decide:
    """Runs the command on the loaded miniature; ``-m`` is given unless ``model=None``."""

    def load(model: str, dtype: str | None = None) -> Clef:
        assert model == MODEL
        return dense

    def run(*arguments: str, input: str | bytes | None = None, model: str | None = MODEL) -> Result:
        given = [] if model is None else ["-m", model]
        return CliRunner().invoke(main, ["decide", *given, *arguments], input=input)

    monkeypatch.setattr("clef_mlx.model.load", load)
    return run


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Request, dict[str, Any]]]:
    """Runs the command up to the model: the request it would answer, and the options."""

    class Listener:
        def respond(self, *arguments: Any, **named: Any) -> None:
            bound = inspect.signature(Clef.respond).bind(self, *arguments, **named).arguments
            request, _ = bound.pop("request"), bound.pop("progress")
            self.heard = (request, {k: v for k, v in bound.items() if k != "self"})
            raise ClefError("heard")

    def run(*arguments: str, input: bytes | None = None) -> tuple[Request, dict[str, Any]]:
        listener = Listener()
        monkeypatch.setattr("clef_mlx.model.load", lambda model, dtype: listener)
        result = CliRunner().invoke(main, ["decide", "-m", "any", *arguments], input=input)
        assert failed(result, 1) == "heard"
        return listener.heard

    return run


def answered(result: Result) -> Any:
    """The body on stdout; there is nothing else, and nothing on stderr."""
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def is_it(state: Any) -> Request:
    """The request of ``NOUL`` on a state."""
    return parse_request({"state": state, "questions": {"q": Noul("Is it?")}})


def failed(result: Result, code: int) -> str:
    """The message of a refused command; stdout is empty and there is no traceback."""
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    assert isinstance(result.exception, SystemExit)
    message = result.stderr.split("Error: ", 1)[1]
    assert "Traceback" not in message
    return message.rstrip("\n")


def test_a_file_is_answered_as_the_python_api_answers(decide: Decide, dense: Clef) -> None:
    body = json.loads(TICKET.read_bytes())
    wanted = dense.systemone(body)
    assert answered(decide(str(TICKET))) == wanted
    assert answered(decide(str(TICKET), "--json")) == wanted
    assert answered(decide("-", input=TICKET.read_bytes())) == wanted
    assert answered(decide("-", input=b"\xef\xbb\xbf" + TICKET.read_bytes())) == wanted
    assert wanted["model"] == "tiny-dense"


def test_stdout_is_the_body_indented_with_keys_in_order(
    decide: Decide, dense: Clef, tmp_path: Path
) -> None:
    questions = {"é": {"type": "choice", "criteria": {"日本": None, "a": None}}}
    body = {"state": 1, "questions": questions, "model": "ü"}
    (tmp_path / "body.json").write_text(json.dumps(body))
    wanted = json.dumps(dense.systemone(body), indent=2, ensure_ascii=False)
    assert decide(str(tmp_path / "body.json")).stdout_bytes == f"{wanted}\n".encode()


def test_options_make_the_same_request_as_a_file(decide: Decide, dense: Clef) -> None:
    questions = {
        "team": Choice("Which team?", {"billing": None, "tech": None}),
        "refund": Noul("Is money asked back?"),
        "urgency": Score("How urgent?", ["low", "mid", "high"]),
        "again": Noul("Twice: or = once?"),
    }
    result = decide(
        *(
            "--choice",
            "team: Which team? = billing, tech",
            "--noul",
            "refund: Is money asked back?",
        ),
        *("-s", "My card was charged twice."),
        *("--score=urgency: How urgent? = low, mid, high", "--noul", "again: Twice: or = once?"),
    )
    wanted = dense.decide("My card was charged twice.", questions).to_dict()
    assert answered(result) == wanted
    assert list(answered(result)["answers"]) == list(questions)


@pytest.mark.parametrize(
    ("name", "content", "state"),
    [
        ("mail.txt", "Hello — 日本\n", "Hello — 日本\n"),
        ("mail.txt", '{"a": 1}', '{"a": 1}'),
        ("bom.txt", "\ufeffHello", "Hello"),
        ("empty.txt", "", ""),
        ("mail.json", '{"b":1250.0,"a":[1250]}', {"b": 1250.0, "a": [1250]}),
        ("bom.json", "\ufeffnull", None),
        ("text.json", '"@plain"', "@plain"),
    ],
)
def test_a_state_from_a_file(
    asked: Any, tmp_path: Path, name: str, content: str, state: Any
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert asked("-s", f"@{tmp_path / name}", *NOUL)[0] == is_it(state)


@pytest.mark.parametrize("text", ["plain", "", " - ", '{"a":1}', "a@b.com", "é\n日本", "null"])
def test_a_state_as_text_or_from_stdin(asked: Any, text: str) -> None:
    assert asked("--state", text, *NOUL)[0] == is_it(text)
    assert asked("-s", "-", *NOUL, input=text.encode())[0] == is_it(text)


@pytest.mark.parametrize("text", ['{"b":1,"a":2.0}', "null", "[]", '"text"', "1250.0", "[NaN]"])
def test_a_state_as_inline_json(asked: Any, text: str) -> None:
    assert asked("--state-json", text, *NOUL)[0] == is_it(json.loads(text))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give a request file, or --state, --state-json or --image"),
        (NOUL, "give a request file, or --state, --state-json or --image"),
        (("-s", "x", "--state-json", "1", *NOUL), "give one of --state and --state-json"),
        ((str(TICKET), "--image", "x.png"), "give either a request file or a state and questions"),
        (("-s", "x"), "ask something: --noul, --choice or --score"),
        ((str(TICKET), "-s", "x"), "give either a request file or a state and questions, not both"),
        ((str(TICKET), "--state-json", "1"), "give either a request file or a state and questions"),
        ((str(TICKET), *NOUL), "give either a request file or a state and questions, not both"),
        (("missing.json",), "Invalid value for '[REQUEST]': File 'missing.json' does not exist."),
        (("/",), "Invalid value for '[REQUEST]': File '/' is a directory."),
        ((str(TICKET), str(TICKET)), "Got unexpected extra argument"),
        (
            (str(TICKET), "--confidence", "max"),
            "Invalid value for '--confidence': 'max' is not one",
        ),
        ((str(TICKET), "--dtype", "int8"), "Invalid value for '--dtype': 'int8' is not one of"),
        (
            (str(TICKET), "--max-length", "many"),
            "Invalid value for '--max-length': 'many' is not a",
        ),
        ((str(TICKET), "--max-length", "9" * 5000), "Invalid value for '--max-length': "),
        ((str(TICKET), "--unknown"), "No such option"),
        (("-s",), "Option '-s' requires an argument."),
        (("-s", "x", "--noul"), "Option '--noul' requires an argument."),
    ],
)
def test_wrong_usage_ends_with_2(decide: Decide, arguments: tuple[str, ...], message: str) -> None:
    assert failed(decide(*arguments), 2).startswith(message)


def test_without_a_model_the_variable_is_named(decide: Decide) -> None:
    message = failed(decide(str(TICKET), model=None), 2)
    assert message == "Missing option '-m' / '--model' (env var: 'CLEF_MODEL')."


def test_the_model_may_come_from_the_environment(
    decide: Decide, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEF_MODEL", MODEL)
    assert answered(decide(str(TICKET), model=None))["model"] == "tiny-dense"
    monkeypatch.setenv("CLEF_MODEL", "/no/such/folder")
    assert answered(decide(str(TICKET)))["model"] == "tiny-dense"


BAD_FILES: list[tuple[bytes, str]] = [
    (b"", "{file} is not JSON: "),
    (b"{", "{file} is not JSON: "),
    (b"\xff\xfe{}", "{file} is not UTF-8: "),
    (b'{"state":1,"state":2}', "{file} repeats the key 'state' in one object"),
    (b"[" * 100_000, "{file} nests too deeply to be read"),
    (b'{"state":' + b"9" * 5000 + b"}", "{file} holds a number too long to be read: "),
    (b"null", "a request is an object, not null"),
    (b"[]", "a request is an object, not a list"),
    (b"{}", "state is required (it may be null)"),
    (b'{"state":1}', "questions is required"),
    (b'{"state":1,"questions":{}}', "at least one question is required"),
    (b'{"state":1,"questions":{"q":"x"}}', "questions.q must be an object, not a string"),
    (b'{"state":1,"questions":{"q":{"type":"x"}}}', "questions.q.type must be noul, choice or"),
    (b'{"state":1,"questions":{"":{"type":"noul"}}}', "a question with the id '' needs instruct"),
    (b'{"state":"\\ud800","questions":{"q":{"type":"noul"}}}', "state holds a lone surrogate"),
    (
        b'{"state":1,"images":["x"],"questions":{"q":{"type":"noul"}}}',
        "images",
    ),
]


@pytest.mark.parametrize(("content", "message"), BAD_FILES)
def test_a_bad_request_ends_with_1_in_one_sentence(
    decide: Decide, tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "body.json"
    path.write_bytes(content)
    assert failed(decide(str(path)), 1).startswith(message.replace("{file}", str(path)))
    sentence = failed(decide("-", input=content), 1)
    assert sentence.startswith(message.replace("{file}", "standard input"))
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-s", "@missing.txt"), "'missing.txt' cannot be read: No such file or directory"),
        (("-s", "@"), "'' cannot be read: Is a directory"),
        (("-s", "@/"), "'/' cannot be read: Is a directory"),
        (("-s", f"@{'x' * 5000}"), f"'{'x' * 5000}' cannot be read: File name too long"),
        (("--state-json", "{"), "--state-json is not JSON: "),
        (("--state-json", ""), "--state-json is not JSON: "),
        (("--state-json", '{"a":1,"a":2}'), "--state-json repeats the key 'a' in one object"),
        (("-s", "\udcff"), "state holds a lone surrogate (U+DCFF)"),
        (("-s", "x", "--max-length", "10"), "schema requires "),
        (("-s", "x", "--max-length", "0"), "max_length must be 1 to 262144"),
        (("-s", "word " * 100, "--max-length", "300"), "the request needs "),
    ],
)
def test_options_that_cannot_be_answered_end_with_1(
    decide: Decide, arguments: tuple[str, ...], message: str
) -> None:
    assert failed(decide(*arguments, *NOUL), 1).startswith(message)


def test_a_state_file_that_is_not_utf8(decide: Decide, tmp_path: Path) -> None:
    for name in ("x.txt", "x.json"):
        (tmp_path / name).write_bytes(b"\xff\xfe")
        message = failed(decide("-s", f"@{tmp_path / name}", *NOUL), 1)
        assert message.startswith(f"{tmp_path / name} is not UTF-8")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("", "'' is neither a folder nor a Hub id"),
        ("./missing", "'./missing' is neither a folder nor a Hub id"),
        (str(GOLDEN), f"{GOLDEN / 'config.json'} is missing"),
        (str(TICKET), f"{TICKET} is not a folder"),
    ],
)
def test_a_model_that_is_none_ends_with_1(model: str, message: str) -> None:
    result = CliRunner().invoke(main, ["decide", str(TICKET), "-m", model])
    assert failed(result, 1).startswith(message)


def test_a_bad_request_is_refused_before_the_model_is_loaded() -> None:
    arguments = ["decide", "-m", "./missing", "--state-json", '["\\ud800"]', *NOUL]
    assert failed(CliRunner().invoke(main, arguments), 1).startswith("state holds a lone surrogate")


def test_warnings_go_to_stderr_only(decide: Decide, dense: Clef, tmp_path: Path) -> None:
    body = {"state": "word " * 100, "questions": {"q": {"type": "noul", "extra": 1}}, "seed": 1}
    (tmp_path / "body.json").write_text(json.dumps(body))
    result = decide(str(tmp_path / "body.json"), "--max-length", "300", "--truncate")
    response = dense.respond(body, max_length=300, truncate=True)
    assert result.exit_code == 0
    assert json.loads(result.stdout) == response.to_dict()
    assert result.stderr.splitlines() == [f"Warning: {warning}" for warning in response.warnings]
    assert len(response.warnings) == 3 and "was cut" in response.warnings[-1]


def test_options_are_passed_on(asked: Any) -> None:
    defaults = {"max_length": None, "truncate": False, "confidence": "reference", "exif": False}
    assert asked(str(TICKET))[1] == defaults
    given = ("--truncate", "--max-length", "4000", "--confidence", "typesafe", "--exif")
    changed = {"max_length": 4000, "truncate": True, "confidence": "typesafe", "exif": True}
    assert asked(str(TICKET), *given)[1] == changed


def test_pictures_may_stand_for_a_state(asked: Any) -> None:
    sounds = ("--audio", "d.wav", "--audio", "e.mp3")
    request, _ = asked(
        "--image", "a.png", "--video", "c.mp4", "--image", "../b.png", *sounds, *NOUL
    )
    assert request.audio == ("d.wav", "e.mp3")
    assert (request.state, request.images, request.videos) == (
        *("", ("a.png", "../b.png"), ("c.mp4",)),
    )


def test_media_of_a_file_lie_beside_it(asked: Any, tmp_path: Path) -> None:
    question = {"q": {"type": "noul"}}
    items = ["a.png", "/b.png", "data:image/png;base64,AA", "https://x/y.png", "~nobody/x", "", 5]
    body = {
        "state": 1,
        "questions": question,
        "images": items,
        "videos": ["c.mp4"],
        "audio": ["d.wav"],
    }
    (tmp_path / "body.json").write_text(json.dumps(body))
    request, _ = asked(str(tmp_path / "body.json"))
    beside = [str(tmp_path / name) for name in ("a.png", "/b.png", "")]
    assert list(request.images) == [*beside[:2], *items[2:5], beside[2], 5]
    assert list(request.videos) == [str(tmp_path / "c.mp4")]
    assert list(request.audio) == [str(tmp_path / "d.wav")]
    from_stdin, _ = asked("-", input=json.dumps(body).encode())
    assert list(from_stdin.images)[:5] == items[:5]


def test_help_shows_how_to_ask(decide: Decide) -> None:
    for option in ("--help", "-h"):
        result = decide(option, model=None)
        assert (result.exit_code, result.stderr) == (0, "")
        for line in EXAMPLES.strip().splitlines()[1:]:
            assert line.strip() in result.stdout
        for option in ("--state-json", "--noul", "--choice", "--score", "CLEF_MODEL", "--truncate"):
            assert option in result.stdout


def test_a_level_too_deep_to_be_indented_is_a_sentence() -> None:
    level: Any = None
    for _ in range(100_000):
        level = [level]
    with pytest.raises(Exception, match="a level nests too deeply to be written back"):
        _as_json({"legend": {"0": level}})


def mutate(rng: random.Random, value: Any) -> Any:
    """``value`` with one place replaced, removed or renamed."""
    odd = [
        None,
        True,
        0,
        -1.5,
        "",
        "x",
        "\ud800",
        [],
        [[]],
        {},
        {"a": None},
        {1: 2},
        10**5000,
        b"x",
    ]
    if not isinstance(value, dict | list) or not value or rng.random() < 0.2:
        return rng.choice(odd)
    if isinstance(value, list):
        place = rng.randrange(len(value))
        return [*value[:place], mutate(rng, value[place]), *value[place + 1 :]]
    key = rng.choice(list(value))
    changed = dict(value)
    kept = changed.pop(key)
    if rng.random() < 0.7:
        changed[key if rng.random() < 0.8 else rng.choice(["", "type", "z", 1, None])] = mutate(
            rng, kept
        )
    return changed


def test_mutated_requests_are_parsed_or_refused_and_nothing_else() -> None:
    rng = random.Random(11)
    body = json.loads(TICKET.read_bytes())
    refused = 0
    for _ in range(1500):
        changed = body
        for _ in range(rng.randrange(1, 4)):
            changed = mutate(rng, changed)
        try:
            parse_request(changed)
        except RequestError as error:
            refused += 1
            f"{error} {error.param}".encode()
    assert 300 < refused < 1500


def test_mutated_requests_on_the_command_line(decide: Decide, tmp_path: Path) -> None:
    rng = random.Random(12)
    text = TICKET.read_bytes()
    path = tmp_path / "body.json"
    for _ in range(40):
        data = bytearray(text)
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.choice(b'{}[],:"\\0e.\x00\xff -')
        path.write_bytes(data)
        result = decide(str(path), "--max-length", "1000", "--truncate")
        if result.exit_code == 0:
            json.loads(result.stdout)
        else:
            failed(result, 1)


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-W", "error", "-m", "clef_mlx", "decide", *arguments]
    variables = {**os.environ, "HF_HUB_OFFLINE": "1", **environment}
    return subprocess.run(command, capture_output=True, env=variables, stdin=subprocess.DEVNULL)


def test_a_real_process_writes_the_answer_and_nothing_else(dense: Clef) -> None:
    done = run(str(TICKET), "-m", MODEL, "--dtype", "float32")
    assert (done.returncode, done.stderr) == (0, b"")
    got, wanted = json.loads(done.stdout), dense.systemone(json.loads(TICKET.read_bytes()))
    assert got["usage"] == wanted["usage"]
    assert got["answers"]["refund"]["noul"] == pytest.approx(
        wanted["answers"]["refund"]["noul"], abs=ATOL
    )


@pytest.mark.parametrize("form", ["--json", "--table"])
def test_a_terminal_of_another_encoding_is_no_obstacle(form: str) -> None:
    question = "q: Qué? = sí →, no"
    done = run("-m", MODEL, "-s", "é", "--choice", question, form, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    if form == "--json":
        assert list(json.loads(done.stdout)["answers"]["q"]["probabilities"]) == ["sí →", "no"]
    else:
        assert b"s? ?" in done.stdout


def test_a_real_process_refuses_in_one_line_and_with_1() -> None:
    done = run("-", "-m", MODEL)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"Error: standard input is not JSON: ")
    assert done.stderr.count(b"\n") == 1


def test_clef_omni_hears_a_file(omni: Clef, tmp_path: Path) -> None:
    """Given as an option and named in a request file beside it; a fault names the item."""
    path = tmp_path / "tone.wav"
    path.write_bytes(sound_file(tone(0.5, 44_100)[None], 44_100))
    wanted = omni.decide("", {"q": Noul("Is it?")}, audio=[path]).to_dict()
    runner, model = CliRunner(), ("-m", str(GOLDEN / "tiny-omni"), "--dtype", "float32")
    got = answered(runner.invoke(main, ["decide", *model, "--audio", str(path), *NOUL]))
    assert got == wanted
    assert (
        got["usage"]["input_tokens"] > omni.decide("", {"q": Noul("Is it?")}).usage["input_tokens"]
    )
    body = {"state": "", "questions": {"q": {"type": "noul", "instructions": "Is it?"}}}
    (tmp_path / "body.json").write_text(json.dumps({**body, "audio": ["tone.wav"]}))
    assert answered(runner.invoke(main, ["decide", *model, str(tmp_path / "body.json")])) == wanted
    path.write_bytes(b"not a sound")
    result = runner.invoke(main, ["decide", *model, "--audio", str(path), *NOUL])
    assert failed(result, 1).startswith("audio[0] cannot be read as sound")


def test_a_dense_model_says_that_it_hears_nothing(decide: Decide) -> None:
    result = decide("--audio", "tone.wav", *NOUL)
    assert failed(result, 1) == "audio: tiny-dense hears nothing; clef-omni does"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("redirect", ["> /dev/full", ">&-"])
def test_an_output_that_takes_nothing_ends_in_one_sentence(redirect: str, release: Path) -> None:
    arguments = f"-m clef_mlx decide -m {release} -s x --noul 'q: Is it?' --json {redirect}"
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} {arguments}"], capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == (1 if "full" in redirect else 0)
