"""Which of two agents is better: decided while the blocks come in, and estimated apart from that.

The counts. Competitive games: a block is one deal with the first agent alone among copies of the second, in all
seatings; its score is the first agent's share of the win less the mean share of another side, per game, so 0 where
both are equal and 1 where the first wins everything. Cooperative games: a block is one deal, played once by a team of
copies of the first agent and once by a team of the second; its score is the difference of the teams' utilities, which
is their result on a scale from the worst to the best that the rules allow.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from typing import Any, cast

import numpy as np
import pyarrow.parquet as pq

from engine.contract import Setup
from experiments.cluster import Place, Report, play_parts
from experiments.inference import detectable, standard_error
from experiments.matches import Conduct
from experiments.schedule import Chunk, chunk_size, seatings
from experiments.sequential import OPEN, Hypotheses, Verdict, decide, peeking_estimate
from experiments.summary import Estimate
from experiments.tally import SHARE_UNITS
from experiments.tournament import MOST_DEALS, Plan, Watcher, compile_agents, plan_tournament

MOST_BLOCKS = 10_000  # unless the caller says otherwise
MOST_STEP = 1024  # blocks between two looks
STEPS_IN_CHUNK = 16  # a look comes that much more often than a tournament's chunk would end


@dataclass(frozen=True)
class Blocks:
    """What some consecutive deals came to, one element a block.

    `first` and `second` are shares of the win (competitive: of the first agent, and of another side) or results of
    the two teams (cooperative).
    """

    scores: np.ndarray
    first: np.ndarray
    second: np.ndarray
    faults: tuple[str, ...] = ()  # words of faults, agent first

    @staticmethod
    def joined(parts: list[Blocks]) -> Blocks:
        """Return all blocks in order."""
        scores, first, second = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("scores", "first", "second")
        )
        return Blocks(scores, first, second, tuple(words for part in parts for words in part.faults))

    def until(self, n_blocks: int) -> Blocks:
        """Return the first blocks."""
        return Blocks(self.scores[:n_blocks], self.first[:n_blocks], self.second[:n_blocks], self.faults)


@dataclass(frozen=True)
class Comparison:
    """The decision, and apart from it the estimate; intervals hold although the data decided when to stop."""

    agents: tuple[str, str]
    decision: str  # first, second, neither, or undecided where the blocks ran out
    hypotheses: Hypotheses
    verdict: Verdict
    n_games: int
    score: Estimate
    first: Estimate  # share of the win of the first agent, or result of its team
    second: Estimate
    deviation: float  # standard deviation of a block score
    smallest_effect: float | None  # score that as many blocks find with 90 % power
    faults: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the comparison as plain values."""
        least, most = self.hypotheses.bounds
        return {
            "agents": list(self.agents),
            "decision": self.decision,
            "n_blocks": self.verdict.n_blocks,
            "n_games": self.n_games,
            "hypotheses": asdict(self.hypotheses),
            "ratios": {
                "first_better": _finite(self.verdict.ratio_first),
                "second_better": _finite(self.verdict.ratio_second),
                "bounds": [least, most],
            },
            "fixed_size_blocks": self.hypotheses.fixed_blocks,
            "estimate": {
                "interval": "95 %, valid at any stopping time",
                "score": asdict(self.score),
                "first": asdict(self.first),
                "second": asdict(self.second),
                "block_standard_deviation": self.deviation,
                "found_with_90_percent_power": self.smallest_effect,
            },
            "faults": list(self.faults),
        }


def _finite(ratio: float) -> float:
    """Return a ratio as JSON can hold it: it is infinite where every block came out alike."""
    return min(max(ratio, -1e6), 1e6)


Look = Callable[[Verdict, Estimate], None]


@dataclass(frozen=True)
class Sampling:
    """What a comparison plays, and until when."""

    seed: int = 1
    hypotheses: Hypotheses = field(default_factory=Hypotheses)
    max_blocks: int = MOST_BLOCKS
    conduct: Conduct = field(default_factory=Conduct)


def compare_agents(
    setup: Setup,
    first: str,
    second: str,
    sampling: Sampling | None = None,
    place: Place | None = None,
    watcher: Watcher | None = None,
    look: Look = lambda verdict, estimate: None,
) -> Comparison:
    """Play blocks until the test decides, at most `max_blocks`; ValueError says what is wrong with the arguments.

    `look` is told how it stands after every step. The result does not depend on how many blocks a step has.
    """
    sampling = sampling or Sampling()
    hypotheses = sampling.hypotheses
    watcher = watcher or Watcher()
    plan = comparison_plan(setup, first, second, sampling)
    compile_agents(plan, watcher)
    watcher.say(f"{first} against {second}")
    parts: list[Blocks] = []
    with closing(play_blocks(plan, place or Place(serial=True))) as source:
        for part in source:
            parts.append(part)
            scores = np.concatenate([each.scores for each in parts])
            verdict = decide(scores, hypotheses)
            look(verdict, peeking_estimate(scores[: verdict.n_blocks], hypotheses.fixed_blocks))
            if verdict.decision != OPEN:
                break
    return _comparison(plan, hypotheses, verdict, Blocks.joined(parts).until(verdict.n_blocks))


