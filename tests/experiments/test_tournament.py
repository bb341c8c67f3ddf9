"""Tournaments: the same games whatever the way they are played, and nothing lost."""

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import numpy as np
import pandas as pd
import pytest

from agents.python import Hung, Watch
from engine import load_game
from engine.tables import deal_tables
from experiments import load_run, run_tournament
from experiments.cluster import Place
from experiments.matches import play_chunk
from experiments.results import COLUMNS, RunFolder, part_name, read_tally, rows_table
from experiments.schedule import Chunk
from experiments.summary import as_json, from_json
from experiments.tournament import default_folder, plan_tournament, play_tournament
from tests.agents import own

OWN = own.__name__
GAME = "robots-ate-our-pizza"
AGENTS = [
    "uniform",
    "greedy:style=own",
    "mcts:iterations=20,rollout=greedy,rollout.style=own",
    f"{OWN}:Last:chance=0.5",
]


@pytest.fixture(scope="module")
def setup():
    return load_game(GAME)


@pytest.fixture(scope="module")
def games(setup):
    return run_tournament(setup, AGENTS, deals=12, seed=7, schedule="cross", serial=True)


def digest(frame: pd.DataFrame) -> str:
    return hashlib.sha256(frame.to_csv(index=False).encode()).hexdigest()


def test_rows_are_one_per_game_and_seat_with_the_promised_columns(games):
    assert tuple(games.columns) == COLUMNS
    promised = ("lineup", "deal", "rotation", "seat", "agent", "points", "utility", "placing", "share")
    assert tuple(games.columns[:11]) == (*promised, "decisions", "fault")
    assert not games.duplicated(["lineup", "deal", "rotation", "seat"]).any()
    assert len(games) == 12 * 4 * (4 * 1 + 6 * 2)
    assert (games.decisions == 4).all()
    assert (games.fault == "").all()


def test_everybody_in_a_cooperative_game_wants_the_same(games):
    by_game = games.groupby(["lineup", "deal", "rotation"], observed=True)
    assert (by_game.utility.nunique() == 1).all()
    assert (games.placing == 1).all()
    assert np.allclose(by_game.share.sum(), 1.0)
    total = by_game.points.sum()
    assert np.allclose(by_game.utility.first(), total / 64)


def test_every_agent_sits_in_every_seat_equally_often(games):
    seats = games.groupby(["lineup", "agent", "seat"], observed=True).size().unstack()
    assert (seats.nunique(axis=1) == 1).all()


def test_one_deal_is_the_same_cards_for_every_line_up(setup):
    """First actions of agents that always take the lowest card tell the cards that were dealt."""
    both = run_tournament(setup, [f"{OWN}:First", "uniform"], deals=40, seed=3, schedule="cross", serial=True)
    lowest = both[(both.agent == f"{OWN}:First")].groupby(["deal", "seat"]).first_action.nunique()
    assert (lowest == 1).all()


def test_a_single_game_has_the_cards_of_the_tournament(setup):
    states = setup.blank_states(5)
    deal_tables(states, setup.template, 3, 40)
    for table in range(5):
        assert setup.new_game(3, 40 + table).tobytes() == states[table].tobytes()


def test_deals_differ(setup):
    states = setup.blank_states(20_000)
    deal_tables(states, setup.template, 3, 0)
    hands = np.sort(states.hands[:, :4].copy().view(np.uint8).reshape(20_000, 4, 8), axis=2)
    # by chance two of 20,000 deals out of 1.2e10 are alike once in 60 tries
    assert len(np.unique(hands.reshape(20_000, -1), axis=0)) >= 19_999


@pytest.mark.parametrize("batch", [1, 5, 4096])
def test_no_result_depends_on_the_size_of_a_batch(setup, batch):
    plan = plan_tournament(setup, AGENTS, 12, 7, "cross")
    for line_up in (0, 2, 6, 9):
        chunk = Chunk(line_up, 0, 12)
        tally, games = play_chunk(plan.match, chunk, batch)
        expected_tally, expected = play_chunk(plan.match, chunk)
        assert rows_table(plan.match, games).equals(rows_table(plan.match, expected))
        assert json.dumps(tally.to_json()) == json.dumps(expected_tally.to_json())


