"""Writes a session as a fixture for `adk test`, which replays the model's answers with real tools and compares events.

`adk test` starts with an empty state, sends only the text of user messages, takes the model's answers from the
fixture's events, and replaces only Gemini models. `NotReplayable` lists what it could not replay. As with `adk eval`, a
tool that failed needs `ToolErrorPlugin` in the folder's `app`.

Before it compares events, `adk test` renumbers the ids of calls (`fc-1`, `fc-2` in call order), and assigns a response
to the oldest unanswered call of the same name, not to the call it answers. So does a fixture: the ids must agree.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.events import Event as AdkEvent
from google.adk.models import BaseLlm, Gemini, LLMRegistry
from google.adk.tools.agent_tool import AgentTool
from google.adk.workflow import BaseNode
from google.genai import types

from adk_agent_sim.golden.export_formats import EXPORT_FORMATS
from adk_agent_sim.golden.golden_trace_builder import check_complete, is_plugin_answer, validate_content
from adk_agent_sim.golden.session import SimulationSession
from adk_agent_sim.text.surrogates import replace_surrogates_in_json
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import AgentEvent, Event, ToolFailed, TurnAsked, TurnDecided, UserSpoke
from adk_agent_sim.timeline.framework_calls import REQUEST_CONFIRMATION, REQUEST_CREDENTIAL, SET_MODEL_RESPONSE
from adk_agent_sim.timeline.history import ToolCall, ToolError
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind
from adk_agent_sim.timeline.state_edits import find_state_edit

_IGNORED_RESPONSE_FIELDS = frozenset(
    {"model_version", "finish_reason", "usage_metadata", "avg_logprobs", "cache_metadata", "logprobs_result"}
    | {"citation_metadata", "interaction_id", "turn_complete"}
)
"""The fields of a model's answer that `adk test` ignores."""

_ADK_REQUEST_CALLS = frozenset({REQUEST_CONFIRMATION, REQUEST_CREDENTIAL})
"""Calls that ADK makes itself: `adk test` does not treat them as answers of the model."""


_PATCHED_METHODS = (BaseLlm.generate_content_async, Gemini.generate_content_async)
"""The methods that `adk test` patches; a model that overrides them would really be called."""


def find_fixture_obstacles(
    session: SimulationSession, events: Sequence[Event], path: str | Path, *, has_tool_error_plugin: bool
) -> list[str]:
    """Return the reasons why `adk test` cannot replay the session from a file.

    Args:
        session: The session as data.
        events: Its timeline.
        path: The file; `adk test` reads only folders called `tests` beside an `agent.py`.
        has_tool_error_plugin: Whether the App that will be tested has `ToolErrorPlugin`.
    """
    reasons = find_replay_obstacles(session, events)
    if not has_tool_error_plugin:
        reasons += _find_plugin_answers(session)
    target = Path(path)
    extension = EXPORT_FORMATS["adk-test"].extension
    if target.parent.absolute().name != "tests" or target.suffix != extension:
        reasons.append(f"{target} is not a {extension} file in a folder called 'tests', the only ones that it reads")
    return reasons


def build_adk_test_fixture(session: SimulationSession, events: Sequence[Event]) -> dict[str, Json]:
    """Return the fixture, an ADK session as JSON with the ids that `adk test` assigns; raise SessionIncomplete."""
    check_complete(session)
    return {
        "id": session.session_id,
        "appName": session.app_name,
        "userId": session.user_id,
        "state": session.final_state,
        "events": [_dump_event(event) for event in renumber_ids(convert_to_adk_events(events))],
    }


def convert_to_adk_events(events: Iterable[Event]) -> list[AdkEvent]:
    """Return the conversation as ADK events, including the user messages."""
    found: list[AdkEvent] = []
    for event in events:
        match event.payload:
            case UserSpoke(content=content):
                message = validate_content(replace_surrogates_in_json(content))
                found.append(AdkEvent(author="user", content=message, timestamp=event.timestamp))
            case AgentEvent() if find_state_edit(event):
                pass  # `adk test` would send it as a message
            case AgentEvent(event=emitted, invocation_id=invocation_id):
                # The timeline has no invocation id for a user message; it is that of the event which follows.
                if found and not found[-1].invocation_id:
                    found[-1].invocation_id = invocation_id
                found.append(AdkEvent.model_validate(replace_surrogates_in_json(emitted)))
            case _:
                pass
    return found


