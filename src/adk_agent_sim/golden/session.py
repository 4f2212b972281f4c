"""The configuration of a simulated agent, and one session of it as data, from which golden traces are built.

What the agents emitted has the form in which ADK's own converter writes eval cases: a flat list of calls and responses,
which is enough for one agent, does not say who called a tool or what an agent said before the final response."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, cast

from google.adk.apps import App
from google.adk.sessions import Session as AdkSession
from google.adk.sessions.state import State
from google.adk.tools import BaseTool
from google.adk.workflow import BaseNode
from pydantic import BaseModel, ConfigDict, Field, model_validator

from adk_agent_sim.golden.trace_omissions import UserTurn, remove_faulty_turns, split_events
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import get_parts
from adk_agent_sim.timeline.events import AgentEvent, Event, RunEnded, RunOutcome, UserSpoke
from adk_agent_sim.timeline.framework_calls import is_request_call
from adk_agent_sim.timeline.history import (
    FinalResponse,
    HistoryEntry,
    SessionState,
    ToolCall,
    ToolError,
    ToolOutput,
    UniqueIds,
    UserQuery,
    build_history,
    derive_state,
    find_agent_joined,
    is_user_query,
)
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind, list_pauses
from adk_agent_sim.timeline.state_edits import compute_initial_state, describe_later_edits, find_state_edit
from adk_agent_sim.timeline.undone_events import remove_undone_events


@dataclass(frozen=True, kw_only=True)
class EmittedContent:
    """A content and the agent that emitted it."""

    author: str

    parts: Sequence[Mapping[str, Json]]

    role: str

    is_final: bool = False
    """Whether this is the final response of the user turn."""

    @property
    def has_calls(self) -> bool:
        """Whether the agent called tools."""
        return any(part.get("function_call") for part in self.parts)

    @property
    def has_text(self) -> bool:
        """Whether the content has something for people to read or see."""
        return any(part.get("inline_data") or (part.get("text") and not part.get("thought")) for part in self.parts)


def collect_emitted_contents(events: Iterable[Event]) -> list[list[EmittedContent]]:
    """Return the contents of each user turn, in chronological order."""
    turns: list[list[EmittedContent]] = []
    ids = _UniqueCallIds()
    for event in events:
        match event.payload:
            case UserSpoke(content=content) if is_user_query(content):
                turns.append([])
            case UserSpoke() if turns:
                # The turn goes on after the user's answer to a call, so what ended it so far is not its final response,
                # and would end it early if a model repeated it.
                turns[-1] = [replace(each, is_final=False) for each in turns[-1] if not each.is_final or each.has_calls]
            case AgentEvent() as emitted if turns and emitted.event.get("author") != "user":
                _add_content(turns[-1], emitted, ids)
            case _:
                pass
    return turns


def needs_authors(contents: Sequence[EmittedContent]) -> bool:
    """Return whether a flat list of calls and responses would lose something of a user turn."""
    return len({each.author for each in contents}) > 1 or any(
        each.has_text and (not each.is_final or each.has_calls) for each in contents
    )


def _add_content(turn: list[EmittedContent], emitted: AgentEvent, ids: _UniqueCallIds) -> None:
    content: Mapping[str, Json] = emitted.event.get("content") or {}
    parts = [ids.apply(part) for part in get_parts(content) if _is_exported(part)]
    if not parts:
        return
    added = EmittedContent(
        author=emitted.event.get("author") or "",
        parts=parts,
        role=content.get("role") or "model",
        is_final=emitted.final,
    )
    if added.is_final:
        # As ADK does: the last final event counts, but one without text does not replace one with text.
        earlier = next((place for place, each in enumerate(turn) if each.is_final), None)
        if earlier is not None and (added.has_text or not turn[earlier].has_text):
            turn[earlier] = replace(turn[earlier], is_final=False)
        elif earlier is not None:
            added = replace(added, is_final=False)
    turn.append(added)


def _is_exported(part: Mapping[str, Json]) -> bool:
    """Return whether ADK's converter keeps a part; its own questions to the user have ids that no eval can repeat."""
    call: Mapping[str, Json] = part.get("function_call") or part.get("function_response") or {}
    return not is_request_call(call.get("name") or "") and bool(call or part.get("text") or part.get("inline_data"))


