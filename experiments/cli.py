"""The command line. Everything slow is imported inside the commands, so `--help` answers at once."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from engine.contract import Setup
    from experiments.cluster import Place

USAGE_ERROR: Any = typer.BadParameter.__base__  # click's, wherever this version of typer keeps it

app = typer.Typer(
    name="pizzabots",
    help="Agent research and tournament simulator for five tabletop games.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

GameArgument = Annotated[str, typer.Argument(metavar="GAME", help="id of a game, see `pizzabots games`")]
PlayersOption = Annotated[int | None, typer.Option("--players", help="number of players [default: the game's]")]
OptionOption = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="an option of the game; repeat for more")
]
AgentsOption = Annotated[
    list[str] | None,
    typer.Option("--agents", metavar="AGENT…", help="agents, separated by spaces: greedy mcts:iterations=100"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="print JSON")]
SeedOption = Annotated[int, typer.Option("--seed", help="master seed")]
WorkersOption = Annotated[int, typer.Option("--workers", help="play in so many Ray workers", min=0)]
RayOption = Annotated[str, typer.Option("--ray", metavar="ADDRESS", help="a running Ray cluster")]
FaultOption = Annotated[str, typer.Option("--on-fault", help="forfeit, random or abort")]
SecondsOption = Annotated[float, typer.Option("--move-seconds", help="after which a plain Python agent counts as hung")]


@app.command("games")
def games_command(as_json: JsonOption = False) -> None:
    """List the games with their players, options and styles."""
    from engine.contract import find_game, game_names

    facts = [find_game(name) for name in game_names()]
    if as_json:
        _print_json([_game_facts(game) for game in facts])
        return
    for game in facts:
        kind = "cooperative" if game.cooperative else "competitive"
        _print(f"{game.name}   {game.players_text} players, {kind}")
        _print(f"    {game.title}: {game.summary}")
        for option in game.options:
            _print(f"    --option {option.name}={_shown(option.default)}   {option.meaning} ({option.allowed})")
        if game.styles:
            _print("    styles of greedy:")
        for style in game.styles:
            _print(f"        {style.name}   {style.meaning}")


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
        _print_json(
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
        _print(f"{agent.name}   {agent.summary}")
        for name, fact in agent.knob_facts.items():
            choices = f" ({', '.join(fact.choices)})" if fact.choices else ""
            _print(f"    {name}={_shown(agent.knobs._field_defaults[name])}   {fact.meaning}{choices}")
    _print("module:Class   your own: a class with choose(view), or the registered knobs of a compiled agent")


@app.command("score")
def score_command(
    game: GameArgument,
    positions: Annotated[list[str], typer.Argument(metavar="POSITION…", help="what to score; - reads one a line")],
    option: OptionOption = None,
    players: PlayersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score positions and explain them, feature by feature."""
    setup = _load(game, players, option)
    n_wrong = 0
    for position in _each_position(positions):
        try:
            answer = setup.game.notation.explain(position, setup.options, players)
        except ValueError as error:
            n_wrong += 1
            if as_json:
                _print(json.dumps({"position": position, "error": str(error)}))
            else:
                _complain(str(error))
            continue
        if as_json:
            _print(json.dumps({"position": position, **answer}))
        else:
            words = ", ".join(f"{each['name']} {each['points']:+d}" for each in answer["features"])
            _print(f"{position}: {answer['points']} points" + (f" ({words})" if words else " (no features)"))
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

    say = (lambda words: None) if as_json and human is None else _print
    if position is None:
        setup = _load(game, players, option)
        chosen = agents or list(setup.game.default_agents[-2:-1])
        transcript = play_deal(setup, chosen, seed, deal, human, _ask, say)
    else:
        from engine.contract import find_game

        setup, start = read_position(position, find_game(game), players, _options(option))
        chosen = agents or list(setup.game.default_agents[-2:-1])
        transcript = play_game(setup, chosen, start, seat_streams(setup, seed, deal), human, _ask, say)
    if as_json:
        _print_json(transcript)


