"""Finds what a fork or an undo cannot revert, because other sessions share it in services of the user's."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.adk.runs.session_storage import SessionStorage
from adk_agent_sim.adk.runs.shared_state import is_shared_artifact, is_shared_key
from adk_agent_sim.golden.session import compute_final_state
from adk_agent_sim.timeline.canonical_json import equals_value
from adk_agent_sim.timeline.events import ArtifactSaved, Event
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.turn_prefix import TurnPrefix


async def find_shared_difference(storage: SessionStorage, events: Sequence[Event], prefix: TurnPrefix) -> str:
    """Return what sessions share and is not as it was at a point of a session; empty if everything is.

    Args:
        storage: The ADK session that continues from the point.
        events: The events of the session that count.
        prefix: The point.
    """
    return await _compare_state(storage, prefix) or _compare_artifacts(storage, events, prefix)


async def _compare_state(storage: SessionStorage, prefix: TurnPrefix) -> str:
    if not storage.shares_state:
        return ""
    now = to_json_value(await storage.read_state())
    then = compute_final_state(prefix.events)
    # Not None, which a key may have as its value.
    missing = object()
    keys = sorted(filter(is_shared_key, {*then, *now}))
    changed = [key for key in keys if not equals_value(then.get(key, missing), now.get(key, missing))]
    if not changed:
        return ""
    return (
        f"the session service has another value of {', '.join(changed)} now than at that point of the session, which "
        "cannot be undone, because all sessions of the user or the app share it"
    )


def _compare_artifacts(storage: SessionStorage, events: Sequence[Event], prefix: TurnPrefix) -> str:
    """Return which shared artifact was saved later, or would be saved again by the replay of the interrupted run."""
    copied = {event.seq for event in prefix.completed}
    for event in events if storage.shares_artifacts else ():
        saved = event.payload
        if isinstance(saved, ArtifactSaved) and is_shared_artifact(saved.filename) and event.seq not in copied:
            return (
                f"version {saved.version} of the artifact {saved.filename!r} is in the artifact service, and cannot be "
                "undone or saved again, because all sessions of the user share it"
            )
    return ""