def _comparison(plan: Plan, hypotheses: Hypotheses, verdict: Verdict, blocks: Blocks) -> Comparison:
    first, second = plan.match.agents
    tuned_for = hypotheses.fixed_blocks
    n_games = verdict.n_blocks * sum(len(seatings(line_up)) for line_up in plan.match.line_ups)
    many = verdict.n_blocks > 1
    return Comparison(
        agents=(first, second),
        decision=verdict.decision,
        hypotheses=hypotheses,
        verdict=verdict,
        n_games=n_games,
        score=peeking_estimate(blocks.scores, tuned_for),
        first=peeking_estimate(blocks.first[~np.isnan(blocks.first)], tuned_for),
        second=peeking_estimate(blocks.second[~np.isnan(blocks.second)], tuned_for),
        deviation=float(blocks.scores.std(ddof=1)) if many else 0.0,
        smallest_effect=detectable(standard_error(blocks.scores)) if many else None,
        faults=blocks.faults,
    )


def comparison_plan(setup: Setup, first: str, second: str, sampling: Sampling) -> Plan:
    """Return what a comparison plays at most, cut into steps: the line-ups that its blocks are made of."""
    max_blocks = sampling.max_blocks
    if not 1 <= max_blocks <= MOST_DEALS:
        raise ValueError(f"max-blocks is a whole number from 1 to {MOST_DEALS:,}, not {max_blocks!r}")
    schedule = "self" if setup.cooperative else "gauntlet"
    plan = plan_tournament(setup, [first, second], max_blocks, sampling.seed, schedule, conduct=sampling.conduct)
    if len(plan.players) != 2:
        raise ValueError(f"a comparison is of two agents, not {len(plan.players)}: {', '.join(plan.match.agents)}")
    step = min(MOST_STEP, chunk_size(1, STEPS_IN_CHUNK * sum(plan.work), 0))
    cut = [
        Chunk(line_up, deal, min(step, max_blocks - deal))
        for deal in range(0, max_blocks, step)
        for line_up in range(len(plan.match.line_ups))
    ]
    return Plan(setup, plan.players, plan.match, plan.schedule, max_blocks, tuple(cut), plan.work)


def play_blocks(plan: Plan, place: Place) -> Generator[Blocks, None, None]:
    """Play the steps of a comparison; yield their blocks in the order of the deals, whatever comes back first."""
    done: dict[int, dict[int, bytes]] = {}  # by first deal and line-up
    n_line_ups = len(plan.match.line_ups)
    next_deal = 0
    played = play_parts(plan.match, plan.chunks, plan.work, place, Report())
    with closing(cast("Generator[tuple[Chunk, bytes], None, None]", played)):  # Ray ends when the test has decided
        for chunk, content in played:
            done.setdefault(chunk.first_deal, {})[chunk.line_up] = content
            while len(done.get(next_deal, {})) == n_line_ups:
                contents = done.pop(next_deal)
                blocks = block_scores(plan, [contents[line_up] for line_up in range(n_line_ups)])
                yield blocks
                next_deal += len(blocks.scores)


def block_scores(plan: Plan, contents: list[bytes]) -> Blocks:
    """Read the scores of blocks from the parts of their line-ups."""
    faults = tuple(words for content in contents for words in _faults(content))
    if plan.setup.cooperative:
        utilities = [_by_block(plan, 0, content, "utility")[:, 0, 0] for content in contents]
        results = [_results(plan, content) for content in contents]
        return Blocks(utilities[0] - utilities[1], results[0], results[1], faults)
    units = np.rint(_by_block(plan, 0, contents[0], "share") * SHARE_UNITS).astype(np.int64)
    orders = np.array(seatings(plan.match.line_ups[0]))
    won = (units * (orders == 0)).sum(axis=(1, 2))  # of the first agent, in whole numbers: equal agents cancel exactly
    n_games, n_others = len(orders), len(set(plan.setup.sides)) - 1
    everything = n_games * SHARE_UNITS
    first = won / everything
    second = (everything - won) / (n_others * everything)
    return Blocks((won * (n_others + 1) - everything) / (n_others * everything), first, second, faults)


def _by_block(plan: Plan, line_up: int, content: bytes, column: str) -> np.ndarray:
    """Return a column as float64, shape (blocks, seatings, players)."""
    values = pq.read_table(io.BytesIO(content), columns=[column])[column].to_numpy()
    n_seatings = len(seatings(plan.match.line_ups[line_up]))
    return values.astype(np.float64).reshape(-1, n_seatings, plan.setup.players)


def _results(plan: Plan, content: bytes) -> np.ndarray:
    """Return the team's result of each game; not a number where the game was broken off."""
    points = _by_block(plan, 0, content, "points")[:, 0, :]
    broken = np.isnan(points).any(axis=1)
    results = plan.setup.game.total(plan.setup, np.where(np.isnan(points), 0, points).astype(np.int64))
    return np.where(broken, np.nan, results)


def _faults(content: bytes) -> Iterator[str]:
    table = pq.read_table(io.BytesIO(content), columns=["agent", "fault"])
    for agent, fault in dict.fromkeys(zip(table["agent"].to_pylist(), table["fault"].to_pylist(), strict=True)):
        if fault:
            yield f"{agent} {fault}"
