"""Robot Master as text: cards, squares, positions, explained scores. Plain Python.

A card is its number. A move is a card and where it goes, as `4 r3c5`: row 3, column 5, counted from the top left; while
the square still floats, r0 is the row above and c0 the column to the left.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.games.robot_master.lines import ADDED, FIVE_KINDS, MOST_SIZE, N_VALUES, SIZES, group_points
from engine.games.robot_master.rules import (
    FRAME,
    FULL_DECK,
    MOST_PLAYERS,
    MOST_ROUNDS,
    N_CARDS,
    N_CELLS,
    N_COPIES,
    N_PLACES,
    RANDOM_SEAT,
    STATE,
    first_line_of,
    open_places,
)
from engine.positions import hold, number_lines, read_numbers, require, split_lines

GROUP_NAMES = ("no", "single", "pair", "triple", "four", "five")
EMPTY = "."
OPEN = "+"


def action_text(action: int) -> str:
    """Write a move, as `4 r3c5`."""
    place, value = divmod(action, N_VALUES)
    return f"{value} r{place // FRAME}c{place % FRAME}"


def parse_action(text: str) -> int:
    """Read a move; ValueError says what is allowed."""
    words = text.lower().split()
    if len(words) == 2 and words[0] in "012345" and len(words[1]) == 4:
        row, column = words[1][1], words[1][3]
        if words[1] == f"r{row}c{column}" and row in "012345" and column in "012345":
            return (int(row) * FRAME + int(column)) * N_VALUES + int(words[0])
    raise ValueError(f"a move is a card 0 to 5 and a cell such as 4 r3c5, not {text.strip()!r}")


def parse_values(text: str) -> list[int]:
    """Read card values 0 to 5 separated by spaces (commas serve too)."""
    words = text.replace(",", " ").split()
    for word in words:
        if word not in ("0", "1", "2", "3", "4", "5"):
            raise ValueError(f"a card is 0 to {N_VALUES - 1}, not {word!r}")
    return [int(word) for word in words]


def hand_values(state: Any, seat: int) -> list[int]:
    """List the cards in the hand of a seat, ascending."""
    packed = int(state["hands"][seat])
    return [value for value in range(N_VALUES) for _ in range(packed >> (4 * value) & 15)]


def values_text(values: list[int]) -> str:
    """Write card values."""
    return " ".join(str(value) for value in values) or "-"


# Scores explained.


def explain(position: str, options: Mapping[str, Any], players: int | None = None) -> dict[str, Any]:
    """Score one full line, group by group.

    Returns `points` and `features`, each with its name and points. ValueError when the position is no line.
    """
    values = parse_values(position)
    size = options["size"]
    if len(values) != size:
        raise ValueError(f"a line is {size} cards, not {len(values)}: {position.strip()!r}")
    features = line_features(values, FIVE_KINDS.index(options["five_kind"]))
    return {
        "points": sum(points for _, points in features),
        "features": [{"name": name, "points": points} for name, points in features],
    }


def line_features(values: list[int], five_kind: int) -> list[tuple[str, int]]:
    """Name each group of equal cards of a line with its points, larger groups first; they make up the line's points."""
    counts = sorted(((values.count(value), value) for value in set(values)), reverse=True)
    return [
        (
            f"single {value}" if count == 1 else f"{GROUP_NAMES[count]} of {value}s",
            group_points(value, count, five_kind),
        )
        for count, value in counts
    ]


def line_cards(state: Any, line: int) -> list[int]:
    """List the cards of a line: rows are 0 … 4, columns 5 … 9."""
    square = np.asarray(state["cells"]).reshape(MOST_SIZE, MOST_SIZE)
    cells = square[line] if line < MOST_SIZE else square[:, line - MOST_SIZE]
    return [int(cell) - 1 for cell in cells if cell]


def line_points(state: Any, line: int) -> int:
    """Return what the cards of a line score as they lie."""
    return sum(points for _, points in line_features(line_cards(state, line), int(state["five_kind"])))


# The table as a person sees it.


def _is_over(state: Any) -> bool:
    return int(state["played_rounds"]) == int(state["n_rounds"])


def show(state: Any, player: int | None = None) -> str:
    """Draw the square with the points of its lines; with `player`, only what that player sees.

    A plus marks each cell where a card may be laid now.
    """
    lines = [_headline(state), *_square_lines(state)]
    players = int(state["players"])
    for seat in range(players):
        mark = ">" if seat == int(state["seat"]) and not _is_over(state) else " "
        owner = "" if players == 1 else (" (rows)   " if first_line_of(state, seat % 2) == 0 else " (columns)")
        hand = hand_values(state, seat)
        seen = player in (None, seat) or bool(state["open_hands"])
        held = f"hand {values_text(hand)}" if seen else f"{len(hand)} cards"
        lines.append(f"{mark} seat {seat}{owner}  {held}")
    return "\n".join(lines)


