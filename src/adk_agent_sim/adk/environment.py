"""The simulated environment in ADK: a plugin that lets rules answer inside the calls of tools.

    before_tool: does a rule name the tool? --> a seat in the tool --> ADK asks for consent --> the seat: rules answer

Whatever the rules do happens where the tool's own code would run, so consent is asked before, and retry plugins, error
and agent callbacks see it as real. Nothing here needs a timeline; where there is one, it is told what was decided.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any, cast

from google.adk.events import Event
from google.adk.plugins import BasePlugin
from google.adk.sessions import Session
from google.adk.tools import BaseTool, ToolContext

from adk_agent_sim.adk import tool_seat
from adk_agent_sim.adk.framework_tools import is_framework
from adk_agent_sim.environment.call import Call
from adk_agent_sim.environment.conversation import Conversation
from adk_agent_sim.environment.environment import Decision, Environment
from adk_agent_sim.environment.report import Report, Tally
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.forms.schema import parameters_schema
from adk_agent_sim.timeline.canonical import Json
from adk_agent_sim.timeline.events import EnvironmentDecided
from adk_agent_sim.timeline.jsonable import jsonable

_SESSIONS = 10_000
"""How many sessions are remembered; the oldest is forgotten first, and only its counts are kept."""

_CALLER: ContextVar[ToolContext | None] = ContextVar("adksim_caller", default=None)
"""The call that the current task works for: an agent that is used as a tool has a session of its own within it."""

_log = logging.getLogger(__name__)


class Surroundings:
    """One ADK session in its environment: what its models asked so far is read from its events."""

    __slots__ = ("_last_event", "conversation", "environment", "scope")

    def __init__(self, environment: Environment, scope: str = "") -> None:
        self.environment = environment
        self.scope = scope
        self.conversation = Conversation()
        self._last_event = ""

    def follow(self, session: Session) -> Conversation:
        """The calls so far; events that were read before are not read again."""
        events = session.events
        start = len(events)
        while start > 0 and events[start - 1].id != self._last_event:
            start -= 1
        for event in events[start:]:
            self._read(event)
            self._last_event = event.id
        return self.conversation

    def _read(self, event: Event) -> None:
        if calls := event.get_function_calls():
            asked = [(call.id or "", call.name or "", cast("Mapping[str, Json]", call.args or {})) for call in calls]
            self.conversation.asked(asked, event.author, self._branch(event.branch))
        if responses := event.get_function_responses():
            answers = [(response.id or "", response.response) for response in responses]
            self.conversation.answered(answers, event.author)

    def _branch(self, branch: str | None) -> str:
        """The branch, where an agent runs as a tool, with the number of the call in place of its random id."""
        return ".".join(map(self._step, branch.split("."))) if branch else ""

    def _step(self, step: str) -> str:
        name, _, run = step.rpartition("@")
        asked = self.conversation.place(run) if name else None
        return f"{name}@{asked.tool}#{asked.number}" if asked else step


class Environments:
    """The environments of all sessions that a plugin or a callback serves."""

    def __init__(self, book: Rulebook) -> None:
        self.book = book
        self.on_fault: Callable[[str], None] = lambda tool: None
        """Told the tool whose next call gets a fault."""
        self.forgotten = Tally()
        """What is counted without a session."""
        self._sessions: dict[tuple[str, str, str], Surroundings] = {}
        self._defaults: dict[str, Mapping[str, Json]] = {}
        self._unnamed = 0

    def of(self, session: Session) -> Surroundings:
        """A session's surroundings; those of an agent that is used as a tool belong to the calling session."""
        key = (session.app_name, session.user_id, session.id)
        found = self._sessions.get(key)
        if found is None:
            if len(self._sessions) >= _SESSIONS:
                self._forget()
            found = self._sessions[key] = self._new(session)
        return found

    def enter(self, context: ToolContext) -> Surroundings:
        """Remember that the current task works for a call; first its session, which may be within another call."""
        around = self.of(context.session)
        _CALLER.set(context)
        return around

    def tally(self) -> Tally:
        """Everything that was counted."""
        total = Tally()
        total.add(self.forgotten)
        for environment in {id(each.environment): each.environment for each in self._sessions.values()}.values():
            total.add(environment.tally)
        return total

    def _new(self, session: Session) -> Surroundings:
        caller = _CALLER.get()
        if caller is None or caller.session is session or caller.session.id == session.id:
            return Surroundings(Environment(self.book, on_fault=self.on_fault))
        outer = self.of(caller.session)
        asked = outer.follow(caller.session).place(caller.function_call_id or "", caller.agent_name)
        within = f"{asked.agent}:{asked.branch}:{asked.tool}#{asked.number}" if asked else "?"
        return Surroundings(outer.environment, f"{outer.scope}/{within}")

    def _forget(self) -> None:
        oldest = self._sessions.pop(next(iter(self._sessions)))
        if not any(each.environment is oldest.environment for each in self._sessions.values()):
            self.forgotten.add(oldest.environment.tally)

    def new_id(self) -> str:
        """An id for a call that has none."""
        self._unnamed += 1
        return f"unnamed call {self._unnamed}"

    def defaults_of(self, tool: BaseTool) -> Mapping[str, Json]:
        """What arguments of a tool are if they are left out."""
        if tool.name not in self._defaults:
            declaration = tool._get_declaration()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - no public way
            properties = parameters_schema(jsonable(declaration) if declaration else {}).get("properties", {})
            self._defaults[tool.name] = {
                name: schema["default"] for name, schema in properties.items() if "default" in schema
            }
        return self._defaults[tool.name]


