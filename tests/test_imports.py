"""Who may import whom, and what a refusal must not load."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import gemsearch as package

ROOT = Path(package.__file__).parent

# core <- ledger <- providers, novelty and the like <- what people and agents touch.
LAYERS = {
    "errors": 0,
    "core": 0,
    "ledger": 1,
    "toolcalls": 1,
    "hookspecs": 2,
    "plugins": 2,
    "config": 2,
    "providers": 2,
    "asking": 2,
    "novelty": 2,
    "batch": 2,
    "care": 2,
    "charts": 2,
    "history": 2,
    "editions": 2,
    "evaluation": 2,
    "sql_functions": 2,
    "library": 3,
    "sqlite_utils_plugin": 3,
    "datasette_plugin": 3,
    "agents": 3,
    "cli": 3,
    "__main__": 4,
    "__init__": 4,
}
FREE_OF_IO = {"sqlite3", "os", "io", "time", "socket", "subprocess", "random", "pathlib", "httpx"}


def modules():
    return sorted(ROOT.rglob("*.py"))


def layer_of(path):
    part = path.relative_to(ROOT).parts[0].removesuffix(".py")
    return part, LAYERS[part]


def imported(path, *, at_top_only=False):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if at_top_only else ast.walk(tree)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_imports_a_layer_above_its_own(path):
    part, level = layer_of(path)
    if part in {"__init__", "__main__"}:
        return
    for name in imported(path):
        if not name.startswith("gemsearch."):
            continue
        other = name.split(".")[1]
        if other in LAYERS:
            assert LAYERS[other] <= level, f"{part} imports {name}"


def test_the_core_is_pure_and_knows_nothing_of_the_ledger():
    for path in sorted((ROOT / "core").rglob("*.py")):
        names = set(imported(path))
        assert not names & FREE_OF_IO, path
        assert not [n for n in names if n.startswith("gemsearch.") and n.split(".")[1] not in
                    {"core", "errors", "__version__"}], path  # fmt: skip


def test_the_ledgers_own_modules_reach_the_ring_only_when_it_is_needed():
    for path in sorted((ROOT / "ledger").glob("*.py")):
        assert not [name for name in imported(path, at_top_only=True)
                    if name.startswith("gemsearch.ledger.index")], path  # fmt: skip


RING = {"agents", "care", "editions", "evaluation", "history", "toolcalls", "datasette_plugin"}
CORE = ("core", "ledger", "providers", "asking", "novelty", "batch", "library", "config", "plugins")


def test_the_core_never_imports_the_ring():
    for path in modules():
        if layer_of(path)[0] not in CORE:
            continue
        reached = {name.split(".")[1] for name in imported(path) if name.startswith("gemsearch.")}
        assert not reached & RING, path


def test_httpx_is_imported_in_one_module():
    assert [p.name for p in modules() if "httpx" in set(imported(p))] == ["http.py"]


def test_only_render_writes_to_standard_output():
    allowed = {ROOT / "cli" / "render.py", ROOT / "providers" / "ddgs_child.py"}
    for path in modules():
        if path in allowed or "agents" in path.parts:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            called = node.func if isinstance(node, ast.Call) else None
            assert not (isinstance(called, ast.Name) and called.id == "print"), path
            assert not (isinstance(called, ast.Attribute) and called.attr == "echo"), path
            writes = isinstance(node, ast.Attribute) and node.attr == "stdout"
            assert not (writes and getattr(node.value, "id", "") == "sys"), path


HEAVY = ("httpx", "sqlite_utils", "datasette", "platformdirs", "tomllib", "tomlkit", "pluggy")


def loaded_by(gemsearch, *arguments):
    script = (
        "import sys\n"
        "from gemsearch.cli import run\n"
        f"code = run({list(arguments)!r})\n"
        "print(code, *sorted(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=gemsearch.env,
        capture_output=True,
        text=True,
        check=True,
    )
    code, *names = done.stderr.split()
    return int(code), set(names)


def test_a_refusal_loads_neither_a_network_nor_a_database_library(gemsearch):
    gemsearch.finds("gitleaks hook", "https://gitleaks.io/")
    gemsearch("search", "gitleaks hook")
    for command in ("search", "check"):
        code, names = loaded_by(gemsearch, command, "hook gitleaks")
        assert code == 2
        assert not names & set(HEAVY)
        assert not [name for name in names if name.startswith("gemsearch.core.canonical")]
        assert not names & {"dataclasses", "logging", "importlib.metadata", "urllib.parse"}


def test_importing_the_package_loads_nothing():
    script = "import sys, gemsearch; print(*[m for m in sys.modules if 'gemsearch' in m])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["gemsearch"]


def test_the_public_names_are_these():
    names = ["GemsearchError", "Ledger", "Match", "Result", "Verdict", "__version__", "open"]
    assert package.__all__ == names
    assert [name for name in names if getattr(package, name) is None] == []
    with pytest.raises(AttributeError):
        _ = package.nonsense
