"""The time, and waiting for something to happen."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, READ, tool


class SystemApp(App):
    """The time, and waiting for something to happen."""

    state_keys = ()

    @tool(APP, operation=READ, type_checked=False)
    def get_current_time(self) -> dict[str, Any]:
        """Tell the present time of the simulated world."""
        raise NotImplementedError

    @tool(APP, operation=READ, type_checked=False)
    def wait_for_notification(self, timeout: int = 0) -> None:
        """Wait until something happens that the agent is told about, or the time is up.

        Args:
            timeout: How many seconds to wait at most.
        """
        raise NotImplementedError