def _headline(state: Any) -> str:
    n_cells = int(state["edge"]) ** 2
    words = f"card {int(state['turn'])} of {n_cells - 1}"
    if int(state["n_rounds"]) > 1:
        now = min(int(state["played_rounds"]) + 1, int(state["n_rounds"]))
        words = f"round {now} of {int(state['n_rounds'])}, {words}"
    return words


def _square_lines(state: Any) -> list[str]:
    size = int(state["edge"])
    open_mask = 0 if _is_over(state) else int(open_places(state))
    open_now = [place for place in range(N_PLACES) if open_mask >> place & 1]
    first_row = 0 if any(place < FRAME for place in open_now) else 1
    first_column = 0 if any(place % FRAME == 0 for place in open_now) else 1
    square = np.asarray(state["cells"]).reshape(MOST_SIZE, MOST_SIZE)
    lines = ["      " + " ".join(f"{f'c{column}':>4}" for column in range(first_column, size + 1))]
    for row in range(first_row, size + 1):
        signs = []
        for column in range(first_column, size + 1):
            card = int(square[row - 1, column - 1]) if row and column else 0
            signs.append(str(card - 1) if card else OPEN if row * FRAME + column in open_now else EMPTY)
        points = f"{line_points(state, row - 1):6d}" if row else ""
        lines.append(f"  r{row}  " + " ".join(f"{sign:>4}" for sign in signs) + points)
    columns = [line_points(state, MOST_SIZE + column) for column in range(size)]
    lines.append("      " + "     " * (1 - first_column) + " ".join(f"{points:4d}" for points in columns))
    return lines


def explain_result(state: Any) -> str:
    """Explain a finished game: the lines of the last square, and who won what."""
    size, players = int(state["edge"]), int(state["players"])
    lines = _square_lines(state)
    for first, name in ((0, "row"), (MOST_SIZE, "column")):
        for line in range(first, first + size):
            features = line_features(line_cards(state, line), int(state["five_kind"]))
            words = ", ".join(f"{feature} {points:+d}" for feature, points in features)
            lines.append(f"{name} {line - first + 1}: {line_points(state, line)} points ({words})")
    rows = sorted(line_points(state, line) for line in range(size))
    columns = sorted(line_points(state, MOST_SIZE + line) for line in range(size))
    if players == 1:
        lines.append(f"lowest line: {min(rows[0], columns[0])} points")
        return "\n".join(lines)
    by_side = (rows, columns) if first_line_of(state, 0) == 0 else (columns, rows)
    names = [_side_name(state, side) for side in range(2)]
    for side in range(2):
        lines.append(f"{names[side]}: lines {' '.join(map(str, by_side[side]))}, the lowest {by_side[side][0]}")
    if int(state["n_rounds"]) > 1:
        lines += _round_lines(state, names)
    else:
        winner = int(state["winners"][0])
        lines.append("a draw: all lines are equal" if winner == 0 else f"{names[winner - 1]} won")
    return "\n".join(lines)


def _side_name(state: Any, side: int) -> str:
    return f"seats {side} and {side + 2}" if int(state["players"]) == MOST_PLAYERS else f"seat {side}"


def _round_lines(state: Any, names: list[str]) -> list[str]:
    won = [0, 0]
    rounds = [0, 0]
    lines = []
    for played in range(int(state["n_rounds"])):
        winner, margin = int(state["winners"][played]), abs(int(state["margins"][played]))
        if winner:
            won[winner - 1] += margin
            rounds[winner - 1] += 1
        who = f"{names[winner - 1]} won by {margin}" if winner else "a draw"
        lines.append(f"round {played + 1}: {who}")
    ahead = [won, rounds][won[0] == won[1]]
    verdict = "a draw" if ahead[0] == ahead[1] else f"{names[ahead[1] > ahead[0]]} won the match"
    return [*lines, f"differences {won[0]} to {won[1]}, rounds {rounds[0]} to {rounds[1]}: {verdict}"]


# Audits.


