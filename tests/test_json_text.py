"""``json_text``: JSON read strictly, and written as the canonical text of the prompt."""

from __future__ import annotations

import json
import random
import sys
from typing import Any

import pytest

from clef_mlx import RequestError
from clef_mlx.json_text import check_text, parse_json, printable, render

DEEP = 100_000  # levels; no Python reads that many
# One of each kind that sorts, escapes or counts differently: in code-point order.
KEYS = ["", "\x00", " ", "10", "2", "Z", "a", "a\nb", "\x7f", "é", "\u2028", "\uffff", "\U00010000"]


def refusal(text: str | bytes) -> str:
    """The sentence with which ``text`` is refused."""
    with pytest.raises(RequestError) as caught:
        parse_json(text, "body.json", "state")
    assert caught.value.param == "state"
    return str(caught.value)


def write_refusal(value: Any) -> str:
    """The sentence with which ``value`` is refused in a prompt."""
    with pytest.raises(RequestError) as caught:
        render(value, "state")
    assert caught.value.param == "state"
    return str(caught.value)


def nested(depth: int, value: Any = None) -> Any:
    for level in range(depth):
        value = {"k": value} if level % 2 else [value]
    return value


def random_value(rng: random.Random, depth: int = 0) -> Any:
    scalars = [
        *(None, True, False, 0, -1, 10**30, 1250, 1250.0, -0.0, 1e16, 1e-5, 0.1, 5e-324),
        *(1.7976931348623157e308, float("inf"), float("-inf"), *KEYS, "a/b", '"\\', "日本", "😀"),
    ]
    kind = rng.randrange(4 if depth < 4 else 2)
    if kind < 2:
        return rng.choice(scalars)
    items = [random_value(rng, depth + 1) for _ in range(rng.randrange(5))]
    return items if kind == 2 else {rng.choice(KEYS): item for item in items}


