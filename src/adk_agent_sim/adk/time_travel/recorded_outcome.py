"""Gives a tool call its recorded outcome without running the tool: result or error, state, artifacts, actions."""

from __future__ import annotations

import builtins
import copy
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from google.adk.events import EventActions
from google.adk.tools import ToolContext
from google.genai import types

from adk_agent_sim.errors import Cancelled
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Player, ToolFailed, ToolFinished

LoadArtifact = Callable[[str, int], Awaitable[types.Part | None]]
"""Returns a recorded version of an artifact."""


@dataclass(frozen=True, kw_only=True)
class RecordedOutcome:
    """How a call ended when it was made."""

    payload: ToolFinished | ToolFailed
    player: Player

    load_artifact: LoadArtifact
    """Reads the artifacts that the call has saved."""

    wait: Callable[[], Awaitable[None]]
    """Waits until the other agents of the run are where they were when the call ended."""

    async def run(self, *, args: dict[str, Any], tool_context: ToolContext) -> object:
        """Return or raise what the tool did, after doing to the context what it did; replaces `run_async`."""
        await self.wait()
        if isinstance(self.payload, ToolFailed):
            raise build_error(self.payload.error_type, self.payload.error_message)
        await _apply_actions(self.payload.actions, tool_context, self.load_artifact)
        # Callbacks may change a result in place, and the event on the timeline must stay as it is.
        return copy.deepcopy(self.payload.result)


async def _apply_actions(actions: Mapping[str, Json], context: ToolContext, load_artifact: LoadArtifact) -> None:
    """Do to a call's context what the recorded actions say."""
    known = {name: value for name, value in actions.items() if name in EventActions.model_fields}
    recorded = EventActions.model_validate(copy.deepcopy(known))
    for name in known:
        value = getattr(recorded, name)
        if name == "state_delta":
            for key, changed in recorded.state_delta.items():
                # Through the state, which also records it as a delta: callbacks after the call read the state.
                context.state[key] = changed
        elif name == "artifact_delta":
            for filename, version in recorded.artifact_delta.items():
                part = await load_artifact(filename, version)
                if part is not None and context.actions.artifact_delta.get(filename) != version:
                    await context.save_artifact(filename, part)
        elif isinstance(value, dict) and isinstance(now := getattr(context.actions, name), dict):
            cast("dict[str, Any]", now).update(cast("dict[str, Any]", value))
        else:
            setattr(context.actions, name, value)


def build_error(error_type: str, message: str) -> Exception:
    """Return an exception with the class name and the message of a recorded one.

    The class itself may be anybody's, and names from a log never import code; if Python has an exception of that name,
    it is a kind of it.
    """
    if error_type == Cancelled.__name__:
        return Cancelled(message)
    own = getattr(builtins, error_type, None)
    base = own if isinstance(own, type) and issubclass(own, Exception) else Exception

    def describe(_: Exception) -> str:
        return message

    # Some exceptions alter their message, for instance KeyError, which quotes it.
    members: dict[str, Any] = {"__str__": describe, "__module__": __name__}
    kind = cast("type[Exception]", type(error_type, (base,), members))
    # Not by the constructor: that of some exceptions, such as UnicodeDecodeError, needs other arguments.
    error = kind.__new__(kind, message)
    error.args = (message,)
    return error
