"""What a game and an agent promise, and how compiled code finds them.

A game is a record type and the verbs over it; an agent is a NamedTuple of knobs and two verbs over it. The
functions here are the verbs. Compiled code that calls `legal_actions(state, actions)` is bound, when it is compiled,
to the game that owns the record type of `state`, and inlined; plain Python reaches the same kernels through the same
names. So search, rollout and tables are written once and call verbs only.

Words: a *player* or *seat* is a chair, 0 … players − 1; an *action* is an id below the game's `n_actions`; *points*
is what the rulebook counts; *utility* is what a seat wants, within the game's declared range.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Protocol

import numba
import numpy as np
from numba.core import types
from numba.extending import overload

from engine.identity import Owner, Reached, declare_verb
from engine.kernel import FLAGS, JIT, include_source, kernel
from engine.rng import DEAL, below, new_stream

State = Any  # one record: np.record in Python, a numba Record in kernels
Stream = Any  # a uint64 array of one element, see engine.rng


# The verbs of a game, in the order in which every rules.py has them.


def deal(state: State, rng: Stream) -> None:
    """Set a fresh record up from its option fields; spends all the chance that shuffling decides."""
    _rules_of(state).deal(state, rng)


def current_player(state: State) -> int:
    """Return the seat that decides now; meaningless once the game is over."""
    return _rules_of(state).current_player(state)


def legal_actions(state: State, actions: np.ndarray) -> int:
    """Write the legal action ids, ascending, into `actions[:n]` and return n: 0 exactly when the game is over.

    `actions` is int64 and holds at least the game's `most_legal` elements.
    """
    return _rules_of(state).legal_actions(state, actions)


def apply_action(state: State, action: int) -> None:
    """Play one legal action; deterministic, checks nothing."""
    _rules_of(state).apply_action(state, action)


def is_terminal(state: State) -> bool:
    """Tell whether no decision is left."""
    return _rules_of(state).is_terminal(state)


def score(state: State, points: np.ndarray) -> None:
    """Write into `points[:players]` (int64) what the rulebook counts for each seat of a finished game."""
    _rules_of(state).score(state, points)


def returns(state: State, utility: np.ndarray) -> None:
    """Write into `utility[:players]` (float64) what each seat of a finished game wants, in the declared range."""
    _rules_of(state).returns(state, utility)


def determinize(state: State, player: int, rng: Stream) -> None:
    """Replace all that `player` cannot know by a fair sample consistent with all that he has seen.

    The result depends on nothing but what the player knows and on `rng`: states that look alike to the player become
    byte for byte the same.
    """
    _rules_of(state).determinize(state, player, rng)


def observe(state: State, player: int, out: np.ndarray) -> None:
    """Write what `player` knows into `out` (float32, the game's `observation_size` elements)."""
    _rules_of(state).observe(state, player, out)


def heuristic(state: State, player: int) -> float:
    """Estimate the utility of `player` by a rule of thumb that reads only what he knows; the default knows nothing."""
    return _rules_of(state).heuristic(state, player)


def random_action(state: State, rng: Stream) -> int:
    """Return one legal action, uniform; the default lists them all and picks."""
    return _rules_of(state).random_action(state, rng)


def revealed(state: State, player: int) -> int:
    """Return a code for what chance showed `player` when the last action was played: a roll, a card turned up.

    Optional; 0, the default, is nothing. Codes lie below 2**31, and two things that `player` can tell apart have
    different ones. Search keeps what follows on different news apart.
    """
    return _rules_of(state).revealed(state, player)


# The verbs of exact methods, all optional. Chance after the deal comes from a hidden key, which `apply_action` reads;
# a game that has such chance and offers these verbs lets it be enumerated instead. `apply_action` is the same as `act`,
# then `resolve` for as long as `outcomes` says that chance is due, each time with the outcome that the key gives.


def act(state: State, action: int) -> None:
    """Play one legal action as far as the first chance that is due, and leave that open; the default leaves none."""
    _rules_of(state).act(state, action)


def outcomes(state: State, chances: np.ndarray) -> int:
    """Write the probability of each outcome of the chance that is due into `chances[:n]` and return n; 0 if none is.

    `chances` is float64 with MOST_OUTCOMES elements. Until the chance is resolved nobody is to move.
    """
    return _rules_of(state).outcomes(state, chances)


def resolve(state: State, outcome: int) -> None:
    """Let the chance that is due come out as number `outcome` of those listed by `outcomes`, up to the next chance."""
    _rules_of(state).resolve(state, outcome)


def retract(state: State) -> int:
    """Take back the choices that were made and are still secret, last one first; return how many there were.

    They are those of one simultaneous choice: afterwards the first of its players is to move.
    """
    return _rules_of(state).retract(state)


def canonical(state: State) -> None:
    """Replace a state by the one that stands for all states worth the same to every seat.

    The default changes nothing. A game may forget what can no longer matter, and sort what is interchangeable.
    """
    _rules_of(state).canonical(state)


def appraise(
    state: State, actions: np.ndarray, n_legal: int, style: int, weight: float, table: np.ndarray, values: np.ndarray
) -> None:
    """Write into `values[:n_legal]` how much a style likes each legal action, reading only what the mover knows.

    Optional. `style` counts along the game's `styles`, `weight` says how much the style's second concern counts, and
    `table` is what the game's `style_table` prepared for this setup and style. `values` is float64 with MOST_ACTIONS
    elements, those past `n_legal` free to scribble on.
    """
    _rules_of(state).appraise(state, actions, n_legal, style, weight, table, values)


def occasion(state: State) -> int:
    """Return which of the game's `occasions` the seat that decides is on, such as the power that it may use.

    Optional; 0, the default, is none in particular. What agents are forbidden may hold on one occasion only, where an
    action's id alone does not tell what it does (see `Habit`).
    """
    return _rules_of(state).occasion(state)


def favorite(state: State, style: int, weight: float, table: np.ndarray, rng: Stream) -> int:
    """Return one of the actions that a style likes best, ties at random, without appraising them all; or -1.

    Optional, for styles that know at once; -1, the default, means that `appraise` has to be asked. It must never
    differ from what `appraise` would lead to.
    """
    return _rules_of(state).favorite(state, style, weight, table, rng)


VERBS = (
    deal,
    current_player,
    legal_actions,
    apply_action,
    is_terminal,
    score,
    returns,
    determinize,
    observe,
    heuristic,
    random_action,
    revealed,
    act,
    outcomes,
    resolve,
    retract,
    canonical,
    occasion,
    appraise,
    favorite,
)


@kernel
def _no_heuristic(state: State, player: int) -> float:
    return 0.0


@kernel
def _nothing_revealed(state: State, player: int) -> int:
    return 0


@kernel
def _closed_act(state: State, action: int) -> None:
    apply_action(state, action)


@kernel
def _no_outcomes(state: State, chances: Any) -> int:
    return 0


@kernel
def _nothing_to_resolve(state: State, outcome: int) -> None:
    pass


@kernel
def _nothing_to_retract(state: State) -> int:
    return 0


@kernel
def _own_representative(state: State) -> None:
    pass


@kernel
def _no_occasion(state: State) -> int:
    return 0


@kernel
def _no_appraisal(state: State, actions: Any, n_legal: int, style: int, weight: float, table: Any, values: Any) -> None:
    values[:n_legal] = 0.0


@kernel
def _no_favorite(state: State, style: int, weight: float, table: Any, rng: Stream) -> int:
    return -1


@kernel
def _listed_random_action(state: State, rng: Stream) -> int:
    actions = np.empty(MOST_ACTIONS, dtype=np.int64)
    return actions[below(rng, legal_actions(state, actions))]


STYLE_VERBS = ("appraise", "favorite")

MOST_ACTIONS = 512  # no game has more action ids; larger choices are split into steps
MOST_OUTCOMES = 64  # of one chance
MOST_PLAYERS = 8
MOST_OCCASIONS = 16
LARGEST_RECORD = 1024  # bytes
MOST_FIELDS = 29

DEFAULTS: dict[str, Callable[..., Any]] = {
    "heuristic": _no_heuristic,
    "random_action": _listed_random_action,
    "revealed": _nothing_revealed,
    "act": _closed_act,
    "outcomes": _no_outcomes,
    "resolve": _nothing_to_resolve,
    "retract": _nothing_to_retract,
    "canonical": _own_representative,
    "occasion": _no_occasion,
    "appraise": _no_appraisal,
    "favorite": _no_favorite,
}


# The verbs of an agent.


def workspace(agent: Any, states: np.ndarray) -> Any:
    """Return the arrays (one, or a tuple) that `choose` needs for records like `states`, to serve many times."""
    return _agent_of(agent).workspace(agent, states)


def choose(agent: Any, state: State, space: Any, rng: Stream) -> int:
    """Return the agent's action for the player who moves in `state`, a scratch copy determinized for him.

    The agent may spoil the copy. It carries nothing from one decision to the next.
    """
    return _agent_of(agent).choose(agent, state, space, rng)


def choose_among(agent: Any, state: State, actions: np.ndarray, n_actions: int, space: Any, rng: Stream) -> int:
    """Return the agent's action if only `actions[:n_actions]`, some of the legal ones, could be played; or -1.

    Optional; -1, the default, means that the agent knows no more than its choice among all. `actions` ascend, hold at
    least two, and are left alone; `space` is the agent's workspace, and it may spoil the copy as in `choose`.
    """
    return _choose_among_of(_agent_of(agent))(agent, state, actions, n_actions, space, rng)


@kernel
def _chooses_among_all(agent: Any, state: State, actions: Any, n_actions: int, space: Any, rng: Stream) -> int:
    return -1


# Facts.


@dataclass(frozen=True)
class Option:
    """One option of a game: its name, its default, what is allowed and what it means.

    `choices` lists the allowed values; without choices the value is an integer from `low` to `high`, or where `free`
    is true any text (a file), which the game itself checks. `trials` are values of such a text that are worth trying,
    each after words that say what it is.
    """

    name: str
    default: Any
    meaning: str
    choices: tuple[Any, ...] = ()
    low: int = 0
    high: int = 0
    free: bool = False
    trials: tuple[tuple[str, str], ...] = ()

    @property
    def allowed(self) -> str:
        """Say in words which values are allowed."""
        if self.free:
            return "a text"
        if self.choices:
            return ", ".join(_as_text(each) for each in self.choices)
        return f"{self.low} to {self.high}"

    def parse(self, value: Any, game: str) -> Any:
        """Return `value` (typed, or the text of the command line) as an allowed value.

        Raises ValueError with a sentence that names the value and what is allowed.
        """
        if self.free:
            return str(value)
        text = _as_text(value)
        for each in self.choices:
            if text == _as_text(each):
                return each
        if not self.choices:
            try:
                number = int(text)
            except ValueError:
                number = self.low - 1
            if self.low <= number <= self.high:
                return number
        raise ValueError(f"option {self.name} of {game} is {self.allowed}, not {text!r}")


@dataclass(frozen=True)
class Style:
    """A named rule of thumb of a game: what it does, and when a designer would recognize it."""

    name: str
    meaning: str


@dataclass(frozen=True)
class Habit:
    """Something that a player may be forbidden, to see what it is worth: a set of actions under one name.

    `occasions` are those on which the actions count, numbers below the game's `occasions`; without them, all. `needs`
    are options without which nobody has the choice.
    """

    name: str
    meaning: str
    actions: tuple[int, ...]
    occasions: tuple[int, ...] = ()
    needs: Mapping[str, Any] = field(default_factory=dict)


class Notation(Protocol):
    """What a game's notation.py offers, all in plain Python.

    It may also offer `tell(before, action, after, player)`, a list of lines for a transcript: the action as that player
    may know it (None knows all), then what else happened at the table, such as what chance showed.
    """

    def action_text(self, action: int) -> str:
        """Write an action."""

    def parse_action(self, text: str) -> int:
        """Read an action; ValueError says what is allowed."""

    def show(self, state: State, player: int | None = None) -> str:
        """Draw the table; with `player`, only what that player sees."""

    def explain_result(self, state: State) -> str:
        """Explain the scores of a finished game."""

    def audit(self, state: State) -> None:
        """Raise ValueError with the law that a state breaks."""

    def position_text(self, state: State) -> str:
        """Write a whole record as text."""

    def parse_position(self, text: str) -> State:
        """Read a position back into a record; ValueError says what is wrong."""

    def explain(self, position: str, options: Mapping[str, Any], players: int | None) -> dict[str, Any]:
        """Score what the command `score` is given: `points`, and `features` with names and points."""


@dataclass(frozen=True)
class Ranges:
    """The bounds that a setup promises: of a seat's points, of the team's total, and of the utility."""

    points: tuple[int, int]
    total: tuple[int, int]
    utility: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True)
