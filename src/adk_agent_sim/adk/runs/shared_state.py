"""What ADK sessions share: the state and the artifacts of their user and their app, in services that outlive a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.adk.events import Event as AdkEvent
from google.adk.sessions import State
from google.genai import types

SHARED_STATE_PREFIXES = (State.APP_PREFIX, State.USER_PREFIX)
"""How the keys of state begin that all sessions of an app or a user share."""

_USER_ARTIFACT = "user:"
"""How the names of artifacts begin that all sessions of a user share."""


def is_shared_key(key: str) -> bool:
    """Return whether all sessions of a user or an app share the state of this key."""
    return key.startswith(SHARED_STATE_PREFIXES)


def is_shared_artifact(filename: str) -> bool:
    """Return whether all sessions of a user share the artifact of this name."""
    return filename.startswith(_USER_ARTIFACT)


def select_own_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state without the values that other sessions share: these stay as they are there."""
    return {key: value for key, value in state.items() if not is_shared_key(key)}


def select_shared_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of the state that other sessions share."""
    return {key: value for key, value in state.items() if is_shared_key(key)}


def select_own_artifacts(artifacts: Sequence[tuple[str, types.Part]]) -> list[tuple[str, types.Part]]:
    """Return the artifacts without those that other sessions share."""
    return [(name, part) for name, part in artifacts if not is_shared_artifact(name)]


def remove_shared_changes(event: AdkEvent) -> AdkEvent:
    """Return an event without its changes of state that other sessions share: they were applied when it happened."""
    own = select_own_state(event.actions.state_delta)
    if len(own) == len(event.actions.state_delta):
        return event
    return event.model_copy(update={"actions": event.actions.model_copy(update={"state_delta": own})})
