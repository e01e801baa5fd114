"""Who may import whom, what stays unloaded, and that a decision opens no connection."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import GOLDEN

import clef_mlx

PACKAGE = Path(clef_mlx.__file__).parent
# A module may import, however late, from the rows above its own; a folder also within itself.
ROWS = (
    ("errors", "machine", "packing", "sizes", "steady"),
    ("json_text", "architecture"),
    ("fields",),
    ("config_omni",),
    ("config", "request", "tensor_file"),
    ("certificate", "request_files", "encoding", "answers", "row_table", "weights", "layers"),
    ("media", "backbone", "head", "naming", "memory"),
    ("layout",),
    ("checkpoint", "units"),
    ("hub", "kept", "many", "miniature", "reading", "recipe", "towers"),
    ("prefill",),
    ("engine", "held", "published"),
    ("model",),
    ("compare",),
    ("convert",),
    ("doctor", "bench"),
    ("cli",),
    ("__init__", "__main__"),
)
ROW_OF = {name: number for number, row in enumerate(ROWS) for name in row}
FOLDERS = ("layers", "media", "towers", "compare", "convert", "doctor", "bench", "cli")
PURE = (
    *("errors", "json_text", "architecture", "fields", "config_omni", "config", "request"),
    *("encoding", "answers", "tensor_file", "hub"),
)
NEVER = ("mlx_lm", "transformers", "torch", "PIL")  # not even for a decision
HEAVY = (*NEVER, "mlx", "numpy", "tokenizers", "huggingface_hub", "safetensors", "rich")


def modules() -> Iterator[tuple[str, Path]]:
    """Dotted name within the package, and file."""
    folders = (PACKAGE, *(PACKAGE / name for name in FOLDERS))
    for path in sorted(path for folder in folders for path in folder.glob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts), path


def imports(name: str, path: Path) -> Iterator[str]:
    """What a file imports at any depth: dotted names, the package's own begin with a dot."""
    is_folder = path.name == "__init__.py" and path.parent != PACKAGE
    package = name.split(".") if is_folder else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield str(node.module)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1]
            names = [node.module] if node.module else [alias.name for alias in node.names]
            yield from ("." + ".".join([*base, *names[i : i + 1]]) for i in range(len(names)))


MODULES = dict(modules())


def test_every_module_has_its_row() -> None:
    assert {name.split(".")[0] for name in MODULES} <= set(ROW_OF)


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_upwards_in_the_table(name: str) -> None:
    own = name.split(".")[0]
    for target in imports(name, MODULES[name]):
        assert not target.startswith("clef_mlx"), "the package imports itself relatively"
        if not target.startswith("."):
            continue
        room = target[1:].split(".")[0]
        inside = room == own and own in FOLDERS
        assert inside or ROW_OF[room] < ROW_OF[own], f"{name} may not import {target}"


@pytest.mark.parametrize("name", PURE)
def test_modules_that_need_no_arithmetic_import_none(name: str) -> None:
    roots = {target.split(".")[0] for target in imports(name, MODULES[name])}
    assert not roots & {"mlx", "torch", "transformers", "mlx_lm", "PIL"}


def test_other_runtimes_are_imported_nowhere_and_pillow_for_pictures_only() -> None:
    for name, path in MODULES.items():
        roots = {target.split(".")[0] for target in imports(name, path)}
        if name.split(".")[0] == "media":
            roots.discard("PIL")
        if name == "bench.mlx_lm":  # what a comparison with it compares with
            roots.discard("mlx_lm")
        assert not roots & set(NEVER)


def test_the_runtime_does_not_need_the_converter() -> None:
    for name, path in MODULES.items():
        if name.split(".")[0] not in ("convert", "cli"):
            assert not any(target.startswith(".convert") for target in imports(name, path))


def test_public_names_are_those_of_the_lazy_loader() -> None:
    offered = {name: home for home, names in clef_mlx._HOMES.items() for name in names}
    assert clef_mlx.__all__ == sorted(offered)
    for name, home in offered.items():
        module = importlib.import_module(f"clef_mlx.{home}")
        assert getattr(clef_mlx, name) is getattr(module, name)
    with pytest.raises(AttributeError, match="module 'clef_mlx' has no attribute 'Question'"):
        _ = clef_mlx.Question  # type: ignore[attr-defined]


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    (guarded,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {name: home for home, names in clef_mlx._HOMES.items() for name in names}


# Reports what a piece of code loaded and changed. A connection, to anywhere, ends the process.
REPORT = """
import json, resource, socket, sys

def refuse(*arguments, **named):
    raise SystemExit(f"a connection was opened: {arguments}")

for name in ("connect", "connect_ex", "sendto"):
    setattr(socket.socket, name, refuse)
for name in ("getaddrinfo", "create_connection"):
    setattr(socket, name, refuse)
kinds = [name for name in dir(resource) if name.startswith("RLIMIT_")]
limits = lambda: {name: resource.getrlimit(getattr(resource, name)) for name in kinds}
before = limits()
CODE
loaded = sorted({name.split(".")[0] for name in sys.modules})
print("\\n" + json.dumps({"limits": before == limits(), "loaded": loaded}))
"""
DECISION = f"""
import clef_mlx
clef = clef_mlx.load({str(GOLDEN / "tiny-dense")!r})
result = clef.decide("I was charged twice.", {{"refund": clef_mlx.Noul("Is money asked back?")}})
assert 0 < result["refund"].noul < 1
"""
HELP = """
from clef_mlx.cli import main
main(["--help"], standalone_mode=False)
"""
KERNEL = """
from clef_mlx.layers import delta_rule
assert callable(delta_rule._metal_kernel())
"""


def report(code: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", REPORT.replace("CODE", code)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@pytest.mark.parametrize(
    ("code", "unloaded"),
    [
        ("import clef_mlx", HEAVY),
        ("from clef_mlx import Noul, parse_request, RequestError", HEAVY),
        (HELP, HEAVY),
        (HELP.replace("--help", "decide', '--help").replace('"', "'"), HEAVY),
        (DECISION, NEVER),
        (KERNEL, NEVER),
    ],
    ids=["import", "request", "help", "help of decide", "decision", "kernel of mlx-lm"],
)
def test_what_stays_unloaded_and_unchanged(code: str, unloaded: tuple[str, ...]) -> None:
    got = report(code)
    assert got["limits"]
    assert not set(got["loaded"]) & set(unloaded)


def test_the_report_can_fail() -> None:
    assert "numpy" in report("import numpy")["loaded"]
    code = "resource.setrlimit(resource.RLIMIT_NOFILE, (64, before['RLIMIT_NOFILE'][1]))"
    assert not report(code)["limits"]
    with pytest.raises(AssertionError, match="a connection was opened"):
        report("import urllib.request; urllib.request.urlopen('http://127.0.0.1:9')")


def test_the_installed_command_loads_as_little() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "clef_mlx", "--help"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("Usage: ")
    loaded = {line.rsplit("|", 1)[1].strip().split(".")[0] for line in done.stderr.splitlines()}
    assert "click" in loaded
    assert not loaded & set(HEAVY)
