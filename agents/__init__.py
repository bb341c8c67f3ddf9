"""The agents, one file each, and how a text such as `mcts:iterations=100,rollout=greedy` becomes a player.

A compiled agent is a NamedTuple of knobs with a kernel (see any file here); a plain Python agent is a class with
`choose(view)` anywhere on the path, named `module:Class` (see `agents.python`). Every file of this folder registers its
agent when it is imported; there is no list to keep.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from engine.contract import Agent, Knob, Setup, agent_of_class, find_agent


def load_all() -> None:
    """Import every agent of this folder, which registers them."""
    for info in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{info.name}")


@dataclass(frozen=True)
class AgentSpec:
    """An agent as text: its name (or `module:Class`), the texts of its knobs, and the label it has in results."""

    name: str
    knobs: Mapping[str, str]
    label: str


@dataclass(frozen=True)
class Player:
    """An agent made for one setup, ready to be seated.

    Compiled: `knobs` is what kernels take, `looks` whether it sees a determinized copy. Plain Python: `factory` makes a
    fresh agent for each seat of each game.
    """

    label: str
    knobs: Any = None
    looks: bool = True
    factory: Callable[[], Any] | None = None
    work: float = 10_000.0  # of plain Python, in random decisions
    source: str = ""  # digest of the file that a plain Python agent stands in; compiled ones count in the fingerprint

    @property
    def is_compiled(self) -> bool:
        """Tell whether kernels can call it."""
        return self.factory is None


def split_specs(texts: str | Iterable[str]) -> list[str]:
    """Split agents written in one text or several: by spaces, or by commas where what follows is no further knob."""
    found: list[str] = []
    for text in [texts] if isinstance(texts, str) else texts:
        for word in text.split():
            for piece in word.split(","):
                is_knob = re.match(r"[\w.]+=", piece) is not None
                if is_knob and found:
                    found[-1] += "," + piece
                elif piece:
                    found.append(piece)
    return found


def parse_spec(text: str) -> AgentSpec:
    """Read one agent: `name`, `name:knob=value,…`, `module:Class` or `module:Class:knob=value,…`.

    Raises ValueError with a sentence when it is not of that form.
    """
    before, equals, _ = text.partition("=")  # a knob may name a module:Class, too
    name, colon, _ = before.rpartition(":") if equals else (text, ":", "")
    knob_text = text[len(name) + 1 :]
    parts = name.split(":")
    if not colon or not 1 <= len(parts) <= 2 or not all(parts):
        raise ValueError(f"an agent is name, name:knob=value,… or module:Class, not {text!r}")
    knobs: dict[str, str] = {}
    for piece in knob_text.split(",") if knob_text else []:
        knob, equals, value = piece.partition("=")
        if not knob or not equals or not value:
            raise ValueError(f"a knob is written knob=value, not {piece!r} as in {text!r}")
        if knob in knobs:
            raise ValueError(f"knob {knob} stands twice in {text!r}")
        knobs[knob] = value
    return AgentSpec(name=name, knobs=knobs, label=text)


def make_players(texts: str | Iterable[str], setup: Setup) -> list[Player]:
    """Make all agents of a list for a setup; ValueError for a wrong one, for none, or for one named twice."""
    words = split_specs(texts)
    if not words:
        raise ValueError("name at least one agent, such as uniform or greedy")
    for word in words:
        if words.count(word) > 1:
            raise ValueError(f"agent {word} is named twice")
    return [make_player(word, setup) for word in words]


def make_player(text: str, setup: Setup) -> Player:
    """Make one agent for a setup; ValueError says what is wrong with the text, its knobs or its module."""
    load_all()
    spec = parse_spec(text)
    if ":" in spec.name:
        return _make_from_module(spec, setup)
    agent = find_agent(spec.name)
    return _compiled_player(agent, spec, setup)


def _compiled_player(agent: Agent, spec: AgentSpec, setup: Setup) -> Player:
    knobs = build_knobs(agent, spec.knobs, setup)
    return Player(label=spec.label, knobs=knobs, looks=not agent.blind, work=agent.work(knobs))


def build_knobs(agent: Agent, texts: Mapping[str, str], setup: Setup) -> Any:
    """Return the agent's knobs with the given texts parsed, its inner agents built, and all fitted to the setup."""
    given: dict[str, Any] = {}
    inner: dict[str, dict[str, str]] = {name: {} for name, fact in agent.knob_facts.items() if fact.is_agent}
    for name, text in texts.items():
        head, dot, tail = name.partition(".")
        if dot and head in inner:
            inner[head][tail] = text
            continue
        if name not in agent.knob_facts:
            known = ", ".join(agent.knob_facts) or "none"
            raise ValueError(f"{agent.name} has no knob {name!r}; its knobs: {known}")
        given[name] = _knob_value(agent, name, text)
    knobs = agent.knobs(**given)
    for name, knob_texts in inner.items():
        simulator = _compiled_agent(str(getattr(knobs, name)), f"knob {name} of {agent.name}")
        knobs = knobs._replace(**{name: build_knobs(simulator, knob_texts, setup)})
    return knobs if agent.fit is None else agent.fit(knobs, setup)


