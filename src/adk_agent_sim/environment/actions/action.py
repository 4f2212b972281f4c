"""The base class of actions: an action turns the result so far into the next result.

    NO_RESULT --delay--> NO_RESULT --pass--> the tool's own result --drop--> the result without a field --> the model

A chain starts with NO_RESULT. An action that needs a result and has none runs the tool; so does a chain that ends
without one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

from adk_agent_sim.environment.call_values import ValueMissing, resolve_reference
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.session_mocks import SessionLlmMocks, SessionReplays
from adk_agent_sim.environment.strict_model import StrictModel
from adk_agent_sim.environment.templates import (
    BadTemplate,
    Reference,
    TemplateTooLong,
    format_inserted,
    has_template,
    iter_references,
    render,
)
from adk_agent_sim.errors import HumanUnavailable, RuleFailed
from adk_agent_sim.mocks.llm_journal import MockJournal
from adk_agent_sim.mocks.resource_store import ResourceStore
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.clock import Sleeper
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.seeded_random import DrawKey, draw_bits

NO_RESULT: Any = object()
"""There is no result yet; None is a result."""

AskPerson: TypeAlias = Callable[[Mapping[str, Json]], Awaitable[Json]]
"""Asks a person for the response of the tool to its arguments; raises what the person raises."""


class RuleExecution:
    """The execution of a rule's actions for one call."""

    __slots__ = (
        *("_ask_person", "_exceptions", "_get_resources", "_run_tool", "_seed", "_sleeper"),
        *("call", "has_asked_person", "has_effect", "has_run_tool", "journal", "llm", "replays", "rule"),
    )

    def __init__(
        self,
        call: IncomingCall,
        rule: str,
        *,
        seed: int | None,
        sleeper: Sleeper,
        exceptions: Mapping[str, Callable[[str], Exception]],
        run_tool: Callable[[], Awaitable[object]],
        get_resources: Callable[[], ResourceStore],
        llm: SessionLlmMocks,
        replays: SessionReplays,
        ask_person: AskPerson | None = None,
    ) -> None:
        """Prepare the execution.

        Args:
            call: The call.
            rule: The rule's name.
            seed: The seed of the rule; None for that of the session.
            sleeper: How time passes in delays.
            exceptions: The exceptions that can be raised, by name.
            run_tool: Runs the tool's own code.
            get_resources: Returns what mocks have created in the session.
            llm: Finds the mocks that ask a model.
            replays: The recordings that are replayed in the session.
            ask_person: Asks a person for the tool's response; None if there is nobody to ask.
        """
        self.call = call
        self.rule = rule
        self._seed = seed
        self._sleeper = sleeper
        self._exceptions = exceptions
        self._run_tool = run_tool
        self._get_resources = get_resources
        self.llm = llm
        self.journal: MockJournal | None = None
        """What a mock asks a model, and gets; None if it asks none."""
        self.replays = replays
        """The recordings that are replayed in the session."""
        self._ask_person = ask_person
        self.has_asked_person = False
        """Whether a person was asked to respond as the tool."""
        self.has_run_tool = False
        """Whether the tool's own code has run."""
        self.has_effect = False
        """Whether an action with `changes_result` has changed something."""

    @property
    def resources(self) -> ResourceStore:
        """What mocks have created in the session."""
        # A call and not a value: a session without a stateful mock never needs the store.
        return self._get_resources()

    async def run_tool(self) -> object:
        """Run the tool's own code."""
        self.has_run_tool = True
        return await self._run_tool()

    async def ask_person(self, args: Mapping[str, Json]) -> Json:
        """Ask a person for the tool's response.

        Raises:
            HumanUnavailable: The session is on no timeline, where a person could respond.
        """
        if self._ask_person is None:
            raise HumanUnavailable(self.call.tool)
        self.has_asked_person = True
        return await self._ask_person(args)

    async def resolve_result(self, current_result: object) -> Json:
        """Return the result to change, as JSON: the current one, or that of the tool, which then runs."""
        return to_json_value(await self.run_tool() if current_result is NO_RESULT else current_result)

    async def sleep(self, seconds: float) -> None:
        """Wait, in real or virtual time."""
        self.call.record.add_delay(seconds)
        await self._sleeper.sleep(seconds)

    def draw(self, *key: DrawKey) -> float:
        """Return a random number from 0 to 1 that depends only on the seed, the rule, the call and the key."""
        return self.call.draw(self.rule, self._seed, *key)

    def draw_for_arguments(self, key: str) -> int:
        """Return 64 random bits that are the same for all calls of the tool with the same key in this session."""
        return draw_bits(self._get_seed(), self.call.caller.randomness.session_key, "mock", self.call.tool, key)

    def draw_for_call(self, key: str) -> int:
        """Return 64 random bits that also depend on which call of the agent it is."""
        call, record = self.call, self.call.record
        place = (call.caller.scope, record.agent, record.branch, record.call_number)
        return draw_bits(self._get_seed(), call.caller.randomness.session_key, "mock", call.tool, key, *place)

    def _get_seed(self) -> int:
        return self.call.caller.randomness.seed if self._seed is None else self._seed

    def render(self, value: Json) -> Json:
        """Return a copy of a value in which references to the call are replaced.

        Raises:
            RuleFailed: The call does not have a value that the rule refers to.
        """
        try:
            return render(value, self._resolve_reference)
        except (ValueMissing, BadTemplate, TemplateTooLong) as error:
            raise RuleFailed(self.rule, self.call.tool, str(error)) from None

    def render_text(self, text: str) -> str:
        """Like `render`, for a place where only a text fits."""
        return format_inserted(self.render(text))

    def describe(self, action: Action) -> str:
        """Return a description of an action for this call, and what it lacks, if it fails for that."""
        missing = self.find_missing_values(action.template) if action.has_references else []
        described = action.describe(self)
        return f"{described}, which fails: {'; '.join(missing)}" if missing else described

    def find_missing_values(self, value: Json) -> list[str]:
        """Return, for each reference without a value in this call, what is missing."""
        missing: dict[str, None] = {}
        try:
            for reference in iter_references(value):
                try:
                    self._resolve_reference(reference)
                except ValueMissing as error:
                    missing[str(error)] = None
        except BadTemplate as error:
            missing[str(error)] = None
        return list(missing)

    def _resolve_reference(self, reference: Reference) -> Json:
        return resolve_reference(reference, self.call)

    def knows_exception(self, name: str) -> bool:
        """Whether an exception is registered."""
        return name in self._exceptions

    def build_exception(self, name: str, message: str) -> Exception:
        """Create an exception of a registered type."""
        return self._exceptions[name](message)


