"""Positions as text: every game of the house goes on from one, and a bad file gets one clear sentence."""

import numpy as np
import pytest

from engine.contract import apply_action, find_game, game_names, is_terminal, load_game, random_action, score
from engine.rng import ANALYSIS, new_stream
from experiments.cli import main
from experiments.transcript import play_game, read_position, seat_streams

GAMES = [name for name in game_names() if not name.startswith("toy-")]


def played(setup, n_moves):
    """Return deal 3 after some random moves."""
    state = setup.new_game(seed=2, number=3)
    stream = new_stream(2, ANALYSIS)
    for _ in range(n_moves):
        if not is_terminal(state):
            apply_action(state, int(random_action(state, stream)))
    return state


def written(setup, state, folder):
    """Write a position into a file and return its path."""
    path = folder / "position.txt"
    path.write_text(setup.game.notation.position_text(state), encoding="utf-8")
    return path


@pytest.fixture
def run(capsys):
    """Return a function that runs the command line and gives (exit code, standard output, standard error)."""

    def call(*words):
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        captured = capsys.readouterr()
        return end.value.code, captured.out, captured.err

    return call


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("n_moves", [0, 3, 8])
def test_every_game_goes_on_from_a_position(name, n_moves, tmp_path, run):
    setup = load_game(name, players=find_game(name).players[-1])
    state = played(setup, n_moves)
    told = []
    streams = seat_streams(setup, 1, 0)
    whole = play_game(setup, ["uniform"], state, streams, None, lambda question: "", told.append)
    code, out, _ = run("play", name, "--position", written(setup, state, tmp_path), "--agents", "uniform")
    assert code == 0
    assert out.splitlines() == "\n".join(told).splitlines()
    points = np.zeros(setup.players, dtype=np.int64)
    for move in whole["moves"]:
        apply_action(state, setup.game.notation.parse_action(move["action"]))
    assert is_terminal(state)
    score(state, points)
    assert points.tolist() == whole["points"]


@pytest.mark.parametrize("name", GAMES)
def test_a_position_tells_its_number_of_players(name, tmp_path):
    for players in find_game(name).players:
        setup = load_game(name, players=players)
        path = written(setup, played(setup, 2), tmp_path)
        found, state = read_position(path, setup.game, None, {})
        assert found.players == players
        assert state.tobytes() == played(setup, 2).tobytes()


@pytest.mark.parametrize("name", GAMES)
def test_a_bad_position_gets_one_sentence(name, tmp_path, run):
    nothing, noise, bytes_only = tmp_path / "nothing", tmp_path / "noise", tmp_path / "bytes"
    noise.write_text("eleven robots")
    bytes_only.write_bytes(b"\xff\xfe\x00")
    for path, sentence in (
        (nothing, f"the position file {str(nothing)!r} cannot be read: No such file or directory"),
        (bytes_only, f"the position file {str(bytes_only)!r} cannot be read: it is no text"),
        (noise, f"the position file {str(noise)!r} is wrong: a line of a position is `name: value`"),
    ):
        code, out, err = run("play", name, "--position", path)
        assert code == 2
        assert out == ""
        assert err.startswith(f"pizzabots: {sentence}")
        assert err.count("\n") == 1


@pytest.mark.parametrize("name", GAMES)
def test_a_position_of_another_number_of_players_is_refused(name, tmp_path, run):
    first, *others = find_game(name).players
    if not others:
        return
    setup = load_game(name, players=others[-1])
    path = written(setup, played(setup, 1), tmp_path)
    code, _, err = run("play", name, "--position", path, "--players", first)
    assert code == 2
    assert "was made with other options, see " in err


def test_a_position_of_other_options_is_refused(tmp_path, run):
    setup = load_game("robots", lay_off="any")
    path = written(setup, played(setup, 5), tmp_path)
    assert "see 'options' in it" in run("play", "robots", "--position", path)[2]
    assert run("play", "robots", "--position", path, "--option", "lay_off=any", "--agents", "uniform")[0] == 0