class Game:
    """The one statement of a game's facts; documents and tests are held against it.

    `configure(state, options)` writes parsed options into a blank record and raises ValueError where they do not fit
    together. `ranges(setup)`, `longest(setup)` (decisions of the longest game) and `total(setup, points)` (the
    group's result from the points of all seats, shape (games, players) to (games,)) read the chosen options.
    The verbs stand in the module `rules`, but for `appraise` and `favorite`, which belong to the styles.

    `players` lists the numbers of players that there are rules for, ascending. Where options decide how many play,
    `players_for(options)` says it for a caller who leaves the number open. Where seats form teams, `sides(setup)` gives
    the side of each seat, 0, 1 and so on; without it each plays for himself. Where the longest game is far longer than
    others, `usual(setup)` says about how many decisions to expect.

    Compiled verbs are inlined wherever they are called, which is fastest for short ones. Those named in `called_verbs`
    are called instead: of long verbs the many copies would take minutes to compile and gain little.

    Of a cooperative game, by result less the least one: `slices_lost(setup)` (int64) and `success(setup)` (bool),
    each None where the rules do not say; `slices_source(setup)` says in words whose tables those are;
    `grade(setup, result)` is the rulebook's word for a result, "" where it has none.

    `habits` are what a player can be forbidden, see `agents/restricted.py`; `occasions` says how many numbers the verb
    `occasion` returns.
    """

    name: str
    title: str
    summary: str
    version: int
    dtype: np.dtype[Any]
    rules: ModuleType
    notation: Any  # a module as `Notation` says
    players: tuple[int, ...]
    default_players: int
    cooperative: bool
    n_actions: int
    most_legal: int
    observation_size: int
    configure: Callable[[State, Mapping[str, Any]], None]
    ranges: Callable[[Setup], Ranges]
    longest: Callable[[Setup], int]
    total: Callable[[Setup, np.ndarray], np.ndarray]
    options: tuple[Option, ...] = ()
    styles: tuple[Style, ...] = ()
    default_style: str = ""
    default_agents: tuple[str, ...] = ("uniform",)
    style_table: Callable[[Setup, int], np.ndarray] | None = None
    appraise: Any = None
    favorite: Any = None
    slices_lost: Callable[[Setup], np.ndarray | None] | None = None
    slices_source: Callable[[Setup], str] | None = None
    grade: Callable[[Setup, int], str] | None = None
    success: Callable[[Setup], np.ndarray | None] | None = None
    players_for: Callable[[Mapping[str, Any]], int] | None = None
    sides: Callable[[Setup], tuple[int, ...]] | None = None
    usual: Callable[[Setup], int] | None = None
    called_verbs: tuple[str, ...] = ()
    habits: tuple[Habit, ...] = ()
    occasions: int = 1

    @property
    def players_text(self) -> str:
        """Say in words for how many players there are rules."""
        least, most = self.players[0], self.players[-1]
        if len(self.players) == most - least + 1 > 1:
            return f"{least} to {most}"
        return ", ".join(str(each) for each in self.players)

    def style_number(self, name: str) -> int:
        """Return the position of a style among `styles`; ValueError lists what exists."""
        names = [style.name for style in self.styles]
        if name not in names:
            known = ", ".join(names) or "none"
            raise ValueError(f"{self.name} has no style {name!r}; its styles: {known}")
        return names.index(name)

    def find_habit(self, name: str) -> Habit:
        """Return what a player can be forbidden, by name; ValueError lists what exists."""
        for habit in self.habits:
            if habit.name == name:
                return habit
        known = ", ".join(habit.name for habit in self.habits) or "none"
        raise ValueError(f"{self.name} has no habit {name!r}; its habits: {known}")


