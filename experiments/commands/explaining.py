"""Commands that draw how games are played, and those of single games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from experiments.commands import (
    AgentsOption,
    JsonOption,
    OptionOption,
    PlayersOption,
    RayOption,
    SeedOption,
    SerialOption,
    WorkersOption,
    app,
    check_choice,
    place_of,
    read_options,
    say,
    say_json,
)

if TYPE_CHECKING:
    pass


@app.command("study")
def study_command(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="a study [default: list them]")] = "",
    agents: AgentsOption = None,
    players: PlayersOption = None,
    deals: Annotated[int | None, typer.Option("--deals", help="how much to play [default: the study's]")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="an option of the study; repeat for more")
    ] = None,
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

    place = place_of(not workers and not ray, ray, workers)
    if not name:
        listed = list(studies().values())
        if as_json:
            say_json(
                [
                    {
                        "study": each.name,
                        "game": each.game,
                        "summary": each.summary,
                        "agents": list(each.agents),
                        "deals": each.deals,
                        "options": dict(each.options),
                    }
                    for each in listed
                ]
            )
            return
        for each in listed:
            options = "".join(f" --option {name}={value}" for name, value in each.options.items())
            say(f"{each.name}{options}   {each.game}: {each.summary}")
        return
    study = find_study(name)
    chosen = tuple(split_specs(agents)) if agents else study.agents
    with progress_watcher() as watcher:
        n_deals = study.deals if deals is None else deals
        request = Request(chosen, players, n_deals, seed, place, watcher, read_options(option))
        paths = run_study(study, request, out)
    if as_json:
        say(paths[0].read_text(encoding="utf-8").rstrip())
        return
    for path in paths:
        say(f"wrote {path}")


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

    check_choice("geometry", geometry, pizza_set.GEOMETRIES)
    check_choice("change", change, pizza_set.CHANGES)
    card_set, found_piles = pizza_set.load_set(file, geometry, piles)
    facts = pizza_set.report(pizza_set.count(card_set, geometry, found_piles), hardest)
    title = file or "our set"
    if not search:
        if as_json:
            say_json(facts)
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
        say_json({"before": facts, "after": after, "step": found.step, "written": str(out)})
    else:
        pizza_set.print_report(facts, title)
        pizza_set.print_report(after, str(out))
        say(f"found at step {found.step:,}; wrote {out}")


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
    serial: SerialOption = False,
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
    options = read_options(option)
    if "pace" in options:
        raise ValueError("the paces are what is measured: give --base and --slowest instead of the option pace")
    paces = range(base, slowest + 1)
    seated = split_specs(agents or ["greedy:style=planner"])
    race = pizza_pace.Race(base, deals, seed, options, Place(serial=serial))
    with progress_watcher() as watcher:
        found = pizza_pace.play_handicaps(seated, players or [2, 3, 4], paces, race, watcher)
    paths = pizza_pace.write(found, seed, out)
    facts = pizza_pace.as_json(found, seed)
    if as_json:
        say_json(facts)
        return
    for each in found:
        half = 50 * (each.high - each.low)
        words = f"{each.agent}, {each.players} players, {each.slowdown:.3f} times as slow"
        say(f"{words}: {100 * each.share:.2f} ± {half:.2f} % won")
    for line in facts["summary"]:
        for name, what in (("a_third_at", "a third of the games"), ("half_of_fair_share_at", "half of the fair share")):
            if line[name] is not None:
                say(f"{line['agent']}, {line['players']} players: {what} at {line[name]:.2f} times as slow")
    for path in paths:
        say(f"wrote {path}")
