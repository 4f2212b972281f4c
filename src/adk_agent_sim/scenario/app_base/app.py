"""Base class of all apps: a name, the tools that the class declares, and a state that round-trips `app_state`.

Apps hold their entities (an email, a contact) as the JSON objects of the scenario file and never change them in place;
a change replaces the object. Worlds of one scenario can therefore share unchanged objects, dumping a state is cheap,
and unknown keys are preserved.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar

from adk_agent_sim.errors import InvalidAppState
from adk_agent_sim.scenario.app_base.app_context import AppContext, Notification, NotificationKind
from adk_agent_sim.scenario.app_base.state_shape import Fields
from adk_agent_sim.scenario.app_base.tool import Tool, read_tool

JSON = dict[str, Any]
"""A JSON object."""


class App:
    """Base of all apps. A world can have several apps of one class under different names."""

    state_keys: ClassVar[tuple[str, ...]] = ()
    """The keys of `app_state` in a scenario file."""

    empty_state: ClassVar[Mapping[str, Any] | None] = None
    """A complete `app_state` without content, as ARE requires it; None if the app needs no state."""

    state_shape: ClassVar[Fields] = Fields()
    """What the values of `app_state` must be; the linter reports those that are something else."""

    def __init__(self, name: str = "", context: AppContext | None = None, state: JSON | None = None) -> None:
        """Create the app and register it in its world.

        Args:
            name: The app's name in the scenario; the class name if empty.
            context: The world; a separate world in which no time passes if omitted.
            state: `app_state` of the scenario file.

        Raises:
            InvalidAppState: The state does not have the shape that the app expects.
        """
        self.name = name or type(self).__name__
        self.context = context or AppContext()
        self.random = self.context.create_random(self.name)
        self.context.apps[self.name] = self
        self._loaded_state: JSON = {}
        try:
            self.load(state or {})
        # Apps index into the state without checking it first, so these are what a state of the wrong shape raises.
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InvalidAppState(self.name, type(self).__name__, f"{type(error).__name__}: {error}") from error

    @classmethod
    def tools(cls) -> Mapping[str, Tool]:
        """Return the tools by name, in the order of declaration."""
        return _collect_tools(cls)

    def load(self, state: JSON) -> None:
        """Load a state. The given object is never modified."""
        self._loaded_state = state

    def state(self) -> JSON:
        """Return the state as in scenario files, with unknown keys and key order preserved.

        Keys that were not changed keep their loaded form: an absent key stays absent, null stays null.
        """
        # An empty value is written only if the loaded one was not empty: absent and null keys keep their form.
        changed = {key: value for key, value in self._mutable_state().items() if value or self._loaded_state.get(key)}
        return self._loaded_state | changed

    def hidden_state(self) -> JSON:
        """Return what the app knows beyond its state, as JSON. State and hidden state together restore the app."""
        return {"draws": self.random.draw_count} | self._extra_hidden_state()

    def restore_hidden_state(self, hidden_state: JSON) -> None:
        """Restore what `hidden_state` returned. The matching state must be loaded first."""
        self.random.draw_count = hidden_state["draws"]

    def build_notification(self, tool: Tool, arguments: Mapping[str, Any]) -> Notification | None:
        """Return the notification that a call of this tool sends to the agent, or None."""
        if tool.notification is None:
            return None
        text = tool.notification.text.format_map(_TemplateArguments(arguments))
        kind = NotificationKind.ENVIRONMENT_NOTIFICATION
        return Notification(level=tool.notification.level, kind=kind, text=f"{type(self).__name__}: {text}")

    def render_result(self, tool: Tool, value: Any) -> str:
        """Return the text that an agent sees for a tool's return value."""
        return tool.success_text or str(value)

    def _mutable_state(self) -> JSON:
        """Return the state keys that can change; all others are dumped as they were loaded."""
        return {}

    def _extra_hidden_state(self) -> JSON:
        """Return what the app knows beyond its state and its random stream."""
        return {}


class _TemplateArguments(dict[str, Any]):
    """Replaces missing arguments by nothing, where ARE raises: a failed event must not stop the run."""

    def __missing__(self, key: str) -> str:
        return ""


@cache
def _collect_tools(app: type[App]) -> Mapping[str, Tool]:
    tools: dict[str, Tool] = {}
    for owner in reversed(app.__mro__):  # base classes first, so that a subclass can override a tool
        for member in vars(owner).values():
            if declared := read_tool(member):
                tools[declared.name] = declared
    return MappingProxyType(tools)
