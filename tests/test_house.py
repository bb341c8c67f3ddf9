"""The house rules, read off the sources: arrows run one way, one decorator makes kernels, names are documented."""

import ast
import re
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parent.parent
ROOMS = {"engine": {"engine"}, "agents": {"engine", "agents"}, "experiments": {"engine", "agents", "experiments"}}
SOURCES = [path for room in ROOMS for path in sorted((HOUSE / room).rglob("*.py"))]
OURS = {*ROOMS, "tests", "notebooks"}


def imported(path: Path) -> set[str]:
    """Return the dotted names that a file imports, also inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module or "")
    return names


def name_of(path: Path) -> str:
    return str(path.relative_to(HOUSE))


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_arrows_run_one_way(path):
    room = path.relative_to(HOUSE).parts[0]
    rooms = {name.partition(".")[0] for name in imported(path)} & OURS
    assert rooms <= ROOMS[room]


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_games_never_import_each_other(path):
    parts = path.relative_to(HOUSE).parts
    if parts[:2] != ("engine", "games") or len(parts) < 4:
        return
    others = {name.split(".")[2] for name in imported(path) if name.startswith("engine.games.")}
    assert others <= {parts[2]}


def test_only_the_cluster_imports_ray():
    users = {name_of(path) for path in SOURCES if "ray" in {name.partition(".")[0] for name in imported(path)}}
    assert users == {"experiments/cluster.py"}


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_kernels_have_one_decorator_and_one_source_of_chance(path):
    text = path.read_text(encoding="utf-8")
    if name_of(path) != "engine/kernel.py":
        assert not re.search(r"\b(njit|numba\.jit|guvectorize|vectorize)\b", text)
    if name_of(path) != "agents/python.py":  # plain Python agents get a Generator seeded from their own stream
        assert "np.random" not in text
    assert not re.search(r"^\s*import random|^\s*from random import", text, re.MULTILINE)


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_public_names_are_documented(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), f"{path} says nothing of itself"
    verbs = {"workspace", "choose", "choose_among"} if path.parent.name == "agents" else set()
    if path.name in ("rules.py", "styles.py"):
        from engine.contract import VERBS

        verbs = {verb.__name__ for verb in VERBS}  # documented once, in the contract
    tops = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    members = [node for top in tops if isinstance(top, ast.ClassDef) for node in top.body]
    for node in [*tops, *members]:
        is_public = isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
        if is_public and node.name not in verbs:
            assert ast.get_docstring(node), f"{path}:{node.lineno}: {node.name} has no docstring"


def test_every_agent_and_game_is_found_by_its_place_alone():
    """No list to keep: what stands in the folders is what is registered."""
    from agents import load_all
    from engine.contract import agent_names, game_names

    load_all()
    folders = {path.parent.name.replace("_", "-") for path in (HOUSE / "engine" / "games").glob("*/__init__.py")}
    assert folders <= set(game_names())
    files = {path.stem.replace("_", "-") for path in (HOUSE / "agents").glob("*.py")} - {"--init--", "python"}
    assert files <= set(agent_names())