def _ask(question: str) -> str:
    print(question, end=" ", file=sys.stderr, flush=True)  # noqa: T201
    answer = sys.stdin.readline()
    if not answer:
        raise ValueError("the game was left: there is no more input")
    return answer.strip()


@app.command("tournament")
def tournament_command(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="id of a game")] = "robots-ate-our-pizza",
    agents: AgentsOption = None,
    option: OptionOption = None,
    players: PlayersOption = None,
    deals: Annotated[int, typer.Option("--deals", help="deals that every line-up plays")] = 1000,
    seed: SeedOption = 1,
    schedule: Annotated[
        str | None, typer.Option("--schedule", help="self, cross, round-robin or gauntlet [default: by the game]")
    ] = None,
    keep: Annotated[str, typer.Option("--keep", help="rows, or summary: memory that does not grow")] = "rows",
    on_fault: FaultOption = "forfeit",
    move_seconds: SecondsOption = 60.0,
    workers: Annotated[int, typer.Option("--workers", help="Ray workers [default: one a core]", min=0)] = 0,
    serial: Annotated[bool, typer.Option("--serial", help="stay in this process, without Ray")] = False,
    ray: Annotated[str, typer.Option("--ray", metavar="ADDRESS", help="a running Ray cluster")] = "",
    out: Annotated[Path | None, typer.Option("--out", help="folder of the run [default: below results/]")] = None,
    charts: Annotated[bool, typer.Option("--charts/--no-charts", help="draw the pictures")] = True,
    as_json: JsonOption = False,
) -> None:
    """Play a tournament: every line-up of a schedule on the same deals."""
    from experiments.matches import Conduct
    from experiments.terminal import print_outcome, progress_watcher
    from experiments.tournament import default_folder, plan_tournament, play_tournament

    place = _place(serial, ray, workers)
    setup = _load(game, players, option)
    conduct = Conduct(on_fault, move_seconds)
    plan = plan_tournament(setup, agents or setup.game.default_agents, deals, seed, schedule, keep, conduct)
    folder = default_folder(plan) if out is None else out
    with progress_watcher() as watcher:
        outcome = play_tournament(plan, folder, place, watcher)
        wants_ratings = not setup.cooperative and len(plan.players) > 1
        ratings = None
        if wants_ratings and keep == "rows" and not (as_json and not charts):
            from experiments.ratings import rate_run

            ratings = rate_run(folder)
        pictures = []
        if charts:
            from experiments.charts import draw_tournament

            watcher.say("drawing …")
            pictures = draw_tournament(setup, outcome.lines, folder, ratings)
    if as_json:
        _print((folder / "summary.json").read_text(encoding="utf-8").rstrip())
    else:
        print_outcome(outcome, folder, pictures)
        if ratings is not None:
            from experiments.answers import print_ratings

            print_ratings(setup, ratings)
        elif wants_ratings:
            _print("ratings and comparisons of pairs stand on rows: --keep rows has them")
    _report_faults(outcome.lines)


def _report_faults(lines: Any) -> None:
    """Say once for each agent what it did wrong, and end with a failure."""
    faulty = {
        each.agent: (sum(other.n_faults for line in lines for other in line.agents if other.agent == each.agent), each)
        for line in lines
        for each in line.agents
        if each.n_faults
    }
    for agent, (count, each) in faulty.items():
        _complain(
            f"agent {agent} broke off or spoiled {count:,} game{'s' if count > 1 else ''}; one time it {each.fault}"
        )
    if faulty:
        raise typer.Exit(1)


