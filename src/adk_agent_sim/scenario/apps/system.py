"""The simulated time, and waiting for notifications."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.app_base.app import APP, READ, App, tool
from adk_agent_sim.scenario.app_base.time_and_random import format_datetime, get_weekday_name


class SystemApp(App):
    """The simulated time, and waiting for notifications."""

    state_keys = ()

    @tool(APP, operation=READ, type_checked=False)
    def get_current_time(self) -> dict[str, Any]:
        """Tell the present time of the simulated world.

        Returns the Unix time, the date and time in UTC as `YYYY-MM-DD HH:MM:SS`, and the day of the week. Dates
        such as tomorrow are meant from here.
        """
        now = self.context.now()
        return {
            "current_timestamp": now,
            "current_datetime": format_datetime(now),
            "current_weekday": get_weekday_name(now),
        }

    @tool(APP, operation=READ, type_checked=False)
    def wait_for_notification(self, timeout: int = 0) -> None:
        """Wait until something happens that the agent is told about, or the time is up.

        Use it when there is nothing to do until a mail, a message or the like arrives. What happened is told
        afterwards.

        Args:
            timeout: How many seconds to wait at most.
        """
        seconds = int(timeout)
        if seconds < 0:
            raise AssertionError("Timeout must be non-negative")
        self.context.wait_for_notification(seconds)
