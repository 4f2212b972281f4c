"""The sessions that the browser sees, and what can be done in them.

What a session is, is read from its timeline. What needs the running agent (a message, a cancelled call, its own model)
goes to its run in this process; a session without one can be read, and its turns decided if agents elsewhere may play.
"""

from __future__ import annotations

import asyncio
import binascii
import re
from base64 import b64decode
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from adk_agent_sim.adk import user_message as messages
from adk_agent_sim.adk.agent_run import AgentRun
from adk_agent_sim.adk.answer_check import check_answer
from adk_agent_sim.adk.own_model import ask_own_model
from adk_agent_sim.errors import (
    AgentNotLocal,
    InvalidAnswer,
    InvalidArguments,
    InvalidMessage,
    InvalidTransition,
    MalformedValue,
    NotFound,
    SessionNotFound,
    TurnNotFound,
)
from adk_agent_sim.golden.session import compute_final_state
from adk_agent_sim.server import decision_parsing, request_view, row_details
from adk_agent_sim.server.agent_catalog import AgentCatalog, PlayableAgent, load_briefing_with_timeout
from adk_agent_sim.server.api_models import (
    Briefing,
    CheckInput,
    ConsentInput,
    DecisionInput,
    DisplayStatus,
    EnvironmentInfo,
    ExportInput,
    ExportResult,
    FaultInput,
    FieldProblem,
    FilePart,
    RequestInfo,
    Row,
    RowDetail,
    RuleSwitchInput,
    SessionInfo,
    Suggestion,
    UserMessage,
)
from adk_agent_sim.server.environment_controls import build_environment_info, queue_fault, set_rule_enabled
from adk_agent_sim.server.exports import SessionExports, build_remote_agent_config
from adk_agent_sim.server.json_input import parse_json_input
from adk_agent_sim.server.line_summary import REPLACEMENT_CHARACTER, summarize_text
from adk_agent_sim.server.session_view import SessionView
from adk_agent_sim.timeline import session_progress
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.decision_checks import get_function_calls
from adk_agent_sim.timeline.events import Event, Player
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.model_request import ModelRequest
from adk_agent_sim.timeline.session_progress import SessionSummary
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.timeline.timeline import Timeline

_MIME_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}", re.ASCII | re.IGNORECASE)


_DISPLAY_STATUSES = {
    session_progress.SessionStatus.WAITING: DisplayStatus.YOUR_TURN,
    session_progress.SessionStatus.RUNNING: DisplayStatus.RUNNING,
    session_progress.SessionStatus.DONE: DisplayStatus.DONE,
    session_progress.SessionStatus.FAILED: DisplayStatus.FAILED,
    session_progress.SessionStatus.ABANDONED: DisplayStatus.ABANDONED,
}


