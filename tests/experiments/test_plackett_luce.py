"""Strengths from rankings: against `choix`, against published figures, and against the likelihood written out."""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy import optimize

from experiments.plackett_luce import choices_of, fit


def rankings(seed, n_games, strengths, size, levels=0):
    """Games as (agents, placings): `size` different agents each; with `levels`, scores are cut to so many, and tie."""
    generator = np.random.Generator(np.random.PCG64(seed))
    games = []
    for _ in range(n_games):
        agents = generator.permutation(len(strengths))[:size]
        times = generator.exponential(1 / np.exp(strengths[agents]))
        if levels:
            times = np.floor(np.minimum(times * levels / 2, levels))
        games.append((agents.tolist(), (1 + (times[:, None] > times[None, :]).sum(axis=1)).tolist()))
    return games


def fitted(games, n_agents, winners_only=False):
    """Strengths with mean 0, and the δ by size."""
    counts = Counter(choice for game in games for choice in choices_of(*game, n_agents, winners_only))
    answer = fit(list(counts), np.array([list(counts.values())], dtype=float), n_agents)
    ties = dict(zip(answer.tie_sizes, np.exp(answer.ties[0]).tolist(), strict=True))
    return answer.strengths[0] - answer.strengths[0].mean(), ties, bool(answer.bounded[0])


STRENGTHS = np.array([0.9, 0.2, 0.0, -0.3, -0.8])


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_without_ties_it_is_choix(size):
    choix = pytest.importorskip("choix")
    games = rankings(7 + size, 400, STRENGTHS, size)
    orders = [[agents[place] for place in np.argsort(placings)] for agents, placings in games]
    expected = choix.opt_rankings(5, orders, alpha=0.0, method="Newton-CG", tol=1e-12)
    found, ties, bounded = fitted(games, 5)
    assert bounded
    assert ties == {}
    assert found == pytest.approx(expected - expected.mean(), abs=1e-6)


# Five games in the overview of the R package PlackettLuce, as (agents, placings).
VIGNETTE = [([0, 1], [1, 2]), ([0, 2], [2, 1]), ([0, 3], [1, 2]), ([0, 1], [2, 1]), ([1, 2], [1, 2])]


def test_it_gives_the_figures_that_the_r_package_prints():
    """One item never wins there: with it, a ghost keeps the figures finite; without it, none is needed."""
    found, _, bounded = fitted(VIGNETTE, 4)
    assert not bounded
    assert found - found[0] == pytest.approx([0.0, 0.5184185, 0.1354707, -1.1537565], abs=5e-7)
    found, _, bounded = fitted([game for game in VIGNETTE if 3 not in game[0]], 3)
    assert bounded
    assert found - found[0] == pytest.approx([0.0, 0.8392, 0.4196], abs=5e-5)


def likelihood(parameters, games, sizes):
    """Equation 1 of Turner et al. 2020, written out over the sets of sides that could have been chosen."""
    strengths = np.exp(np.concatenate([[0.0], parameters[: len(parameters) - len(sizes)]]))
    delta = dict(zip(sizes, np.exp(parameters[len(parameters) - len(sizes) :]), strict=True)) | {1: 1.0}

    def weight(agents):
        return delta[len(agents)] * np.prod([strengths[agent] for agent in agents]) ** (1 / len(agents))

    total = 0.0
    for agents, placings in games:
        for place in sorted(set(placings)):
            there = [agent for agent, other in zip(agents, placings, strict=True) if other >= place]
            chosen = [agent for agent, other in zip(agents, placings, strict=True) if other == place]
            sets = [some for size in delta if size <= len(there) for some in itertools.combinations(there, size)]
            total += np.log(weight(chosen) / sum(weight(some) for some in sets))
    return total


@pytest.mark.parametrize(("size", "levels"), [(2, 3), (3, 4), (4, 3)])
def test_with_ties_it_is_the_likelihood_written_out(size, levels):
    games = rankings(3, 60, STRENGTHS[:4], size, levels)
    found, ties, bounded = fitted(games, 4)
    assert bounded
    assert ties
    sizes = sorted(ties)
    answer = optimize.minimize(
        lambda parameters: -likelihood(parameters, games, sizes), np.zeros(3 + len(sizes)), method="BFGS", tol=1e-9
    )
    assert found - found[0] == pytest.approx([0.0, *answer.x[:3]], abs=2e-4)
    assert [ties[each] for each in sizes] == pytest.approx(np.exp(answer.x[3:]).tolist(), rel=5e-4)
    at = np.concatenate([(found - found[0])[1:], np.log([ties[each] for each in sizes])])
    assert likelihood(at, games, sizes) >= -answer.fun - 1e-9


def test_neither_the_order_of_games_nor_the_names_matter():
    games = rankings(5, 300, STRENGTHS, 3, levels=4)
    expected, ties, _ = fitted(games, 5)
    assert fitted(games[::-1], 5)[0] == pytest.approx(expected, abs=1e-9)
    names = [3, 0, 4, 2, 1]
    renamed = [([names[agent] for agent in agents], placings) for agents, placings in games]
    found, same_ties, _ = fitted(renamed, 5)
    assert [found[name] for name in names] == pytest.approx(expected, abs=1e-9)
    assert same_ties == pytest.approx(ties)
    turned = [(agents[::-1], placings[::-1]) for agents, placings in games]
    assert fitted(turned, 5)[0] == pytest.approx(expected, abs=1e-9)


def test_a_third_place_is_no_better_than_a_shared_first():
    """What an online rating got wrong: two tied winners stay above the third."""
    games = [([0, 1, 2, 3, 4], [1, 1, 3, 4, 5]), ([2, 3, 4, 0, 1], [2, 3, 4, 5, 1])]
    found, _, _ = fitted(games, 5)
    assert found[1] > found[2] > found[3] > found[4]


def test_several_sides_of_one_agent_count_as_several():
    """One of agent 0 against three of agent 1, all alike: it wins a quarter."""
    games = [([0, 1, 1, 1], [1, 2, 2, 2])] * 25 + [([0, 1, 1, 1], [2, 1, 2, 2])] * 75
    found, _, _ = fitted(games, 2, winners_only=True)
    assert found == pytest.approx([0.0, 0.0], abs=1e-9)


def test_strengths_come_back_from_many_games():
    found, _, _ = fitted(rankings(1, 20_000, STRENGTHS, 3), 5)
    assert found == pytest.approx(STRENGTHS - STRENGTHS.mean(), abs=0.05)
    winners, _, _ = fitted(rankings(1, 20_000, STRENGTHS, 3), 5, winners_only=True)
    assert winners == pytest.approx(STRENGTHS - STRENGTHS.mean(), abs=0.08)


def test_extreme_results_stay_finite():
    for games in ([([0, 1], [1, 2])] * 50, [([0, 1], [1, 1])] * 50, [([0, 1], [1, 2]), ([2, 3], [1, 2])]):
        found, _, _ = fitted(games, 4)
        assert np.isfinite(found).all()
        assert np.abs(found).max() < 50


def test_fits_of_a_batch_are_those_of_each_alone():
    games = rankings(2, 200, STRENGTHS, 3, levels=4)
    choices = sorted({choice for game in games for choice in choices_of(*game, 5, False)})
    generator = np.random.Generator(np.random.PCG64(1))
    counts = generator.integers(0, 6, size=(6, len(choices))).astype(float)
    together = fit(choices, counts, 5)
    for row in range(6):
        assert fit(choices, counts[row : row + 1], 5).strengths[0] == pytest.approx(together.strengths[row], abs=1e-8)
