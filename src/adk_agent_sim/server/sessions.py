"""The sessions that the browser sees, and what can be done in them.

What a session is, is read from its timeline. What needs the running agent (a message, a cancelled call, its own model)
goes to its run in this process; a session without one can be read, and its turns decided if agents elsewhere may play.
"""

from __future__ import annotations

import asyncio
import binascii
import json
import re
from base64 import b64decode
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from adk_agent_sim.adk import message as messages
from adk_agent_sim.adk.answer import check_answer
from adk_agent_sim.adk.own_model import own_decision
from adk_agent_sim.adk.run import AgentRun
from adk_agent_sim.errors import (
    AnswerDoesNotFit,
    ArgumentsDoNotFit,
    InvalidTransition,
    MessageDoesNotFit,
    NotHere,
    NothingSuch,
    SessionNotFound,
    TurnNotFound,
    ValueUnreadable,
)
from adk_agent_sim.golden.session import final_state
from adk_agent_sim.server import deciding, details, offer
from adk_agent_sim.server.agents import Agent, Agents, bounded_briefing
from adk_agent_sim.server.exports import Exports, config_elsewhere
from adk_agent_sim.server.json_text import parsed
from adk_agent_sim.server.one_line import UNSEEN, text_line
from adk_agent_sim.server.shapes import (
    Briefing,
    Consent,
    Decision,
    EnvironmentShape,
    ExportOrder,
    ExportResult,
    FaultOrder,
    FilePart,
    ProblemShape,
    RequestShape,
    Row,
    RowDetail,
    RuleSwitch,
    SessionShape,
    Status,
    Suggestion,
    UserMessage,
    ValueToCheck,
)
from adk_agent_sim.server.surroundings import add_fault, environment_shape, switch
from adk_agent_sim.server.view import SessionView
from adk_agent_sim.timeline import progress
from adk_agent_sim.timeline.canonical import Json
from adk_agent_sim.timeline.decision import function_calls
from adk_agent_sim.timeline.events import Event, Player
from adk_agent_sim.timeline.jsonable import jsonable
from adk_agent_sim.timeline.progress import SessionSummary
from adk_agent_sim.timeline.request import ModelRequest
from adk_agent_sim.timeline.timeline import Timeline

_MIME_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}", re.ASCII | re.IGNORECASE)


_STANDINGS = {
    progress.Status.WAITING: Status.YOUR_TURN,
    progress.Status.RUNNING: Status.RUNNING,
    progress.Status.DONE: Status.DONE,
    progress.Status.FAILED: Status.FAILED,
    progress.Status.ABANDONED: Status.ABANDONED,
}