@app.command("compare")
def compare_command(
    game: GameArgument,
    first: Annotated[str, typer.Argument(metavar="A", help="an agent")],
    second: Annotated[str, typer.Argument(metavar="B", help="another agent")],
    option: OptionOption = None,
    players: PlayersOption = None,
    seed: SeedOption = 1,
    difference: Annotated[
        float, typer.Option("--difference", help="smallest difference that matters, in standard deviations of a block")
    ] = 0.1,
    alpha: Annotated[float, typer.Option("--alpha", help="chance to call one better where both are equal")] = 0.05,
    beta: Annotated[float, typer.Option("--beta", help="chance to miss a true difference of that size")] = 0.05,
    max_blocks: Annotated[int, typer.Option("--max-blocks", help="blocks (deals in all seatings) at most")] = 10_000,
    on_fault: FaultOption = "forfeit",
    move_seconds: SecondsOption = 60.0,
    workers: WorkersOption = 0,
    ray: RayOption = "",
    as_json: JsonOption = False,
) -> None:
    """Which of two agents is better: play until a sequential test decides, and estimate by how much."""
    from experiments.answers import comparison_bar, print_comparison
    from experiments.compare import Sampling, compare_agents
    from experiments.matches import Conduct
    from experiments.sequential import Hypotheses

    setup = _load(game, players, option)
    hypotheses = Hypotheses(difference, alpha, beta)
    sampling = Sampling(seed, hypotheses, max_blocks, Conduct(on_fault, move_seconds))
    place = _place(not workers and not ray, ray, workers)
    with comparison_bar(first, second, hypotheses, max_blocks) as (watcher, look):
        answer = compare_agents(setup, first, second, sampling, place, watcher, look)
    if as_json:
        _print_json(answer.as_json())
    else:
        print_comparison(setup, answer, seed)
    if answer.faults:
        _complain(f"agent {answer.faults[0]}; such games are lost for it")
        raise typer.Exit(1)


