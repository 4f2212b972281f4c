"""The base class of actions: an action turns the result so far into the next result.

    NO_RESULT --delay--> NO_RESULT --pass--> the tool's own result --drop--> the result without a field --> the model

A chain starts with NO_RESULT. An action that needs a result and has none runs the tool; so does a chain that ends
without one.

The mocks of a session share its visible calls, the recordings that are replayed, and the answers of models. What a call
sees does not depend on how tasks interleave (see `CallHistory`), so a model is asked the same in every run, and a
recorded answer is found again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

from adk_agent_sim.environment.incoming_call import CallRecord, IncomingCall, are_branches_related, is_success
from adk_agent_sim.environment.json_values import MISSING, StrictModel, copy_value
from adk_agent_sim.environment.templates import (
    BadTemplate,
    Reference,
    TemplateTooLong,
    ValueMissing,
    format_inserted,
    has_template,
    iter_references,
    render,
    resolve_reference,
)
from adk_agent_sim.errors import HumanUnavailable, RuleFailed, SimulatorError
from adk_agent_sim.mocks.llm_json import MockJournal
from adk_agent_sim.mocks.llm_mock import LlmMock, ModelChoice
from adk_agent_sim.mocks.llm_state import AnsweredCall
from adk_agent_sim.mocks.replay_mock import ReplayMock, ReplaySource
from adk_agent_sim.mocks.resource_store import ResourceStore
from adk_agent_sim.mocks.tool_results import unwrap_result
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.clock import Sleeper
from adk_agent_sim.timeline.framework_calls import EXACT_NAMES
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.seeded_random import DrawKey, draw_bits
from adk_agent_sim.timeline.strict_json import dump_json

_OrderKey: TypeAlias = tuple[tuple[int, ...], str, str]


@dataclass(frozen=True, slots=True)
class MockedCall:
    """A call that a mock has answered, in whichever of a session's agents it was made."""

    record: CallRecord
    response: Json


def list_visible_calls(call: IncomingCall, mocked: Iterable[MockedCall]) -> list[AnsweredCall]:
    """Return the answered calls that a call sees, oldest first.

    Args:
        call: The call.
        mocked: The calls of the session that were mocked, among them those that its own history does not have: of
            agents that are used as tools, and of the agents that use them.
    """
    found = {id(record): (record, record.response) for record in _iter_own_calls(call)}
    for each in mocked:
        if _is_visible(each.record, call.record):
            found.setdefault(id(each.record), (each.record, each.response))
    ordered = sorted(found.values(), key=lambda pair: _build_order_key(pair[0]))
    return [_convert(record, response) for record, response in ordered]


def _iter_own_calls(call: IncomingCall) -> Iterator[CallRecord]:
    history = call.caller.get_call_history()
    # The order of the set does not matter: all calls are sorted in the end.
    for tool in set(history.get_called_tools()) - EXACT_NAMES:
        yield from history.iter_visible_calls(call.record, tool)


def _is_visible(other: CallRecord, call: CallRecord) -> bool:
    """Whether a call sees another one, which may be made inside of a call that it sees."""
    for theirs, own in zip(_list_enclosing(other), _list_enclosing(call), strict=False):
        if theirs is not own:
            return (
                theirs.response is not MISSING
                and theirs.answer_position < own.turn_position
                and are_branches_related(own.branch, theirs.branch)
            )
    return False


def _list_enclosing(record: CallRecord) -> list[CallRecord]:
    """Return a call and those inside which it is made, the outermost first."""
    chain = [record]
    while chain[-1].outer_call is not None:
        chain.append(chain[-1].outer_call)
    return chain[::-1]


def _build_order_key(record: CallRecord) -> _OrderKey:
    """Return what sorts calls by time; those that a model made together by what they are."""
    positions = tuple(each.turn_position for each in _list_enclosing(record))
    return positions, record.tool, dump_json(to_json_value(record.args))


def _convert(record: CallRecord, response: Json) -> AnsweredCall:
    return AnsweredCall(
        tool=record.tool,
        args=to_json_value(record.args),
        response=unwrap_result(copy_value(to_json_value(response))),
        has_failed=not is_success(response),
    )


class SessionReplays:
    """The replay mocks of one session, one for each file."""

    def __init__(self) -> None:
        self._mocks: dict[ReplaySource, ReplayMock] = {}
        self._used: list[str] = []

    def get_mock(self, source: ReplaySource) -> ReplayMock:
        """Return the mock of a file; rules that name the same file share it."""
        if source not in self._mocks:
            self._mocks[source] = ReplayMock(source)
        return self._mocks[source]

    def take_new_uses(self) -> list[str]:
        """Return the references of the recorded calls that were used since the last time."""
        new = [reference for mock in self._mocks.values() for reference in mock.take_new_uses()]
        self._used += new
        return new

    def list_uses(self) -> list[str]:
        """Return the references of all recorded calls that were used."""
        return [*self._used, *(reference for mock in self._mocks.values() for reference in mock.new_uses)]


LlmMockFinder: TypeAlias = Callable[[ModelChoice], LlmMock]
"""Returns the mock of a model, which all sessions of an environment share."""


class SessionLlmMocks:
    """What one session needs to let a model answer its calls."""

    def __init__(self, find_mock: LlmMockFinder) -> None:
        self.find_mock = find_mock
        self.calls: list[MockedCall] = []
        """The calls that were answered, also those of agents that are used as tools."""


def refuse_llm_mock(choice: ModelChoice) -> LlmMock:
    """Raise: models are asked through ADK."""
    raise SimulatorError("`mock: llm` asks a model through ADK: use EnvironmentSimulationFactory or Simulation.")


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
