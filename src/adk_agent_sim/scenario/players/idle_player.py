"""A player that does nothing: it lets the world go on until nothing more happens by itself."""

from __future__ import annotations

from adk_agent_sim.scenario.players.world_player import NotificationWait, PlayerAction, PlayerView, PlayFinished

_PATIENCE_SECONDS = 24 * 60 * 60
"""How long it waits for the next notification before it gives up."""


class IdlePlayer:
    """Never calls a tool and never answers; a scenario that it passes demands nothing."""

    def __init__(self) -> None:
        self._is_waiting = False

    def choose_action(self, view: PlayerView) -> PlayerAction:
        """Wait as long as something happens."""
        # What ends a wait without anything else is the notification that the time is up.
        if self._is_waiting and len(view.notifications) <= 1 and _has_timed_out(view):
            return PlayFinished()
        self._is_waiting = True
        return NotificationWait(seconds=_PATIENCE_SECONDS)


def _has_timed_out(view: PlayerView) -> bool:
    return all(each.text.startswith("SystemApp: Wait for notification timeout") for each in view.notifications)
