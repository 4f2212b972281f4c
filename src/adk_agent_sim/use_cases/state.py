"""What a person changes in the state of a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adk_agent_sim.errors import ForkRefused
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.use_cases.open_session import OpenSession
from adk_agent_sim.use_cases.record import OperationResult


async def edit_state(session: OpenSession, changes: Mapping[str, Any]) -> OperationResult:
    """Set keys of the session state, between two runs or while a turn waits; the timeline marks the edit.

    Raises:
        AgentNotLocal: The agent ended with an earlier process.
        InvalidTransition: A run is going on that waits for no decision, or nothing is to be set.
        ForkRefused: The agent runs in another process, which cannot do it, or not now.
    """
    if session.run is not None or not session.may_be_remote:
        await session.require_run("edit the state").edit_state(changes)
    elif session.process is None:
        raise ForkRefused(session.answer_problem)
    else:
        await session.process.edit_state(session.session_id, dump_json(dict(changes)))
    return await session.build_result()
