"""Sessions of a database for `adksim scenario judge`: their traces, and the verdicts that are added to them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adk_agent_sim.cli.sessions.database import find_session

if TYPE_CHECKING:
    from adk_agent_sim.scenario import ScenarioImportedFromJson
    from adk_agent_sim.scenario.verdict.trace_files import FoundTrace
    from adk_agent_sim.timeline.events import Event


@dataclass(frozen=True, kw_only=True)
class StoredSession:
    """A session and its events."""

    session_id: str

    events: Sequence[Event]

    def find_trace(self, scenarios: Sequence[ScenarioImportedFromJson]) -> FoundTrace:
        """Return what happened in the session.

        Raises:
            NotJudgeable: There is no scenario for it.
        """
        from adk_agent_sim.scenario.verdict.trace_files import build_session_trace

        return build_session_trace(f"session {self.session_id}", self.events, scenarios)


def read_sessions(database: str, names: Sequence[str]) -> list[StoredSession]:
    """Return sessions by id, the beginning of an id, or `last`."""
    return asyncio.run(_read_sessions(database, names))


def save_verdicts(database: str, verdicts: Mapping[str, Mapping[str, Any]], judge_name: str) -> None:
    """Add verdicts, as JSON by session id, to the timelines of their sessions."""
    asyncio.run(_save_verdicts(database, verdicts, judge_name))


async def _read_sessions(database: str, names: Sequence[str]) -> list[StoredSession]:
    from adk_agent_sim.persistence.database_store import open_store
    from adk_agent_sim.timeline.timeline import Timeline

    async with open_store(database) as store:
        found = [await find_session(Timeline(store), name) for name in names]
        return [
            StoredSession(session_id=each.session_id, events=await store.read_events(each.session_id)) for each in found
        ]


async def _save_verdicts(database: str, verdicts: Mapping[str, Mapping[str, Any]], judge_name: str) -> None:
    from adk_agent_sim.persistence.database_store import open_store
    from adk_agent_sim.timeline.json_conversion import to_json_value
    from adk_agent_sim.timeline.submissions import EventBatch
    from adk_agent_sim.timeline.timeline import Timeline
    from adk_agent_sim.timeline.world_events import VerdictReached

    async with open_store(database) as store:
        timeline = Timeline(store)
        for session_id, verdict in verdicts.items():
            reached = VerdictReached(
                # Turn 0 stands for a verdict on the whole run.
                turn=0,
                passed=verdict["passed"],
                reason=verdict["reason"],
                verdict=to_json_value(verdict),
                judge=judge_name,
            )
            await timeline.append(EventBatch(session_id, [reached]))