@dataclass(frozen=True)
class Setup:
    """A game with its options chosen: what `load_game` returns and what all experiments take.

    `template` is a record with only the option fields set, ready to be dealt.
    """

    game: Game
    players: int
    options: Mapping[str, Any]
    template: Any

    @property
    def name(self) -> str:
        """The game's id."""
        return self.game.name

    @property
    def heading(self) -> str:
        """The game's title and how many play, for tables and pictures."""
        return f"{self.game.title}, {self.players} player{'s'[: self.players > 1]}"

    @property
    def cooperative(self) -> bool:
        """Whether all seats want the same; one player alone does."""
        return self.game.cooperative or self.players == 1

    @property
    def sides(self) -> tuple[int, ...]:
        """The side that each seat plays for: teams where the game has them, otherwise every seat its own."""
        return tuple(range(self.players)) if self.game.sides is None else self.game.sides(self)

    @property
    def ranges(self) -> Ranges:
        """Bounds of points, total and utility under these options."""
        return self.game.ranges(self)

    @property
    def longest(self) -> int:
        """The most decisions that one game can take."""
        return self.game.longest(self)

    @property
    def usual(self) -> int:
        """About how many decisions a game takes; it only shapes how work is cut up."""
        return self.longest if self.game.usual is None else self.game.usual(self)

    def blank_states(self, n_games: int) -> np.recarray[Any, Any]:
        """Return `n_games` undealt records, shape (n_games,)."""
        states = np.zeros(n_games, dtype=self.game.dtype)
        states[:] = self.template
        return states.view(np.recarray)

    def new_game(self, seed: int, number: int = 0) -> State:
        """Return one dealt record: deal `number` of `seed`, the same cards as in a tournament."""
        states = self.blank_states(1)
        deal(states[0], new_stream(seed, DEAL, number))
        return states[0]