def find_replay_obstacles(session: SimulationSession, events: Sequence[Event]) -> list[str]:
    """Return the reasons why `adk test` cannot replay the session; empty if it can."""
    asked = {event.agent_name for event in events if isinstance(event.payload, TurnAsked)}
    called = {entry.tool_name for entry in session.history if isinstance(entry, ToolCall)}
    # Sub-agents in single-turn mode are tools too, but emit their events in the session.
    authors = {event.agent_name for event in events if isinstance(event.payload, AgentEvent)}
    found = list(_find_unpatched_models(session.agent, asked or None, called - authors))
    if session.initial_state:
        names = ", ".join(session.initial_state)
        found.append(f"it started with a state ({names}), but `adk test` starts with none")
    found += [f"{edit}, which `adk test` does not do again" for edit in session.later_edits]
    found += _find_truncated_messages(events)
    found += [
        f"call {event.payload.call_id} was cancelled by a person"
        for event in events
        if isinstance(event.payload, ToolFailed) and event.payload.error_type == "Cancelled"
    ]
    found += _find_changed_answers(events)
    found += [
        f"user turn {turn} asked for a credential, which no recording contains"
        for turn, kind in dict.fromkeys(session.pauses)
        if kind is RequestKind.CREDENTIAL
    ]
    return found


def _find_plugin_answers(session: SimulationSession) -> Iterator[str]:
    """Yield the failed calls that `ToolErrorPlugin` answered: in an App without it, they would end the run."""
    for entry in session.history:
        if isinstance(entry, ToolError) and is_plugin_answer(entry):
            yield f"call {entry.call_id} failed ({entry.error_type}), but the App has no ToolErrorPlugin"


@runtime_checkable
class SeatedModel(Protocol):
    """What replaces an agent's model while the agent is simulated."""

    @property
    def replaced_model(self) -> str | BaseLlm:
        """The agent's own model, as it was given."""
        ...


def _find_unpatched_models(agent: BaseNode, asked_agents: set[str] | None, silent_tools: set[str]) -> Iterator[str]:
    """Yield the agents whose model would really be called, or would get answers of another model.

    Args:
        agent: The root of the tree.
        asked_agents: The agents whose models were called; None if the session does not say.
        silent_tools: The tools that were called and emitted no events of their own.
    """
    if isinstance(agent, LlmAgent):
        own_model = agent.model.replaced_model if isinstance(agent.model, SeatedModel) else agent.model
        model = type(own_model) if isinstance(own_model, BaseLlm) else _resolve_model_class(own_model)
        was_asked = asked_agents is None or agent.name in asked_agents
        if was_asked and model and model.generate_content_async not in _PATCHED_METHODS:
            yield f"`adk test` replaces only Gemini models, but agent {agent.name!r} has a {model.__name__}"
        for tool in cast("list[object]", agent.tools):  # pyright: ignore[reportUnknownMemberType] - ADK's
            if isinstance(tool, AgentTool) and tool.name in silent_tools:
                yield f"agent {tool.name!r} is a tool, and the events do not contain its model's answers"
    for child in agent.sub_agents if isinstance(agent, BaseAgent) else ():
        yield from _find_unpatched_models(child, asked_agents, silent_tools)


def _resolve_model_class(name: str) -> type[BaseLlm] | None:
    """Return the class that ADK would use for a model's name; None if the name is inherited or cannot be resolved."""
    try:
        return LLMRegistry.resolve(name) if name else None
    except (ImportError, ValueError):
        return None


def _find_truncated_messages(events: Iterable[Event]) -> Iterator[str]:
    """Yield the user messages that `adk test` would truncate: it sends texts and responses, and one text first."""
    messages = [event.payload.content for event in events if isinstance(event.payload, UserSpoke)]
    for index, message in enumerate(messages):
        parts: list[dict[str, Json]] = message.get("parts") or []
        if index == 0 and (len(parts) != 1 or not parts[0].get("text")):
            yield "`adk test` sends only the text of the first part of the first user message"
        elif any(set(part) not in ({"text"}, {"function_response"}) for part in parts):
            yield f"user message {index + 1} contains more than text, but `adk test` sends only text"


def _find_changed_answers(events: Sequence[Event]) -> Iterator[str]:
    """Yield the first difference between the model's answers and those in the agent's events."""
    decided = _collect_decisions(events)
    if not decided:
        return
    for number, (answer, decision) in enumerate(zip(_collect_emitted_answers(events), decided, strict=False), start=1):
        unsupported = set(decision) - _IGNORED_RESPONSE_FIELDS - {"content"}
        if answer != _strip_call_ids(decision.get("content")):
            yield f"answer {number} of the model differs from what its agent emitted: a callback changed or created it"
            return
        if unsupported or _has_bytes(answer):
            fields = ", ".join(sorted(unsupported)) or "bytes"
            yield f"answer {number} of the model contains what a fixture cannot represent: {fields}"
            return
    if len(_collect_emitted_answers(events)) != len(decided):
        yield (
            f"the model answered {len(decided)} times, "
            f"but the agent's events contain {len(_collect_emitted_answers(events))} answers: "
            "an agent that is a tool, a callback or a workflow does not emit all of them"
        )


def _collect_decisions(events: Iterable[Event]) -> list[dict[str, Json]]:
    """Return the model's answers in the order of the requests."""
    answers: dict[str, dict[str, Json]] = {}
    for event in events:
        if isinstance(event.payload, TurnAsked):
            answers[event.turn_id] = {}
        if isinstance(event.payload, TurnDecided):
            answers[event.turn_id] = event.payload.response
    return list(answers.values())