class _UniqueCallIds:
    """Gives every call of a session an id of its own, as the history does."""

    def __init__(self) -> None:
        self._unique_ids = UniqueIds("#")
        self._last_ids: dict[str, str] = {}

    def apply(self, part: Mapping[str, Json]) -> Mapping[str, Json]:
        if call := part.get("function_call"):
            given = call.get("id") or ""
            self._last_ids[given] = self._unique_ids.assign(given)
            return {**part, "function_call": {**call, "id": self._last_ids[given]}}
        if response := part.get("function_response"):
            given = response.get("id") or ""
            return {**part, "function_response": {**response, "id": self._last_ids.get(given, given)}}
        return part


@dataclass
class SimulatedAgentConfig:
    """An agent that can be simulated, and the file for its golden traces."""

    name: str
    """The name that people see; must not be empty."""

    agent: BaseNode
    """The ADK agent or workflow."""

    eval_set_path: str | Path
    """The EvalSet file; created if it does not exist, otherwise appended to. Relative to the current directory."""

    app: App | None = None
    """The App of the agent, with its plugins; by default an App with the agent's name."""

    folder: str | Path | None = None
    """The agent's folder, used in the command that evaluates it."""

    def __post_init__(self) -> None:
        if not self.name or not self.name.strip():
            raise ValueError("SimulatedAgentConfig.name is empty. Set the name that people see.")
        if not isinstance(cast("object", self.agent), BaseNode):
            raise TypeError(
                f"SimulatedAgentConfig.agent of {self.name!r} is a {type(self.agent).__name__}: "
                "it must be an ADK agent, such as google.adk.agents.LlmAgent."
            )
        if self.app is not None and self.app.root_agent is not self.agent:
            raise ValueError(
                f"SimulatedAgentConfig.app of {self.name!r} has a different root_agent than SimulatedAgentConfig.agent."
            )
        path = str(self.eval_set_path)
        if not path.strip() or "\0" in path or path.endswith("/"):
            raise ValueError(
                f"SimulatedAgentConfig.eval_set_path of {self.name!r} is {path!r}: "
                "it must be the path of a file, such as evals/math.evalset.json."
            )

    def resolve_eval_set_path(self) -> Path:
        """Return the absolute path of the EvalSet file."""
        path = Path(self.eval_set_path)
        return path if path.is_absolute() else Path.cwd() / path


class SimulationSession(BaseModel):
    """One session from its start to its export."""

    model_config = ConfigDict(arbitrary_types_allowed=True, validate_assignment=True)

    session_id: str = Field(description="The session on the timeline")
    agent_config: SimulatedAgentConfig = Field(description="The simulated agent")
    agent_name: str = Field(min_length=1, description="The agent's name, from its config")
    agent: BaseNode = Field(description="The ADK agent, from its config")
    tools: list[BaseTool] = Field(default_factory=list[BaseTool], description="The agent's tools")
    state: SessionState = SessionState.SELECTING_AGENT
    history: list[HistoryEntry] = Field(default_factory=list[HistoryEntry])
    start_timestamp: float = Field(description="When the session began, in seconds since 1970")
    adk_session: AdkSession | None = Field(default=None, description="The ADK session, if it is at hand")
    app_name: str = Field(default="", description="The ADK app")
    user_id: str = Field(default="user", description="The ADK user")
    initial_state: dict[str, Any] = Field(default_factory=dict, description="The session state before the first query")
    later_edits: list[str] = Field(
        default_factory=list[str], description="What a person has set in the state after the first query"
    )
    final_state: dict[str, Any] = Field(default_factory=dict, description="The session state now")
    consent_call_ids: set[str] = Field(default_factory=set, description="The ids of the calls that waited for consent")
    pauses: list[tuple[int, RequestKind]] = Field(
        default_factory=list[tuple[int, RequestKind]],
        description="What ADK asked the user for, with the number of the user turn",
    )
    emitted_contents: list[list[EmittedContent]] = Field(
        default_factory=list[list[EmittedContent]], description="What the agents emitted in each user turn"
    )
    failure: str = Field(default="", description="Why the last run ended early; empty if it did not")

    @classmethod
    def from_events(
        cls,
        config: SimulatedAgentConfig,
        session_id: str,
        events: Sequence[Event],
        *,
        tools: Sequence[BaseTool] = (),
        adk_session: AdkSession | None = None,
    ) -> Self:
        """Build a session from its timeline, without what was undone and without injected faults of its models.

        The tools and the ADK session are optional.
        """
        events = remove_faulty_turns(remove_undone_events(events))
        entries = build_history(events)
        join = find_agent_joined(events)
        # An edit after a run that failed, as for want of it, comes before the first message of a golden trace.
        finished = select_finished_events(events) or events
        return cls(
            session_id=session_id,
            agent_config=config,
            # Pydantic measures its length, which it cannot if a half of a surrogate pair is in it.
            agent_name=replace_lone_surrogates(config.name),
            agent=config.agent,
            tools=list(tools),
            adk_session=adk_session,
            consent_call_ids=_find_consent_call_ids(events),
            pauses=list_pauses(events),
            state=derive_state(entries),
            history=entries,
            start_timestamp=events[0].timestamp if events else 0.0,
            app_name=join.app_name if join else config.agent.name,
            user_id=join.user_id if join else "user",
            initial_state=compute_initial_state(finished),
            later_edits=describe_later_edits(finished),
            final_state=compute_final_state(events),
            emitted_contents=collect_emitted_contents(events),
            failure=_describe_failure(events),
        )

    @model_validator(mode="after")
    def _check_history(self) -> Self:
        if self.state in (SessionState.ACTIVE, SessionState.COMPLETED) and not (
            self.history and isinstance(self.history[0], UserQuery)
        ):
            raise ValueError(f"the history of a session that is {self.state.value} must start with a UserQuery")
        if self.state is SessionState.COMPLETED and not isinstance(self.history[-1], FinalResponse):
            raise ValueError("the history of a completed session must end with a FinalResponse")
        called: set[str] = set()
        for entry in self.history:
            if isinstance(entry, ToolCall):
                if entry.call_id in called:
                    raise ValueError(f"call_id {entry.call_id!r} is used by two ToolCalls of the session")
                called.add(entry.call_id)
            elif isinstance(entry, ToolOutput | ToolError) and entry.call_id not in called:
                raise ValueError(f"call_id {entry.call_id!r} of a {type(entry).__name__} matches no earlier ToolCall")
        return self