def test_no_result_depends_on_the_size_of_a_chunk(setup):
    plan = plan_tournament(setup, AGENTS, 12, 7, "cross")
    whole_tally, whole = play_chunk(plan.match, Chunk(6, 0, 12))
    parts = [play_chunk(plan.match, Chunk(6, first, n_deals)) for first, n_deals in ((0, 5), (5, 1), (6, 6))]
    merged = parts[0][0]
    for tally, _ in parts[1:]:
        merged.merge(tally)
    assert json.dumps(merged.to_json()) == json.dumps(whole_tally.to_json())
    rows = pd.concat([rows_table(plan.match, games).to_pandas() for _, games in parts], ignore_index=True)
    assert digest(rows) == digest(rows_table(plan.match, whole).to_pandas())


def test_rows_and_summary_tell_the_same(setup):
    rows = play_tournament(plan_tournament(setup, ["greedy:style=own"], 200, 1), place=Place(serial=True))
    summary = play_tournament(
        plan_tournament(setup, ["greedy:style=own"], 200, 1, keep="summary"), place=Place(serial=True)
    )
    assert rows.lines == summary.lines
    totals = rows.frame().groupby("deal").points.sum()
    line = rows.lines[0]
    assert line.total.mean == pytest.approx(totals.mean())
    assert line.total.half_width == pytest.approx(1.972 * totals.sem(), rel=1e-3)
    assert line.totals == totals.value_counts().to_dict()
    assert line.lost_none.mean == pytest.approx((totals >= 40).mean())
    lost = (totals < 40).astype(int) + (totals < 36) + (totals < 32)
    assert line.slices_lost.mean == pytest.approx(lost.mean())


def test_a_summary_is_read_back_as_it_was_written(setup):
    plan = plan_tournament(setup, ["uniform", "greedy:style=own"], 30, 1, "cross", keep="summary")
    lines = play_tournament(plan, place=Place(serial=True)).lines
    assert from_json(json.loads(json.dumps(as_json(lines)))) == lines


SCRIPT = """
import sys
import time
from engine import load_game
from experiments import run_tournament
frame = run_tournament(load_game("robots-ate-our-pizza"), sys.argv[1].split(), deals=12, seed=7, schedule="cross",
                       serial=True)
sys.stdout.write(frame.to_csv(index=False))
"""


@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_a_fresh_process_plays_the_same_games(games, hash_seed):
    root = Path(__file__).resolve().parents[2]
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT, " ".join(AGENTS)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)},
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout == games.to_csv(index=False)


def parts_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "parts").iterdir())}


def test_a_run_leaves_its_folder_and_can_be_read_back(setup, games, tmp_path):
    frame = run_tournament(setup, AGENTS, deals=12, seed=7, schedule="cross", serial=True, out=tmp_path / "run")
    assert digest(frame) == digest(load_run(tmp_path / "run"))
    order = ["lineup", "deal", "rotation", "seat"]
    as_text = dict.fromkeys(("lineup", "agent", "fault"), str)
    assert digest(frame.astype(as_text).sort_values(order)) == digest(games.astype(as_text).sort_values(order))
    assert list(load_run(tmp_path / "run", columns=["points", "agent"]).columns) == ["points", "agent"]
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["agents"] == AGENTS
    assert config["seed"] == 7
    assert config["options"]["task"] == 1
    assert set(config["versions"]) >= {"python", "numpy", "numba", "pizzabots"}
    assert len(config["source"]) == 16
    assert config["wall_seconds"] >= 0


def test_a_run_is_taken_up_where_it_was_left(setup, tmp_path, monkeypatch):
    plan = plan_tournament(setup, ["uniform", "greedy:style=own"], 3000, 1)
    plan = plan.__class__(
        **{**vars(plan), "chunks": tuple(Chunk(each, first, 500) for first in range(0, 3000, 500) for each in (0, 1))}
    )
    play_tournament(plan, tmp_path / "whole", Place(serial=True))
    whole = parts_of(tmp_path / "whole")
    assert len(whole) == 12

    written = []
    write_part = RunFolder.write_part

    def write_until_the_power_fails(folder, chunk, content):
        if len(written) == 5:
            (folder.parts / f".{chunk.id}.123").write_bytes(content[:100])
            raise KeyboardInterrupt
        write_part(folder, chunk, content)
        written.append(folder.parts / part_name(chunk, content))

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "write_part", write_until_the_power_fails)
        with pytest.raises(KeyboardInterrupt):
            play_tournament(plan, tmp_path / "stopped", Place(serial=True))
    before = {path: path.stat().st_mtime_ns for path in written}
    outcome = play_tournament(plan, tmp_path / "stopped", Place(serial=True))
    assert parts_of(tmp_path / "stopped") == whole
    assert {path: path.stat().st_mtime_ns for path in written} == before
    assert outcome.n_games_before == 5 * 500
    same = (tmp_path / "whole" / "summary.json").read_bytes()
    assert (tmp_path / "stopped" / "summary.json").read_bytes() == same


