"""The values of a call that the texts of its rule can refer to: arguments, state and results of earlier calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.json_values import MISSING, find_value
from adk_agent_sim.environment.templates import Reference
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_conversion import to_json_value

CALL_FIELDS: Mapping[str, Callable[[IncomingCall], Json]] = {
    "number": lambda call: call.record.call_number,
    "id": lambda call: call.call_id,
    "tool": lambda call: call.tool,
    "agent": lambda call: call.agent,
}
"""What `{{call.x}}` can refer to."""


class ValueMissing(ValueError):
    """A reference has no value in this call."""


def resolve_reference(reference: Reference, call: IncomingCall) -> Json:
    """Return the value of a reference.

    Raises:
        ValueMissing: The call has no such value.
    """
    resolve = _RESOLVERS.get(reference.root)
    value = resolve(reference.name, call) if resolve else MISSING
    if value is MISSING:
        raise ValueMissing(f"{{{{{reference.text}}}}} has no value: {_explain_missing(reference)}")
    return to_json_value(value)  # a callback may have put any object into the arguments or the state


def _resolve_argument(name: str, call: IncomingCall) -> Json:
    # With the tool's defaults: the response then shows the value that the tool itself would have used.
    return find_value(call.args_with_defaults, name)


def _resolve_call_field(name: str, call: IncomingCall) -> Json:
    read = CALL_FIELDS.get(name)
    return read(call) if read else MISSING


def _resolve_state(name: str, call: IncomingCall) -> Json:
    return find_value(call.caller.get_state(), name) if name else MISSING


def _resolve_result(name: str, call: IncomingCall) -> Json:
    tool, _, path = name.partition(".")
    history = call.caller.get_call_history()
    latest = next(history.iter_visible_calls(call.record, tool), None)
    if latest is None:
        return MISSING
    return find_value(latest.response, path) if path else latest.response


_RESOLVERS: Mapping[str, Callable[[str, IncomingCall], Json]] = {
    "args": _resolve_argument,
    "call": _resolve_call_field,
    "state": _resolve_state,
    "results": _resolve_result,
}
CALL_ROOTS = frozenset(_RESOLVERS)
"""What a reference can begin with."""


def _explain_missing(reference: Reference) -> str:
    match reference.root:
        case "args":
            return f"the call has no argument {reference.name!r}"
        case "state":
            return f"the session's state has no {reference.name!r}"
        case "results":
            tool, _, path = reference.name.partition(".")
            return f"no earlier result of {tool}" + (f" has {path!r}" if path else "")
        case _:
            return "there is no such value"