def compute_final_state(events: Sequence[Event]) -> dict[str, Json]:
    """Return the state after all events, without the `temp:` keys that ADK keeps for one invocation only."""
    events = remove_undone_events(events)
    join = find_agent_joined(events)
    state = dict(join.state) if join else {}
    for event in events:
        if isinstance(event.payload, AgentEvent):
            state.update(_get_actions(event.payload).get("state_delta") or {})
    return {key: value for key, value in state.items() if not key.startswith(State.TEMP_PREFIX)}


def _find_consent_call_ids(events: Sequence[Event]) -> set[str]:
    """Return the ids of the calls for which ADK requested consent."""
    call_ids: set[str] = set()
    for event in events:
        if isinstance(event.payload, AgentEvent):
            call_ids.update(_get_actions(event.payload).get("requested_tool_confirmations") or {})
    return call_ids


def _get_actions(emitted: AgentEvent) -> dict[str, Json]:
    return emitted.event.get("actions") or {}


def select_finished_events(events: Sequence[Event]) -> Sequence[Event]:
    """Return the events of the user turns that have a final response, each up to the end of its last run.

    A turn whose run was stopped or failed is omitted, also if others follow it, and so are injected faults of models.
    """
    before, turns = split_events(remove_faulty_turns(remove_undone_events(events)))
    finished = [event for turn in turns for event in _select_finished(turn)]
    return [*before, *finished] if any(turn.is_finished for turn in turns) else []


def _select_finished(turn: UserTurn) -> Sequence[Event]:
    """Return the events of a turn up to the end of its last run, if it is finished, and edits of the state after it."""
    finished: Sequence[Event] = _cut_after_run(turn.events) if turn.is_finished else ()
    return [*finished, *(event for event in turn.events[len(finished) :] if find_state_edit(event))]


def _cut_after_run(events: Sequence[Event]) -> Sequence[Event]:
    ends = [place for place, event in enumerate(events) if _is_run_done(event)]
    return events[: ends[-1] + 1]


def _is_run_done(event: Event) -> bool:
    return isinstance(event.payload, RunEnded) and event.payload.outcome is RunOutcome.DONE


def _describe_failure(events: Sequence[Event]) -> str:
    ends = [event.payload for event in events if isinstance(event.payload, RunEnded)]
    if not ends or ends[-1].outcome is RunOutcome.DONE:
        return ""
    why = f": {ends[-1].error_type}: {ends[-1].error_message}" if ends[-1].error_type else ""
    return f"the last run {'failed' if ends[-1].outcome is RunOutcome.FAILED else 'was cancelled'}{why}"