def test_a_folder_with_another_run_is_left_alone(setup, tmp_path):
    run_tournament(setup, ["uniform"], deals=5, seed=1, serial=True, out=tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match=r"already holds another run: seed there: 1, here: 2"):
        run_tournament(setup, ["uniform"], deals=5, seed=2, serial=True, out=tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_run_is_not_taken_up_with_an_agent_that_was_edited_since(setup, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "a_bot_under_way.py"
    module.write_text("def bot(view):\n    return view.legal_actions[0]\n")
    agents = ["a_bot_under_way:bot"]
    first = default_folder(plan_tournament(setup, agents, 5, 1))
    run_tournament(setup, agents, deals=5, seed=1, serial=True, out=tmp_path / "run")
    module.write_text("def bot(view):\n    return view.legal_actions[-1]\n")
    with pytest.raises(ValueError, match="already holds another run: agent_sources there"):
        run_tournament(setup, agents, deals=5, seed=1, serial=True, out=tmp_path / "run")
    assert default_folder(plan_tournament(setup, agents, 5, 1)) != first
    sys.modules.pop("a_bot_under_way")


def test_a_folder_with_something_else_is_left_alone(setup, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ValueError, match="is no run of pizzabots"):
        run_tournament(setup, ["uniform"], deals=5, serial=True, out=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_full_disk_loses_nothing(setup, tmp_path, monkeypatch):
    def disk_is_full(folder, chunk, content):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "write_part", disk_is_full)
        with pytest.raises(ValueError, match="cannot be written: No space left on device; the parts written so far"):
            run_tournament(setup, ["uniform"], deals=5, seed=1, serial=True, out=tmp_path / "run")
    frame = run_tournament(setup, ["uniform"], deals=5, seed=1, serial=True, out=tmp_path / "run")
    assert len(frame) == 20


def test_memory_of_a_summary_does_not_grow_with_the_games(setup):
    """The part of a chunk, its tally, is as large after a thousand games as after ten."""
    plan = plan_tournament(setup, ["uniform"], 10**6, 1, keep="summary")
    small, none = play_chunk(plan.match, Chunk(0, 0, 10))
    large, _ = play_chunk(plan.match, Chunk(0, 0, 5000))
    assert none is None
    assert len(small.totals) == len(large.totals)
    assert len(json.dumps(large.to_json())) < 2 * len(json.dumps(small.to_json()))


def test_nobody_learns_what_his_player_could_not_know(setup):
    """An agent that writes down all it can reach writes the same, whatever the hidden cards are.

    Worlds that the player cannot tell apart are put on the table one after another; each time the agent gets a copy
    that must be byte for byte the same.
    """
    from agents.python import View, ask
    from engine import rng
    from engine.contract import apply_action, current_player, determinize, is_terminal

    own.Peeker.seen.clear()
    game = setup.new_game(seed=11)
    moves = 0
    while not is_terminal(game):
        player = int(current_player(game))
        for world_number in range(5):
            world = setup.blank_states(1)
            world[0] = game
            determinize(world[0], player, rng.new_stream(1, rng.ANALYSIS, world_number))
            stream = rng.new_stream(2, rng.ANALYSIS, moves)
            scratch = setup.blank_states(1)
            scratch[0] = world[0]
            determinize(scratch[0], player, stream)
            ask(own.Peeker(), View(setup, scratch[0], stream), Watch(60.0))
        assert len(set(own.Peeker.seen[-5:])) == 1
        moves += 1
        from engine.contract import legal_actions

        actions = np.empty(512, dtype=np.int64)
        legal_actions(game, actions)
        apply_action(game, int(actions[0]))
    assert len(own.Peeker.seen) == 5 * moves == 5 * 16
    assert len(set(own.Peeker.seen)) == moves


def test_a_peeker_does_no_better_than_one_who_is_blind(setup):
    """The copy that an agent is handed says nothing of the other hands: what it shows there is only a sample."""
    hits = 0
    for number in range(200):
        game = setup.new_game(seed=5, number=number)
        from engine import rng
        from engine.contract import current_player, determinize

        player = int(current_player(game))
        other = (player + 1) % 4
        copy = setup.blank_states(1)
        copy[0] = game
        determinize(copy[0], player, rng.new_stream(9, rng.ANALYSIS, number))
        hits += int(copy[0]["hands"][other]) & 0xFF == int(game["hands"][other]) & 0xFF
    assert hits < 30  # one in fifteen by chance alone: 13, and 30 is five standard deviations off


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("Raises", "raised RuntimeError: no idea"),
        ("Illegal", "which is not legal"),
        ("Mute", "answered None, which is no action"),
        ("NotMade", "raised OSError when it was made: out of clay"),
        ("Leaves", "raised SystemExit: 3"),
    ],
)
class TestFaults:
    """An agent that breaks a rule: forfeit by default, random on request, or the end of the run."""

    def test_forfeit(self, setup, agent, words):
        frame = run_tournament(setup, [f"{OWN}:{agent}", "uniform"], deals=4, seed=1, schedule="cross", serial=True)
        faulty = frame[frame.fault != ""]
        assert faulty.fault.str.contains(words, regex=False).all()
        assert (faulty.agent == f"{OWN}:{agent}").all()
        alone = frame[frame.lineup == " ".join([f"{OWN}:{agent}"] * 4)]
        assert alone.points.isna().all()
        assert (alone.utility == 0.0).all()
        assert alone.groupby(["deal", "rotation"]).fault.apply(lambda faults: (faults != "").sum()).eq(1).all()
        fine = frame[frame.lineup == "uniform uniform uniform uniform"]
        assert len(fine) == 16
        assert fine.points.notna().all()

    def test_random(self, setup, agent, words):
        frame = run_tournament(setup, [f"{OWN}:{agent}"], deals=4, seed=1, on_fault="random", serial=True)
        assert frame.points.notna().all()
        assert frame.fault.str.contains(words, regex=False).all()
        assert (frame.decisions == 4).all()

    def test_abort(self, setup, agent, words):
        with pytest.raises(ValueError, match=rf"agent {OWN}:{agent} .*deal 0, rotation 0, seat"):
            run_tournament(setup, [f"{OWN}:{agent}"], deals=4, seed=1, on_fault="abort", serial=True)


