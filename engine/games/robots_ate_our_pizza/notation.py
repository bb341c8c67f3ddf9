"""Robots Ate Our Pizza as text: cards, hands, positions, explained scores. Plain Python.

A card is a color letter and a number: R1 … R8 red (Larry), B blue, Y yellow, P purple.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from engine.games.robots_ate_our_pizza.rules import (
    ANCHOVIES,
    ANCHOVIES_TARGET,
    COLORS,
    COMBO,
    DECK,
    DECK_SIZE,
    DEEP_DISH,
    FEWEST_SLICES,
    GOALS,
    HAND_SIZE,
    HIGHEST_NUMBER,
    MODES,
    N_CARDS,
    N_LEGS,
    N_NUMBERS,
    N_ROUNDS,
    N_SLICES,
    N_TASKS,
    ONE_TASK,
    PEPPERONI,
    PER_BLOCK,
    RED,
    RUN_BLOCKS,
    RUN_POINTS,
    RUNS,
    STATE,
    TOPPINGS,
    find_features,
    sign_features,
)
from engine.games.robots_ate_our_pizza.slices import grade, lost_by
from engine.positions import hold, number_lines, read_numbers, require, split_lines

COLOR_NAMES = {"R": "red", "B": "blue", "Y": "yellow", "P": "purple"}
GROUP_NAMES = {2: "pair", 3: "triple", 4: "quad"}
NO_CARD = 0xFF


def action_text(action: int) -> str:
    """Write the card of an action, as R1."""
    return COLORS[action // N_NUMBERS] + str(action % N_NUMBERS + 1)


def parse_action(text: str) -> int:
    """Read a card; ValueError says what is allowed."""
    word = text.strip().upper()
    if len(word) != 2 or word[0] not in COLORS or word[1] not in "12345678":
        raise ValueError(
            f"a card is a color of {', '.join(COLORS)} and a number 1 to 8 such as R3, not {text.strip()!r}"
        )
    return COLORS.index(word[0]) * N_NUMBERS + int(word[1]) - 1


def parse_cards(text: str) -> list[int]:
    """Read cards separated by spaces (commas and semicolons serve too); no card twice."""
    cards = [parse_action(word) for word in text.replace(",", " ").replace(";", " ").split()]
    for card in cards:
        if cards.count(card) > 1:
            raise ValueError(f"{action_text(card)} stands twice in {text.strip()!r}; every card exists once")
    return cards


def cards_text(cards: Iterator[int] | list[int]) -> str:
    """Write cards by color, then number."""
    return " ".join(action_text(card) for card in sorted(cards)) or "-"


def mask_cards(mask: int) -> list[int]:
    """List the cards of a bit mask, ascending."""
    return [card for card in range(N_CARDS) if int(mask) >> card & 1]


def hand_cards(state: Any, seat: int) -> list[int]:
    """List the cards that a seat holds, in the order in which they are packed."""
    packed = int(state["hands"][seat])
    cards = [packed >> (8 * place) & 0xFF for place in range(8)]
    return [card for card in cards if card != NO_CARD]


# Scores explained.


def explain(position: str, options: Mapping[str, Any], players: int | None = None) -> dict[str, Any]:
    """Score a hand of four cards in the task of `options`, feature by feature.

    Returns `points` and `features`, each with its name and points. With `players`, only cards of that deck are allowed.
    ValueError when the position is no hand.
    """
    cards = parse_cards(position)
    if len(cards) != N_ROUNDS:
        raise ValueError(f"a hand is {N_ROUNDS} cards, not {len(cards)}: {position.strip()!r}")
    highest = HIGHEST_NUMBER[players] if players else N_NUMBERS
    for card in cards:
        if card % N_NUMBERS >= highest:
            raise ValueError(f"with {players} players the numbers go to {highest}, so there is no {action_text(card)}")
    topping = (options["task"] - 1) // len(GOALS)
    features = list(explain_hand(cards, topping, RUNS.index(options["runs"])))
    return {
        "points": sum(points for _, points in features),
        "features": [{"name": name, "points": points} for name, points in features],
    }


def explain_hand(cards: list[int], topping: int, runs: int) -> Iterator[tuple[str, int]]:
    """Name every feature of a hand with its signed points; they add up to the hand's points."""
    features = find_features(np.array([sorted(cards)]), runs)
    signed = sign_features(features, topping)
    total = 0
    for color, letter in enumerate(COLORS):
        size, points = int(features.color_size[0, color]), int(signed.colors[0, color])
        if points:
            total += points
            yield f"{GROUP_NAMES[size]} of {COLOR_NAMES[letter]}", points
    for number in range(N_NUMBERS):
        size, points = int(features.number_size[0, number]), int(signed.numbers[0, number])
        if points:
            total += points
            yield f"{GROUP_NAMES[size]} of {number + 1}s", points
    for block, (length, first) in enumerate(RUN_BLOCKS):
        if not features.run_points[0, block]:
            continue
        for chosen in _runs_of_block(cards, length, first, runs):
            points = -RUN_POINTS[length] if _is_negative_run(chosen, topping) else RUN_POINTS[length]
            total += points
            yield f"run {'-'.join(action_text(card) for card in chosen)}", points
    if topping == ANCHOVIES:
        yield f"anchovies: distance of {total} from {ANCHOVIES_TARGET}", abs(total - ANCHOVIES_TARGET) - total


