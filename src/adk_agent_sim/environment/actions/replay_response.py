"""How the action `mock: replay` answers a call: from a recording, with what the session's other calls have shown."""

from __future__ import annotations

from adk_agent_sim.environment.actions.action import RuleExecution
from adk_agent_sim.environment.call_history import is_success
from adk_agent_sim.environment.json_values import copy_value
from adk_agent_sim.mocks.replay_mock import LiveCall, ReplayedResponse, ReplayMock
from adk_agent_sim.mocks.replayable_calls import ReplaySource
from adk_agent_sim.timeline.canonical_json import Json, normalize_value
from adk_agent_sim.timeline.json_conversion import to_json_value


def find_replayed_response(execution: RuleExecution, source: ReplaySource) -> ReplayedResponse:
    """Return the recorded response to a call; asked again for the same call, the same one.

    Raises:
        MockImpossible: No recorded call is meant, or it is not certain which.
    """
    call, mock = execution.call, execution.replays.get_mock(source)
    _observe_earlier_calls(execution, mock)
    defaults = call.caller.get_argument_defaults()
    # As the model requested them: a recording does not have what callbacks have made of them.
    args: dict[str, Json] = normalize_value(to_json_value({**defaults, **call.record.args}))
    return mock.respond(call.record, LiveCall(tool=call.tool, agent=call.agent, args=args, defaults=defaults))


def give_response(execution: RuleExecution, replayed: ReplayedResponse) -> object:
    """Return the response, or raise the exception that the tool raised."""
    kind, _, message = replayed.call.error.partition(": ")
    if kind and execution.knows_exception(kind):
        raise execution.build_exception(kind, message)
    return copy_value(dict(replayed.response))


def describe_replayed(replayed: ReplayedResponse) -> str:
    """Return which recorded call answers."""
    return replayed.call.reference + (", found with ids renamed" if replayed.is_renamed else "")


def _observe_earlier_calls(execution: RuleExecution, mock: ReplayMock) -> None:
    """Show the mock the calls that it has not answered: by other rules and real tools, or in another process."""
    history, record = execution.call.caller.get_call_history(), execution.call.record
    new = [
        call
        for tool in history.get_called_tools()
        for call in history.iter_visible_calls(record, tool)
        if not mock.has_seen(call)
    ]
    for call in sorted(new, key=lambda each: (each.answer_position, each.turn_position)):
        args: dict[str, Json] = normalize_value(to_json_value(dict(call.args)))
        live = LiveCall(tool=call.tool, agent=call.agent, args=args, defaults={})
        mock.observe(call, live, to_json_value(call.response), is_error=not is_success(call.response))