def audit(state: Any) -> None:
    """Raise ValueError with the law that a state breaks: cards, hands, the square and its lines, the turn."""
    players, size = int(state["players"]), int(state["edge"])
    hold(players in (1, 2, MOST_PLAYERS), f"players {players} is not 1, 2 or 4")
    hold(size in SIZES, f"size {size} is not in {SIZES}")
    hold(players < MOST_PLAYERS or size == MOST_SIZE, f"teams fill a square of size {MOST_SIZE}, not {size}")
    for field in ("seat", "first_player"):
        hold(0 <= int(state[field]) < players, f"{field} {int(state[field])} is not 0 to {players - 1}")
    starts = int(state["starts"])
    hold(starts == RANDOM_SEAT or starts < players, f"starts {starts} is no seat")
    for field in ("corners", "floating", "five_kind", "swap_axes", "open_hands"):
        hold(int(state[field]) in (0, 1), f"{field} {int(state[field])} is not 0 or 1")
    hold(int(state["drawn"]) <= N_VALUES, f"drawn {int(state['drawn'])} is not 0 to {N_VALUES}")
    n_rounds, played = int(state["n_rounds"]), int(state["played_rounds"])
    hold(1 <= n_rounds <= MOST_ROUNDS, f"n_rounds {n_rounds} is not 1 to {MOST_ROUNDS}")
    hold(0 <= played <= n_rounds, f"played_rounds {played} is not 0 to {n_rounds}")
    turn = int(state["turn"])
    hold(0 <= turn < size * size, f"turn {turn} is not 0 to {size * size - 1}")
    hold(_is_over(state) == (turn == size * size - 1), "the match is over exactly when its last square is full")
    hold(int(state["seat"]) == (int(state["first_player"]) + turn) % players, "the seat that plays is not next")
    _audit_square(state)
    _audit_hands(state)
    for played_round in range(played, MOST_ROUNDS):
        unplayed = int(state["winners"][played_round]) == 0 and int(state["margins"][played_round]) == 0
        hold(unplayed, f"round {played_round + 1} has a result and was not played")


