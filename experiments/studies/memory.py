"""What memory is worth in Pizza Chef: the share of the win by how many looks a player remembers.

One player remembers his last looks, as many as are drawn (agent `greedy:style=memory-of-k,weight=…`, with "all"
`greedy:style=perfect-memory`); all others are copies of the one agent asked for, which by default looks anywhere. A
block is a deal in which the player sits in every seat once; all memories play the same deals.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from matplotlib.figure import Figure

from engine.contract import load_game
from experiments.charts import MARKERS, PALETTE
from experiments.studies import Findings, Request, Study
from experiments.summary import Estimate
from experiments.tournament import plan_tournament, play_tournament

GAME = "pizza-chef"
LOOKS = (0, 1, 2, 4, 8, 16, None)  # None: all
PLAYERS = (3, 4, 6)


@dataclass(frozen=True)
class Memory:
    """What a player who remembers so many looks wins; `looks` is None for all of them."""

    looks: int | None
    agent: str
    players: int
    share: Estimate


def agent_with(looks: int | None) -> str:
    """Return the agent that remembers so many looks."""
    return "greedy:style=perfect-memory" if looks is None else f"greedy:style=memory-of-k,weight={looks}"


def play_memory(looks: int | None, players: int, request: Request) -> Memory:
    """Play one player with a memory against copies of the other agent."""
    setup = load_game(GAME, players=players)
    agents = [agent_with(looks), request.agents[0]]
    plan = plan_tournament(setup, agents, request.deals, request.seed, "gauntlet", "summary")
    (line,) = play_tournament(plan, None, request.place).lines
    share = next(each.share for each in line.agents if each.agent == agents[0])
    assert share is not None
    return Memory(looks, agents[0], players, share)


def run(request: Request) -> Findings:
    """Play all memories at three numbers of players, or the one that is asked for."""
    if len(request.agents) != 1:
        raise ValueError(f"memory plays against copies of one agent, not {len(request.agents)}")
    if request.agents[0] in map(agent_with, LOOKS):
        raise ValueError(f"the others cannot be {request.agents[0]}, which is one of the memories that are measured")
    numbers = PLAYERS if request.players is None else (request.players,)
    request.watcher.start(request.deals * sum(numbers) * len(LOOKS))
    found = []
    for players in numbers:
        for looks in LOOKS:
            found.append(play_memory(looks, players, request))
            request.watcher.advance(request.deals * players)
    facts = {"seed": request.seed, "deals": request.deals, "others": request.agents[0]}
    return Findings({**facts, "memories": [asdict(each) for each in found]}, draw(found, request))


def draw(found: list[Memory], request: Request) -> Figure:
    """Draw the share of the win against the looks remembered, a line a number of players; dashed: an even share."""
    figure = Figure(figsize=(7.5, 4.4), layout="constrained")
    panel = figure.subplots()
    for number, players in enumerate(dict.fromkeys(each.players for each in found)):
        line = [each for each in found if each.players == players]
        color = PALETTE[number % len(PALETTE)]
        panel.errorbar(
            range(len(line)),
            [100 * (each.share.mean or 0.0) for each in line],
            yerr=[100 * each.share.half_width for each in line],
            color=color,
            marker=MARKERS[number % len(MARKERS)],
            markersize=5,
            linewidth=1.2,
            capsize=3,
            label=f"{players} players",
        )
        panel.axhline(100 / players, color=color, linewidth=0.9, linestyle="--", zorder=1)
    panel.set_xticks(range(len(LOOKS)), ["all" if looks is None else str(looks) for looks in LOOKS])
    panel.set_xlabel("last looks that the player remembers")
    panel.set_ylabel("share of the win (%)")
    panel.set_ylim(bottom=0)
    panel.legend(frameon=False, fontsize=8, title="dashed: an even share", title_fontsize=8)
    figure.supxlabel(
        f"against copies of {request.agents[0]}; {request.deals:,} deals a point, the player once in each seat,\n"
        f"seed {request.seed}; bars: 95 % intervals",
        fontsize=8,
    )
    figure.suptitle("Pizza Chef: what memory is worth", fontweight="bold")
    return figure


STUDY = Study(
    name="memory",
    game=GAME,
    summary="share of the win by how many looks a player remembers",
    agents=("greedy:style=random-looker",),
    deals=2000,
    run=run,
)