class Intervention:
    """Lets the rules answer one call; knows where the call comes from."""

    __slots__ = ("_args", "_around", "_decision", "_environments", "_own_run", "_tool", "context")

    def __init__(self, environments: Environments, around: Surroundings, tool: BaseTool, context: ToolContext) -> None:
        self.context = context
        self._environments = environments
        self._around = around
        self._tool = tool
        self._decision: Decision | None = None

    def decide(self, args: dict[str, Any]) -> Decision:
        """Decide by the arguments that the tool would get, after all callbacks."""
        call_id = self.context.function_call_id or self._environments.new_id()
        decision = self._decision = self._around.environment.decide(Call(self._tool.name, args, call_id, self))
        return decision

    def answer(self, own_run: tool_seat.RunAsync, args: dict[str, Any]) -> Awaitable[object]:
        """Do what was decided."""
        self._own_run = own_run
        self._args = args
        assert self._decision is not None  # noqa: S101 - `decide` comes first
        return self._around.environment.answer(self._decision, self._run)

    def _run(self) -> Awaitable[object]:
        return self._own_run(args=self._args, tool_context=self.context)

    def told(self) -> EnvironmentDecided:
        """What was decided, and why earlier rules do not answer."""
        decision = self._decision
        assert decision is not None  # noqa: S101 - `decide` comes first
        return EnvironmentDecided(
            call_id=decision.call.call_id,
            tool_name=decision.call.tool,
            rule=decision.rule_name,
            actions=self._around.environment.described(decision),
            passed_over=[{"rule": each.rule, "why": each.why} for each in decision.passed_over()],
        )

    @property
    def agent(self) -> str:
        """Who calls."""
        return self.context.agent_name

    @property
    def scope(self) -> str:
        """The call that this one runs within."""
        return self._around.scope

    def conversation(self) -> Conversation:
        """The session's calls so far."""
        return self._around.follow(self.context.session)

    def defaults(self) -> Mapping[str, Json]:
        """What the tool's arguments are if they are left out."""
        return self._environments.defaults_of(self._tool)


class EnvironmentSimulationPlugin(BasePlugin):
    """Lets rules answer the tool calls of an App, without any change to its agents.

    app = App(name="shop", root_agent=root_agent, plugins=[EnvironmentSimulationFactory.create_plugin(...)])
    """

    def __init__(self, book: Rulebook, name: str = "EnvironmentSimulation") -> None:
        """Serve all sessions of an App by the rules of `book`."""
        super().__init__(name=name)
        self._book = book
        self._environments = Environments(book)
        self._armed: set[str] = set()
        """Tools that a person has put a fault on."""
        self._unlisted: dict[str, int] = {}
        """How often tools were called that no rule names; they are left alone, and this is all that they cost."""
        self._environments.on_fault = self._arm

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Sit down in a tool that a rule names; the answer is given there, after consent."""
        unlisted = self._unlisted.get(tool.name)
        if unlisted is not None:
            self._unlisted[tool.name] = unlisted + 1
            return None
        if self._is_named(tool):
            if type(tool) is BaseTool:
                return await answered(self._environments, tool, tool_args, tool_context)
            self._sit_down(tool, tool_context, self._environments.enter(tool_context))
        elif is_framework(tool):
            self._environments.enter(tool_context)
            self._environments.forgotten.real[tool.name] += 1
        elif type(tool) is not BaseTool:
            self._unlisted[tool.name] = 1
        return None

    def environment(self, session: Session) -> Environment:
        """A session's environment: its rules as they stand, to be watched, switched and added to."""
        return self._environments.of(session).environment

    def report(self) -> Report:
        """What became of all calls so far."""
        tally = self._environments.tally()
        tally.real.update(self._unlisted)
        return Report.of(tally, [rule.name for rule in self._book.rules])

    async def close(self) -> None:
        """Log the report."""
        _log.info("The simulated environment:\n%s", self.report())

    def _arm(self, tool: str) -> None:
        """Look at the calls of a tool from now on, although no rule names it."""
        self._armed.add(tool)
        self._environments.forgotten.real[tool] += self._unlisted.pop(tool, 0)

    def _is_named(self, tool: BaseTool) -> bool:
        if self._book.candidates(tool.name) or tool.name in self._armed:
            return True
        return self._book.refuses and type(tool) is not BaseTool and not is_framework(tool)

    def _sit_down(self, tool: BaseTool, context: ToolContext, around: Surroundings) -> None:
        other = tool_seat.INTERVENING.get()
        if other is not None and other.context is context:
            raise SimulatorError(
                f"Two simulated environments answer the calls of {tool.name}: put one plugin into the App."
            )
        tool_seat.take(tool)
        tool_seat.INTERVENING.set(Intervention(self._environments, around, tool, context))


async def answered(
    environments: Environments, tool: BaseTool, args: dict[str, Any], context: ToolContext
) -> dict[str, Any] | None:
    """What the rules answer where no code runs: in a callback, or for a name that the model made up.

    None if no rule answers, or only one that must act inside the call.
    """
    around = environments.enter(context)
    intervention = Intervention(environments, around, tool, context)
    environment, decision = around.environment, intervention.decide(args)
    if (calls := tool_seat.CALLING.get()) is not None:
        await calls.told(context, intervention.told())
    if decision.rule is None or decision.rule.acts_inside:
        environment.went_real(decision)
        return None
    result = await environment.answer(decision, _nothing)
    return cast("dict[str, Any]", result) if isinstance(result, dict) else {"result": result}


async def _nothing() -> object:
    raise AssertionError("a rule that answers by itself runs no tool")