def test_an_agent_that_hangs_forfeits_that_game(setup):
    """At the second of its four moves, in all six games that it sits in; the other two are as they are without it."""
    agents = [f"{OWN}:Sleeps", f"{OWN}:First"]
    started = time.perf_counter()
    frame = run_tournament(setup, agents, deals=2, seed=1, schedule="cross", serial=True, move_seconds=0.1)
    assert time.perf_counter() - started < 30
    faulty = frame[frame.fault != ""]
    assert (faulty.agent == agents[0]).all()
    assert set(faulty.fault) == {"gave no answer within 0.1 seconds"}
    assert (faulty.decisions == 1).all()
    games = frame.groupby(["lineup", "deal", "rotation"], observed=True)
    assert games.fault.apply(lambda faults: (faults != "").any()).sum() == 6
    fine = frame[frame.lineup == " ".join([agents[1]] * 4)]
    alone = run_tournament(setup, [agents[1]], deals=2, seed=1, serial=True)
    assert fine.points.tolist() == alone.points.tolist()


def test_an_agent_that_hangs_is_not_asked_again_in_that_game(setup):
    started = time.perf_counter()
    arguments = {"deals": 2, "seed": 1, "on_fault": "random", "move_seconds": 0.2, "serial": True}
    frame = run_tournament(setup, [f"{OWN}:Sleeps"], **arguments)
    assert time.perf_counter() - started < 8 * 0.2 + 20
    assert frame.points.notna().all()
    assert (frame.decisions == 4).all()
    assert set(frame.fault) == {"gave no answer within 0.2 seconds"}
    assert digest(run_tournament(setup, [f"{OWN}:Sleeps"], **arguments)) == digest(frame)


