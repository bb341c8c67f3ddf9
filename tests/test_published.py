"""What is published in results/published: small, explained, and what its own command makes again."""

import json
import re
from pathlib import Path

import pytest

from experiments.cli import main
from experiments.commands import app

FOLDER = Path(__file__).resolve().parent.parent / "results" / "published"
FILES = sorted(path for path in FOLDER.rglob("*") if path.is_file() and path.name != "README.md")
MOST_BYTES = 300_000  # of a file


def facts_with_commands() -> dict[Path, str]:
    found = {}
    for path in FILES:
        if path.suffix == ".json":
            content = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(content, dict) and "command" in content:
                found[path] = content["command"]
    return found


def test_every_file_is_small_and_told_of():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for path in FILES:
        assert path.stat().st_size < MOST_BYTES, path
        assert f"`{path.stem}" in readme or f"/{path.stem}`" in readme, path
        game = path.parent.name
        assert game == "every-game" or (path.parents[3] / "engine" / "games" / game.replace("-", "_")).is_dir()


def test_every_picture_has_its_figures_and_its_twin():
    for path in FILES:
        if path.suffix in (".png", ".svg"):
            assert path.with_suffix(".svg").exists(), path
            assert path.with_suffix(".png").exists(), path


def test_every_command_is_one_that_exists():
    commands = facts_with_commands()
    known = {command.name for command in app.registered_commands}
    assert len(commands) >= 18
    for path, text in commands.items():
        program, name, *_ = text.split()
        assert program == "pizzabots", path
        assert name in known, path
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`pizzabots ([\w-]+)", readme)) <= known


@pytest.mark.slow
def test_a_published_study_comes_out_again(tmp_path, monkeypatch, capsys):
    """The cheapest one, from the command that stands in its own figures: the same bytes."""
    folder = FOLDER / "robots-ate-our-pizza"
    command = json.loads((folder / "first-picks-by-task.json").read_text())["command"]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main([*command.split()[1:], "--out", str(tmp_path)])
    assert ended.value.code == 0, capsys.readouterr().err
    for kind in ("json", "svg", "png"):
        name = f"first-picks-by-task.{kind}"
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name