@app.command("ratings")
def ratings_command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="folder of a run that kept its rows")],
    anchor: Annotated[str | None, typer.Option("--anchor", help="agent at 0 [default: the first of the run]")] = None,
    planned: Annotated[
        list[str] | None, typer.Option("--planned", metavar="'A vs B'", help="a comparison planned beforehand; repeat")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Rate the agents of a finished run, or in a cooperative game tell its teams apart."""
    from experiments.answers import print_ratings
    from experiments.ratings import rate_run, setup_of_run

    setup = setup_of_run(run)
    answer = rate_run(run, anchor, planned or [])
    if as_json:
        _print_json(answer.as_json())
    else:
        print_ratings(setup, answer)


@app.command("repro")
def repro_command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="folder of a run")],
    workers: WorkersOption = 0,
    serial: Annotated[bool, typer.Option("--serial", help="stay in this process, without Ray")] = False,
    ray: RayOption = "",
    as_json: JsonOption = False,
) -> None:
    """Play a run again and compare every byte with what it left."""
    from experiments.answers import print_repetition
    from experiments.repro import repeat_run
    from experiments.terminal import progress_watcher

    place = _place(serial, ray, workers)
    with progress_watcher() as watcher:
        answer = repeat_run(run, place, watcher)
    if as_json:
        _print_json(answer.as_json())
    else:
        print_repetition(answer)
    if not answer.is_same:
        raise typer.Exit(1)


@app.command("luck")
def luck_command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="folder of a cooperative run that kept its rows")],
    par: Annotated[str, typer.Option("--par", help="an agent, or clairvoyant: what a deal is worth")] = "greedy",
    par_deals: Annotated[int, typer.Option("--par-deals", help="further deals that tell the mean par")] = 20_000,
    as_json: JsonOption = False,
) -> None:
    """Take the luck of the deal out of the results of a finished run."""
    from experiments.answers import print_luck
    from experiments.luck import luck_of_run
    from experiments.ratings import setup_of_run
    from experiments.terminal import progress_watcher

    setup = setup_of_run(run)
    with progress_watcher() as watcher:
        answer = luck_of_run(run, par, par_deals, watcher)
    if as_json:
        _print_json(answer.as_json())
    else:
        print_luck(setup, answer)


@app.command("seat-advantage")
def seat_advantage_command(
    game: GameArgument,
    agents: AgentsOption = None,
    option: OptionOption = None,
    players: PlayersOption = None,
    deals: Annotated[int, typer.Option("--deals", help="deals that each agent plays with copies of itself")] = 2000,
    seed: SeedOption = 1,
    on_fault: FaultOption = "forfeit",
    move_seconds: SecondsOption = 60.0,
    workers: WorkersOption = 0,
    ray: RayOption = "",
    as_json: JsonOption = False,
) -> None:
    """Does the chair matter: what each seat gets when copies of an agent take them all."""
    from agents import split_specs
    from experiments.answers import print_seat_advantage
    from experiments.matches import Conduct
    from experiments.seat_advantage import seat_advantage
    from experiments.terminal import progress_watcher

    setup = _load(game, players, option)
    place = _place(not workers and not ray, ray, workers)
    conduct = Conduct(on_fault, move_seconds)
    with progress_watcher() as watcher:
        names = split_specs(agents or setup.game.default_agents[-2:-1] or setup.game.default_agents)
        answers = [seat_advantage(setup, name, deals, seed, place, watcher, conduct) for name in names]
    if as_json:
        _print_json([answer.as_json() for answer in answers])
    else:
        print_seat_advantage(setup, answers, seed)
    for answer in answers:
        if answer.n_faults:
            _complain(f"agent {answer.agent} broke off or spoiled {answer.n_faults:,} games")
    if any(answer.n_faults for answer in answers):
        raise typer.Exit(1)


@app.command("thresholds")
def thresholds_command(
    agents: AgentsOption = None,
    tasks: Annotated[str, typer.Option("--tasks", help="tasks by commas, or all [default: 1]")] = "",
    players: Annotated[str, typer.Option("--players", help="numbers of players by commas, or all")] = "all",
    weights: Annotated[
        str, typer.Option("--weights", help="parts of the agents in the mixture, by commas [default: equal]")
    ] = "",
    chances: Annotated[
        str,
        typer.Option("--chances", help="of losing 0,1,2,3 slices by commas; or rulebook, even, awesome, starving"),
    ] = "rulebook",
    deals: Annotated[int | None, typer.Option("--deals", help="games of each agent's team [default: 20,000]")] = None,
    seed: SeedOption = 1,
    run: Annotated[
        list[Path] | None, typer.Option("--run", metavar="RUN", help="play nothing, ask this finished run; repeat")
    ] = None,
    workers: WorkersOption = 0,
    ray: RayOption = "",
    out: Annotated[Path | None, typer.Option("--out", help="write a tables file that sessions read")] = None,
    as_json: JsonOption = False,
) -> None:
    """Tune slices-lost tables: the totals that should cost a slice, for a team of bots and wanted chances."""
    from agents import split_specs
    from experiments.answers import print_thresholds
    from experiments.results import new_file, write_whole
    from experiments.terminal import progress_watcher
    from experiments.thresholds import (
        PlayedGames,
        Source,
        StoredRuns,
        check_weights,
        parse_numbers,
        parse_weights,
        tables_text,
        tune,
    )

    place = _place(not workers and not ray, ray, workers)
    wanted_tasks = parse_numbers("tasks", tasks or "1", 1, 24)
    wanted_players = parse_numbers("players", players, 2, 6)
    parts = parse_weights(weights)
    if out is not None:
        new_file(out)
    if run and (agents or tasks or deals is not None):
        raise ValueError("--run asks finished games, so --agents, --tasks and --deals say nothing with it")
    with progress_watcher() as watcher:
        source: Source
        if run:
            source = StoredRuns(run)
            pairs = [(task, number) for task, number in source.tables() if number in wanted_players]
            if not pairs:
                raise ValueError(f"none of the runs has {players} players")
            command = "".join(f" --run {each}" for each in run)
        else:
            names = split_specs(agents or ["greedy:style=team"])
            check_weights(parts, len(names))
            n_deals = 20_000 if deals is None else deals
            source = PlayedGames(names, n_deals, seed, place, watcher)
            pairs = [(task, number) for task in wanted_tasks for number in wanted_players]
            command = f" --agents {' '.join(names)} --tasks {tasks or 1} --deals {n_deals} --seed {seed}"
        answers = [tune(source, task, number, parts, chances) for task, number in pairs]
    if out is not None:
        command += f" --players {players}{f' --weights {weights}' if weights else ''} --chances {chances}"
        write_whole(out, tables_text(answers, f"pizzabots thresholds{command}").encode())
    if as_json:
        _print_json([answer.as_json() for answer in answers])
    else:
        print_thresholds(answers)


@app.command("session")
def session_command(
    mode: Annotated[str, typer.Argument(metavar="[MODE]", help="base, cheese, … or combo")] = "base",
    agents: AgentsOption = None,
    option: OptionOption = None,
    players: PlayersOption = None,
    deals: Annotated[int, typer.Option("--deals", help="games of each task, and sessions")] = 2000,
    seed: SeedOption = 1,
    workers: WorkersOption = 0,
    ray: RayOption = "",
    as_json: JsonOption = False,
) -> None:
    """What four tasks of Robots Ate Our Pizza leave: slices and grades, worked out exactly and checked by play."""
    from experiments.answers import print_sessions
    from experiments.session import session_view
    from experiments.terminal import progress_watcher
    from experiments.thresholds import GAME

    place = _place(not workers and not ray, ray, workers)
    setup = _load(GAME, players, [f"mode={mode}", *(option or [])])
    chosen = agents or list(setup.game.default_agents)
    with progress_watcher() as watcher:
        answers = session_view(setup, chosen, deals, seed, place, watcher)
    if as_json:
        _print_json([answer.as_json() for answer in answers])
    else:
        print_sessions(setup, answers, seed)


@app.command("study")
def study_command(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="a study [default: list them]")] = "",
    agents: AgentsOption = None,
    players: PlayersOption = None,
    deals: Annotated[int | None, typer.Option("--deals", help="how much to play [default: the study's]")] = None,
    seed: SeedOption = 1,
    workers: WorkersOption = 0,
    ray: RayOption = "",
    out: Annotated[Path, typer.Option("--out", help="folder for figures and picture")] = Path("results/studies"),
    as_json: JsonOption = False,
) -> None:
    """Draw a chart that explains how a game is played; without a name, list the charts."""
    from agents import split_specs
    from experiments.studies import Request, find_study, run_study, studies
    from experiments.terminal import progress_watcher

    place = _place(not workers and not ray, ray, workers)
    if not name:
        listed = list(studies().values())
        if as_json:
            facts = [(each.name, each.game, each.summary, list(each.agents), each.deals) for each in listed]
            _print_json(
                [dict(zip(("study", "game", "summary", "agents", "deals"), each, strict=True)) for each in facts]
            )
            return
        for each in listed:
            _print(f"{each.name}   {each.game}: {each.summary}")
        return
    study = find_study(name)
    chosen = tuple(split_specs(agents)) if agents else study.agents
    with progress_watcher() as watcher:
        request = Request(chosen, players, study.deals if deals is None else deals, seed, place, watcher)
        paths = run_study(study, request, out)
    if as_json:
        _print(paths[0].read_text(encoding="utf-8").rstrip())
        return
    for path in paths:
        _print(f"wrote {path}")


@app.command("charts")
def charts_command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="folder of a finished run")],
    out: Annotated[Path | None, typer.Option("--out", help="folder for the pictures [default: the run's]")] = None,
    as_json: JsonOption = False,
) -> None:
    """Draw all pictures of a finished run again, from its folder, without playing."""
    from experiments.charts import figures_of_run, save_all
    from experiments.results import make_folder, read_config
    from experiments.terminal import progress_watcher

    read_config(run)
    folder = run if out is None else out
    make_folder(folder)
    with progress_watcher() as watcher:
        watcher.say("drawing …")
        paths = save_all(figures_of_run(run), folder)
    if as_json:
        _print_json([str(path) for path in paths])
        return
    for path in paths:
        _print(f"wrote {path}")


@app.command("report")
def report_command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="folder of a finished run")],
    out: Annotated[Path | None, typer.Option("--out", help="the page [default: report.html in the folder]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print what the page says as JSON, too")] = False,
) -> None:
    """Write one HTML page about a run: verdicts in words, tables that sort, charts, and where it all comes from."""
    from experiments.report import write_report

    report, path = write_report(run, out)
    if as_json:
        _print_json(report.as_json())
    else:
        _print(f"wrote {path}")


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

    setups = [_load(name, players, option) for name in game or game_names()]
    with progress_watcher() as watcher:
        answers = [check_agent(setup, spec, deals, seed, move_seconds, watcher) for setup in setups]
    if as_json:
        _print_json([answer.as_json() for answer in answers])
    else:
        print_agent_checks(answers)
    if not all(answer.passed for answer in answers):
        _complain(f"agent {spec} failed in {', '.join(answer.game for answer in answers if not answer.passed)}")
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

    setup = _load(game, players, option)
    with progress_watcher() as watcher:
        figures = bench(setup, seconds, watcher)
    if as_json:
        _print_json(figures)
    else:
        print_bench(setup, figures)


@app.command("pizza-set")
def pizza_set_command(
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="a card set of Pizza Time [default: ours]")] = "",
    geometry: Annotated[str, typer.Option("--geometry", help="seams or sum")] = "seams",
    piles: Annotated[str, typer.Option("--piles", help="six numbers, or four lists with / between")] = "",
    hardest: Annotated[int, typer.Option("--hardest", help="how many of the hardest orders to list", min=0)] = 5,
    search: Annotated[bool, typer.Option("--search", help="look for a better set")] = False,
    types: Annotated[int, typer.Option("--types", help="search: toppings on which to fill orders", min=2, max=4)] = 4,
    steps: Annotated[int, typer.Option("--steps", help="search: how long", min=1, max=10_000_000)] = 5000,
    change: Annotated[str, typer.Option("--change", help="search: change halves, or all entries")] = "halves",
    seed: SeedOption = 1,
    out: Annotated[Path | None, typer.Option("--out", help="search: the file to write")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="search: the file may be there")] = False,
    as_json: JsonOption = False,
) -> None:
    """Report what a card set of Pizza Time can do, and search for a better one."""
    from experiments import pizza_set
    from experiments.terminal import progress_watcher

    _one_of("geometry", geometry, pizza_set.GEOMETRIES)
    _one_of("change", change, pizza_set.CHANGES)
    card_set, found_piles = pizza_set.load_set(file, geometry, piles)
    facts = pizza_set.report(pizza_set.count(card_set, geometry, found_piles), hardest)
    title = file or "our set"
    if not search:
        if as_json:
            _print_json(facts)
        else:
            pizza_set.print_report(facts, title)
        return
    if out is None:
        raise ValueError("--search wants --out FILE for the set that it finds")
    if out.exists() and not overwrite:
        raise ValueError(f"{str(out)!r} is there already; --overwrite writes over it")
    with progress_watcher() as watcher:
        found = pizza_set.search(card_set, geometry, found_piles, types, steps, seed, change, watcher)
    if found.cost >= found.first_cost:
        raise ValueError(f"{steps:,} steps found no set better than {title}; more steps or another seed may")
    command = f"pizza-set {title} --search --types {types} --steps {steps} --change {change} --seed {seed}"
    pizza_set.write_set(found, out, overwrite, f"Found by pizzabots: {command}")
    after = pizza_set.report(pizza_set.count(found.card_set, geometry, found_piles), hardest)
    if as_json:
        _print_json({"before": facts, "after": after, "step": found.step, "written": str(out)})
    else:
        pizza_set.print_report(facts, title)
        pizza_set.print_report(after, str(out))
        _print(f"found at step {found.step:,}; wrote {out}")


@app.command("pizza-pace")
def pizza_pace_command(
    agents: AgentsOption = None,
    players: Annotated[
        list[int] | None, typer.Option("--players", help="number of players; repeat for more [default: 2 3 4]")
    ] = None,
    base: Annotated[int, typer.Option("--base", help="pace of the others, in ticks", min=1, max=100)] = 8,
    slowest: Annotated[int, typer.Option("--slowest", help="slowest pace of the slow player", min=1, max=100)] = 16,
    deals: Annotated[int, typer.Option("--deals", help="games a point", min=1)] = 20_000,
    option: OptionOption = None,
    seed: SeedOption = 1,
    serial: Annotated[bool, typer.Option("--serial", help="stay in this process, without Ray")] = False,
    out: Annotated[Path, typer.Option("--out", help="folder for figures and picture")] = Path("results/pizza-pace"),
    as_json: JsonOption = False,
) -> None:
    """Draw the wins that are left to one player of Pizza Time whose movements take longer."""
    from agents import split_specs
    from experiments import pizza_pace
    from experiments.cluster import Place
    from experiments.terminal import progress_watcher

    if slowest < base:
        raise ValueError(f"the slowest pace is at least the pace of the others, {base}, not {slowest}")
    options = _options(option)
    if "pace" in options:
        raise ValueError("the paces are what is measured: give --base and --slowest instead of the option pace")
    paces = range(base, slowest + 1)
    seated = split_specs(agents or ["greedy:style=planner"])
    with progress_watcher() as watcher:
        found = pizza_pace.play_handicaps(
            seated, players or [2, 3, 4], paces, base, deals, seed, Place(serial=serial), options, watcher
        )
    paths = pizza_pace.write(found, seed, out)
    facts = pizza_pace.as_json(found, seed)
    if as_json:
        _print_json(facts)
        return
    for each in found:
        half = 50 * (each.high - each.low)
        words = f"{each.agent}, {each.players} players, {each.slowdown:.3f} times as slow"
        _print(f"{words}: {100 * each.share:.2f} ± {half:.2f} % won")
    for line in facts["summary"]:
        for name, what in (("a_third_at", "a third of the games"), ("half_of_fair_share_at", "half of the fair share")):
            if line[name] is not None:
                _print(f"{line['agent']}, {line['players']} players: {what} at {line[name]:.2f} times as slow")
    for path in paths:
        _print(f"wrote {path}")


def _place(serial: bool, address: str, workers: int) -> Place:
    """Return where to play; ValueError for flags that contradict each other."""
    from experiments.cluster import Place

    if serial and address:
        raise ValueError("--serial and --ray exclude each other: a run is either in this process or on a cluster")
    if serial and workers:
        raise ValueError("--serial and --workers exclude each other: workers are other processes")
    if address and workers:
        raise ValueError("--ray and --workers exclude each other: a cluster has the workers that it has")
    return Place(serial=serial, address=address, workers=workers)


def _one_of(name: str, value: str, allowed: Iterable[str]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} is {' or '.join(allowed)}, not {value!r}")


def _load(game: str, players: int | None, options: list[str] | None) -> Setup:
    from engine.contract import load_game

    return load_game(game, players=players, **_options(options))


def _options(options: list[str] | None) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for word in options or []:
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"an option is written NAME=VALUE, not {word!r}")
        if name in chosen:
            raise ValueError(f"option {name} is given twice")
        chosen[name] = value
    return chosen


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _print(words: str) -> None:
    print(words)  # noqa: T201


def _print_json(content: Any) -> None:
    _print(json.dumps(content, indent=2))


def _complain(sentence: str) -> None:
    print(f"pizzabots: {sentence}", file=sys.stderr)  # noqa: T201


def spread_lists(words: list[str]) -> list[str]:
    """Repeat `--agents` before each of the words that follow it, so that a list may be separated by spaces."""
    spread: list[str] = []
    inside = False
    for word in words:
        if inside and not word.startswith("-"):
            if spread[-1] != "--agents":
                spread.append("--agents")
            spread.append(word)
            continue
        inside = word == "--agents"
        spread.append(word)
    return spread


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; a user's mistake ends with one sentence and a non-zero exit."""
    words = spread_lists(sys.argv[1:] if arguments is None else arguments)
    sys.path.insert(0, "")  # agents' modules are looked for where the user stands
    try:
        code = app(words, prog_name="pizzabots", standalone_mode=False)
    except USAGE_ERROR as error:
        _complain(error.format_message())
        code = 2
    except ValueError as error:
        _complain(str(error))
        code = 2
    except typer.Exit as error:
        code = error.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        code = 1
    except OSError as error:  # such as a full disk
        where = "" if error.filename is None else f"{str(error.filename)!r}: "
        _complain(f"{where}{error.strerror or error}; what was finished is kept, the same command takes it up")
        code = 2
    except (KeyboardInterrupt, typer.Abort):
        _complain("stopped; what was finished is kept, the same command takes it up")
        code = 130
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
