"""Finds the agent path of what happens in an ADK session: the branch, and the tool call that the agent runs in.

an agent used as a tool         a session of its own       the call is that of the enclosing tool seat
a sub-agent or workflow node    the session of its caller  the call is in the branch: `root.helper@<call id>`
"""

from __future__ import annotations

from collections.abc import Iterator

from google.adk.sessions import Session

from adk_agent_sim.timeline.events import AgentPath

ROOT_PATH = AgentPath()
"""The path of the agent that a user talks to."""


class AgentPathFinder:
    """Finds the paths of the agents of one recorded session, including those that run in sessions of their own."""

    def __init__(self) -> None:
        self._call_ids: set[str] = set()
        """The calls in the events that were read so far."""
        self._last_event_ids: dict[str, str] = {}
        """The last event that was read, by ADK session."""

    def find(self, branch: str | None, session: Session | None, enclosing_call_id: str = "") -> AgentPath:
        """Return the path of an agent.

        Args:
            branch: ADK's branch, of an invocation or an event.
            session: The ADK session in which the agent runs.
            enclosing_call_id: The tool call in which the session runs; empty if it does not run in one.
        """
        # The calls in a branch were made in the session, so they are inside the call that the whole session runs in.
        call_id = self._find_call_in_branch(branch, session) if branch and session is not None else ""
        return AgentPath(branch=branch or "", parent_call_id=call_id or enclosing_call_id)

    def _find_call_in_branch(self, branch: str, session: Session) -> str:
        """Return the innermost call that is part of a branch; empty if there is none."""
        for run_id in _iter_run_ids(branch):
            if run_id not in self._call_ids:
                self._read_new_events(session)
            if run_id in self._call_ids:
                return run_id
        return ""

    def _read_new_events(self, session: Session) -> None:
        last_event_id = self._last_event_ids.get(session.id)
        # From the end, so that each event of a long session is read only once.
        for event in reversed(session.events):
            if event.id == last_event_id:
                break
            self._call_ids.update(call.id for call in event.get_function_calls() if call.id)
        if session.events:
            self._last_event_ids[session.id] = session.events[-1].id


def _iter_run_ids(branch: str) -> Iterator[str]:
    """Yield the run ids of a branch, innermost first, without those that ADK counts, which are never those of calls."""
    for step in reversed(branch.split(".")):
        run_id = step.rpartition("@")[2] if "@" in step else ""
        if run_id and not run_id.isdecimal():
            yield run_id