def _runs_of_block(cards: list[int], length: int, first: int, runs: int) -> Iterator[tuple[int, ...]]:
    by_number = [[card for card in sorted(cards) if card % N_NUMBERS == first + step] for step in range(length)]
    if runs == PER_BLOCK:
        yield tuple(itertools.chain.from_iterable(by_number))
    else:
        yield from itertools.product(*by_number)


def _is_negative_run(chosen: tuple[int, ...], topping: int) -> bool:
    has_red = any(card // N_NUMBERS == RED for card in chosen)
    return topping == PEPPERONI or (topping == DEEP_DISH and has_red)


# The table as a person sees it.


def task_text(task: int) -> str:
    """Name a task: number, topping and goal."""
    topping, goal = divmod(task - 1, len(GOALS))
    extra = "" if topping == 0 else f" with {TOPPINGS[topping]}"
    return f"Task {task}: {GOALS[goal]}{extra}"


def show(state: Any, player: int | None = None) -> str:
    """Draw the table; with `player`, only what that player sees (other hands as their number of cards)."""
    lines = [_headline(state)]
    for seat in range(int(state["players"])):
        mark = ">" if seat == int(state["seat"]) and int(state["rounds"]) < N_ROUNDS else " "
        picked = [int(card) for card in state["picks"][seat][: _n_picks(state, seat)]]
        if player is not None and _hides_pick(state, player, seat):
            laid = " ".join([*(action_text(card) for card in picked[:-1]), "??"])
        else:
            laid = " ".join(action_text(card) for card in picked) or "-"
        hand = hand_cards(state, seat)
        held = cards_text(hand) if player in (None, seat) else f"{len(hand)} cards"
        lines.append(f"{mark} seat {seat}   laid {laid:<12}  hand {held}")
    return "\n".join(lines)


def _headline(state: Any) -> str:
    task = task_text(int(state["task"]))
    where = "over" if int(state["rounds"]) == N_ROUNDS else f"round {int(state['rounds']) + 1} of {N_ROUNDS}"
    if int(state["mode"]) == ONE_TASK:
        return f"{task}, {where}"
    return f"{task} ({int(state['leg']) + 1} of {N_LEGS}), {where}, {int(state['slices'])} slices left"


def _n_picks(state: Any, seat: int) -> int:
    """Count the cards laid by a seat in this task."""
    if int(state["rounds"]) == N_ROUNDS:
        return N_ROUNDS
    players = int(state["players"])
    has_picked = (seat - int(state["first_player"])) % players < int(state["picked"])
    return int(state["rounds"]) + int(has_picked)


def _hides_pick(state: Any, player: int, seat: int) -> bool:
    picked_now = int(state["rounds"]) < N_ROUNDS and _n_picks(state, seat) > int(state["rounds"])
    return bool(state["simultaneous_picks"]) and seat != player and picked_now


def explain_result(state: Any) -> str:
    """Explain a finished game: every hand feature by feature, the team's result and, with a table, the slices."""
    if int(state["mode"]) != ONE_TASK:
        left = int(state["slices"])
        results = "\n".join(
            f"{task_text(int(task))}: {int(result)}"
            for task, result in zip(state["tasks"][: int(state["leg"]) + 1], state["results"], strict=False)
        )
        success = "a success" if left >= int(state["success_at"]) else "no success"
        return f"{results}\n{left} of {N_SLICES} slices left: {grade(left)} ({success})"
    topping, goal = divmod(int(state["task"]) - 1, len(GOALS))
    lines, scores = [], []
    for seat in range(int(state["players"])):
        cards = mask_cards(state["tableau"][seat])
        features = list(explain_hand(cards, topping, int(state["runs"])))
        scores.append(sum(points for _, points in features))
        words = ", ".join(f"{name} {points:+d}" for name, points in features) or "no features"
        lines.append(f"seat {seat}   {cards_text(cards)}   {scores[-1]:3d}   {words}")
    result = sum(scores) if goal < 2 else max(scores) - min(scores)
    lines.append(f"{GOALS[goal]}: {result}" + _slices_text(state, result))
    return "\n".join(lines)


def _slices_text(state: Any, result: int) -> str:
    task = int(state["task"])
    lost = lost_by(np.array([result]), state["cuts"][task - 1], task)
    return "" if lost is None else f"; slices lost: {int(lost[0])}"


# Audits.


def audit(state: Any) -> None:
    """Raise ValueError with the law that a state breaks: every card once, counts and phases in range."""
    _hold_players(state)
    players = int(state["players"])
    hold(1 <= int(state["task"]) <= N_TASKS, f"task {int(state['task'])} is not 1 to 24")
    hold(0 <= int(state["rounds"]) <= N_ROUNDS, f"rounds {int(state['rounds'])} is not 0 to 4")
    hold(int(state["mode"]) in range(COMBO + 1), f"mode {int(state['mode'])} is not in {MODES}")
    hold(int(state["runs"]) in range(len(RUNS)), f"runs {int(state['runs'])} is not in {RUNS}")
    hold(0 <= int(state["leg"]) < N_LEGS, f"leg {int(state['leg'])} is not 0 to {N_LEGS - 1}")
    if int(state["mode"]) != ONE_TASK:
        tasks = [int(task) for task in state["tasks"]]
        hold(all(1 <= task <= N_TASKS for task in tasks), f"tasks {tasks} are not all 1 to 24")
        hold(int(state["task"]) == tasks[int(state["leg"])], "the task is not the one of this leg of the session")
    hold(FEWEST_SLICES <= int(state["slices"]) <= N_SLICES, f"{int(state['slices'])} slices are left")
    for field in ("seat", "first_player", "picked"):
        hold(0 <= int(state[field]) < players, f"{field} {int(state[field])} is not 0 to {players - 1}")
    over = int(state["rounds"]) == N_ROUNDS
    turn = (int(state["seat"]) - int(state["first_player"])) % players
    hold(turn == int(state["picked"]), "the seat that moves is not the next after the picks of this round")
    deck = {int(card) for card in DECK[players][: DECK_SIZE[players]]}
    seen: set[int] = set()
    for seat in range(players):
        laid, held = mask_cards(state["tableau"][seat]), hand_cards(state, seat)
        n_picks = _n_picks(state, seat)
        n_held = HAND_SIZE - n_picks if not over else 1
        hold(len(laid) == n_picks, f"seat {seat} has laid {len(laid)} cards, not {n_picks}")
        hold(len(held) == n_held, f"seat {seat} holds {len(held)} cards, not {n_held}")
        history = sorted(int(card) for card in state["picks"][seat][:n_picks])
        hold(history == laid, f"seat {seat}: the cards laid are not those picked")
        for card in (*laid, *held):
            hold(card in deck, f"{action_text(card)} is not in the deck for {players} players")
            hold(card not in seen, f"{action_text(card)} is there twice")
            seen.add(card)


def _hold_players(state: Any) -> None:
    players = int(state["players"])
    hold(2 <= players <= len(HIGHEST_NUMBER) - 1, f"players {players} is not 2 to 6")


# Positions: `key=value` words, seats separated by |, cards by spaces; a picture of a whole record.

_NUMBERS = [
    "players",
    "task",
    "mode",
    "runs",
    "simultaneous_picks",
    "memory",
    "rotate_dealer",
    "with_replacement",
    "stop_at_zero",
    "success_at",
    "first_player",
    "seat",
    "picked",
    "rounds",
    "leg",
    "slices",
    "tasks",
    "results",
    "cuts",
    "chance",
]


def position_text(state: Any) -> str:
    """Write a whole record as text, one field a line, to be read back by `parse_position`."""
    lines = number_lines(state, _NUMBERS)
    players = range(int(state["players"]))
    picks = [[int(card) for card in state["picks"][seat][: _n_picks(state, seat)]] for seat in players]
    lines.append("laid: " + " | ".join(" ".join(map(action_text, cards)) or "-" for cards in picks))
    lines.append("hands: " + " | ".join(" ".join(map(action_text, hand_cards(state, seat))) for seat in players))
    return "\n".join(lines)


def parse_position(text: str) -> Any:
    """Read a position back into a record; ValueError names the line that is wrong or the law that is broken."""
    fields = split_lines(text)
    require(fields, (*_NUMBERS, "laid", "hands"))
    state = np.zeros(1, dtype=STATE).view(np.recarray)[0]
    read_numbers(state, fields, _NUMBERS)
    _hold_players(state)
    for seat, part in enumerate(_seats(fields["laid"], int(state["players"]), "laid")):
        cards = parse_cards(part)
        hold(len(cards) <= N_ROUNDS, f"seat {seat} has laid {len(cards)} cards, more than {N_ROUNDS}")
        state["tableau"][seat] = sum(1 << card for card in cards)
        state["picks"][seat][: len(cards)] = cards
    for seat, part in enumerate(_seats(fields["hands"], int(state["players"]), "hands")):
        packed = [*parse_cards(part), *[NO_CARD] * 8][:8]
        state["hands"][seat] = np.uint64(sum(card << (8 * place) for place, card in enumerate(packed)))
    audit(state)
    return state


def _seats(text: str, players: int, name: str) -> list[str]:
    parts = [part.replace("-", " ") for part in text.split("|")]
    if len(parts) != players:
        raise ValueError(f"line {name!r} has {len(parts)} seats, not {players}")
    return parts