@dataclass(frozen=True)
class Knob:
    """What one knob of an agent means and what is allowed.

    `choices` lists allowed words; a number lies from `low` to `high` where they are given; with `is_agent` the value
    names another compiled agent, whose own knobs are written with a dot (`rollout.style=team`).
    """

    meaning: str
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    is_agent: bool = False


@dataclass(frozen=True)
class Agent:
    """A compiled agent: `knobs` is a NamedTuple class with defaults, and tags the type for dispatch.

    `blind` agents do not look at the state and are spared the determinized copy. `knob_facts` describes the fields
    that a user may set; `fit(knobs, setup)` replaces what depends on the game (a style's name becomes its number).
    `work(knobs)` is the rough cost of a decision in random decisions; it only shapes how work is cut up.
    `choose_among` is the optional verb of that name.
    """

    name: str
    summary: str
    knobs: Any
    choose: Any
    workspace: Any
    blind: bool = False
    knob_facts: Mapping[str, Knob] = field(default_factory=dict)
    fit: Callable[[Any, Setup], Any] | None = None
    work: Callable[[Any], float] = lambda knobs: 1.0
    choose_among: Any = None


# Registration and discovery.

_games: dict[str, Game] = {}
_games_by_dtype: dict[np.dtype[Any], Game] = {}
_agents: dict[str, Agent] = {}
_agents_by_class: dict[type, Agent] = {}