class Sessions:
    """All sessions of one timeline, and the runs of those that are played here."""

    def __init__(self, agents: Agents, timeline: Timeline, *, elsewhere: bool = False) -> None:
        """Show the sessions of `timeline`; with `elsewhere`, agents that run elsewhere may play in it too."""
        self.agents = agents
        self.timeline = timeline
        self.elsewhere = elsewhere
        self._runs: dict[str, tuple[Agent, AgentRun]] = {}
        self._views: dict[str, SessionView] = {}
        self._names: dict[str, str] = {}
        self._exports = Exports()
        self.on_change: Callable[[str], object] = lambda session_id: None
        """Called with a session of which something changed that is not on its timeline."""

    async def close(self) -> None:
        """End all runs and release what the agents hold."""
        runs = [run for _, run in self._runs.values()]
        self._runs.clear()
        await asyncio.gather(*(run.close() for run in runs))

    async def create(self, agent_key: str) -> SessionShape:
        """Start a session of an agent."""
        agent = self.agents[agent_key]
        run = agent.run(self.timeline)
        await run.open(agent.config.name)
        self._runs[run.seated.session_id] = (agent, run)
        return await self.shape(run.seated.session_id)

    async def all(self, start: int = 0, count: int = 200) -> list[SessionShape]:
        """The sessions, newest first. The log of one that nobody looks at and that waits for nobody is not read."""
        found = (await self.timeline.summaries(limit=start + count))[start:]
        return [await self._listed(summary) for summary in found]

    async def your_turns(self) -> int:
        """How many turns wait for a person, in all sessions that can be played here."""
        waiting = [asked.session_id for asked in await self.timeline.queue()]
        return sum(self._is_open(session_id) for session_id in waiting)

    async def view(self, session_id: str) -> SessionView:
        """What is shown of a session, up to date."""
        return await self._view_of(session_id)

    async def shape(self, session_id: str) -> SessionShape:
        """A session without its rows."""
        return self._shape(await self._view_of(session_id))

    def shape_of(self, view: SessionView) -> SessionShape:
        """The same, of a view that is at hand."""
        return self._shape(view)

    async def rename(self, session_id: str, name: str) -> SessionShape:
        """Give a session another name."""
        view = await self._view_of(session_id)
        shown = text_line(name)
        if not shown.strip(f"{UNSEEN} "):
            raise ValueUnreadable("The name", "it is empty")
        self._names[session_id] = shown
        await self.timeline.rename(session_id, shown)
        self.on_change(session_id)
        return self._shape(view)

    async def delete(self, session_id: str) -> None:
        """Take a session away, with all that happened in it."""
        await self.close_one(session_id)
        await self.timeline.delete(session_id)
        for held in (self._views, self._names):
            held.pop(session_id, None)
        self._exports.forget(session_id)
        self.on_change(session_id)

    async def close_one(self, session_id: str) -> SessionShape:
        """End a session; it can be read and exported still."""
        await self._view_of(session_id)
        if session_id in self._runs:
            agent, run = self._runs.pop(session_id)
            shared = any(other is agent for other, _ in self._runs.values())
            await run.close(release=not shared)
        elif self.elsewhere:
            await self.timeline.close_session(session_id, "closed in the browser")
        return await self.shape(session_id)

    async def rows(self, session_id: str, start: int, count: int) -> list[Row]:
        """Rows by index."""
        return (await self._view_of(session_id)).rows.between(start, count)

    async def detail(self, session_id: str, index: int, *, whole: bool) -> RowDetail:
        """Everything behind a row."""
        row, found = await self._behind(session_id, index)
        url = f"/api/sessions/{session_id}/rows/{index}/media"
        return await details.detail(row, found, self._reader(session_id), url=url, whole=whole)

    async def medium(self, session_id: str, index: int, place: int) -> details.Behind:
        """An image or a file behind a row."""
        _, found = await self._behind(session_id, index)
        files = await details.media(found, self._reader(session_id))
        if not 0 <= place < len(files):
            raise NothingSuch(f"Row {index} has no file {place}.")
        return files[place]

    async def briefing(self, session_id: str, turn_id: str | None) -> Briefing:
        """What the agent is told and may do: in a turn, or before the next; of an agent that has gone, in its last."""
        view, run = await self._view_of(session_id), self._run_of(session_id)
        if turn_id is None and run is not None:
            return offer.briefing_before(await bounded_briefing(run))
        asked = view.last_asked if turn_id is None else await self._asked(session_id, turn_id)
        if asked is None:
            raise NotHere(session_id, "resolve the instruction")
        schema = messages.input_schema(run.root) if run else None
        return offer.briefing_of(
            await self.timeline.request(asked), asked.agent_name, input_schema=schema, own_model=run is not None
        )

    async def request(self, session_id: str, turn_id: str) -> RequestShape:
        """The exact request of a turn."""
        return offer.request_shape(await self.timeline.request(await self._asked(session_id, turn_id)))

    async def state(self, session_id: str) -> dict[str, Any]:
        """The session state now."""
        await self._view_of(session_id)
        run = self._run_of(session_id)
        return jsonable(await run.state()) if run else final_state(await self.timeline.events(session_id))

    async def say(self, session_id: str, said: UserMessage) -> SessionShape:
        """Send a message as the user."""
        await self._view_of(session_id)
        run = self._running(session_id, "send a message")
        files = [(file.name, file.mime_type, _bytes(file)) for file in said.files]
        if said.data is None and not said.text.strip() and not files:
            raise InvalidTransition("The message is empty: write something, or add a file.")
        if said.data is not None:
            text = _text(parsed(said.data, "The message"))
            content = messages.user_message(run.root, text, anyway=said.anyway)
        else:
            content = messages.user_message(run.root, said.text, anyway=said.anyway)
        await run.start(messages.with_files(content, files))
        return await self.shape(session_id)

    async def decide(self, session_id: str, turn_id: str, decision: Decision) -> SessionShape:
        """Answer a turn as its model."""
        await self._check_open(session_id)
        request = await self.timeline.request(await self._asked(session_id, turn_id))
        response = deciding.response_of(decision, request)
        run = self._run_of(session_id)
        decide = run.seated.decide if run else partial(self.timeline.decide, session_id)
        try:
            await decide(turn_id, response, decision_id=decision.decision_id, anyway=decision.anyway)
        except ArgumentsDoNotFit as refused:
            if decision.calls:
                raise
            raise AnswerDoesNotFit(refused.problems) from None
        return await self.shape(session_id)

    async def call_problems(self, session_id: str, turn_id: str, decision: Decision) -> list[ProblemShape]:
        """What is wrong with each call of a decision that was refused."""
        request = await self.timeline.request(await self._asked(session_id, turn_id))
        response = deciding.response_of(decision, request)
        return deciding.call_problems(request, function_calls(response))

    async def check(self, session_id: str, turn_id: str | None, form: ValueToCheck) -> list[ProblemShape]:
        """What is wrong with a form as it stands; nothing happens by it."""
        await self._view_of(session_id)
        value = parsed(form.value)
        if form.what == "message":
            return self._message_problems(session_id, value)
        if turn_id is None:
            raise TurnNotFound(session_id, "")
        request = await self.timeline.request(await self._asked(session_id, turn_id))
        if form.what == "call":
            return deciding.call_problems(request, [{"name": form.tool, "args": value}])
        return self._answer_problems(session_id, turn_id, request, value)

    async def consent(self, session_id: str, consent: Consent) -> SessionShape:
        """Answer a confirmation as the user."""
        view = await self._view_of(session_id)
        run = self._running(session_id, "answer a confirmation")
        asked = view.rows.confirmation
        if asked is None or asked.question_id != consent.question_id:
            raise NothingSuch("No call waits for this consent (any longer).")
        payload = parsed(consent.payload, "The payload") if consent.payload is not None else None
        await run.start(messages.consent(consent.question_id, approve=consent.approve, payload=payload))
        return await self.shape(session_id)

    async def cancel(self, session_id: str, call_id: str) -> SessionShape:
        """Cancel one running call; the model is told."""
        await self._view_of(session_id)
        if self.elsewhere and session_id not in self._runs:
            await self.timeline.cancel_call(session_id, call_id)
        elif not self._running(session_id, "cancel a call").seated.calls.cancel(call_id):
            raise NothingSuch("The call does not run (any longer).")
        return await self.shape(session_id)

    async def environment(self, session_id: str) -> EnvironmentShape:
        """What answers the session's tool calls instead of the tools."""
        await self._view_of(session_id)
        return environment_shape(self._running(session_id, "show its environment").environment)

    async def switch_rule(self, session_id: str, order: RuleSwitch) -> EnvironmentShape:
        """Switch a rule on or off, from the next call on."""
        await self._view_of(session_id)
        switch(self._running(session_id, "switch a rule").environment, order)
        return await self.environment(session_id)

    async def add_fault(self, session_id: str, order: FaultOrder) -> EnvironmentShape:
        """Let the next call of a tool meet a fault."""
        await self._view_of(session_id)
        add_fault(self._running(session_id, "add a fault").environment, order)
        return await self.environment(session_id)

    async def stop(self, session_id: str) -> SessionShape:
        """Cancel the run; the session goes on with the next message."""
        await self._view_of(session_id)
        if not await self._running(session_id, "stop a run").stop():
            raise InvalidTransition("Nothing runs that could be stopped.")
        return await self.shape(session_id)

    async def suggestion(self, session_id: str, turn_id: str) -> Suggestion:
        """What the agent's own model would decide."""
        await self._asked(session_id, turn_id)
        run = self._running(session_id, "ask the agent's own model")
        return deciding.suggestion_of(await own_decision(run.seated, turn_id))

    async def own_model(self, session_id: str, turn_id: str) -> SessionShape:
        """Let the agent's own model answer this turn."""
        await self._asked(session_id, turn_id)
        run = self._running(session_id, "ask the agent's own model")
        response = await own_decision(run.seated, turn_id)
        await self.timeline.decide(session_id, turn_id, response, player=Player.REAL)
        return await self.shape(session_id)

    async def export(self, session_id: str, order: ExportOrder) -> ExportResult:
        """Write a golden trace."""
        view = await self._view_of(session_id)
        agent = self._agent_of(view)
        if agent is None and not self.elsewhere:
            raise NotHere(session_id, "export a golden trace")
        run = self._run_of(session_id) or (agent.run(Timeline()) if agent else None)
        result = await self._exports.write(
            order,
            agent.config if agent else config_elsewhere(_agent_name(view)),
            session_id,
            await self.timeline.events(session_id),
            answers_errors=run.answers_errors if run else False,
            clock=self.timeline.clock,
        )
        self.on_change(session_id)
        return result

    def _message_problems(self, session_id: str, value: Json) -> list[ProblemShape]:
        try:
            messages.user_message(self._running(session_id, "check a message").root, _text(value))
        except MessageDoesNotFit as refused:
            return [ProblemShape(path=one.path, message=one.message) for one in refused.problems]
        return []

    def _answer_problems(self, session_id: str, turn_id: str, request: ModelRequest, value: Json) -> list[ProblemShape]:
        problems = deciding.answer_problems(request, value)
        run = self._run_of(session_id)
        waiting = run.seated.requests.get(turn_id) if run else None
        if not problems and waiting is not None:
            try:
                check_answer(waiting, {"content": {"parts": [{"text": _text(value)}]}})
            except AnswerDoesNotFit as refused:
                problems = list(refused.problems)
        return [ProblemShape(path=one.path, message=one.message) for one in problems]

    async def _view_of(self, session_id: str) -> SessionView:
        view = self._views.get(session_id)
        if view is None:
            found = next((one for one in await self.timeline.sessions() if one.session_id == session_id), None)
            if found is None:
                raise SessionNotFound(session_id)
            view = self._views.setdefault(session_id, SessionView(self.timeline, found))
        await view.catch_up()
        return view

    async def _listed(self, summary: SessionSummary) -> SessionShape:
        session_id = summary.session.session_id
        if session_id in self._views or session_id in self._runs or summary.standing.waiting:
            return self._shape(await self._view_of(session_id))
        return SessionShape(
            session_id=session_id,
            name=self._names.get(session_id) or summary.session.description or "without a name",
            agent="",
            agent_name=summary.standing.agent_name,
            created_at=summary.session.created_at,
            status=_STANDINGS[summary.standing.status] if self._is_open(session_id) else Status.CLOSED,
            seq=summary.last_seq,
            rows=0,
            waiting=[],
            last_event_at=summary.last_event_at,
            exports=self._exports.of(session_id),
        )

    def _shape(self, view: SessionView) -> SessionShape:
        session_id = view.session.session_id
        agent = self._agent_of(view)
        is_open = self._is_open(session_id)
        return SessionShape(
            session_id=session_id,
            name=self._names.get(session_id) or self._title(view) or "without a name",
            agent=agent.key if agent else "",
            agent_name=agent.config.agent.name if agent else _agent_name(view),
            created_at=view.session.created_at,
            status=view.status if is_open else Status.CLOSED,
            failure=view.failure,
            seq=view.rows.seq,
            rows=len(view.rows),
            waiting=view.waiting if is_open else [],
            confirmation=view.rows.confirmation if is_open else None,
            running_since=view.running_since if is_open else None,
            last_event_at=view.last_event_at,
            exports=self._exports.of(session_id),
        )

    def _title(self, view: SessionView) -> str:
        """What a person called it; else what the user said first, unless the agent's program called it something."""
        called = view.session.description
        agent = self._agent_of(view)
        is_given = called not in ("", agent.config.name if agent else "", _agent_name(view))
        return called if is_given else view.rows.title[:60] or called

    def _is_open(self, session_id: str) -> bool:
        return self.elsewhere or session_id in self._runs

    async def _check_open(self, session_id: str) -> None:
        view = await self._view_of(session_id)
        if not self._is_open(session_id) and not view.turns.closed:
            raise NotHere(session_id, "decide")

    def _agent_of(self, view: SessionView) -> Agent | None:
        if view.session.session_id in self._runs:
            return self._runs[view.session.session_id][0]
        return self.agents.of_app(view.joined.app_name) if view.joined else None

    def _run_of(self, session_id: str) -> AgentRun | None:
        return self._runs[session_id][1] if session_id in self._runs else None

    def _running(self, session_id: str, wish: str) -> AgentRun:
        run = self._run_of(session_id)
        if run is None:
            raise NotHere(session_id, wish)
        return run

    async def _asked(self, session_id: str, turn_id: str) -> Event:
        asked = (await self._view_of(session_id)).turns.asked(turn_id)
        if asked is None:
            raise TurnNotFound(session_id, turn_id)
        return asked

    async def _behind(self, session_id: str, index: int) -> tuple[Row, Sequence[details.Found]]:
        view = await self._view_of(session_id)
        rows = view.rows.between(index, 1) if index >= 0 else []
        if not rows:
            raise NothingSuch(f"There is no row {index}; there are {len(view.rows)}.")
        found: list[details.Found] = []
        for source in view.rows.sources(index):
            events = await self.timeline.events(session_id, source.seq - 1, 1)
            found.append((events[0], source.part))
        return rows[0], found

    def _reader(self, session_id: str) -> details.ReadBlock:
        return lambda block_id: self.timeline.block(session_id, block_id)


def _agent_name(view: SessionView) -> str:
    return view.joined.app_name if view.joined else view.session.description


def _bytes(file: FilePart) -> bytes:
    if not _MIME_TYPE.fullmatch(file.mime_type):
        raise ValueUnreadable(f"The file {file.name[:100]!r}", f"{file.mime_type[:100]!r} is no mime type")
    try:
        return b64decode(file.data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueUnreadable(f"The file {file.name[:100]!r}", f"it is not base64: {error}") from None


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
