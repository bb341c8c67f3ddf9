"""Commands that play matches, and those that ask finished runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.commands import (
    AgentsOption,
    FaultOption,
    GameArgument,
    JsonOption,
    OptionOption,
    PlayersOption,
    RayOption,
    SecondsOption,
    SeedOption,
    SerialOption,
    WorkersOption,
    app,
    complain,
    load_setup,
    place_of,
    say,
    say_json,
)

if TYPE_CHECKING:
    pass


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
    serial: SerialOption = False,
    ray: Annotated[str, typer.Option("--ray", metavar="ADDRESS", help="a running Ray cluster")] = "",
    out: Annotated[Path | None, typer.Option("--out", help="folder of the run [default: below results/]")] = None,
    charts: Annotated[bool, typer.Option("--charts/--no-charts", help="draw the pictures")] = True,
    as_json: JsonOption = False,
) -> None:
    """Play a tournament: every line-up of a schedule on the same deals."""
    from experiments.matches import Conduct
    from experiments.terminal import print_outcome, progress_watcher
    from experiments.tournament import default_folder, plan_tournament, play_tournament

    place = place_of(serial, ray, workers)
    setup = load_setup(game, players, option)
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
        say((folder / "summary.json").read_text(encoding="utf-8").rstrip())
    else:
        print_outcome(outcome, folder, pictures)
        if ratings is not None:
            from experiments.answers import print_ratings

            print_ratings(setup, ratings)
        elif wants_ratings:
            say("ratings and comparisons of pairs stand on rows: --keep rows has them")
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
        complain(
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

    setup = load_setup(game, players, option)
    hypotheses = Hypotheses(difference, alpha, beta)
    sampling = Sampling(seed, hypotheses, max_blocks, Conduct(on_fault, move_seconds))
    place = place_of(not workers and not ray, ray, workers)
    with comparison_bar(first, second, hypotheses, max_blocks) as (watcher, look):
        answer = compare_agents(setup, first, second, sampling, place, watcher, look)
    if as_json:
        say_json(answer.as_json())
    else:
        print_comparison(setup, answer, seed)
    if answer.faults:
        complain(f"agent {answer.faults[0]}; such games are lost for it")
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
    from experiments.results import command_of, read_config

    setup = setup_of_run(run)
    answer = rate_run(run, anchor, planned or [])
    if as_json:
        say_json({"command": command_of(read_config(run)), **answer.as_json()})
    else:
        print_ratings(setup, answer)


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
        say_json([str(path) for path in paths])
        return
    for path in paths:
        say(f"wrote {path}")


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
        say_json(report.as_json())
    else:
        say(f"wrote {path}")


@app.command("repro")
def repro_command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="folder of a run")],
    workers: WorkersOption = 0,
    serial: SerialOption = False,
    ray: RayOption = "",
    as_json: JsonOption = False,
) -> None:
    """Play a run again and compare every byte with what it left."""
    from experiments.answers import print_repetition
    from experiments.repro import repeat_run
    from experiments.terminal import progress_watcher

    place = place_of(serial, ray, workers)
    with progress_watcher() as watcher:
        answer = repeat_run(run, place, watcher)
    if as_json:
        say_json(answer.as_json())
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
        say_json(answer.as_json())
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

    setup = load_setup(game, players, option)
    place = place_of(not workers and not ray, ray, workers)
    conduct = Conduct(on_fault, move_seconds)
    with progress_watcher() as watcher:
        names = split_specs(agents or setup.game.default_agents[-2:-1] or setup.game.default_agents)
        answers = [seat_advantage(setup, name, deals, seed, place, watcher, conduct) for name in names]
    if as_json:
        say_json([answer.as_json() for answer in answers])
    else:
        print_seat_advantage(setup, answers, seed)
    for answer in answers:
        if answer.n_faults:
            complain(f"agent {answer.agent} broke off or spoiled {answer.n_faults:,} games")
    if any(answer.n_faults for answer in answers):
        raise typer.Exit(1)