def _audit_square(state: Any) -> None:
    size, turn = int(state["edge"]), int(state["turn"])
    square = np.asarray(state["cells"]).reshape(MOST_SIZE, MOST_SIZE)
    turns = np.asarray(state["turns"]).reshape(MOST_SIZE, MOST_SIZE)
    hold(int((square > 0).sum()) == turn + 1, f"{int((square > 0).sum())} cards lie in the square, not {turn + 1}")
    hold(not square[size:].any() and not square[:, size:].any(), f"a card lies outside a square of size {size}")
    hold(sorted(turns[square > 0]) == list(range(turn + 1)), "the turns of the cards are not 0 and up")
    hold(not turns[square == 0].any(), "an empty cell has a turn")
    rows, columns = np.flatnonzero(square.any(axis=1)), np.flatnonzero(square.any(axis=0))
    extent = (int(state["height"]), int(state["width"]))
    if state["floating"]:
        hold(rows[0] == 0 and columns[0] == 0, "a floating square begins in the first row and column")
        hold(extent == (rows[-1] + 1, columns[-1] + 1), f"height and width {extent} are not those of the cards")
    else:
        hold(extent == (size, size), f"height and width {extent} are not {size}")
        hold(bool(square[size // 2, size // 2]), "the middle of the square is empty")
    filled = sum(
        1 << ((row + 1) * FRAME + column + 1) for row in range(size) for column in range(size) if square[row, column]
    )
    hold(int(state["filled"]) == filled, "the filled places are not those of the cards")
    for line in range(2 * MOST_SIZE):
        number = 0
        for value in line_cards(state, line):
            number = int(ADDED[number, value])
        hold(int(state["lines"][line]) == number, f"line {line} does not hold the cards of its cells")
    by_turn = sorted((int(turns[row, column]), row, column) for row, column in np.argwhere(square > 0))
    laid: list[Any] = []
    for number_of, row, column in by_turn:
        near = [
            abs(row - r) + abs(column - c) == 1 or (bool(state["corners"]) and max(abs(row - r), abs(column - c)) == 1)
            for r, c in laid
        ]
        hold(not laid or any(near), f"the card of turn {number_of} touched no other")
        laid.append((row, column))


def _audit_hands(state: Any) -> None:
    counts = [0] * N_VALUES
    for cell in state["cells"]:
        if cell:
            counts[int(cell) - 1] += 1
    stock = stock_values(state)
    players, turn = int(state["players"]), int(state["turn"])
    n_hand, n_all_stock, n_laid_by_all = (
        int(state["hand_cards"]),
        int(state["stock_cards"]),
        int(state["edge"]) ** 2 - 1,
    )
    hold(
        (n_hand, n_all_stock) in _dealt(players, n_laid_by_all),
        f"hands of {n_hand} cards and {n_all_stock} to draw belong to no variant",
    )
    n_stock = max(0, int(state["stock_cards"]) - turn)
    hold(len(stock) == n_stock, f"{len(stock)} cards are to be drawn, not {n_stock}")
    for seat in range(players):
        hand = hand_values(state, seat)
        n_laid = (turn - (seat - int(state["first_player"])) % players + players - 1) // players
        n_drawn = n_laid if turn <= int(state["stock_cards"]) else n_laid - 1 if players == 1 else n_laid
        n_held = int(state["hand_cards"]) - n_laid + (n_drawn if state["stock_cards"] else 0)
        hold(len(hand) == n_held, f"seat {seat} holds {len(hand)} cards, not {n_held}")
        for value in hand:
            counts[value] += 1
    for value in stock:
        counts[value] += 1
    for value, count in enumerate(counts):
        hold(count <= N_COPIES, f"there are {count} cards of value {value}, more than {N_COPIES}")


def _dealt(players: int, n_laid: int) -> tuple[tuple[int, int], ...]:
    """List the cards of a hand and of the stock, by variant, where so many play and so many cards are laid."""
    if players == 1:
        return ((1, n_laid - 1),)
    if players == MOST_PLAYERS:
        return ((6, 0), (7, 0))
    return ((n_laid // players, 0), (5, n_laid))


def stock_values(state: Any) -> list[int]:
    """List the cards that will be drawn, the next one first."""
    turn = int(state["turn"])
    return [int(card) - 1 for card in state["deck"][turn:] if card]


# Positions: one field a line; a picture of a whole record.

_NUMBERS = (
    "players",
    "edge",
    "hand_cards",
    "stock_cards",
    "corners",
    "floating",
    "five_kind",
    "starts",
    "n_rounds",
    "swap_axes",
    "open_hands",
    "first_player",
    "seat",
    "turn",
    "played_rounds",
    "height",
    "width",
    "drawn",
    "winners",
    "margins",
    "turns",
    "chance",
)


def position_text(state: Any) -> str:
    """Write a whole record as text, one field a line, to be read back by `parse_position`."""
    lines = number_lines(state, _NUMBERS)
    square = np.asarray(state["cells"]).reshape(MOST_SIZE, MOST_SIZE)
    rows = (" ".join(str(int(card) - 1) if card else EMPTY for card in row) for row in square)
    lines.append("square: " + " / ".join(rows))
    hands = (values_text(hand_values(state, seat)) for seat in range(int(state["players"])))
    lines.append("hands: " + " | ".join(hands))
    lines.append("stock: " + values_text(stock_values(state)))
    return "\n".join(lines)


def parse_position(text: str) -> Any:
    """Read a position back into a record; ValueError names the line that is wrong or the law that is broken."""
    fields = split_lines(text)
    require(fields, (*_NUMBERS, "square", "hands", "stock"))
    state = np.zeros(1, dtype=STATE).view(np.recarray)[0]
    read_numbers(state, fields, _NUMBERS)
    _read_square(state, fields["square"])
    _read_hands(state, fields["hands"])
    turn = int(state["turn"])
    stock = parse_values(fields["stock"].replace("-", " "))
    hold(turn + len(stock) <= N_CARDS, f"line 'stock' of the position has {len(stock)} cards, too many")
    state["deck"][turn : turn + len(stock)] = [value + 1 for value in stock]
    audit(state)
    return state


def _read_square(state: Any, text: str) -> None:
    words = [word for row in text.split("/") for word in row.split()]
    hold(len(words) == N_CELLS, f"line 'square' of the position has {len(words)} cells, not {N_CELLS}")
    for cell, word in enumerate(words):
        if word == EMPTY:
            continue
        (value,) = parse_values(word)
        row, column = divmod(cell, MOST_SIZE)
        state["cells"][cell] = value + 1
        for line in (row, MOST_SIZE + column):
            state["lines"][line] = ADDED[state["lines"][line], value]
        state["filled"] |= np.uint64(1 << ((row + 1) * FRAME + column + 1))


def _read_hands(state: Any, text: str) -> None:
    hands = text.split("|")
    players = int(state["players"])
    hold(len(hands) == players, f"line 'hands' of the position has {len(hands)} hands, not {players}")
    hold(players <= MOST_PLAYERS, f"players {players} is not 1, 2 or 4")
    for seat, part in enumerate(hands):
        values = parse_values(part.replace("-", " "))
        hold(len(values) <= len(FULL_DECK), f"hand {seat} of the position has {len(values)} cards")
        state["hands"][seat] = sum(min(values.count(value), 15) << (4 * value) for value in range(N_VALUES))
