"""Who plays the models of a session from now on."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.adk.players.session_player import SessionPlayer
from adk_agent_sim.adk.time_travel.session_forking import update_player
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.turn_prefix import cut_at_end
from adk_agent_sim.timeline.undone_events import remove_undone_events
from adk_agent_sim.use_cases.open_session import OpenSession


def choose_player(session: OpenSession, player: SessionPlayer, log: Sequence[Event]) -> None:
    """Let a player take the seats of the models, from the turn on that waits now, or else from the next one.

    Args:
        session: The session.
        player: The player.
        log: All events of the session, of which a player that follows the conversation is told.

    Raises:
        AgentNotLocal: The agent does not run here.
    """
    run = session.require_run("choose a player")
    update_player(player, cut_at_end(remove_undone_events(log)), has_message=True)
    run.recorded_session.change_player(player)