def test_a_watch_breaks_off_what_sleeps_and_what_spins_and_leaves_no_alarm_behind():
    before = signal.getsignal(signal.SIGALRM)
    with Watch(0.05) as watch:
        assert watch.call(lambda: 3) == 3
        for agent in (own.Sleeps(moves=1), own.Spins()):
            with pytest.raises(Hung, match="gave no answer"):
                watch.call(agent.choose, None)
        time.sleep(0.2)  # nothing rings between two calls
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_outside_the_main_thread_agents_play_unwatched(setup):
    found = []
    arguments = {"deals": 3, "seed": 1, "serial": True}
    thread = Thread(target=lambda: found.append(run_tournament(setup, [f"{OWN}:First"], **arguments)))
    thread.start()
    thread.join()
    assert digest(found[0]) == digest(run_tournament(setup, [f"{OWN}:First"], **arguments))


def test_plain_and_compiled_agents_play_alike(setup):
    """The same strategy as a class, a function and a kernel, mixed at one table, plays the same game."""
    agents = [f"{OWN}:Last", f"{OWN}:last", f"{OWN}:Highest"]
    frame = run_tournament(setup, agents, deals=25, seed=2, schedule="cross", serial=True)
    totals = frame.groupby(["deal", "lineup", "rotation"], observed=True).points.sum().unstack("deal")
    assert (totals.nunique() == 1).all()


