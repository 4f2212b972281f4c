"""What every app has: a name, the tools its class declares, and a state that loads and dumps as scenario files have it.

What an app holds of its entities (a mail, a contact) are JSON objects as the file has them, never changed in place: a
change puts a new object where the old one was. So worlds of one scenario share what none of them changed, dumping is
cheap, and keys that nobody knows stay where they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar

from adk_agent_sim.errors import InvalidAppState
from adk_agent_sim.scenario.app_base.app_context import AppContext, Notification, NotificationKind
from adk_agent_sim.scenario.app_base.tool import Tool, read_tool

JSON = dict[str, Any]
"""A JSON object."""


class App:
    """The base of all apps. Two apps of one class differ by the names a scenario gives them."""

    state_keys: ClassVar[tuple[str, ...]] = ()
    """The keys of `app_state` in a scenario file."""

    def __init__(self, name: str = "", context: AppContext | None = None, state: JSON | None = None) -> None:
        """Join a world.

        Args:
            name: What the scenario calls the app; the name of its class if empty.
            surroundings: The world; a world of its own, at rest, if left out.
            state: `app_state` of the scenario file.

        Raises:
            InvalidAppState: The state has another shape than the app's.
        """
        self.name = name or type(self).__name__
        self.context = context or AppContext()
        self.random = self.context.create_random(self.name)
        self.context.apps[self.name] = self
        self._loaded_state: JSON = {}
        try:
            self.load(state or {})
        except (AttributeError, KeyError, TypeError, ValueError) as misfit:
            raise InvalidAppState(self.name, type(self).__name__, f"{type(misfit).__name__}: {misfit}") from misfit

    @classmethod
    def tools(cls) -> Mapping[str, Tool]:
        """The tools by name, in the order of declaration."""
        return _collect_tools(cls)

    def load(self, state: JSON) -> None:
        """Take over a state; what is given is never changed."""
        self._loaded_state = state

    def state(self) -> JSON:
        """The state as scenario files have it, with the unknown keys and the order of what was loaded.

        What was loaded stays as it is as long as nothing is changed: an absent key stays absent, null stays null.
        """
        held = {key: value for key, value in self._mutable_state().items() if value or self._loaded_state.get(key)}
        return self._loaded_state | held

    def hidden_state(self) -> JSON:
        """What the app knows beyond its state, as JSON: with the state and this, a world can be put back."""
        return {"draws": self.random.draw_count} | self._extra_hidden_state()

    def restore_hidden_state(self, hidden_state: JSON) -> None:
        """Know again what `hidden` told; the state it belongs to was loaded before."""
        self.random.draw_count = hidden_state["draws"]

    def build_notification(self, tool: Tool, arguments: Mapping[str, Any]) -> Notification | None:
        """What the agent is told when that tool was called with these arguments."""
        if tool.notification is None:
            return None
        text = tool.notification.text.format_map(_TemplateArguments(arguments))
        kind = NotificationKind.ENVIRONMENT_NOTIFICATION
        return Notification(level=tool.notification.level, kind=kind, text=f"{type(self).__name__}: {text}")

    def render_result(self, tool: Tool, value: Any) -> str:
        """The text that an agent sees of what a tool returned."""
        return tool.success_text or str(value)

    def _mutable_state(self) -> JSON:
        """The keys of the state that can change; the others are dumped as they were loaded."""
        return {}

    def _extra_hidden_state(self) -> JSON:
        """What the app knows beyond its state and its chance."""
        return {}


class _TemplateArguments(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return ""


@cache
def _collect_tools(app: type[App]) -> Mapping[str, Tool]:
    found: dict[str, Tool] = {}
    for owner in reversed(app.__mro__):
        for member in vars(owner).values():
            if each := read_tool(member):
                found[each.name] = each
    return MappingProxyType(found)
