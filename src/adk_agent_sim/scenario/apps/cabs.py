"""Cabs: quotations, rides, and the state of the current ride."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.app import (
    APP,
    DATA,
    ENV,
    HIGH,
    JSON,
    MEDIUM,
    READ,
    WRITE,
    App,
    NotificationTemplate,
    tool,
)
from adk_agent_sim.scenario.app_base.entity import NUMBER, TEXT, Entity, Fields, ListOf, MapOf, get_list, slice_page
from adk_agent_sim.scenario.app_base.time_and_random import format_datetime, parse_datetime
from adk_agent_sim.scenario.app_base.tool_call import call_nested_tool


class Ride(Entity):
    """A ride or a quotation for one."""

    fields = (
        "ride_id", "status", "service_type", "start_location", "end_location", "price", "duration", "time_stamp",
        "distance_km", "delay", "delay_history",
    )  # fmt: skip
    defaults: ClassVar[Mapping[str, Any]] = {**dict.fromkeys(fields), "delay_history": []}

    def __str__(self) -> str:
        lines = {
            "Ride ID": self["ride_id"],
            "Status": self["status"],
            "Service Type": self["service_type"],
            "Start Location": self["start_location"],
            "End Location": self["end_location"],
            "Distance": f"{self['distance_km']} kms",
            "Price": f"${self['price'] or 0:.2f}",
            "Duration": f"{_to_minutes(self['duration'])} mins",
            "Timestamp": self["time_stamp"],
            "Delay": f"{_to_minutes(self['delay'])} mins",
        }
        margin = "\n        "
        return "".join(f"{margin}{name}: {value}" for name, value in lines.items()) + margin


RIDE_SHAPE = Fields(
    {
        **dict.fromkeys(("ride_id", "status", "service_type", "start_location", "end_location"), TEXT),
        **dict.fromkeys(("price", "duration", "time_stamp", "distance_km", "delay"), NUMBER),
        "delay_history": ListOf(),
    }
)


def _to_minutes(seconds: float | None) -> float | str:
    return "N/A" if seconds is None else seconds / 60


_ACTIVE_STATUSES = ("DELAYED", "IN_PROGRESS", "ARRIVED_AT_PICKUP")
_SPEED_KM_PER_HOUR = 40.0
_DEFAULT_SERVICES: dict[str, JSON] = {
    "Default": {"nb_seats": 4, "price_per_km": 1.0, "base_delay_min": 5, "max_distance_km": 25},
    "Premium": {"nb_seats": 4, "price_per_km": 2.0, "base_delay_min": 3, "max_distance_km": 25},
    "Van": {"nb_seats": 6, "price_per_km": 1.5, "base_delay_min": 7, "max_distance_km": 25},
}


class CabApp(App):
    """Cabs: quotations, rides, and the state of the current ride."""

    state_keys = ("ride_history", "quotation_history", "d_service_config")
    empty_state: ClassVar[Mapping[str, Any] | None] = {
        "ride_history": [],
        "quotation_history": [],
        "d_service_config": _DEFAULT_SERVICES,
    }
    state_shape = Fields(
        {
            "ride_history": ListOf(RIDE_SHAPE),
            "quotation_history": ListOf(RIDE_SHAPE),
            "d_service_config": MapOf(
                Fields(
                    dict.fromkeys(("nb_seats", "price_per_km", "base_delay_min", "max_distance_km"), NUMBER),
                    required=("price_per_km", "base_delay_min", "max_distance_km"),
                )
            ),
        }
    )

    def load(self, state: JSON) -> None:
        """Load rides and quotations. No ride is active afterwards, whatever their status, as in ARE."""
        super().load(state)
        self._rides: list[JSON] = list(get_list(state, "ride_history"))
        self._quotations: list[JSON] = list(get_list(state, "quotation_history"))
        self._services: dict[str, JSON] = state.get("d_service_config") or _DEFAULT_SERVICES
        self._current_positions: tuple[int, int] | None = None
        self._quotations_by_route: dict[tuple[str, str], dict[str, JSON]] | None = None

    def restore_hidden_state(self, hidden_state: JSON) -> None:
        """Restore the active ride."""
        super().restore_hidden_state(hidden_state)
        self._current_positions = tuple(hidden_state["current"]) if hidden_state["current"] else None

    def _mutable_state(self) -> JSON:
        return {"ride_history": list(self._rides), "quotation_history": list(self._quotations)}

    def _extra_hidden_state(self) -> JSON:
        # Hidden states are JSON, which has no tuples.
        return {"current": self._current_positions and list(self._current_positions)}

    @tool(APP, operation=READ, return_type="Ride")
    def get_quotation(
        self, start_location: str, end_location: str, service_type: str, ride_time: str | None = None
    ) -> Any:
        """Ask what a ride with one kind of service would cost. Nothing is ordered.

        Returns price, distance in km, duration and delay in seconds. Prices change: a second quotation can be
        another.

        Args:
            start_location: Where the ride starts.
            end_location: Where the ride ends.
            service_type: The kind of service: Default, Premium or Van.
            ride_time: When the ride starts, as `YYYY-MM-DD HH:MM:SS`; now if left out.
        """
        time_stamp = self._parse_ride_time(ride_time)
        if service_type not in self._services:
            raise ValueError("Invalid service type.")
        ride = self._build_quotation(start_location, end_location, service_type, time_stamp)
        self._quotations.append(ride)
        return Ride(ride)

    @tool(APP, DATA, operation=READ, return_type="list[Ride]")
    def list_rides(self, start_location: str, end_location: str, ride_time: str | None = None) -> Any:
        """Ask what a ride would cost with every kind of service. Nothing is ordered.

        Returns one quotation for each kind of service, to compare them.

        Args:
            start_location: Where the ride starts.
            end_location: Where the ride ends.
            ride_time: When the ride starts, as `YYYY-MM-DD HH:MM:SS`; now if left out.
        """
        stated_time = self._state_ride_time(ride_time)
        return [
            call_nested_tool(
                self,
                "get_quotation",
                start_location=start_location,
                end_location=end_location,
                service_type=each,
                ride_time=stated_time,
            )
            for each in self._services
        ]

    @tool(APP, DATA, operation=WRITE, return_type="Ride")
    def order_ride(
        self, start_location: str, end_location: str, service_type: str, ride_time: str | None = None
    ) -> Any:
        """Order a ride.

        Returns the booked ride with its price and delay. Only one ride can be ordered at a time: cancel the
        current one first.

        Args:
            start_location: Where the ride starts.
            end_location: Where the ride ends.
            service_type: The kind of service: Default, Premium or Van.
            ride_time: When the ride starts, as `YYYY-MM-DD HH:MM:SS`; now if left out.
        """
        if self._current_positions is not None:
            raise ValueError("You have an on-going ride.")
        stated_time = self._state_ride_time(ride_time)
        quoted = call_nested_tool(
            self,
            "get_quotation",
            start_location=start_location,
            end_location=end_location,
            service_type=service_type,
            ride_time=stated_time,
        )
        self._rides.append(self._quotations[-1])
        self._current_positions = (len(self._rides) - 1, len(self._quotations) - 1)
        delayed = {"delay": quoted["delay"], "time_stamp": quoted["time_stamp"]}
        return Ride(self._update_current_ride(status="BOOKED", delay_history=[delayed]))

    @tool(APP, operation=WRITE, notification=NotificationTemplate(MEDIUM, "ride cancelled", notify_own_calls=False))
    def user_cancel_ride(self) -> str:
        """Cancel the current ride, as the user.

        It is an error if no ride is ordered or under way.
        """
        self._require_latest_ride()
        self._finish_current_ride("CANCELLED")
        return "Ride has been cancelled, sorry to see you go."

    @tool(APP, operation=READ, return_type="Ride")
    def get_current_ride_status(self) -> Any:
        """Look at the ride that is under way or ordered.

        Returns its status, such as BOOKED, DELAYED, ARRIVED_AT_PICKUP or IN_PROGRESS, and its present delay in
        seconds; an error if no ride was ordered.
        """
        if self._current_positions is None:
            raise ValueError("No ride ordered.")
        ride = self._get_current_ride()
        delay = self._draw_delay(ride["service_type"])
        delayed = {"delay": delay, "time_stamp": ride["time_stamp"]}
        return Ride(self._update_current_ride(delay=delay, delay_history=[*get_list(ride, "delay_history"), delayed]))

    @tool(APP, DATA, operation=READ, return_type="Ride")
    def get_ride(self, idx: int) -> Any:
        """Look at one ride of the past by its place in the list.

        The oldest ride has place 0; get_ride_history_length tells how many there are.

        Args:
            idx: The place in the list, from 0.
        """
        if not 0 <= idx < len(self._rides):
            raise IndexError("Ride does not exist.")
        return Ride(self._rides[idx])

    @tool(APP, DATA, operation=READ)
    def get_ride_history(self, offset: int = 0, limit: int = 10) -> dict[str, Any]:
        """List past rides, a page at a time.

        Returns the rides by their place in the list, oldest first, with the range shown and how many there are
        in all.

        Args:
            offset: How many to pass over first.
            limit: How many to return at most.
        """
        shown, places = slice_page(self._rides, offset, limit)
        rides = {offset + number: Ride(each) for number, each in enumerate(shown)}
        return {"rides": rides, "range": places, "total": len(self._rides)}

    @tool(APP, DATA, operation=READ)
    def get_ride_history_length(self) -> int:
        """Count the past rides."""
        return len(self._rides)

    @tool(
        ENV, DATA, operation=WRITE, notification=NotificationTemplate(MEDIUM, "ride cancelled", notify_own_calls=False)
    )
    def cancel_ride(self, who_cancel: str = "driver", message: str | None = None) -> str:
        """Cancel the current ride, as somebody else than the agent.

        Args:
            who_cancel: Who cancels: driver or user.
            message: What is said about it.
        """
        if who_cancel not in {"driver", "user"}:
            raise ValueError("who_cancel must be either 'driver' or 'user'.")
        self._require_latest_ride()
        self._finish_current_ride("CANCELLED")
        return message or "The ride has been cancelled. Sorry for the inconvenience."

    @tool(ENV, operation=WRITE, notification=NotificationTemplate(MEDIUM, "ride completed"))
    def end_ride(self) -> str:
        """Bring the current ride to its end."""
        self._require_latest_ride()
        self._finish_current_ride("COMPLETED")
        return "Ride has been completed."

    @tool(ENV, operation=WRITE, notification=NotificationTemplate(HIGH, "ride status updated"))
    def update_ride_status(self, status: str, message: str | None = None) -> str:
        """Change how the current ride stands.

        Args:
            status: The new status.
            message: What is said about it.
        """
        if status not in _ACTIVE_STATUSES:
            raise ValueError(f"status must be one of {', '.join(map(repr, _ACTIVE_STATUSES))}")
        self._require_latest_ride()
        self._update_current_ride(status=status)
        note = f" Message from your driver: {message}" if message else ""
        return f"Ride status has been updated to {status}.{note}"

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
        ride: JSON = self._build_ride(start_location, end_location, service_type, time_stamp) | {
            "status": "BOOKED",
            "price": price,
            "duration": duration,
            "distance_km": distance_km,
            "delay": None,
        }
        self._rides.append(ride)
        self._quotations.append(ride)
        # The new ride may be the latest quotation of its route.
        self._quotations_by_route = None
        return ride["ride_id"]

    def _parse_ride_time(self, text: str | None) -> float:
        try:
            return float(int(self.context.now())) if text is None else parse_datetime(text)
        except ValueError:
            message = "Invalid datetime format for the ride time. Please use YYYY-MM-DD HH:MM:SS"
            raise ValueError(message) from None

    def _state_ride_time(self, text: str | None) -> str:
        """Return the time of a ride as text, after checking it."""
        time_stamp = self._parse_ride_time(text)
        return format_datetime(time_stamp) if text is None else text

    def _get_current_ride(self) -> JSON:
        if self._current_positions is None:
            raise ValueError("You have no on-going ride.")
        return self._rides[self._current_positions[0]]

    def _require_latest_ride(self) -> None:
        """Check that the current ride is the latest, as ARE does: other rides may have been added since.

        Raises:
            ValueError: There is no current ride.
            AssertionError: It is not the latest.
        """
        if self._get_current_ride() != self._rides[-1]:
            raise AssertionError

    def _update_current_ride(self, **changes: Any) -> JSON:
        """Change the active ride, which is stored among the rides and among the quotations."""
        changed = self._get_current_ride() | changes
        if self._current_positions is not None:
            self._rides[self._current_positions[0]] = self._quotations[self._current_positions[1]] = changed
        return changed

    def _finish_current_ride(self, status: str) -> None:
        self._update_current_ride(status=status)
        self._current_positions = None

    def _build_ride(self, start: str, end: str, service_type: str, time_stamp: float) -> JSON:
        return {
            "ride_id": self.random.new_id(),
            "status": None,
            "service_type": service_type,
            "start_location": start,
            "end_location": end,
            "price": None,
            "duration": None,
            "time_stamp": time_stamp,
            "distance_km": None,
            "delay": 0.0,
            "delay_history": [],
        }

    def _build_quotation(self, start: str, end: str, service_type: str, time_stamp: float) -> JSON:
        """Return a quotation. A route keeps its distance; the price of a service on it varies."""
        known = self._get_route_quotations(start, end)
        service = self._services[service_type]
        distance: float = next((each["distance_km"] for each in known.values()), None) or round(
            self.random.uniform(1, service["max_distance_km"]), 2
        )
        if distance > service["max_distance_km"]:
            raise ValueError("Distance exceeds maximum allowed.")
        price = distance * service["price_per_km"]
        if service_type in known:
            price = known[service_type]["price"] * self.random.uniform(0.5, 1.5)
        ride = self._build_ride(start, end, service_type, time_stamp) | {
            "price": round(price, 2),
            "duration": round(distance / _SPEED_KM_PER_HOUR * 3600, 2),
            "distance_km": distance,
            "delay": self._draw_delay(service_type),
        }
        known[service_type] = ride
        return ride

    def _get_route_quotations(self, start: str, end: str) -> dict[str, JSON]:
        """Return the latest quotation on a route for each kind of service."""
        if self._quotations_by_route is None:
            self._quotations_by_route = {}
            for each in self._quotations:
                route = (each["start_location"], each["end_location"])
                self._quotations_by_route.setdefault(route, {})[each["service_type"]] = each
        return self._quotations_by_route.setdefault((start, end), {})

    def _draw_delay(self, service_type: str) -> float:
        return round(60 * self._services[service_type]["base_delay_min"] * self.random.uniform(0.5, 1.5), 2)
