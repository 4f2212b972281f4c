"""A cab ride as agents see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from adk_agent_sim.scenario.app_base.entity import Entity
from adk_agent_sim.scenario.app_base.state_shape import NUMBER, TEXT, Fields, ListOf


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