class WebSessions:
    """All sessions of one timeline, and the runs of those that are played here."""

    def __init__(self, agents: AgentCatalog, timeline: Timeline, *, allow_remote_agents: bool = False) -> None:
        """Show the sessions of `timeline`; with `elsewhere`, agents that run elsewhere may play in it too."""
        self.agents = agents
        self.timeline = timeline
        self.allow_remote_agents = allow_remote_agents
        self._runs: dict[str, tuple[PlayableAgent, AgentRun]] = {}
        self._views: dict[str, SessionView] = {}
        self._names: dict[str, str] = {}
        self._exports = SessionExports()
        self.on_change: Callable[[str], object] = lambda session_id: None
        """Called with a session of which something changed that is not on its timeline."""

    async def close(self) -> None:
        """End all runs and release what the agents hold."""
        runs = [run for _, run in self._runs.values()]
        self._runs.clear()
        await asyncio.gather(*(run.close() for run in runs))

    async def create(self, agent_key: str) -> SessionInfo:
        """Start a session of an agent."""
        agent = self.agents[agent_key]
        run = agent.create_run(self.timeline)
        await run.open(agent.config.name)
        self._runs[run.recorded_session.session_id] = (agent, run)
        return await self.get_info(run.recorded_session.session_id)

    async def list_sessions(self, start: int = 0, count: int = 200) -> list[SessionInfo]:
        """The sessions, newest first. The log of one that nobody looks at and that waits for nobody is not read."""
        found = (await self.timeline.list_summaries(limit=start + count))[start:]
        return [await self._build_list_entry(summary) for summary in found]

    async def count_your_turns(self) -> int:
        """How many turns wait for a person, in all sessions that can be played here."""
        waiting = [asked.session_id for asked in await self.timeline.get_turn_queue()]
        return sum(self._is_open(session_id) for session_id in waiting)

    async def get_view(self, session_id: str) -> SessionView:
        """What is shown of a session, up to date."""
        return await self._get_current_view(session_id)

    async def get_info(self, session_id: str) -> SessionInfo:
        """A session without its rows."""
        return self._build_info(await self._get_current_view(session_id))

    def describe_view(self, view: SessionView) -> SessionInfo:
        """The same, of a view that is at hand."""
        return self._build_info(view)

    async def rename(self, session_id: str, name: str) -> SessionInfo:
        """Give a session another name."""
        view = await self._get_current_view(session_id)
        shown = summarize_text(name)
        if not shown.strip(f"{REPLACEMENT_CHARACTER} "):
            raise MalformedValue("The name", "it is empty")
        self._names[session_id] = shown
        await self.timeline.rename_session(session_id, shown)
        self.on_change(session_id)
        return self._build_info(view)

    async def delete(self, session_id: str) -> None:
        """Take a session away, with all that happened in it."""
        await self.close_session(session_id)
        await self.timeline.delete_session(session_id)
        for held in (self._views, self._names):
            held.pop(session_id, None)
        self._exports.remove_session(session_id)
        self.on_change(session_id)

    async def close_session(self, session_id: str) -> SessionInfo:
        """End a session; it can be read and exported still."""
        await self._get_current_view(session_id)
        if session_id in self._runs:
            agent, run = self._runs.pop(session_id)
            shared = any(other is agent for other, _ in self._runs.values())
            await run.close(release=not shared)
        elif self.allow_remote_agents:
            await self.timeline.close_session(session_id, "closed in the browser")
        return await self.get_info(session_id)

    async def get_rows(self, session_id: str, start: int, count: int) -> list[Row]:
        """Rows by index."""
        return (await self._get_current_view(session_id)).rows.get_range(start, count)

    async def get_row_detail(self, session_id: str, index: int, *, full: bool) -> RowDetail:
        """Everything behind a row."""
        row, found = await self._find_row_events(session_id, index)
        url = f"/api/sessions/{session_id}/rows/{index}/media"
        return await row_details.build_row_detail(row, found, self._create_block_reader(session_id), url=url, full=full)

    async def get_media_file(self, session_id: str, index: int, file_index: int) -> row_details.MediaContent:
        """An image or a file behind a row."""
        _, found = await self._find_row_events(session_id, index)
        files = await row_details.load_media(found, self._create_block_reader(session_id))
        if not 0 <= file_index < len(files):
            raise NotFound(f"Row {index} has no file {file_index}.")
        return files[file_index]

    async def get_briefing(self, session_id: str, turn_id: str | None) -> Briefing:
        """What the agent is told and may do: in a turn, or before the next; of an agent that has gone, in its last."""
        view, run = await self._get_current_view(session_id), self._find_run(session_id)
        if turn_id is None and run is not None:
            return request_view.build_agent_briefing(await load_briefing_with_timeout(run))
        asked = view.last_turn_asked if turn_id is None else await self._require_turn(session_id, turn_id)
        if asked is None:
            raise AgentNotLocal(session_id, "resolve the instruction")
        schema = messages.get_input_schema(run.root_agent) if run else None
        return request_view.build_turn_briefing(
            await self.timeline.read_request(asked),
            asked.agent_name,
            input_schema=schema,
            has_own_model=run is not None,
        )

    async def get_request_info(self, session_id: str, turn_id: str) -> RequestInfo:
        """The exact request of a turn."""
        return request_view.build_request_info(
            await self.timeline.read_request(await self._require_turn(session_id, turn_id))
        )

    async def get_state(self, session_id: str) -> dict[str, Any]:
        """The session state now."""
        await self._get_current_view(session_id)
        run = self._find_run(session_id)
        return (
            to_json_value(await run.get_state())
            if run
            else compute_final_state(await self.timeline.read_events(session_id))
        )

    async def send_message(self, session_id: str, message: UserMessage) -> SessionInfo:
        """Send a message as the user."""
        await self._get_current_view(session_id)
        run = self._require_run(session_id, "send a message")
        files = [(file.name, file.mime_type, _decode_file(file)) for file in message.files]
        if message.data is None and not message.text.strip() and not files:
            raise InvalidTransition("The message is empty: write something, or add a file.")
        if message.data is not None:
            text = dump_json(parse_json_input(message.data, "The message"))
            content = messages.build_user_message(run.root_agent, text, anyway=message.anyway)
        else:
            content = messages.build_user_message(run.root_agent, message.text, anyway=message.anyway)
        await run.start(messages.attach_files(content, files))
        return await self.get_info(session_id)

    async def decide(self, session_id: str, turn_id: str, decision: DecisionInput) -> SessionInfo:
        """Answer a turn as its model."""
        await self._check_decidable(session_id)
        request = await self.timeline.read_request(await self._require_turn(session_id, turn_id))
        response = decision_parsing.build_response(decision, request)
        run = self._find_run(session_id)
        decide = run.recorded_session.decide if run else partial(self.timeline.decide, session_id)
        try:
            await decide(turn_id, response, decision_id=decision.decision_id, anyway=decision.anyway)
        except InvalidArguments as refused:
            if decision.calls:
                raise
            raise InvalidAnswer(refused.problems) from None
        return await self.get_info(session_id)

    async def find_call_problems(self, session_id: str, turn_id: str, decision: DecisionInput) -> list[FieldProblem]:
        """What is wrong with each call of a decision that was refused."""
        request = await self.timeline.read_request(await self._require_turn(session_id, turn_id))
        response = decision_parsing.build_response(decision, request)
        return decision_parsing.find_call_problems(request, get_function_calls(response))

    async def check_form(self, session_id: str, turn_id: str | None, form: CheckInput) -> list[FieldProblem]:
        """What is wrong with a form as it stands; nothing happens by it."""
        await self._get_current_view(session_id)
        value = parse_json_input(form.value)
        if form.target == "message":
            return self._find_message_problems(session_id, value)
        if turn_id is None:
            raise TurnNotFound(session_id, "")
        request = await self.timeline.read_request(await self._require_turn(session_id, turn_id))
        if form.target == "call":
            return decision_parsing.find_call_problems(request, [{"name": form.tool_name, "args": value}])
        return self._find_answer_problems(session_id, turn_id, request, value)

    async def answer_confirmation(self, session_id: str, consent: ConsentInput) -> SessionInfo:
        """Answer a confirmation as the user."""
        view = await self._get_current_view(session_id)
        run = self._require_run(session_id, "answer a confirmation")
        asked = view.rows.confirmation
        if asked is None or asked.question_id != consent.question_id:
            raise NotFound("No call waits for this consent (any longer).")
        payload = parse_json_input(consent.payload, "The payload") if consent.payload is not None else None
        await run.start(messages.build_consent_message(consent.question_id, approve=consent.approve, payload=payload))
        return await self.get_info(session_id)

    async def cancel_call(self, session_id: str, call_id: str) -> SessionInfo:
        """Cancel one running call; the model is told."""
        await self._get_current_view(session_id)
        if self.allow_remote_agents and session_id not in self._runs:
            await self.timeline.cancel_call(session_id, call_id)
        elif not self._require_run(session_id, "cancel a call").recorded_session.running_calls.cancel(call_id):
            raise NotFound("The call does not run (any longer).")
        return await self.get_info(session_id)

    async def get_environment(self, session_id: str) -> EnvironmentInfo:
        """What answers the session's tool calls instead of the tools."""
        await self._get_current_view(session_id)
        return build_environment_info(self._require_run(session_id, "show its environment").environment)

    async def switch_rule(self, session_id: str, rule_switch: RuleSwitchInput) -> EnvironmentInfo:
        """Switch a rule on or off, from the next call on."""
        await self._get_current_view(session_id)
        set_rule_enabled(self._require_run(session_id, "switch a rule").environment, rule_switch)
        return await self.get_environment(session_id)

    async def add_fault(self, session_id: str, fault: FaultInput) -> EnvironmentInfo:
        """Let the next call of a tool meet a fault."""
        await self._get_current_view(session_id)
        queue_fault(self._require_run(session_id, "add a fault").environment, fault)
        return await self.get_environment(session_id)

    async def stop_run(self, session_id: str) -> SessionInfo:
        """Cancel the run; the session goes on with the next message."""
        await self._get_current_view(session_id)
        if not await self._require_run(session_id, "stop a run").stop():
            raise InvalidTransition("Nothing runs that could be stopped.")
        return await self.get_info(session_id)

    async def suggest_decision(self, session_id: str, turn_id: str) -> Suggestion:
        """What the agent's own model would decide."""
        await self._require_turn(session_id, turn_id)
        run = self._require_run(session_id, "ask the agent's own model")
        return decision_parsing.build_suggestion(await ask_own_model(run.recorded_session, turn_id))

    async def decide_with_own_model(self, session_id: str, turn_id: str) -> SessionInfo:
        """Let the agent's own model answer this turn."""
        await self._require_turn(session_id, turn_id)
        run = self._require_run(session_id, "ask the agent's own model")
        response = await ask_own_model(run.recorded_session, turn_id)
        await self.timeline.decide(session_id, turn_id, response, player=Player.REAL)
        return await self.get_info(session_id)

    async def export_session(self, session_id: str, export_input: ExportInput) -> ExportResult:
        """Write a golden trace."""
        view = await self._get_current_view(session_id)
        agent = self._find_agent(view)
        if agent is None and not self.allow_remote_agents:
            raise AgentNotLocal(session_id, "export a golden trace")
        run = self._find_run(session_id) or (agent.create_run(Timeline()) if agent else None)
        result = await self._exports.export(
            export_input,
            agent.config if agent else build_remote_agent_config(_find_agent_name(view)),
            session_id,
            await self.timeline.read_events(session_id),
            has_tool_error_plugin=run.has_tool_error_plugin if run else False,
            clock=self.timeline.clock,
        )
        self.on_change(session_id)
        return result

    def _find_message_problems(self, session_id: str, value: Json) -> list[FieldProblem]:
        try:
            messages.build_user_message(
                self._require_run(session_id, "check a message").root_agent, dump_json(value)
            )
        except InvalidMessage as refused:
            return [FieldProblem(path=one.path, message=one.message) for one in refused.problems]
        return []

    def _find_answer_problems(
        self, session_id: str, turn_id: str, request: ModelRequest, value: Json
    ) -> list[FieldProblem]:
        problems = decision_parsing.find_answer_problems(request, value)
        run = self._find_run(session_id)
        waiting = run.recorded_session.pending_requests.get(turn_id) if run else None
        if not problems and waiting is not None:
            try:
                check_answer(waiting, {"content": {"parts": [{"text": dump_json(value)}]}})
            except InvalidAnswer as refused:
                problems = list(refused.problems)
        return [FieldProblem(path=one.path, message=one.message) for one in problems]

    async def _get_current_view(self, session_id: str) -> SessionView:
        view = self._views.get(session_id)
        if view is None:
            found = next((one for one in await self.timeline.list_sessions() if one.session_id == session_id), None)
            if found is None:
                raise SessionNotFound(session_id)
            view = self._views.setdefault(session_id, SessionView(self.timeline, found))
        await view.catch_up()
        return view

    async def _build_list_entry(self, summary: SessionSummary) -> SessionInfo:
        session_id = summary.session.session_id
        if session_id in self._views or session_id in self._runs or summary.snapshot.pending_count:
            return self._build_info(await self._get_current_view(session_id))
        return SessionInfo(
            session_id=session_id,
            name=self._names.get(session_id) or summary.session.description or "without a name",
            agent_key="",
            agent_name=summary.snapshot.agent_name,
            created_at=summary.session.created_at,
            status=_DISPLAY_STATUSES[summary.snapshot.status] if self._is_open(session_id) else DisplayStatus.CLOSED,
            last_seq=summary.last_seq,
            row_count=0,
            pending_turns=[],
            last_event_at=summary.last_event_at,
            exports=self._exports.get_records(session_id),
        )

    def _build_info(self, view: SessionView) -> SessionInfo:
        session_id = view.session.session_id
        agent = self._find_agent(view)
        is_open = self._is_open(session_id)
        return SessionInfo(
            session_id=session_id,
            name=self._names.get(session_id) or self._find_title(view) or "without a name",
            agent_key=agent.key if agent else "",
            agent_name=agent.config.agent.name if agent else _find_agent_name(view),
            created_at=view.session.created_at,
            status=view.status if is_open else DisplayStatus.CLOSED,
            failure=view.failure,
            last_seq=view.rows.last_seq,
            row_count=len(view.rows),
            pending_turns=view.pending_turns if is_open else [],
            confirmation=view.rows.confirmation if is_open else None,
            running_since=view.running_since if is_open else None,
            last_event_at=view.last_event_at,
            exports=self._exports.get_records(session_id),
        )

    def _find_title(self, view: SessionView) -> str:
        """What a person called it; else what the user said first, unless the agent's program called it something."""
        called = view.session.description
        agent = self._find_agent(view)
        is_given = called not in ("", agent.config.name if agent else "", _find_agent_name(view))
        return called if is_given else view.rows.title[:60] or called

    def _is_open(self, session_id: str) -> bool:
        return self.allow_remote_agents or session_id in self._runs

    async def _check_decidable(self, session_id: str) -> None:
        view = await self._get_current_view(session_id)
        if not self._is_open(session_id) and not view.turns.is_closed:
            raise AgentNotLocal(session_id, "decide")

    def _find_agent(self, view: SessionView) -> PlayableAgent | None:
        if view.session.session_id in self._runs:
            return self._runs[view.session.session_id][0]
        return self.agents.find_by_app_name(view.agent_joined.app_name) if view.agent_joined else None

    def _find_run(self, session_id: str) -> AgentRun | None:
        return self._runs[session_id][1] if session_id in self._runs else None

    def _require_run(self, session_id: str, operation: str) -> AgentRun:
        run = self._find_run(session_id)
        if run is None:
            raise AgentNotLocal(session_id, operation)
        return run

    async def _require_turn(self, session_id: str, turn_id: str) -> Event:
        asked = (await self._get_current_view(session_id)).turns.find_asked_event(turn_id)
        if asked is None:
            raise TurnNotFound(session_id, turn_id)
        return asked

    async def _find_row_events(self, session_id: str, index: int) -> tuple[Row, Sequence[row_details.RowEvent]]:
        view = await self._get_current_view(session_id)
        rows = view.rows.get_range(index, 1) if index >= 0 else []
        if not rows:
            raise NotFound(f"There is no row {index}; there are {len(view.rows)}.")
        found: list[row_details.RowEvent] = []
        for source in view.rows.get_sources(index):
            events = await self.timeline.read_events(session_id, source.seq - 1, 1)
            found.append((events[0], source.part_index))
        return rows[0], found

    def _create_block_reader(self, session_id: str) -> row_details.ReadBlock:
        return lambda block_id: self.timeline.read_block(session_id, block_id)


def _find_agent_name(view: SessionView) -> str:
    return view.agent_joined.app_name if view.agent_joined else view.session.description


def _decode_file(file: FilePart) -> bytes:
    if not _MIME_TYPE.fullmatch(file.mime_type):
        raise MalformedValue(f"The file {file.name[:100]!r}", f"{file.mime_type[:100]!r} is no mime type")
    try:
        return b64decode(file.data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise MalformedValue(f"The file {file.name[:100]!r}", f"it is not base64: {error}") from None
