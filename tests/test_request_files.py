"""Files of requests, and the requests that come with the package."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from clef_mlx import RequestError
from clef_mlx.compare import CALIBRATED, CHECKED, request_set
from clef_mlx.compare.builtin import COUNT
from clef_mlx.request_files import read_request_set

BODY = {"state": "s", "questions": {"q": {"type": "noul"}}}


def written(path: Path, *lines: Any) -> Path:
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def test_lines_wrapped_or_not_and_blank_ones(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", BODY, "", {"request": BODY, "expected": {"q": "true"}})
    found = read_request_set(path)
    assert [request.state for request in found.requests] == ["s", "s"]
    assert found.places == (f"{path}, line 1", f"{path}, line 3")
    assert (found.name, len(found.sha256)) == ("r.jsonl", 64)


@pytest.mark.parametrize("value", [BODY, [BODY, BODY]])
def test_a_json_file_is_one_request_or_a_list(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(value, indent=2))
    assert len(read_request_set(path).requests) == (2 if isinstance(value, list) else 1)


def test_media_lie_beside_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", {**BODY, "images": ["a.png", "data:x", "/b.png"]})
    (request,) = read_request_set(path).requests
    assert request.images == (str(tmp_path / "a.png"), "data:x", "/b.png")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2 is not JSON"),
        ('"text"', "line 2: "),
        ({"state": "s"}, "line 2: "),
        ({"state": "s", "questions": {"q": {"type": "maybe"}}}, "line 2: questions.q.type"),
        ('{"state": 1, "state": 2}', "line 2 repeats the key 'state'"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, line: Any, said: str) -> None:
    path = written(tmp_path / "r.jsonl", BODY, line, BODY)
    with pytest.raises(RequestError) as refused:
        read_request_set(path)
    assert said in str(refused.value) and str(path) in str(refused.value)


def test_bytes_that_are_no_text_are_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(json.dumps(BODY).encode() + b"\n\xff\n")
    with pytest.raises(RequestError, match="line 2 is not UTF-8"):
        read_request_set(path)


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_empty_files_are_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "r.jsonl").write_text(content)
    with pytest.raises(RequestError, match=r"r\.jsonl holds no request"):
        read_request_set(tmp_path / "r.jsonl")


def test_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="cannot be read: No such file"):
        read_request_set(tmp_path / "r.jsonl")


def test_builtin_sets_repeat_vary_and_do_not_overlap() -> None:
    checked, again = request_set("builtin"), request_set("builtin", CHECKED)
    assert checked == again and len(checked.requests) == COUNT
    types = Counter(q.type for request in checked.requests for q in request.questions)
    assert min(types.values()) >= 100
    lengths = sorted(len(request.state) for request in checked.requests)
    assert lengths[COUNT // 10] < 100 and lengths[-COUNT // 10] > 500
    assert sum(request.state.startswith("{") for request in checked.requests) >= COUNT // 5
    assert sum(not request.state.isascii() for request in checked.requests) >= COUNT // 10
    calibrated = request_set("builtin", CALIBRATED)
    assert calibrated.sha256 != checked.sha256
    shared = {r.state for r in calibrated.requests} & {r.state for r in checked.requests}
    assert len(shared) < COUNT // 4  # short states do repeat, with other questions
