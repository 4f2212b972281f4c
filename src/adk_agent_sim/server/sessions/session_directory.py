"""The sessions of one timeline as the web API shows them: a session with what a person can do in it, and new ones."""

from __future__ import annotations

from adk_agent_sim.server.sessions.confirmations import load_confirmation
from adk_agent_sim.server.sessions.pauses import load_pause
from adk_agent_sim.server.sessions.served_session import ServedSessions
from adk_agent_sim.server.sessions.session_api_models import NewSession, SessionDetail
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.strict_json import parse_json_object_input
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.record import OperationResult


class SessionDirectory:
    """Describes the sessions of a timeline, and starts new ones."""

    def __init__(self, timeline: Timeline, runs: SessionRuns, sessions: ServedSessions) -> None:
        self.timeline = timeline
        self.runs = runs
        self._sessions = sessions

    async def create(self, new_session: NewSession) -> OperationResult:
        """Start a session of an agent.

        Raises:
            NotFound: There is no such agent.
            MalformedValue: The initial state is no JSON object.
        """
        state = parse_json_object_input(new_session.state, "The state") if new_session.state else {}
        return await self.runs.start(new_session.agent_key, state=state, user_id=new_session.user_id)

    async def get_detail(self, session_id: str) -> SessionDetail:
        """Return a session without its rows.

        Raises:
            SessionNotFound: There is no such session.
        """
        return await self.describe_summary(await self.timeline.get_summary(session_id))

    async def describe_summary(self, summary: SessionSummary) -> SessionDetail:
        """Return a session as its summary describes it."""
        record = self.runs.describe(summary)
        confirmation = await load_confirmation(self.timeline, summary) if record.pending else None
        pause = await load_pause(self.timeline, summary) if record.pending else None
        problem = self._sessions.open(record.session_id).answer_problem
        is_paused = confirmation is not None or pause is not None
        return SessionDetail(
            **dict(record),
            confirmation=confirmation,
            pause=pause,
            answer_problem=problem if is_paused else "",
            has_control=not problem,
            time_travel=await self._sessions.describer.describe(summary),
        )
