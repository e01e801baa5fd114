"""Whether requests fit a model, told before its weights are loaded."""

from __future__ import annotations

from ..checkpoint import Checkpoint
from ..encoding import EncodedRequest, Encoder
from ..errors import RequestError
from ..request_files import RequestSet


def encode_all(checkpoint: Checkpoint, requests: RequestSet) -> list[EncodedRequest]:
    """Every request's prompt, without the tokens of its media.

    Raises ``RequestError``, with the request's place, for media of a kind that the model does not
    take and for a prompt that is longer than its default.
    """
    config = checkpoint.config
    encoder = Encoder.from_file(checkpoint.folder / "tokenizer.json", checkpoint.layout.word_rule)
    taken = {"images": config.vision, "videos": config.vision, "audio": config.audio}
    encoded = []
    for place, request in zip(requests.places, requests.requests, strict=True):
        for kind, tower in taken.items():
            if getattr(request, kind) and tower is None:
                raise RequestError(f"{place}: {checkpoint.name} takes no {kind}", kind)
        try:
            encoded.append(encoder.encode(request, config.default_max_length))
        except RequestError as error:
            raise RequestError(f"{place}: {error}", error.param) from None
    return encoded
