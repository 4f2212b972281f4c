"""What the mocks of a session share: its visible calls, the recordings that are replayed, the answers of models.

What a call sees does not depend on how tasks interleave (see `call_history.py`), so a model is asked the same in every
run, and a recorded answer is found again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from adk_agent_sim.environment.call_history import CallRecord, are_branches_related, is_success
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.json_values import MISSING, copy_value
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.mocks.llm_mock import LlmMock, ModelChoice
from adk_agent_sim.mocks.llm_state import AnsweredCall
from adk_agent_sim.mocks.mcp_results import unwrap_result
from adk_agent_sim.mocks.replay_mock import ReplayMock
from adk_agent_sim.mocks.replayable_calls import ReplaySource
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.framework_calls import EXACT_NAMES
from adk_agent_sim.timeline.json_conversion import to_json_value
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
