"""Cabs: quotations, rides, and what becomes of the current ride."""

from __future__ import annotations

from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, DATA, ENV, HIGH, MEDIUM, READ, WRITE, Notice, tool


class CabApp(App):
    """Cabs: quotations, rides, and what becomes of the current ride."""

    state_keys = ("ride_history", "quotation_history", "d_service_config")

    @tool(APP, operation=READ, returns="Ride")
    def get_quotation(
        self, start_location: str, end_location: str, service_type: str, ride_time: str | None = None
    ) -> Any:
        """Ask what a ride with one kind of service would cost. Nothing is ordered.

        Args:
            start_location: Where the ride starts.
            end_location: Where the ride ends.
            service_type: The kind of service: Default, Premium or Van.
            ride_time: When the ride starts, as `YYYY-MM-DD HH:MM:SS`; now if left out.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="list[Ride]")
    def list_rides(self, start_location: str, end_location: str, ride_time: str | None = None) -> Any:
        """Ask what a ride would cost with every kind of service. Nothing is ordered.

        Args:
            start_location: Where the ride starts.
            end_location: Where the ride ends.
            ride_time: When the ride starts, as `YYYY-MM-DD HH:MM:SS`; now if left out.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=WRITE, returns="Ride")
    def order_ride(
        self, start_location: str, end_location: str, service_type: str, ride_time: str | None = None
    ) -> Any:
        """Order a ride.

        Args:
            start_location: Where the ride starts.
            end_location: Where the ride ends.
            service_type: The kind of service: Default, Premium or Van.
            ride_time: When the ride starts, as `YYYY-MM-DD HH:MM:SS`; now if left out.
        """
        raise NotImplementedError

    @tool(APP, operation=WRITE, notice=Notice(MEDIUM, "ride cancelled", own_calls=False))
    def user_cancel_ride(self) -> str:
        """Cancel the current ride, as the user."""
        raise NotImplementedError

    @tool(APP, operation=READ, returns="Ride")
    def get_current_ride_status(self) -> Any:
        """Look at the ride that is under way or ordered."""
        raise NotImplementedError

    @tool(APP, DATA, operation=READ, returns="Ride")
    def get_ride(self, idx: int) -> Any:
        """Look at one ride of the past by its place in the list.

        Args:
            idx: The place in the list, from 0.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=READ)
    def get_ride_history(self, offset: int = 0, limit: int = 10) -> dict[str, Any]:
        """List past rides, a page at a time.

        Args:
            offset: How many to pass over first.
            limit: How many to return at most.
        """
        raise NotImplementedError

    @tool(APP, DATA, operation=READ)
    def get_ride_history_length(self) -> int:
        """Count the past rides."""
        raise NotImplementedError

    @tool(ENV, DATA, operation=WRITE, notice=Notice(MEDIUM, "ride cancelled", own_calls=False))
    def cancel_ride(self, who_cancel: str = "driver", message: str | None = None) -> str:
        """Cancel the current ride, as somebody else than the agent.

        Args:
            who_cancel: Who cancels: driver or user.
            message: What is said about it.
        """
        raise NotImplementedError

    @tool(ENV, operation=WRITE, notice=Notice(MEDIUM, "ride completed"))
    def end_ride(self) -> str:
        """Bring the current ride to its end."""
        raise NotImplementedError

    @tool(ENV, operation=WRITE, notice=Notice(HIGH, "ride status updated"))
    def update_ride_status(self, status: str, message: str | None = None) -> str:
        """Change how the current ride stands.

        Args:
            status: The new status.
            message: What is said about it.
        """
        raise NotImplementedError

    @tool(DATA, operation=WRITE)
    def add_new_ride(
        self,
        service_type: str,
        start_location: str,
        end_location: str,
        price: float,
        duration: float = 0.0,
        time_stamp: float = 0.0,
        distance_km: float = 0.0,
    ) -> str:
        """Put a ride into the history.

        Args:
            service_type: The kind of service: Default, Premium or Van.
            start_location: Where the ride starts.
            end_location: Where the ride ends.
            price: What it cost.
            duration: How long it took, in seconds.
            time_stamp: When it was, as Unix time.
            distance_km: How far it went, in kilometres.
        """
        raise NotImplementedError