def _compiled_agent(name: str, what: str) -> Agent:
    """Return the compiled agent that a knob names, one of the house or a `module:Class` of the user's."""
    if ":" not in name:
        return find_agent(name)
    _, found = _find_in_module(name)
    agent = agent_of_class(found) if isinstance(found, type) else None
    if agent is None:
        raise ValueError(f"{what} is a compiled agent, and {name} is not the knobs of a registered one")
    return agent


def _knob_value(agent: Agent, name: str, text: str) -> Any:
    """Parse the text of a knob by the type of its default, within what its facts allow."""
    fact = agent.knob_facts[name]
    default = agent.knobs._field_defaults[name]
    if fact.choices and text not in fact.choices:
        raise ValueError(f"knob {name} of {agent.name} is {', '.join(fact.choices)}, not {text!r}")
    if not isinstance(default, int | float) or isinstance(default, bool):
        return text
    kind = type(default)
    try:
        value = kind(float(text)) if kind is int and float(text).is_integer() else kind(text)
    except (ValueError, OverflowError):
        value = None
    if value is None or value != value or not _is_within(value, fact):
        raise ValueError(f"knob {name} of {agent.name} is {_allowed_numbers(kind, fact)}, not {text!r}")
    return value


def _is_within(value: float, fact: Knob) -> bool:
    return (fact.low is None or value >= fact.low) and (fact.high is None or value <= fact.high)


def _allowed_numbers(kind: type, fact: Knob) -> str:
    words = "a whole number" if kind is int else "a number"
    if fact.low is not None and fact.high is not None:
        return f"{words} from {fact.low:,.12g} to {fact.high:,.12g}"
    return words if fact.low is None else f"{words}, at least {fact.low:,.12g}"


def _find_in_module(name: str) -> tuple[ModuleType, Any]:
    """Import the module of `module:Class` and return it with what it has by that name; ValueError where it does not."""
    module_name, _, class_name = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise ValueError(
            f"the agent module {module_name!r} does not import: {type(error).__name__}: {error}"
        ) from error
    found = getattr(module, class_name, None)
    if found is None:
        raise ValueError(f"the agent module {module_name!r} has no {class_name!r}")
    return module, found


def _make_from_module(spec: AgentSpec, setup: Setup) -> Player:
    """Find `module:Class`: registered knobs make a compiled agent, anything else with `choose` a plain Python one."""
    module, found = _find_in_module(spec.name)
    agent = agent_of_class(found) if isinstance(found, type) else None
    if agent is not None:
        return _compiled_player(agent, spec, setup)
    if not callable(found):
        raise ValueError(f"{spec.name} is neither a class with choose(view) nor a function of a view")
    if isinstance(found, type) and not callable(getattr(found, "choose", None)):
        raise ValueError(f"the class {spec.name} has no method choose(view)")
    knobs = {name: _plain_value(text) for name, text in spec.knobs.items()}
    return Player(label=spec.label, factory=_factory(found, knobs, spec), source=_source_digest(module))


def _source_digest(module: ModuleType) -> str:
    """Return 16 hex digits of the module's file, so that a run is not taken up with an agent that was edited since."""
    path = getattr(module, "__file__", None)
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16] if path else ""


def _factory(found: Any, knobs: dict[str, Any], spec: AgentSpec) -> Callable[[], Any]:
    """Return what makes a fresh agent; checks now that the class takes the knobs."""
    if not isinstance(found, type):
        if knobs:
            raise ValueError(f"{spec.name} is a function and has no knobs")
        return lambda: found
    try:
        inspect.signature(found).bind(**knobs)
    except TypeError as error:
        raise ValueError(f"{spec.name} does not take these knobs: {error}") from None
    return lambda: found(**knobs)


def _plain_value(text: str) -> Any:
    """Read a knob of a plain Python agent: a whole number, a number, true or false, else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