def register_game(game: Game) -> Game:
    """Check a game's facts and bind its verbs to its record type.

    Raises ValueError with a sentence when the game breaks the contract: a verb missing or with other parameters, a
    record too large, a record type that another game already has, more actions or players than allowed.
    """
    if _games.get(game.name) is game:
        return game
    if game.name in _games:
        raise ValueError(f"a game named {game.name} is registered already")
    for verb in VERBS:
        written = _written_verb(game, verb.__name__)
        if written is None:
            if verb.__name__ in DEFAULTS:
                continue
            raise ValueError(f"{game.name} has no verb {verb.__name__}")
        wanted = list(inspect.signature(verb).parameters)
        found = list(inspect.signature(_plain(written)).parameters)
        if wanted != found:
            raise ValueError(f"{game.name}: {verb.__name__} takes ({', '.join(wanted)}), not ({', '.join(found)})")
    if game.dtype in _games_by_dtype:
        twin = _games_by_dtype[game.dtype].name
        raise ValueError(f"{game.name} has the very record of {twin}; compiled code could not tell them apart")
    if not game.dtype.isalignedstruct:
        raise ValueError(f"{game.name}: the record wants align=True")
    if game.dtype.itemsize > LARGEST_RECORD:
        raise ValueError(f"{game.name}: a record is at most {LARGEST_RECORD} bytes, not {game.dtype.itemsize}")
    gaps = game.dtype.itemsize - sum(game.dtype[name].itemsize for name in game.dtype.names or ())
    if gaps:  # copies leave what stands in gaps to chance, and equal states must be equal bytes
        raise ValueError(f"{game.name}: the record has {gaps} bytes of gaps between its fields; order or widen them")
    if len(game.dtype.names or ()) > MOST_FIELDS:
        raise ValueError(f"{game.name}: a record has at most {MOST_FIELDS} fields")
    if not 1 <= game.n_actions <= MOST_ACTIONS:
        raise ValueError(f"{game.name}: n_actions is 1 to {MOST_ACTIONS}, not {game.n_actions}")
    if not game.players or sorted(set(game.players) & set(range(1, MOST_PLAYERS + 1))) != list(game.players):
        raise ValueError(f"{game.name}: players are ascending numbers from 1 to {MOST_PLAYERS}, not {game.players}")
    if not 1 <= game.most_legal <= game.n_actions:
        raise ValueError(f"{game.name}: most_legal is 1 to n_actions {game.n_actions}, not {game.most_legal}")
    if game.default_players not in game.players:
        raise ValueError(f"{game.name}: default_players {game.default_players} is not one of {game.players}")
    if game.default_style and game.default_style not in [style.name for style in game.styles]:
        raise ValueError(f"{game.name}: default_style {game.default_style!r} is none of its styles")
    clashing = sorted(set(game.dtype.names or ()) & set(dir(np.record)))
    if clashing:
        raise ValueError(f"{game.name}: a field may not be named {clashing[0]!r}, which every numpy record has already")
    unknown = sorted(set(game.called_verbs) - {verb.__name__ for verb in VERBS})
    if unknown:
        raise ValueError(f"{game.name}: called_verbs names {unknown[0]!r}, which is no verb of a game")
    _check_habits(game)
    _games[game.name] = game
    _games_by_dtype[game.dtype] = game
    _count_source(game.rules.__file__)
    return game