def test_a_plain_agent_is_made_anew_for_every_game(setup):
    frame = run_tournament(setup, [f"{OWN}:Counter", f"{OWN}:Sampler"], deals=10, seed=2, serial=True)
    assert (frame.fault == "").all()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"deals": 0}, "deals is a whole number from 1 to 10,000,000,000, not 0"),
        ({"deals": 2.5}, "deals is a whole number"),
        ({"seed": -1}, "seed is a whole number from 0"),
        ({"move_seconds": 0.0}, "move-seconds is a number above 0 up to 86,400, not 0.0"),
        ({"move_seconds": float("nan")}, "move-seconds is a number above 0 up to 86,400, not nan"),
        ({"keep": "all"}, "keep is rows, summary, not 'all'"),
        ({"on_fault": "cry"}, "on-fault is forfeit, random, abort, not 'cry'"),
        ({"schedule": "swiss"}, "schedule is self, cross, round-robin, gauntlet, not 'swiss'"),
        ({"ray": "nowhere"}, "a Ray address is HOST:PORT or ray://HOST:PORT, not 'nowhere'"),
        ({"ray": "127.0.0.1:1"}, "Ray at '127.0.0.1:1' does not answer"),
    ],
)
def test_wrong_arguments_are_refused(setup, arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        run_tournament(setup, ["uniform"], **{"deals": 5, **arguments})


def test_a_folder_that_is_no_run_cannot_be_loaded(setup, tmp_path):
    with pytest.raises(ValueError, match=r"is no run: it has no readable config\.json"):
        load_run(tmp_path)
    run_tournament(setup, ["uniform"], deals=5, serial=True, keep="summary", out=tmp_path / "run")
    with pytest.raises(ValueError, match="kept only its summary"):
        load_run(tmp_path / "run")
    run_tournament(setup, ["uniform"], deals=5, serial=True, out=tmp_path / "rows")
    with pytest.raises(ValueError, match="a run has no column 'luck'; its columns: lineup, deal"):
        load_run(tmp_path / "rows", columns=["luck"])


@pytest.mark.slow
def test_ray_gives_the_same_bytes_and_compiles_nothing(setup, tmp_path, monkeypatch):
    """Serial, in two workers, and with agents from a user's own module."""
    import experiments.cluster as cluster

    monkeypatch.setattr(cluster, "SAMPLE_SECONDS", 0.0)
    monkeypatch.setattr(cluster, "RAY_START_SECONDS", 0.0)
    plan = plan_tournament(setup, AGENTS, 40, 7, "cross")
    plan = plan.__class__(
        **{**vars(plan), "chunks": tuple(Chunk(each, first, 10) for first in range(0, 40, 10) for each in range(10))}
    )
    play_tournament(plan, tmp_path / "serial", Place(serial=True))
    outcome = play_tournament(plan, tmp_path / "ray", Place(workers=2))
    assert "Ray on this machine with 2 workers" in outcome.where
    assert outcome.compiled_by_workers == 0
    assert parts_of(tmp_path / "ray") == parts_of(tmp_path / "serial")
    same = (tmp_path / "serial" / "summary.json").read_bytes()
    assert (tmp_path / "ray" / "summary.json").read_bytes() == same
    assert read_tally(next((tmp_path / "ray" / "parts").iterdir())).n_games > 0


def start_node(*words: str) -> subprocess.Popen:
    """Start a Ray node with one worker, in processes of its own."""
    command = [str(Path(sys.executable).parent / "ray"), "start", "--block", "--num-cpus=1", "--disable-usage-stats"]
    command += ["--node-ip-address=127.0.0.1", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


@pytest.fixture
def cluster(monkeypatch):
    """Start a Ray cluster of two nodes, a head and another; give its address."""
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    nodes = [start_node("--head", f"--port={port}", "--include-dashboard=false")]
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        nodes.append(start_node(f"--address=127.0.0.1:{port}"))
        yield f"127.0.0.1:{port}"
    finally:
        for node in reversed(nodes):
            os.killpg(node.pid, signal.SIGTERM)
            try:
                node.wait(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(node.pid, signal.SIGKILL)
                node.wait()


CLUSTER_SCRIPT = """
import logging
import sys
import time
import ray
from engine import load_game
from experiments import run_tournament
ray.init(address=sys.argv[2], log_to_driver=False, logging_level=logging.ERROR)
while sum(node["Alive"] for node in ray.nodes()) < 2:
    time.sleep(0.1)
ray.shutdown()
game = load_game("robots-ate-our-pizza", players=2)
run_tournament(load_game("robots-ate-our-pizza"), sys.argv[1].split(), deals=6, seed=7, schedule="cross",
               ray=sys.argv[2], out=sys.argv[3])
run_tournament(game, sys.argv[4].split(), deals=2, seed=7, move_seconds=0.2, ray=sys.argv[2],
               out=sys.argv[3] + "-faulty")
try:
    run_tournament(game, sys.argv[5], deals=2, seed=7, ray=sys.argv[2], out=sys.argv[3] + "-dead")
except ValueError as error:
    print(error)
"""


@pytest.mark.slow
def test_a_running_cluster_gives_the_same_bytes(setup, tmp_path, cluster):
    """Two nodes of one worker each. In a process of its own, as one who connects has: Ray reads its settings once.

    Agents that hang, raise or leave forfeit there as here. One that takes its worker with it, again and again, ends the
    run with a sentence.
    """
    run_tournament(setup, AGENTS, deals=6, seed=7, schedule="cross", serial=True, out=tmp_path / "serial")
    faulty = [f"{OWN}:{name}" for name in ("Sleeps", "Spins", "Raises", "Leaves")]
    pair = load_game(GAME, players=2)
    run_tournament(pair, faulty, 2, 7, move_seconds=0.2, serial=True, out=tmp_path / "serial-faulty")
    root = Path(__file__).resolve().parents[2]
    folders = (str(tmp_path / "cluster"), " ".join(faulty), f"{OWN}:Dies")
    answer = subprocess.run(
        [sys.executable, "-c", CLUSTER_SCRIPT, " ".join(AGENTS), cluster, *folders],
        env={**os.environ, "PYTHONPATH": str(root)},
        cwd=root,
        check=True,
        timeout=400,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parts_of(tmp_path / "cluster") == parts_of(tmp_path / "serial")
    assert parts_of(tmp_path / "cluster-faulty") == parts_of(tmp_path / "serial-faulty")
    assert set(load_run(tmp_path / "cluster-faulty").fault) >= {"gave no answer within 0.2 seconds"}
    sentence = (
        "Ray gave up on part-0000-000000000000 (WorkerCrashedError); the parts written so far are whole, the same"
    )
    assert answer.stdout.splitlines()[-1].startswith(sentence)
    config = json.loads((tmp_path / "cluster" / "config.json").read_text())
    assert config["played"] == f"on the Ray cluster at {cluster} with 2 workers"
