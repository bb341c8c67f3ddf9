"""The command line: what it prints, what it refuses, and how it ends."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine import load_game
from experiments.cli import main, spread_lists
from tests.agents import own

OWN = own.__name__
GAME = "robots-ate-our-pizza"
GOLDEN = Path(__file__).resolve().parents[1] / "golden"


@pytest.fixture
def run(capsys, monkeypatch):
    """Return a function that runs the command line and gives (exit code, standard output, standard error)."""

    def call(*words, stdin=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        captured = capsys.readouterr()
        return end.value.code, captured.out, captured.err

    return call


def test_a_list_of_agents_may_be_separated_by_spaces():
    assert spread_lists(["t", "--agents", "a", "b:x=1,y=2", "--seed", "3"]) == [
        "t", "--agents", "a", "--agents", "b:x=1,y=2", "--seed", "3"
    ]  # fmt: skip
    assert spread_lists(["t", "--agents", "a", "--agents", "b"]) == ["t", "--agents", "a", "--agents", "b"]


def test_games_lists_every_game_with_its_options(run):
    code, out, _ = run("games")
    assert code == 0
    assert f"{GAME}   2 to 6 players, cooperative" in out
    for option in load_game(GAME).game.options:
        assert f"--option {option.name}=" in out
    code, out, _ = run("games", "--json")
    assert GAME in {game["game"] for game in json.loads(out)}


def test_agents_lists_every_agent_with_its_knobs(run):
    code, out, _ = run("agents")
    assert code == 0
    assert "iterations=1000" in out
    assert "module:Class" in out
    code, out, _ = run("agents", "--json")
    assert {"uniform", "greedy", "flat-mc", "mcts"} <= {agent["agent"] for agent in json.loads(out)}


def test_score_explains_itself(run):
    code, out, _ = run("score", GAME, "R2 R3 R4 Y2")
    assert code == 0
    assert out == ("R2 R3 R4 Y2: 11 points (triple of red +5, pair of 2s +2, run R2-R3-R4 +2, run Y2-R3-R4 +2)\n")
    assert run("score", GAME, "R1 B2 P4 Y5")[1] == "R1 B2 P4 Y5: 0 points (no features)\n"


def test_score_as_json_is_one_object_a_line(run):
    code, out, err = run(
        "score", GAME, "-", "--option", "task=21", "--json", stdin="R1 R2 R4 R5\n\nR1 R1 B2 B3\nR1 B1\n"
    )
    lines = [json.loads(line) for line in out.splitlines()]
    assert lines[0]["points"] == -12
    assert lines[1] == {
        "position": "R1 R1 B2 B3",
        "error": "R1 stands twice in 'R1 R1 B2 B3'; every card exists once",
    }
    assert lines[2]["error"] == "a hand is 4 cards, not 2: 'R1 B1'"
    assert code == 1
    assert err == ""


def test_score_gives_every_golden_value(run):
    entries = json.loads((GOLDEN / "scores_robots_ate_our_pizza.json").read_text())
    for task in sorted({entry["options"]["task"] for entry in entries}):
        of_task = [entry for entry in entries if entry["options"]["task"] == task]
        text = "\n".join(entry["position"] for entry in of_task)
        code, out, _ = run("score", GAME, "-", "--option", f"task={task}", "--json", stdin=text)
        assert code == 0
        assert [json.loads(line)["points"] for line in out.splitlines()] == [entry["points"] for entry in of_task]


def test_score_holds_the_deck_against_the_number_of_players(run):
    assert run("score", GAME, "R1 B1 P8 Y4")[0] == 0
    code, _, err = run("score", GAME, "R1 B1 P8 Y4", "--players", "4")
    assert code == 1
    assert err == "pizzabots: with 4 players the numbers go to 5, so there is no P8\n"


def test_play_tells_one_line_a_pick_and_explains_the_scores(run):
    code, out, _ = run("play", GAME, "--agents", "greedy", "uniform", "--players", "2", "--seed", "3")
    assert code == 0
    lines = out.splitlines()
    assert sum(line.startswith("seat ") and "): " in line for line in lines) == 8
    assert lines[-1].startswith("highest total: ")
    assert "slices lost: " in lines[-1]
    assert run("play", GAME, "--agents", "greedy", "uniform", "--players", "2", "--seed", "3")[1] == out
    record = json.loads(run("play", GAME, "--agents", "uniform", "--json")[1])
    assert len(record["moves"]) == 16


def test_a_person_can_sit_in_and_sees_only_what_is_his(run):
    code, out, err = run("play", GAME, "--players", "2", "--human", "0", "--agents", "uniform", stdin="pizza\nR8\n")
    assert code == 2
    assert "a card is a color of" in out
    assert "R8 is not legal now" in out
    assert "5 cards" in out
    assert "your move (" in err
    assert err.endswith("pizzabots: the game was left: there is no more input\n")


def test_a_tournament_prints_its_table_and_leaves_its_files(run, tmp_path):
    folder = tmp_path / "run"
    words = (
        "tournament",
        "--agents",
        "uniform",
        "greedy:style=own",
        "--deals",
        30,
        "--schedule",
        "cross",
        "--out",
        folder,
    )
    code, out, err = run(*words)
    assert code == 0
    for heading in ("mean total", "95 % interval", "slices lost", "chance of losing none"):
        assert heading in out
    assert "in this process" in out
    assert "compil" in err
    files = {path.name for path in folder.iterdir()}
    assert files == {
        *("config.json", "summary.json", "parts"),
        *(f"{name}.{kind}" for name in ("totals", "first-picks", "slices") for kind in ("png", "svg")),
    }
    for picture in folder.glob("*.png"):
        assert picture.read_bytes().startswith(b"\x89PNG")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    code, _, err = run(*words)
    assert code == 0
    assert "120 games are there already" in err
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_tournament_as_json_prints_only_its_summary(run, tmp_path):
    code, out, _ = run(
        "tournament", "--agents", "uniform", "--deals", 20, "--json", "--no-charts", "--out", tmp_path / "r"
    )
    assert code == 0
    (line,) = json.loads(out)
    assert line["total"]["n_blocks"] == line["n_games"] == 20


def test_faults_are_said_and_end_with_failure_but_lose_nothing(run, tmp_path):
    code, out, err = run(
        "tournament",
        "--agents",
        f"{OWN}:Raises",
        "uniform",
        "--deals",
        5,
        "--schedule",
        "cross",
        "--out",
        tmp_path / "r",
    )
    assert code == 1
    assert err.splitlines()[-1].startswith(
        f"pizzabots: agent {OWN}:Raises broke off or spoiled 15 games; one time it raised"
    )
    assert "faults" in out
    assert (tmp_path / "r" / "summary.json").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["tournament", "chess"], "there is no game 'chess'; the games: "),
        (["tournament", "--agents", "nobody"], "there is no agent 'nobody'; the agents: "),
        (["tournament", "--agents", "greedy:speed=3"], "greedy has no knob 'speed'; its knobs: style"),
        (["tournament", "--option", "topping=1"], "has no option 'topping'; its options: task, mode"),
        (["tournament", "--option", "task"], "an option is written NAME=VALUE, not 'task'"),
        (["tournament", "--option", "task=25"], "option task of robots-ate-our-pizza is 1 to 24, not '25'"),
        (["tournament", "--option", "task=1", "--option", "task=2"], "option task is given twice"),
        (["tournament", "--option", "tables=no.toml"], "the tables file 'no.toml' cannot be read: No such file"),
        (["tournament", "--players", "7"], "the number of players of robots-ate-our-pizza is 2 to 6, not 7"),
        (["tournament", "--players", "many"], "Invalid value for '--players'"),
        (["tournament", "--deals", "0"], "deals is a whole number from 1"),
        (["tournament", "--speed", "9"], "No such option: --speed"),
        (["tournament", "--serial", "--ray", "127.0.0.1:6379"], "--serial and --ray exclude each other"),
        (["tournament", "--agents", "no_such_module:Agent"], "the agent module 'no_such_module' does not import"),
        (["tournament", "--agents", "uniform", "--out", "/proc/nowhere/run"], "'/proc/nowhere/run' cannot be written"),
        (["score", GAME, "R1 R1 R2 R3"], "R1 stands twice"),
        (["play", GAME, "--agents", "uniform", "greedy"], "name one agent for all seats or one for each of 4 seats"),
        (["play", GAME, "--human", "4"], "seat 4 is not one of 0 to 3"),
        (["play", GAME, "--agents", f"{OWN}:Raises"], "raised RuntimeError: no idea"),
        (["fly"], "No such command 'fly'"),
    ],
)
def test_a_mistake_gets_one_sentence_and_a_failure(run, words, sentence):
    code, _, err = run(*words)
    assert code not in (0, None)
    assert sentence in err
    said = [line for line in err.splitlines() if not line.startswith("compil")]
    assert len(said) == 1
    assert said[0].startswith("pizzabots: ")


def test_help_needs_no_heavy_import():
    """What makes `--help` quick: none of the slow libraries is loaded for it."""
    code = (
        "import sys\nfrom experiments.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numba', 'numpy', 'pandas', 'pyarrow', 'matplotlib', 'scipy', 'ray'} & set(sys.modules)\n"
        "print('heavy:', sorted(heavy))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert "tournament" in answer.stdout
    assert answer.stdout.splitlines()[-1] == "heavy: []"


def test_bench_measures_every_door(run):
    code, out, _ = run("bench", "--seconds", "0.1", "--players", "2", "--json")
    assert code == 0
    figures = json.loads(out)
    assert {figure["unit"] for figure in figures} == {"games", "simulations"}
    for figure in figures:
        assert 0 < figure["slowest"] <= figure["median"] <= figure["fastest"]