class Action(StrictModel):
    """One action of a rule."""

    key: ClassVar[str]
    """The key in a rules file."""

    acts_inside_call: ClassVar[bool] = False
    """Whether it must run inside the tool call, because it raises or needs the real result."""

    is_terminal: ClassVar[bool] = False
    """Whether it always raises, so that later actions are never reached."""

    gives_result: ClassVar[bool] = False
    """Whether it produces a result without running the tool."""

    replaces_result: ClassVar[bool] = False
    """Whether its result does not depend on the result so far, which is then lost."""

    only_makes_result: ClassVar[bool] = False
    """Whether it has no effect if its result is lost; `pass` has one, because the tool runs."""

    takes_time: ClassVar[bool] = False
    """Whether it waits."""

    seats: ClassVar[frozenset[str]] = frozenset({"tool"})
    """The seats in which it can act: `tool`, `model`."""

    changes_result: ClassVar[bool] = False
    """Whether all that it does is to change the tool's result; it may find nothing to change."""

    @property
    def is_random(self) -> bool:
        """Whether it draws random numbers."""
        return False

    @property
    def template(self) -> Json:
        """The part of it whose texts may refer to the call, such as `{{args.id}}`; None if it has no such part."""
        return None

    @property
    def asks_person(self) -> bool:
        """Whether a person responds as the tool; that is part of the call, as the tool's own code would be."""
        return False

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return the next result."""
        raise NotImplementedError

    def describe(self, execution: RuleExecution | None = None) -> str:
        """Return a short description; with the values drawn for a call if `execution` is given."""
        return self.key

    @cached_property
    def has_references(self) -> bool:
        """Whether a text of it may refer to the call."""
        return has_template(self.template)