def plain_render(value: Any) -> str:
    """The slow, obvious twin of ``render`` inside a list or object."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        special = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}
        return special.get(repr(value), repr(value))
    if isinstance(value, str):
        named = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
        named |= {"\b": "\\b", "\f": "\\f"}
        return (
            '"' + "".join(named.get(c, c if c >= " " else f"\\u{ord(c):04x}") for c in value) + '"'
        )
    if isinstance(value, list):
        return "[" + ",".join(map(plain_render, value)) + "]"
    pairs = (f"{plain_render(key)}:{plain_render(value[key])}" for key in sorted(value))
    return "{" + ",".join(pairs) + "}"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1250", 1250),
        ("1250.0", 1250.0),
        ("12.5e2", 1250.0),
        ("-0", 0),
        ("-0.0", -0.0),
        ("1e999", float("inf")),
        ("123456789012345678901234567890", 123456789012345678901234567890),
    ],
)
def test_numbers_keep_their_kind(text: str, value: float) -> None:
    got = parse_json(text, "x")
    assert (type(got), repr(got)) == (type(value), repr(value))


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("[1250,1250.0]", "[1250,1250.0]"),
        ("[1e16,1e-5,-0.0,1E2]", "[1e+16,1e-05,-0.0,100.0]"),
        ("[NaN,Infinity,-Infinity]", "[NaN,Infinity,-Infinity]"),
        ('{"b":1,"a":{"d":null,"c":true}}', '{"a":{"c":true,"d":null},"b":1}'),
        ('["\\u00e9\\ud83d\\ude00\\/"]', '["é😀/"]'),
        ('"plain \\"text\\""', 'plain "text"'),
        ("null", "null"),
        (" [ ] ", "[]"),
    ],
)
def test_read_then_written(text: str, rendered: str) -> None:
    assert render(parse_json(text, "x"), "state") == rendered


def test_integers_as_long_as_python_reads() -> None:
    longest = "9" * sys.get_int_max_str_digits()
    assert render([parse_json(longest, "x")], "state") == f"[{longest}]"
    for text in (longest + "9", f"-{longest}9", f'{{"a":[{longest}9]}}'):
        assert refusal(text).startswith("body.json holds a number too long to be read: Exceeds")


def test_written_integers_have_the_same_limit() -> None:
    message = write_refusal([10 ** (sys.get_int_max_str_digits() + 1)])
    assert message.startswith("state cannot be written as JSON: Exceeds the limit")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"a":1,"a":1}', "a"),
        ('{"a":1,"b":{"c":[{"d":1,"e":2,"d":3}]}}', "d"),
        ('{"é":1,"\\u00e9":2}', "é"),
        ('{"":1,"":2}', ""),
    ],
)
def test_repeated_keys_are_refused_at_any_level(text: str, key: str) -> None:
    assert refusal(text) == f"body.json repeats the key {key!r} in one object"


def test_the_same_key_in_two_objects_is_fine() -> None:
    assert parse_json('[{"a":1},{"a":{"a":2}}]', "x") == [{"a": 1}, {"a": {"a": 2}}]


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_nesting_beyond_python_is_refused(opening: str) -> None:
    assert refusal(opening * DEEP) == "body.json nests too deeply to be read"


NOT_JSON = (
    *("", " ", "{", "[1,]", '{"a"}', "{'a':1}", '{"a":1,}', "[1] 2", "nul", "True", "nan"),
    *("01", "+1", ".5", "1.", "0x10", "--1", '"\n"', '"\\x41"', "\ufeff[1]", "// x\n1", "\x00"),
)


@pytest.mark.parametrize("text", NOT_JSON)
def test_what_is_not_json_is_refused(text: str) -> None:
    assert refusal(text).startswith("body.json is not JSON: ")


def test_bytes_may_begin_with_a_byte_order_mark() -> None:
    assert parse_json(b'\xef\xbb\xbf{"a":"\xc3\xa9"}', "x") == {"a": "é"}


@pytest.mark.parametrize("data", [b'"\xff"', b'"\xc3"', b'"\xed\xa0\x80"', "[1]".encode("utf-16")])
def test_bytes_that_are_not_utf8_are_refused(data: bytes) -> None:
    assert refusal(data).startswith("body.json is not UTF-8: ")


def test_escapes() -> None:
    named = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"}
    for code in range(0x20):
        escaped = named.get(code, f"\\u{code:04x}")
        assert render([chr(code)], "state") == f'["{escaped}"]'
    for raw in "/\x7f\x80\u2028\ufeff\ufffféé😀":
        assert render([raw], "state") == f'["{raw}"]'


def test_strings_stay_as_they_are() -> None:
    for text in ("", "  ", '"quoted"', "\x00\x7f", "null", "{}"):
        assert render(text, "state") == text


def test_keys_stand_in_code_point_order_at_every_level() -> None:
    shuffled = random.Random(0).sample(KEYS, len(KEYS))
    value = {"z": [{key: {key: 1 for key in shuffled} for key in shuffled}], "a": 0}
    pairs = parse_json(render(value, "state"), "x")
    assert list(pairs) == ["a", "z"]
    assert list(pairs["z"][0]) == KEYS
    assert all(list(inner) == KEYS for inner in pairs["z"][0].values())


def test_keys_of_python_are_written_as_json_does() -> None:
    assert render({1: "a", 2.5: "b"}, "state") == '{"1":"a","2.5":"b"}'
    assert render({True: 1}, "state") == '{"true":1}'
    assert render({None: 1}, "state") == '{"null":1}'


def test_render_agrees_with_its_plain_twin() -> None:
    rng = random.Random(7)
    for _ in range(400):
        value = [random_value(rng)]
        assert render(value, "state") == plain_render(value)


def test_what_is_written_reads_back_as_the_same_value() -> None:
    rng = random.Random(8)
    for _ in range(400):
        value = [random_value(rng)]
        assert repr(parse_json(render(value, "state"), "x")) == repr(sorted_keys(value))


def sorted_keys(value: Any) -> Any:
    if isinstance(value, list):
        return [sorted_keys(item) for item in value]
    if isinstance(value, dict):
        return {key: sorted_keys(value[key]) for key in sorted(value)}
    return value


@pytest.mark.parametrize("surrogate", ["\ud800", "\udbff", "\udc00", "\udfff", "\ude00\ud83d"])
def test_lone_surrogates_are_refused_wherever_they_stand(surrogate: str) -> None:
    places: list[Any] = [
        surrogate,
        f"text {surrogate} text",
        [surrogate],
        {"a": surrogate},
        {surrogate: 1},
        {"a": [{"b": {f"x{surrogate}": [None]}}]},
        ("tuple", surrogate),
    ]
    for value in places:
        message = write_refusal(value)
        assert (
            message
            == f"state holds a lone surrogate (U+{ord(surrogate[0]):04X}), which is not text"
        )


def test_surrogates_from_json_escapes_are_refused_and_pairs_are_not() -> None:
    assert render(parse_json('["\\ud83d\\ude00"]', "x"), "state") == '["😀"]'
    write_refusal(parse_json('["\\ud83d"]', "x"))
    write_refusal(parse_json('{"\\ude00\\ud83d":1}', "x"))


def test_messages_hold_no_surrogate_themselves() -> None:
    with pytest.raises(RequestError) as caught:
        check_text("\ud800", "questions.\ud801")
    assert caught.value.param == "questions.\\ud801"
    str(caught.value).encode()
    assert refusal('{"\\ud800":1,"\\ud800":2}').encode()
    assert printable("a\udfffé") == "a\\udfffé"


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({1, 2}, "Object of type set is not JSON serializable"),
        (b"text", "Object of type bytes is not JSON serializable"),
        ({"a": [object()]}, "Object of type object is not JSON serializable"),
        (1j, "Object of type complex is not JSON serializable"),
        ({1: "a", "b": 2}, "'<' not supported between instances of"),
        ({"a": {None: 1, "b": 2}}, "'<' not supported between instances of"),
        ({(1, 2): 1}, "keys must be str, int, float, bool or None, not tuple"),
    ],
)
def test_what_json_cannot_hold_is_refused(value: Any, why: str) -> None:
    assert write_refusal(value).startswith(f"state cannot be written as JSON: {why}")


def test_circles_are_refused() -> None:
    circle: list[Any] = []
    circle.append({"a": circle})
    assert write_refusal(circle) == "state cannot be written as JSON: Circular reference detected"


def test_deep_values_are_refused_and_ordinary_depth_is_not() -> None:
    assert write_refusal(nested(DEEP)) == "state nests too deeply to be written as JSON"
    assert json.loads(render(nested(100), "state")) == nested(100)
