"""Describes what of a session was undone, and what can be done about its past, from its summary alone."""

from __future__ import annotations

from collections.abc import Iterable

from adk_agent_sim.errors import SessionNotFound
from adk_agent_sim.link.agent_restarts import AgentRestarts
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.server.time_travel.api_models import SessionLink, TimeTravelInfo
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.undone_events import find_undone_ranges, has_decision

_REMOTE = (
    "The agent of this session runs in another process, which cannot restart it. Pass `restart=` to its "
    "SimulatorPlugin, or fork the stored session with `adksim fork --agent`."
)
_REMOTE_PLAYER = (
    "The agent of this session runs in another process, where its SimulatorPlugin says who plays its models. Start it "
    "with another `player=`, or fork the stored session with `adksim fork SESSION --turn N --agent DIR --model real`."
)
_GONE = (
    "The process of this session's agent could restart it and has ended. Fork the stored session with "
    "`adksim fork --agent`."
)
_UNKNOWN_AGENT = "The agent of this session is not on this server."
_WORLD_PLAYER = (
    "A person plays the agent of this session in the world of a scenario. Let a model play it with "
    "`adksim scenario run`."
)
_OVER = "This session cannot go on. Fork it to continue from any of its turns in a new session."


class TimeTravelDescriber:
    """Builds the `TimeTravelInfo` of sessions."""

    def __init__(self, timeline: Timeline, runs: SessionRuns, restarts: AgentRestarts) -> None:
        self._timeline = timeline
        self._runs = runs
        self._restarts = restarts

    async def describe(self, summary: SessionSummary) -> TimeTravelInfo:
        """Return what can be done with the past of a session."""
        session_id = summary.session.session_id
        can_rewind = not self.find_rewind_problem(summary)
        sources = await self._list_links([summary.forked_from]) if summary.forked_from else []
        return TimeTravelInfo(
            player=self._runs.get_player(session_id),
            can_undo=can_rewind and has_decision(summary.segments, summary.last_seq),
            can_redo=can_rewind and summary.redoable_count > 0,
            rewind_problem=self.find_rewind_problem(summary),
            fork_problem=self.find_fork_problem(summary),
            player_problem=self.find_player_problem(summary),
            undone=find_undone_ranges(summary.segments, summary.last_seq),
            forked_from=sources[0] if sources else None,
            forks=await self._list_links(summary.forks),
        )

    def find_rewind_problem(self, summary: SessionSummary) -> str:
        """Return why nothing can be undone in a session; empty if it can."""
        if summary.session.session_id in self._runs.worlds:
            return "" if summary.session.session_id in self._runs.world_ids else _OVER
        if summary.session.session_id in self._runs:
            return ""
        if summary.is_closed or self._restarts.find(summary.session.session_id) is None:
            return self.find_fork_problem(summary) or _OVER
        return ""

    def find_fork_problem(self, summary: SessionSummary) -> str:
        """Return why a session cannot be forked; empty if it can."""
        session_id = summary.session.session_id
        if session_id in self._runs.worlds:
            return ""
        if self._runs.find_agent(summary) is not None or self._restarts.find(session_id) is not None:
            return ""
        if self._runs.find_entry(summary) is not None or self._runs.may_find_agent(summary):
            return ""  # its code is loaded when the session is forked
        if not self._runs.allow_remote_agents:
            failed = ", ".join(self._runs.list_failed_agents())
            return f"{_UNKNOWN_AGENT} These agents could not be loaded: {failed}." if failed else _UNKNOWN_AGENT
        return _GONE if self._restarts.was_offered(session_id) else _REMOTE

    def find_player_problem(self, summary: SessionSummary) -> str:
        """Return why nobody can choose who plays the models of a session; empty if somebody can."""
        if summary.session.session_id in self._runs.worlds:
            return _WORLD_PLAYER
        if summary.session.session_id in self._runs:
            return ""
        if self._runs.find_agent(summary) is not None or self._runs.find_entry(summary) is not None:
            return _OVER
        if self._runs.may_find_agent(summary):
            return _OVER
        return _REMOTE_PLAYER if self._runs.allow_remote_agents else _UNKNOWN_AGENT

    async def _list_links(self, session_ids: Iterable[str]) -> list[SessionLink]:
        """Return the sessions that still exist."""
        links: list[SessionLink] = []
        for session_id in session_ids:
            try:
                found = await self._timeline.get_summary(session_id)
            except SessionNotFound:
                continue
            links.append(SessionLink(session_id=session_id, name=found.name))
        return links