def _check_habits(game: Game) -> None:
    """Raise ValueError where a habit is none: a name taken or not written as one, no actions or unknown ones."""
    if not 1 <= game.occasions <= MOST_OCCASIONS:
        raise ValueError(f"{game.name}: occasions is 1 to {MOST_OCCASIONS}, not {game.occasions}")
    names = [habit.name for habit in game.habits]
    options = {option.name for option in game.options}
    for habit in game.habits:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", habit.name):
            raise ValueError(f"{game.name}: a habit is named by small letters, digits and hyphens, not {habit.name!r}")
        if names.count(habit.name) > 1:
            raise ValueError(f"{game.name}: two habits are named {habit.name}")
        if not habit.actions or not set(habit.actions) <= set(range(game.n_actions)):
            raise ValueError(
                f"{game.name}: habit {habit.name} has actions from 0 to {game.n_actions - 1}, at least one"
            )
        if not set(habit.occasions) <= set(range(game.occasions)):
            raise ValueError(f"{game.name}: habit {habit.name} has occasions from 0 to {game.occasions - 1}")
        if not set(habit.needs) <= options:
            raise ValueError(f"{game.name}: habit {habit.name} needs an option that the game does not have")


def register_agent(agent: Agent) -> Agent:
    """Bind a compiled agent's verbs to its class of knobs; ValueError when the name or class is taken."""
    if _agents.get(agent.name) is agent:
        return agent
    if agent.name in _agents:
        raise ValueError(f"an agent named {agent.name} is registered already")
    if agent.knobs in _agents_by_class:
        raise ValueError(f"{agent.name}: the knobs {agent.knobs.__name__} belong to another agent")
    for verb in (workspace, choose, choose_among):
        wanted = list(inspect.signature(verb).parameters)
        written = _choose_among_of(agent) if verb is choose_among else getattr(agent, verb.__name__)
        found = list(inspect.signature(_plain(written)).parameters)
        if wanted != found:
            raise ValueError(f"{agent.name}: {verb.__name__} takes ({', '.join(wanted)}), not ({', '.join(found)})")
    _agents[agent.name] = agent
    _agents_by_class[agent.knobs] = agent
    _count_source(inspect.getsourcefile(_plain(agent.choose)))
    return agent