def _collect_emitted_answers(events: Iterable[Event]) -> list[Json]:
    """Return what `adk test` takes for the model's answers: contents of role `model` that ADK did not create itself."""
    found: list[Json] = []
    made_by_adk = False
    for event in events:
        content = event.payload.event.get("content") if isinstance(event.payload, AgentEvent) else None
        if not content:
            continue
        parts: list[dict[str, Json]] = content.get("parts") or []
        if content.get("role") == "user":
            # ADK repeats a structured response as a text, which is no answer of the model.
            made_by_adk = made_by_adk or SET_MODEL_RESPONSE in _list_part_names(parts, "function_response")
        elif content.get("role") == "model":
            if not made_by_adk and not _ADK_REQUEST_CALLS & set(_list_part_names(parts, "function_call")):
                found.append(_strip_call_ids(content))
            made_by_adk = False
    return found


def _list_part_names(parts: Iterable[Mapping[str, Json]], kind: str) -> list[str]:
    return [part[kind].get("name") or "" for part in parts if part.get(kind)]


def _strip_call_ids(content: Json) -> Json:
    """Return a content without the ids of its calls, which ADK assigns."""
    if content is None:
        return None
    parts: list[dict[str, Json]] = content.get("parts") or []
    return [_strip_call_id(part) for part in parts]


def _strip_call_id(part: Mapping[str, Json]) -> dict[str, Json]:
    plain = {key: value for key, value in part.items() if key != "thought_signature"}
    if call := cast("Mapping[str, Json] | None", plain.get("function_call")):
        plain["function_call"] = {"name": call.get("name"), "args": call.get("args") or {}}
    return plain


def _has_bytes(parts: Sequence[Mapping[str, Json]] | None) -> bool:
    return any("inline_data" in part for part in parts or ())


def _dump_event(event: AdkEvent) -> dict[str, Any]:
    return event.model_dump(mode="json", by_alias=True, exclude_none=True)


def renumber_ids(events: Sequence[AdkEvent]) -> list[AdkEvent]:
    """Return copies of the events with renumbered ids."""
    renumbered = [event.model_copy(deep=True) for event in events]
    numbers = _number_calls(renumbered)
    waiting: dict[str, deque[str]] = {}
    for number, event in enumerate(renumbered, start=1):
        event.id = f"e-{number}"
        for call in event.get_function_calls():
            waiting.setdefault(call.name or "", deque()).append(call.id or "")
            call.args = _replace_ids(call.args, numbers)
        for response in event.get_function_responses():
            response.id = _find_response_id(response, waiting, numbers)
        _replace_ids_in_paths(event, numbers)
    return renumbered


def _number_calls(events: Sequence[AdkEvent]) -> dict[str, str]:
    """Renumber the calls in place, and return the new ids by the old ones."""
    numbers: dict[str, str] = {}
    count = 0
    for event in events:
        for call in event.get_function_calls():
            old = call.id or ""
            count += 1
            call.id = numbers[old] = f"fc-{count}"
        if event.long_running_tool_ids:
            event.long_running_tool_ids = {numbers.get(call_id, call_id) for call_id in event.long_running_tool_ids}
    return numbers


def _find_response_id(
    response: types.FunctionResponse, waiting: dict[str, deque[str]], numbers: Mapping[str, str]
) -> str:
    unanswered = waiting.get(response.name or "")
    return unanswered.popleft() if unanswered else numbers.get(response.id or "", response.id or "")


def _replace_ids(value: Any, numbers: Mapping[str, str]) -> Any:
    """Return arguments with renumbered call ids: ADK's own requests contain the call that they are about."""
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        return {
            key: numbers.get(inner, inner) if key == "id" and isinstance(inner, str) else _replace_ids(inner, numbers)
            for key, inner in entries.items()
        }
    return [_replace_ids(inner, numbers) for inner in cast("list[Any]", value)] if isinstance(value, list) else value


def _replace_ids_in_paths(event: AdkEvent, numbers: Mapping[str, str]) -> None:
    """Renumber the call ids in the event's branch, paths and scope, which ADK may name after a call."""
    event.branch = _replace_ids_in_path(event.branch, ".", numbers) if event.branch else event.branch
    event.node_info.path = _replace_ids_in_path(event.node_info.path, "/", numbers)
    if event.node_info.output_for:
        event.node_info.output_for = [_replace_ids_in_path(path, "/", numbers) for path in event.node_info.output_for]
    if event.isolation_scope:
        event.isolation_scope = numbers.get(event.isolation_scope, event.isolation_scope)
    confirmations = event.actions.requested_tool_confirmations
    event.actions.requested_tool_confirmations = {numbers.get(key, key): value for key, value in confirmations.items()}


def _replace_ids_in_path(path: str, separator: str, numbers: Mapping[str, str]) -> str:
    steps = [step.rsplit("@", 1) for step in path.split(separator)]
    return separator.join(
        "@".join([step[0], *(numbers.get(call_id, call_id) for call_id in step[1:])]) for step in steps
    )
