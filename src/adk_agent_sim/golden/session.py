"""The configuration of a simulated agent, and one session of it as data, from which golden traces are built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, cast

from google.adk.apps import App
from google.adk.sessions import Session as AdkSession
from google.adk.sessions.state import State
from google.adk.tools import BaseTool
from google.adk.workflow import BaseNode
from pydantic import BaseModel, ConfigDict, Field, model_validator

from adk_agent_sim.golden.emitted_contents import EmittedContent, collect_emitted_contents
from adk_agent_sim.golden.trace_omissions import remove_faulty_turns
from adk_agent_sim.golden.user_turns import UserTurn, split_events
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import AgentEvent, Event, RunEnded, RunOutcome
from adk_agent_sim.timeline.history import (
    FinalResponse,
    HistoryEntry,
    SessionState,
    ToolCall,
    ToolError,
    ToolOutput,
    UserQuery,
    build_history,
    derive_state,
    find_agent_joined,
)
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind, list_pauses
from adk_agent_sim.timeline.state_edits import compute_initial_state, describe_later_edits, find_state_edit
from adk_agent_sim.timeline.undone_events import remove_undone_events


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