def game_names() -> list[str]:
    """Return the ids of all games: one folder below engine/games each."""
    import engine.games

    folders = [info.name for info in pkgutil.iter_modules(engine.games.__path__) if info.ispkg]
    return sorted({name.replace("_", "-") for name in folders} | set(_games))


def find_game(name: str) -> Game:
    """Return a game's facts by id; ValueError lists what exists."""
    if name not in _games:
        if name not in game_names():
            raise ValueError(f"there is no game {name!r}; the games: {', '.join(game_names())}")
        importlib.import_module("engine.games." + name.replace("-", "_"))
    return _games[name]


def load_game(name: str, players: int | None = None, **options: Any) -> Setup:
    """Return the game `name` with its options chosen; whatever is not given takes its default.

    Raises ValueError with a sentence for an unknown game or option, or a value that is not allowed.
    """
    game = find_game(name)
    known = {option.name: option for option in game.options}
    for given in options:
        if given not in known:
            raise ValueError(f"{name} has no option {given!r}; its options: {', '.join(known) or 'none'}")
    chosen = {each.name: each.parse(options.get(each.name, each.default), name) for each in game.options}
    chosen_players = _chosen_players(game, players, chosen)
    blank = np.zeros(1, dtype=game.dtype).view(np.recarray)
    game.configure(blank[0], {"players": chosen_players, **chosen})
    return Setup(game=game, players=chosen_players, options=chosen, template=blank[0])


def _chosen_players(game: Game, players: int | None, options: Mapping[str, Any]) -> int:
    if players is None:
        return game.default_players if game.players_for is None else game.players_for(options)
    chosen = _whole(players, f"players of {game.name}")
    if chosen not in game.players:
        raise ValueError(f"the number of players of {game.name} is {game.players_text}, not {players}")
    return chosen


def agent_names() -> list[str]:
    """Return the names of all registered compiled agents."""
    return sorted(_agents)


def find_agent(name: str) -> Agent:
    """Return a registered compiled agent; ValueError lists what exists."""
    if name not in _agents:
        raise ValueError(f"there is no agent {name!r}; the agents: {', '.join(agent_names())}")
    return _agents[name]


def work_of(knobs: Any) -> float:
    """Return the rough cost of one decision of a compiled agent, counted in random decisions."""
    return _agent_of(knobs).work(knobs)


def agent_of_class(knobs: type) -> Agent | None:
    """Return the agent that a class of knobs belongs to, or None."""
    return _agents_by_class.get(knobs)


# Dispatch: by dtype and class in Python, by numba type while compiling.


def _plain(function: Any) -> Callable[..., Any]:
    return getattr(function, "py_func", function)


def _as_text(value: Any) -> str:
    text = str(value)
    return text.lower() if text in ("True", "False") else text


def _whole(value: Any, what: str) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise ValueError(f"{what} is a whole number, not {value!r}") from None


