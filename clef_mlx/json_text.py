"""JSON text to values, and values to the canonical JSON text that the prompt holds."""

from __future__ import annotations

import json
from typing import Any

from .errors import RequestError

Json = Any  # None, bool, int, float, str, list or dict of the same


def parse_json(text: str | bytes, source: str, param: str = "") -> Json:
    """Parse ``text`` as JSON, keeping the difference between ``1250`` and ``1250.0``.

    ``source`` names the text in messages (a file, an option). ``NaN`` and ``Infinity`` are read,
    as the reference's own parser does.
    Raises ``RequestError`` for what is not JSON, is not UTF-8, repeats a key in one object, nests
    deeper than Python reads, or holds an integer longer than Python reads.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise RequestError(f"{source} is not UTF-8: {error}", param) from None

    def unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        found: dict[str, Json] = {}
        for key, value in pairs:
            if key in found:
                raise RequestError(f"{source} repeats the key {key!r} in one object", param)
            found[key] = value
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise RequestError(f"{source} is not JSON: {error}", param) from None
    except RecursionError:
        raise RequestError(f"{source} nests too deeply to be read", param) from None
    except ValueError as error:  # only integers beyond sys.get_int_max_str_digits()
        raise RequestError(f"{source} holds a number too long to be read: {error}", param) from None


def render(value: Json, param: str) -> str:
    """The text of ``value`` in the prompt: a string as it is, anything else as compact JSON.

    Keys are sorted by code point at every level, non-ASCII text stays as it is, floats are written
    by ``repr``.
    Raises ``RequestError(param=param)`` for what JSON cannot hold and for lone surrogates.
    Reference: ``render`` in ``joint_schema_model.py`` (Cloudflare/clef-flash @17f0b0ad).
    """
    if isinstance(value, str):
        return check_text(value, param)
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    except RecursionError:
        raise RequestError(f"{param} nests too deeply to be written as JSON", param) from None
    except (TypeError, ValueError) as error:
        raise RequestError(f"{param} cannot be written as JSON: {error}", param) from None
    return check_text(text, param)


def check_text(text: str, param: str) -> str:
    """Return ``text``; raise ``RequestError`` if it holds a lone surrogate (no UTF-8 exists)."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        raise RequestError(
            f"{printable(param)} holds a lone surrogate (U+{code:04X}), which is not text",
            printable(param),
        ) from None
    return text


def printable(text: str) -> str:
    """``text`` with lone surrogates escaped, so that any message can be written anywhere."""
    return text.encode("utf-8", "backslashreplace").decode()
