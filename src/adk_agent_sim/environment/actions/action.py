"""What every action is: a step that turns the result so far into the next one.

    NOTHING --delay--> NOTHING --pass--> the tool's own result --drop--> a result without a field --> the model

A chain begins with NOTHING. A step that needs a result and has none lets the tool run; so does a chain that ends
without one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Protocol

from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.strict_model import StrictModel
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.clock import Sleeper
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.seeded_random import DrawKey, draw_uniform

NO_RESULT: Any = object()
"""No result yet; None is a result."""


class ActionContext(Protocol):
    """What actions have in common."""

    @property
    def label(self) -> str:
        """Tells runs apart whose chances should differ; empty for most."""
        ...

    @property
    def sleeper(self) -> Sleeper:
        """How time passes."""
        ...

    @property
    def exceptions(self) -> Mapping[str, Callable[[str], Exception]]:
        """How exceptions are made, by name."""
        ...


class RuleExecution:
    """A call while a rule's actions are done to it."""

    __slots__ = ("_context", "_run_tool", "call", "has_run_tool", "rule", "seed")

    def __init__(
        self,
        call: IncomingCall,
        rule: str,
        seed: int,
        context: ActionContext,
        run_tool: Callable[[], Awaitable[object]],
    ) -> None:
        self.call = call
        self.rule = rule
        self.seed = seed
        self._context = context
        self._run_tool = run_tool
        self.has_run_tool = False
        """Whether the tool's own code was run."""

    async def run_tool(self) -> object:
        """Run the tool's own code."""
        self.has_run_tool = True
        return await self._run_tool()

    async def resolve_result(self, current_result: object) -> Json:
        """The result to change: the one so far, or the tool's own, as JSON."""
        return to_json_value(await self.run_tool() if current_result is NO_RESULT else current_result)

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        await self._context.sleeper.sleep(seconds)

    def draw(self, *key: DrawKey) -> float:
        """A keyed draw for this call and rule."""
        return draw_uniform(self.seed, self._context.label, self.rule, *self.call.build_random_key(), *key)

    def build_exception(self, name: str, message: str) -> Exception:
        """A new exception of a registered type."""
        return self._context.exceptions[name](message)


class Action(StrictModel):
    """One step of a rule."""

    key: ClassVar[str]
    """How a rules file names it."""

    acts_inside_call: ClassVar[bool] = False
    """Whether it must happen inside the call, where errors and real results are."""

    is_terminal: ClassVar[bool] = False
    """Whether nothing comes after it."""

    gives_result: ClassVar[bool] = False
    """Whether there is a result after it without the tool having run."""

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """The next result."""
        raise NotImplementedError

    def describe(self, execution: RuleExecution | None = None) -> str:
        """For people, in a few words; with what was drawn, for one call."""
        return self.key
