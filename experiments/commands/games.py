"""Commands about games and agents: what there is, positions, one game, fitness, speed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.commands import (
    AgentsOption,
    GameArgument,
    JsonOption,
    OptionOption,
    PlayersOption,
    SecondsOption,
    SeedOption,
    app,
    complain,
    load_setup,
    read_options,
    say,
    say_json,
    shown,
)

if TYPE_CHECKING:
    pass


@app.command("games")
def games_command(as_json: JsonOption = False) -> None:
    """List the games with their players, options and styles."""
    from engine.contract import find_game, game_names

    facts = [find_game(name) for name in game_names()]
    if as_json:
        say_json([_game_facts(game) for game in facts])
        return
    for game in facts:
        kind = "cooperative" if game.cooperative else "competitive"
        say(f"{game.name}   {game.players_text} players, {kind}")
        say(f"    {game.title}: {game.summary}")
        for option in game.options:
            say(f"    --option {option.name}={shown(option.default)}   {option.meaning} ({option.allowed})")
        if game.styles:
            say("    styles of greedy:")
        for style in game.styles:
            say(f"        {style.name}   {style.meaning}")
        if game.habits:
            say("    habits that a player can be forbidden:")
        for habit in game.habits:
            needs = "".join(f", with --option {name}={shown(value)}" for name, value in habit.needs.items())
            say(f"        {habit.name}   {habit.meaning}{needs}")


def _game_facts(game: Any) -> dict[str, Any]:
    return {
        "game": game.name,
        "title": game.title,
        "summary": game.summary,
        "version": game.version,
        "players": list(game.players),
        "default_players": game.default_players,
        "cooperative": game.cooperative,
        "n_actions": game.n_actions,
        "options": [
            {"name": each.name, "default": each.default, "allowed": each.allowed, "meaning": each.meaning}
            for each in game.options
        ],
        "styles": [{"name": style.name, "meaning": style.meaning} for style in game.styles],
        "habits": [{"name": habit.name, "meaning": habit.meaning, "needs": dict(habit.needs)} for habit in game.habits],
        "default_agents": list(game.default_agents),
    }


@app.command("agents")
def agents_command(as_json: JsonOption = False) -> None:
    """List the agents with their knobs."""
    from agents import load_all
    from engine.contract import agent_names, find_agent

    load_all()
    facts = [find_agent(name) for name in agent_names()]
    if as_json:
        say_json(
            [
                {
                    "agent": agent.name,
                    "summary": agent.summary,
                    "knobs": [
                        {"name": name, "default": agent.knobs._field_defaults[name], "meaning": fact.meaning}
                        for name, fact in agent.knob_facts.items()
                    ],
                }
                for agent in facts
            ]
        )
        return
    for agent in facts:
        say(f"{agent.name}   {agent.summary}")
        for name, fact in agent.knob_facts.items():
            choices = f" ({', '.join(fact.choices)})" if fact.choices else ""
            say(f"    {name}={shown(agent.knobs._field_defaults[name])}   {fact.meaning}{choices}")
    say("module:Class   your own: a class with choose(view), or the registered knobs of a compiled agent")


@app.command("score")
def score_command(
    game: GameArgument,
    positions: Annotated[list[str], typer.Argument(metavar="POSITION…", help="what to score; - reads one a line")],
    option: OptionOption = None,
    players: PlayersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score positions and explain them, feature by feature."""
    setup = load_setup(game, players, option)
    n_wrong = 0
    for position in _each_position(positions):
        try:
            answer = setup.game.notation.explain(position, setup.options, players)
        except ValueError as error:
            n_wrong += 1
            if as_json:
                say(json.dumps({"position": position, "error": str(error)}))
            else:
                complain(str(error))
            continue
        if as_json:
            say(json.dumps({"position": position, **answer}))
        else:
            words = ", ".join(f"{each['name']} {each['points']:+d}" for each in answer["features"])
            say(f"{position}: {answer['points']} points" + (f" ({words})" if words else " (no features)"))
    if n_wrong:
        raise typer.Exit(1)


def _each_position(positions: list[str]) -> Iterator[str]:
    for position in positions:
        if position == "-":
            yield from (line.strip() for line in sys.stdin if line.strip())
        else:
            yield position


@app.command("play")
def play_command(
    game: GameArgument,
    agents: AgentsOption = None,
    option: OptionOption = None,
    players: PlayersOption = None,
    seed: SeedOption = 1,
    deal: Annotated[int, typer.Option("--deal", help="number of the deal")] = 0,
    human: Annotated[int | None, typer.Option("--human", metavar="SEAT", help="a seat to sit in yourself")] = None,
    position: Annotated[
        Path | None, typer.Option("--position", metavar="FILE", help="a position as text to play on from")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play one game, move by move, with the scores explained at the end."""
    from experiments.transcript import play_deal, play_game, read_position, seat_streams

    tell = (lambda words: None) if as_json and human is None else say
    if position is None:
        setup = load_setup(game, players, option)
        chosen = agents or list(setup.game.default_agents[-2:-1])
        transcript = play_deal(setup, chosen, seed, deal, human, _ask, tell)
    else:
        from engine.contract import find_game

        setup, start = read_position(position, find_game(game), players, read_options(option))
        chosen = agents or list(setup.game.default_agents[-2:-1])
        transcript = play_game(setup, chosen, start, seat_streams(setup, seed, deal), human, _ask, tell)
    if as_json:
        say_json(transcript)


def _ask(question: str) -> str:
    print(question, end=" ", file=sys.stderr, flush=True)  # noqa: T201
    answer = sys.stdin.readline()
    if not answer:
        raise ValueError("the game was left: there is no more input")
    return answer.strip()


@app.command("check-agent")
def check_agent_command(
    spec: Annotated[str, typer.Argument(metavar="AGENT", help="an agent, such as mymodule:Class")],
    game: Annotated[
        list[str] | None, typer.Option("--game", metavar="GAME", help="a game; repeat for more [default: all]")
    ] = None,
    option: OptionOption = None,
    players: PlayersOption = None,
    deals: Annotated[int, typer.Option("--deals", help="games of copies of the agent")] = 5,
    seed: SeedOption = 1,
    move_seconds: SecondsOption = 60.0,
    as_json: JsonOption = False,
) -> None:
    """Check that an agent is fit to play: legal, deterministic, blind to hidden cards, fast enough."""
    from engine.contract import game_names
    from experiments.answers import print_agent_checks
    from experiments.check_agent import check_agent
    from experiments.terminal import progress_watcher

    setups = [load_setup(name, players, option) for name in game or game_names()]
    with progress_watcher() as watcher:
        answers = [check_agent(setup, spec, deals, seed, move_seconds, watcher) for setup in setups]
    if as_json:
        say_json([answer.as_json() for answer in answers])
    else:
        print_agent_checks(answers)
    if not all(answer.passed for answer in answers):
        complain(f"agent {spec} failed in {', '.join(answer.game for answer in answers if not answer.passed)}")
        raise typer.Exit(1)


@app.command("bench")
def bench_command(
    players: PlayersOption = None,
    seconds: Annotated[float, typer.Option("--seconds", help="about how long each figure is measured", min=0.1)] = 1.0,
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="id of a game")] = "robots-ate-our-pizza",
    option: OptionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure throughput on one core of this machine."""
    from experiments.bench import bench
    from experiments.terminal import print_bench, progress_watcher

    setup = load_setup(game, players, option)
    with progress_watcher() as watcher:
        figures = bench(setup, seconds, watcher)
    if as_json:
        say_json(figures)
    else:
        print_bench(setup, figures)
