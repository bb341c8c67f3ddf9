"""Commands for designers: what results should cost, what a change of the rules does, what habits are worth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments.commands import (
    AgentsOption,
    DealsOption,
    GameArgument,
    JsonOption,
    OptionOption,
    PlayersOption,
    RayOption,
    SeedOption,
    SerialOption,
    WorkersOption,
    agents_or_usual,
    app,
    command_text,
    load_setup,
    make_out_folder,
    place_of,
    read_options,
    say_json,
    say_written,
)


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
    from experiments.cluster import ray_kept
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

    place = place_of(not workers and not ray, ray, workers)
    wanted_tasks = parse_numbers("tasks", tasks or "1", 1, 24)
    wanted_players = parse_numbers("players", players, 2, 6)
    parts = parse_weights(weights)
    if out is not None:
        new_file(out)
    if run and (agents or tasks or deals is not None):
        raise ValueError("--run asks finished games, so --agents, --tasks and --deals say nothing with it")
    with progress_watcher() as watcher, ray_kept():
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
        say_json([answer.as_json() for answer in answers])
    else:
        print_thresholds(answers)


@app.command("session")
def session_command(
    mode: Annotated[str, typer.Argument(metavar="[MODE]", help="base, cheese, … or combo")] = "base",
    agents: AgentsOption = None,
    option: OptionOption = None,
    players: PlayersOption = None,
    deals: Annotated[int, typer.Option("--deals", help="games of each task, and sessions")] = 500,
    seed: SeedOption = 1,
    serial: SerialOption = False,
    workers: WorkersOption = 0,
    ray: RayOption = "",
    as_json: JsonOption = False,
) -> None:
    """What four tasks of Robots Ate Our Pizza leave: slices and grades, worked out exactly and checked by play."""
    from experiments.answers import print_sessions
    from experiments.session import USUAL_AGENTS, session_view
    from experiments.terminal import progress_watcher
    from experiments.thresholds import GAME

    place = place_of(serial, ray, workers)
    setup = load_setup(GAME, players, [f"mode={mode}", *(option or [])])
    with progress_watcher() as watcher:
        answers = session_view(setup, agents or USUAL_AGENTS, deals, seed, place, watcher)
    if as_json:
        say_json([answer.as_json() for answer in answers])
    else:
        print_sessions(setup, answers, seed)


@app.command("diff")
def diff_command(
    game: GameArgument,
    change: Annotated[
        list[str] | None, typer.Option("--change", metavar="NAME=VALUE", help="an option to change; repeat for more")
    ] = None,
    agents: AgentsOption = None,
    option: OptionOption = None,
    players: PlayersOption = None,
    deals: DealsOption = 2000,
    seed: SeedOption = 1,
    schedule: Annotated[
        str | None, typer.Option("--schedule", help="self, cross, round-robin or gauntlet [default: by the game]")
    ] = None,
    workers: WorkersOption = 0,
    ray: RayOption = "",
    as_json: JsonOption = False,
) -> None:
    """What a change of the rules does: two settings of a game on common deals, with paired intervals."""
    from experiments.terminal import progress_watcher
    from experiments.what_if import Request, changed, diff
    from experiments.what_if_answers import print_diff

    setup = load_setup(game, players, option)
    changes = read_options(change, "change")
    changed(setup, changes)
    request = Request(
        agents_or_usual(setup, agents), deals, seed, schedule, place_of(not workers and not ray, ray, workers)
    )
    with progress_watcher() as watcher:
        answer = diff(setup, changes, request, watcher)
    if as_json:
        say_json(answer.as_json())
    else:
        print_diff(setup, answer)


@app.command("tornado")
def tornado_command(
    game: GameArgument,
    agents: AgentsOption = None,
    measure: Annotated[
        str, typer.Option("--measure", help="total, slices, points, margin or decisions [default: by the game]")
    ] = "",
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="an option to move; repeat [default: all]")
    ] = None,
    also: Annotated[
        list[str] | None, typer.Option("--also", metavar="NAME=VALUE", help="a further value to try; repeat for more")
    ] = None,
    option: OptionOption = None,
    players: PlayersOption = None,
    deals: DealsOption = 2000,
    seed: SeedOption = 1,
    workers: WorkersOption = 0,
    ray: RayOption = "",
    out: Annotated[Path | None, typer.Option("--out", help="folder for figures and picture")] = None,
    as_json: JsonOption = False,
) -> None:
    """Which options matter: each moved to each of its other values in turn, on common deals."""
    from experiments.terminal import progress_watcher
    from experiments.what_if import Request, moves_of, tornado
    from experiments.what_if_answers import print_tornado

    setup = load_setup(game, players, option)
    moves = moves_of(setup, only or [], _pairs(also))
    make_out_folder(out)
    request = Request(
        agents_or_usual(setup, agents), deals, seed, None, place_of(not workers and not ray, ray, workers)
    )
    with progress_watcher() as watcher:
        answer = tornado(setup, moves, request, measure, watcher)
    flags = {"--measure": measure, "--only": only, "--also": also, "--option": option, "--players": players}
    given = {"--agents": request.agents, **flags, "--deals": deals, "--seed": seed}
    facts = {"command": command_text("tornado", game, given), **answer.as_json()}
    if as_json:
        say_json(facts)
    else:
        print_tornado(setup, answer)
    if out is not None:
        from experiments.what_if_charts import draw_tornado, write_what_if

        paths = write_what_if(facts, lambda: draw_tornado(setup, answer), out / "tornado")
        say_written(paths, as_json)


def _pairs(words: list[str] | None) -> dict[str, list[str]]:
    """Read NAME=VALUE given several times for one name."""
    found: dict[str, list[str]] = {}
    for word in words or []:
        for name, value in read_options([word], "value to try").items():
            found.setdefault(name, []).append(value)
    return found


@app.command("restricted")
def restricted_command(
    game: GameArgument,
    agents: AgentsOption = None,
    forbid: Annotated[
        list[str] | None,
        typer.Option(
            "--forbid", metavar="HABIT", help="a habit of the game, see `pizzabots games`; repeat [default: all]"
        ),
    ] = None,
    option: OptionOption = None,
    players: PlayersOption = None,
    deals: DealsOption = 2000,
    seed: SeedOption = 1,
    workers: WorkersOption = 0,
    ray: RayOption = "",
    out: Annotated[Path | None, typer.Option("--out", help="folder for figures and picture")] = None,
    as_json: JsonOption = False,
) -> None:
    """What a power, a kind of move or some cards are worth: an agent is forbidden them, and what it loses tells."""
    from experiments.restricted import Scale, restrict
    from experiments.terminal import progress_watcher
    from experiments.what_if_answers import print_restriction

    setup = load_setup(game, players, option)
    names = agents_or_usual(setup, agents)
    if len(names) > 1:
        raise ValueError(f"one agent is restricted at a time, not {len(names)}: {', '.join(names)}")
    make_out_folder(out)
    scale = Scale(deals, seed, place_of(not workers and not ray, ray, workers))
    with progress_watcher() as watcher:
        answer = restrict(setup, names[0], forbid or [], scale, watcher)
    given = {"--agents": names, "--forbid": forbid, "--option": option, "--players": players}
    facts = {
        "command": command_text("restricted", game, {**given, "--deals": deals, "--seed": seed}),
        **answer.as_json(),
    }
    if as_json:
        say_json(facts)
    else:
        print_restriction(setup, answer)
    if out is not None:
        from experiments.what_if_charts import draw_restriction, write_what_if

        paths = write_what_if(facts, lambda: draw_restriction(setup, answer), out / "restricted")
        say_written(paths, as_json)


@app.command("calibrate")
def calibrate_command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV of real groups: total, and if you like players and task")
    ],
    agents: AgentsOption = None,
    players: Annotated[int | None, typer.Option("--players", help="of a file without that column [default: 4]")] = None,
    task: Annotated[int | None, typer.Option("--task", help="of a file without that column [default: 1]")] = None,
    tasks: Annotated[
        str, typer.Option("--tasks", help="tasks by commas, or all, whose cuts are wanted [default: those played]")
    ] = "",
    chances: Annotated[
        str,
        typer.Option("--chances", help="of losing 0,1,2,3 slices by commas; or rulebook, even, awesome, starving"),
    ] = "even",
    deals: Annotated[int, typer.Option("--deals", help="games of each agent's team")] = 20_000,
    replicates: Annotated[int, typer.Option("--replicates", help="resamples of the groups")] = 500,
    seed: SeedOption = 1,
    workers: WorkersOption = 0,
    ray: RayOption = "",
    out: Annotated[Path | None, typer.Option("--out", help="folder for figures and picture")] = None,
    as_json: JsonOption = False,
) -> None:
    """Which mixture of bots plays like real groups, and the totals that should cost these people a slice.

    FILE is a CSV with a heading: total (the team's result), and if you like players and task; one group a line.
    """
    from agents import split_specs
    from experiments.calibrate import Wanted, calibrate, read_playtests
    from experiments.terminal import progress_watcher
    from experiments.thresholds import parse_numbers
    from experiments.what_if_answers import print_calibration

    playtests = read_playtests(file, players, task)
    wanted = Wanted(
        split_specs(agents or ["uniform", "greedy:style=own", "greedy:style=team"]),
        parse_numbers("tasks", tasks, 1, 24) if tasks else (),
        chances,
        deals,
        replicates,
        seed,
    )
    place = place_of(not workers and not ray, ray, workers)
    make_out_folder(out)
    with progress_watcher() as watcher:
        answer = calibrate(playtests, wanted, place, watcher)
    given = {"--agents": wanted.agents, "--players": players, "--task": task, "--tasks": tasks, "--chances": chances}
    more = {"--deals": deals, "--replicates": replicates, "--seed": seed}
    facts = {"command": command_text("calibrate", str(file), {**given, **more}), **answer.as_json()}
    if as_json:
        say_json(facts)
    else:
        print_calibration(answer)
    if out is not None:
        from experiments.what_if_charts import draw_calibration, write_what_if

        say_written(write_what_if(facts, lambda: draw_calibration(answer), out / "calibration"), as_json)
