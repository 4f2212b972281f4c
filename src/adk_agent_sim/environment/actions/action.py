"""What every action is: a step that turns the result so far into the next one.

    NOTHING --delay--> NOTHING --pass--> the tool's own result --drop--> a result without a field --> the model

A chain begins with NOTHING. A step that needs a result and has none lets the tool run; so does a chain that ends
without one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Protocol

from adk_agent_sim.environment.call import Call
from adk_agent_sim.environment.spec import Spec
from adk_agent_sim.timeline.canonical import Json
from adk_agent_sim.timeline.chance import Key, chance
from adk_agent_sim.timeline.clock import Waiting
from adk_agent_sim.timeline.jsonable import jsonable

NOTHING: Any = object()
"""No result yet; None is a result."""


class World(Protocol):
    """What actions have in common."""

    @property
    def label(self) -> str:
        """Tells runs apart whose chances should differ; empty for most."""
        ...

    @property
    def waiting(self) -> Waiting:
        """How time passes."""
        ...

    @property
    def exceptions(self) -> Mapping[str, Callable[[str], Exception]]:
        """How exceptions are made, by name."""
        ...


class Acting:
    """A call while a rule's actions are done to it."""

    __slots__ = ("_run", "_world", "call", "rule", "seed", "went_real")

    def __init__(self, call: Call, rule: str, seed: int, world: World, run: Callable[[], Awaitable[object]]) -> None:
        self.call = call
        self.rule = rule
        self.seed = seed
        self._world = world
        self._run = run
        self.went_real = False
        """Whether the tool's own code was run."""

    async def real(self) -> object:
        """Run the tool's own code."""
        self.went_real = True
        return await self._run()

    async def result(self, so_far: object) -> Json:
        """The result to change: the one so far, or the tool's own, as JSON."""
        return jsonable(await self.real() if so_far is NOTHING else so_far)

    async def wait(self, seconds: float) -> None:
        """Let time pass."""
        await self._world.waiting.wait(seconds)

    def chance(self, *what: Key) -> float:
        """A keyed draw for this call and rule."""
        return chance(self.seed, self._world.label, self.rule, *self.call.key(), *what)

    def exception(self, name: str, message: str) -> Exception:
        """A new exception of a registered type."""
        return self._world.exceptions[name](message)


class Action(Spec):
    """One step of a rule."""

    key: ClassVar[str]
    """How a rules file names it."""

    inside: ClassVar[bool] = False
    """Whether it must happen inside the call, where errors and real results are."""

    ends: ClassVar[bool] = False
    """Whether nothing comes after it."""

    answers: ClassVar[bool] = False
    """Whether there is a result after it without the tool having run."""

    async def apply(self, acting: Acting, result: object) -> object:
        """The next result."""
        raise NotImplementedError

    def described(self, acting: Acting | None = None) -> str:
        """For people, in a few words; with what was drawn, for one call."""
        return self.key
