"""``checkpoint``: every fault of a folder has its sentence, before any weight."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from conftest import GOLDEN

from clef_mlx import CheckpointError, Clef, Noul, Score, load
from clef_mlx.checkpoint import open_checkpoint

INDEX, SINGLE = "model.safetensors.index.json", "model.safetensors"
SHARD = "model-00002-of-00004.safetensors"
NORM, EMBED = "model.language_model.norm.weight", "model.language_model.embed_tokens.weight"
REQUEST = {"state": "I was charged twice.", "questions": {"a": Noul("?"), "b": Score("", ["x", 1])}}
MAP = Callable[[dict[str, mx.array]], dict[str, mx.array] | None]


def edit_json(path: Path, change: Callable[[Any], Any]) -> None:
    value = json.loads(path.read_bytes())
    path.write_text(json.dumps(change(value) or value))


def edit_config(folder: Path, **values: Any) -> None:
    edit_json(folder / "config.json", lambda config: config.update(values))


def edit_text(folder: Path, **values: Any) -> None:
    edit_json(folder / "config.json", lambda config: config["text_config"].update(values))


def edit_tensors(path: Path, change: MAP, format: str | None = "pt") -> None:
    """Rewrite a safetensors file; MLX reads lazily, so everything is in memory first."""
    tensors = mx.load(str(path))
    mx.eval(tensors)
    tensors = change(tensors) or tensors
    mx.save_safetensors(str(path), tensors, None if format is None else {"format": format})


def edit_release(folder: Path, change: MAP) -> None:
    """Change a whole release: all its shards become one ``model.safetensors`` without index."""
    index = json.loads((folder / INDEX).read_bytes())["weight_map"]
    tensors: dict[str, mx.array] = {}
    for shard in set(index.values()):
        tensors.update(mx.load(str(folder / shard)))
    mx.eval(tensors)
    tensors = change(tensors) or tensors
    mx.save_safetensors(str(folder / SINGLE), tensors, {"format": "pt"})
    for name in [INDEX, *set(index.values())]:
        (folder / name).unlink()


def move(weight_map: dict[str, Any], name: str, shard: Any) -> None:
    weight_map[name] = shard


def shard_of(folder: Path, name: str) -> Path:
    return folder / json.loads((folder / INDEX).read_bytes())["weight_map"][name]


def to_index(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        index = json.loads((folder / INDEX).read_bytes())
        weight_map = change(index["weight_map"]) or index["weight_map"]
        (folder / INDEX).write_text(json.dumps({"weight_map": weight_map}))

    return edit


def add_unknown(folder: Path) -> None:
    """A tensor that the index knows and the catalogue does not."""
    edit_tensors(folder / SHARD, lambda tensors: {**tensors, "model.extra.weight": mx.ones((2,))})
    to_index(lambda weight_map: move(weight_map, "model.extra.weight", SHARD))(folder)


def drop(folder: Path, name: str) -> None:
    """Take a tensor out of its shard and out of the index."""
    without(shard_of(folder, name), name)
    to_index(lambda weight_map: {k: v for k, v in weight_map.items() if k != name})(folder)


def replace(folder: Path, name: str, value: mx.array) -> None:
    edit_tensors(shard_of(folder, name), lambda tensors: {**tensors, name: value})


def without(path: Path, *names: str) -> None:
    """Take tensors out of a file and leave the index as it is."""
    edit_tensors(path, lambda tensors: {k: v for k, v in tensors.items() if k not in names})


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 100)


def community_omni(folder: Path) -> None:
    shutil.rmtree(folder)
    shutil.copytree(GOLDEN / "tiny-omni", folder)
    for path in folder.glob("model-*.safetensors"):
        mx.save_safetensors(str(path), dict(mx.load(str(path))), {"format": "mlx"})


def rename(folder: Path, name: str, other: str) -> None:
    (folder / name).rename(folder / other)


FAULTS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no config": (lambda f: (f / "config.json").unlink(), "config.json is missing"),
    "config is a list": (lambda f: (f / "config.json").write_text("[]"), "must hold a JSON object"),
    "config is cut": (lambda f: (f / "config.json").write_text("{"), "config.json is not JSON"),
    "other model": (lambda f: edit_config(f, model_type="llama"), "has model_type 'llama'; a Clef"),
    "no model type": (lambda f: edit_config(f, model_type=None), "has model_type None; a Clef"),
    "mlx-vlm's layout": (lambda f: edit_config(f, model_type="clef"), "mlx-vlm's own clef layout"),
    "community omni": (community_omni, "is an mlx-community build of clef-omni, which is not read"),
    "omni": (lambda f: edit_config(f, model_type="qwen3_omni_moe"), "thinker_config must be a"),
    "no head": (lambda f: (f / "joint_head.safetensors").unlink(), "a plain Qwen3.5 folder cannot"),
    "no head config": (
        lambda f: (f / "joint_head_config.json").unlink(),
        "has no joint_head_config.json: a Clef model carries a joint head",
    ),
    "head of another width": (
        lambda f: edit_json(f / "joint_head_config.json", lambda c: c.update(hidden_size=128)),
        "the head's hidden_size is 128 and the backbone's 64",
    ),
    "head is cut": (
        lambda f: cut(f / "joint_head.safetensors"),
        "joint_head.safetensors is cut sho",
    ),
    "head's width is not its tensors'": (
        lambda f: edit_json(f / "joint_head_config.json", lambda c: c.update(width=32)),
        "has shape [64, 64], and the config asks for [32, 64]",
    ),
    "half-fetched shard": (
        lambda f: rename(f, SHARD, f"{SHARD}.incomplete"),
        f"{SHARD}.incomplete is an unfinished download",
    ),
    "half-fetched head": (
        lambda f: rename(f, "joint_head.safetensors", "joint_head.safetensors.incomplete"),
        "joint_head.safetensors.incomplete is an unfinished download",
    ),
    "missing shard": (lambda f: (f / SHARD).unlink(), f"lacks 1 of 4 shards ({SHARD})"),
    "missing shards": (
        lambda f: [shard.unlink() for shard in f.glob("model-*")],
        "lacks 4 of 4 shards (model-00001-of-00004.safetensors)",
    ),
    "shard is a dead link": (
        lambda f: ((f / SHARD).unlink(), (f / SHARD).symlink_to(f / "gone")),
        f"lacks 1 of 4 shards ({SHARD})",
    ),
    "shard is cut": (lambda f: cut(f / SHARD), f"{SHARD} is cut short: its header promises"),
    "shard is empty": (
        lambda f: (f / SHARD).write_bytes(b""),
        "is not a whole safetensors file (0",
    ),
    "shard is a pointer": (
        lambda f: (f / SHARD).write_text("version https://git-lfs.github.com/spec/v1\n"),
        "is not a whole safetensors file (43 bytes)",
    ),
    "shard is a folder": (
        lambda f: ((f / SHARD).unlink(), (f / SHARD).mkdir()),
        f"{SHARD} cannot be read: Is a directory",
    ),
    "no weights": (
        lambda f: (f / INDEX).unlink(),
        f"has neither {INDEX} nor {SINGLE}",
    ),
    "empty index": (lambda f: (f / INDEX).write_text("{}"), f"{INDEX} has no weight_map"),
    "index is a list": (lambda f: (f / INDEX).write_text("[]"), f"{INDEX} has no weight_map"),
    "index is cut": (lambda f: (f / INDEX).write_text('{"a'), f"{INDEX} is not JSON"),
    "index names no file": (to_index(lambda m: move(m, NORM, 5)), "5 is not a shard's file name"),
    "index repeats a name": (
        lambda f: (f / INDEX).write_text('{"weight_map":{"a":"x","a":"y"}}'),
        "repeats the key 'a'",
    ),
    "tensor is not in its shard": (
        lambda f: without(shard_of(f, NORM), NORM),
        f"lacks tensor {NORM}, which the index places there",
    ),
    "tensor is in another shard": (
        to_index(lambda m: move(m, NORM, SHARD)),
        f"{SHARD} lacks tensor {NORM}, which the index places there",
    ),
    "tensor unknown to the index": (
        lambda f: edit_tensors(f / SHARD, lambda t: {**t, "extra": mx.ones((2,))}),
        f"{SHARD} holds tensor extra, unknown to the index",
    ),
    "tensor that is left over": (add_unknown, "holds tensor model.extra.weight, which no part of"),
    "tensor twice": (
        lambda f: edit_tensors(
            f / "joint_head.safetensors", lambda t: {**t, NORM: mx.zeros((64,))}
        ),
        f"joint_head.safetensors holds tensor {NORM}, which a shard holds too",
    ),
    "tensor missing": (lambda f: drop(f, NORM), f"lacks tensor {NORM}, which its config asks for"),
    "table missing": (lambda f: drop(f, EMBED), f"lacks tensor {EMBED}, which its config asks for"),
    "layers missing": (
        lambda f: edit_text(f, num_hidden_layers=9, layer_types=["full_attention"] * 9),
        "which its config asks for",
    ),
    "head tensor missing": (
        lambda f: without(f / "joint_head.safetensors", "residual_gate"),
        "lacks tensor residual_gate, which its config asks for",
    ),
    "head tensor left over": (
        lambda f: edit_json(f / "joint_head_config.json", lambda c: c.update(layers=2)),
        "which no part of Clef uses",
    ),
    "shape": (
        lambda f: replace(f, NORM, mx.zeros((65,))),
        f"{NORM} has shape [65], and the config asks for [64]",
    ),
    "shape of equal size": (
        lambda f: replace(f, EMBED, mx.zeros((64, 2048))),
        f"{EMBED} has shape [64, 2048], and the config asks for [2048, 64]",
    ),
    "dtype": (lambda f: replace(f, NORM, mx.zeros((64,), mx.int32)), f"{NORM} is I32, "),
    "undeclared layout": (
        lambda f: edit_tensors(f / SHARD, lambda t: None, format=None),
        f"{SHARD} declares format None; a published release declares 'pt'",
    ),
    "unknown layout": (
        lambda f: edit_tensors(f / SHARD, lambda t: None, format="tf"),
        f"{SHARD} declares format 'tf'; a published release declares 'pt'",
    ),
    "two layouts": (
        lambda f: edit_tensors(f / SHARD, lambda t: None, format="mlx"),
        "declares format 'pt'; an mlx-community build declares 'mlx'",
    ),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), "tokenizer.json is missing: the"),
}


@pytest.mark.parametrize(("damage", "fragment"), FAULTS.values(), ids=FAULTS)
def test_each_fault_has_its_sentence_before_any_weight_is_loaded(
    release: Path,
    monkeypatch: pytest.MonkeyPatch,
    damage: Callable[[Path], Any],
    fragment: str,
) -> None:
    damage(release)
    monkeypatch.setattr(mx, "load", lambda *_, **__: pytest.fail("a weight was loaded"))
    with pytest.raises(CheckpointError) as caught:
        load(release)
    assert fragment in str(caught.value)
    assert str(release) in str(caught.value) or "head's hidden_size" in str(caught.value)


@pytest.mark.parametrize(
    "shard",
    [
        f"../{SHARD}",
        f"/{SHARD}",
        f"sub/{SHARD}",
        f"./{SHARD}",
        "..",
        ".",
        "",
        "config.json",
        None,
        1,
    ],
)
def test_an_index_stays_in_its_folder(release: Path, shard: Any) -> None:
    to_index(lambda weight_map: move(weight_map, NORM, shard))(release)
    with pytest.raises(CheckpointError) as caught:
        open_checkpoint(release)
    assert str(caught.value) == f"{release / INDEX}: {shard!r} is not a shard's file name"


def test_what_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "absent"):
        with pytest.raises(CheckpointError) as caught:
            open_checkpoint(path)
        assert str(caught.value) == f"{path} is not a folder"


def test_a_token_without_a_row_is_named(release: Path) -> None:
    def add_token(tokenizer: dict[str, Any]) -> None:
        plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
        token = {"id": 2048, "content": "<|new|>", "special": True, **plain}
        tokenizer["model"]["vocab"] |= {f"filler{i}": i for i in range(2022, 2048)}
        tokenizer["added_tokens"].append(token)

    edit_json(release / "tokenizer.json", add_token)
    clef = load(release, dtype="float32")
    clef.logits(REQUEST)
    with pytest.raises(CheckpointError) as caught:
        clef.logits({"state": "<|new|>", "questions": {"q": Noul("Is it?")}})
    assert "has no row in a table of 2048" in str(caught.value)
    assert "tokenizer.json belongs to another model" in str(caught.value)


def test_other_files_and_stale_shards_are_not_looked_at(release: Path, dense: Clef) -> None:
    (release / "model-00001-of-00009.safetensors").write_bytes(b"from an older revision")
    (release / SINGLE).write_bytes(b"")
    (release / ".cache").mkdir()
    (release / ".cache" / "x.incomplete").write_bytes(b"")
    (release / "pytorch_model.bin").write_bytes(b"\x80")
    assert load(release, dtype="float32").logits(REQUEST) == dense.logits(REQUEST)


def test_one_file_without_an_index_is_a_release_too(release: Path, dense: Clef) -> None:
    edit_release(release, lambda tensors: None)
    assert load(release, dtype="float32").logits(REQUEST) == dense.logits(REQUEST)


def test_links_into_a_cache_are_followed(release: Path, tmp_path: Path, dense: Clef) -> None:
    linked = tmp_path / "snapshot"
    linked.mkdir()
    for file in release.iterdir():
        (linked / file.name).symlink_to(file)
    assert load(linked, dtype="float32").logits(REQUEST) == dense.logits(REQUEST)


def test_a_stored_lm_head_is_used_even_if_tables_are_said_to_be_tied(
    release: Path, dense: Clef
) -> None:
    """As the reference does: tying only fills in what is not stored."""
    edit_text(release, tie_word_embeddings=True)
    config = json.loads((release / "config.json").read_text())
    (release / "config.json").write_text(json.dumps({**config, "tie_word_embeddings": True}))
    assert load(release, dtype="float32").logits(REQUEST) == dense.logits(REQUEST)


def test_tied_tables_are_one_table(release: Path, dense: Clef) -> None:
    def tie(tensors: dict[str, mx.array]) -> dict[str, mx.array]:
        return {name: value for name, value in tensors.items() if name != "lm_head.weight"}

    untied = release.with_name("untied")
    shutil.copytree(release, untied)
    edit_release(untied, lambda tensors: {**tensors, "lm_head.weight": tensors[EMBED]})
    edit_release(release, tie)
    config = json.loads((release / "config.json").read_text())
    (release / "config.json").write_text(json.dumps({**config, "tie_word_embeddings": True}))
    tied = load(release, dtype="float32").logits(REQUEST)
    assert tied == load(untied, dtype="float32").logits(REQUEST)
    assert tied != dense.logits(REQUEST)
