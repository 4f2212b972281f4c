"""The name of each event kind, as it is written in databases, in JSON Lines files and in the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from adk_agent_sim.timeline import events, tool_request_events, world_events
from adk_agent_sim.timeline.events import Payload

PAYLOAD_CLASSES: Final[Mapping[str, type[Payload]]] = MappingProxyType(
    {
        "agent_joined": events.AgentJoined,
        "user_spoke": events.UserSpoke,
        "turn_asked": events.TurnAsked,
        "turn_decided": events.TurnDecided,
        "turn_withdrawn": events.TurnWithdrawn,
        "turn_revived": events.TurnRevived,
        "cancel_asked": events.CancelAsked,
        "tool_started": events.ToolStarted,
        "tool_finished": events.ToolFinished,
        "tool_failed": events.ToolFailed,
        "tool_asked": tool_request_events.ToolAsked,
        "tool_answered": tool_request_events.ToolAnswered,
        "tool_withdrawn": tool_request_events.ToolWithdrawn,
        "environment_decided": events.EnvironmentDecided,
        "world_started": world_events.WorldStarted,
        "world_event_happened": world_events.WorldEventHappened,
        "notification_delivered": world_events.NotificationDelivered,
        "world_time_changed": world_events.WorldTimeChanged,
        "verdict_reached": world_events.VerdictReached,
        "agent_event": events.AgentEvent,
        "artifact_saved": events.ArtifactSaved,
        "run_ended": events.RunEnded,
        "rewound": events.Rewound,
        "forked": events.Forked,
        "closed": events.Closed,
        "noted": events.Noted,
    }
)
"""The payload classes by kind. The names are stored, so they must not change when a class is renamed."""

KIND_NAMES: Final[Mapping[type[Payload], str]] = MappingProxyType(
    {payload_class: name for name, payload_class in PAYLOAD_CLASSES.items()}
)
"""The kinds by payload class."""