def _count_source(path: str | None) -> None:
    if path is not None:
        include_source(path)


def _written_verb(game: Game, name: str) -> Any:
    return getattr(game if name in STYLE_VERBS else game.rules, name, None)


class _Rules:
    """The verbs of one game, with the default of each optional verb that it left out."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Callable[..., Any]:
        written: Callable[..., Any] | None = _written_verb(self._game, name)
        return DEFAULTS[name] if written is None else written


def _rules_of(state: State) -> Any:
    dtype = getattr(state, "dtype", None)
    game = _games_by_dtype.get(dtype) if dtype is not None else None
    if game is None and dtype is not None and dtype.names:
        game = _games_by_dtype.get(np.dtype((np.void, dtype)))
    if game is None:
        raise ValueError("this is not a record of a registered game")
    return _Rules(game)


def _choose_among_of(agent: Agent) -> Callable[..., Any]:
    return _chooses_among_all if agent.choose_among is None else agent.choose_among


def _agent_of(knobs: Any) -> Agent:
    agent = _agents_by_class.get(type(knobs))
    if agent is None:
        raise ValueError(f"{type(knobs).__name__} is not the knobs of a registered agent")
    return agent


def _game_of_type(record: Any) -> Game | None:
    for dtype, game in _games_by_dtype.items():
        if isinstance(record, types.Record) and numba.from_dtype(dtype) == record:
            return game
    return None


def _bind(verb: Callable[..., Any], find: Callable[[Any], Callable[..., Any] | None], is_inlined: bool) -> None:
    """Let compiled calls of `verb` become the function that `find` gives for the type of its first argument."""

    def pick(*arguments: Any) -> Callable[..., Any] | None:
        return find(arguments[0])

    pick.__signature__ = inspect.signature(verb)  # type: ignore[attr-defined]
    options: Any = {**FLAGS, "forceinline": is_inlined}
    overload(verb, jit_options=options, strict=False)(pick)  # registration has compared the parameters


def _game_verb(name: str, is_inlined: bool) -> Callable[[Any], Callable[..., Any] | None]:
    def find(state: Any) -> Callable[..., Any] | None:
        game = _game_of_type(state)
        if game is None or is_inlined == (name in game.called_verbs):
            return None
        return _plain(getattr(_Rules(game), name))

    return find


def _agent_verb(name: str) -> Callable[[Any], Callable[..., Any] | None]:
    def find(agent: Any) -> Callable[..., Any] | None:
        owner = _agents_by_class.get(getattr(agent, "instance_class", type(None)))
        if owner is None:
            return None
        return _plain(_choose_among_of(owner) if name == "choose_among" else getattr(owner, name))

    return find


def _reached_game_verb(name: str) -> Callable[[Owner], Reached | None]:
    """Return what tells which function a verb becomes for a game's record, as the keys of compiled code need it."""

    def find(owner: Owner) -> Reached | None:
        game = _game_of_type(owner)
        if game is None:
            return None
        return ("called" if name in game.called_verbs else "inlined"), getattr(_Rules(game), name)

    return find


def _reached_agent_verb(name: str) -> Callable[[Owner], Reached | None]:
    def find(owner: Owner) -> Reached | None:
        agent = _agents_by_class.get(owner) if isinstance(owner, type) else None
        if agent is None:
            return None
        return "inlined", _choose_among_of(agent) if name == "choose_among" else getattr(agent, name)

    return find


for _game_stub in VERBS:
    declare_verb(_game_stub, _reached_game_verb(_game_stub.__name__))
for _agent_stub in (workspace, choose, choose_among):
    declare_verb(_agent_stub, _reached_agent_verb(_agent_stub.__name__))

if JIT:
    for _is_inlined in (True, False):
        for _game_stub in VERBS:
            _bind(_game_stub, _game_verb(_game_stub.__name__, _is_inlined), _is_inlined)
    for _agent_stub in (workspace, choose, choose_among):
        _bind(_agent_stub, _agent_verb(_agent_stub.__name__), True)
