"""Lists by name what runs again in a replay: callbacks of agents, plugins of the app, functions of workflows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from google.adk.plugins import BasePlugin
from google.adk.workflow import BaseNode, FunctionNode

from adk_agent_sim.adk.loading.agent_tree import iter_nodes
from adk_agent_sim.timeline.events import Event

_CALLBACK_FIELDS = (
    "before_agent_callback",
    "after_agent_callback",
    "before_model_callback",
    "after_model_callback",
    "on_model_error_callback",
    "before_tool_callback",
    "after_tool_callback",
    "on_tool_error_callback",
)

_PLUGIN_HOOKS = (
    "on_user_message_callback",
    "before_run_callback",
    "on_event_callback",
    "on_agent_error_callback",
    "on_run_error_callback",
    *_CALLBACK_FIELDS,
)


def list_callbacks(root: BaseNode, plugins: Iterable[BasePlugin], events: Iterable[Event]) -> list[str]:
    """Return what runs again when the events of a run are replayed, one line each.

    Args:
        root: The root agent.
        plugins: The plugins of the app.
        events: The events that are replayed; only agents that took part are listed.
    """
    names = {event.agent_name for event in events}
    nodes = [node for node in iter_nodes(root) if _takes_part(node, names)]
    listed = [line for node in nodes for line in _describe_node(node)]
    listed += [f"plugin {plugin.name!r}: {hook}" for plugin in plugins for hook in _list_hooks(plugin)]
    return list(dict.fromkeys(listed))


def _takes_part(node: BaseNode, names: set[str]) -> bool:
    """Return whether a node ran: it or something in it emitted an event; functions emit none under their own name."""
    return isinstance(node, FunctionNode) or any(inner.name in names for inner in iter_nodes(node))


def _describe_node(node: BaseNode) -> Iterator[str]:
    if isinstance(node, FunctionNode):
        yield f"workflow function {node.name!r}"
    for field in _CALLBACK_FIELDS:
        given = getattr(node, field, None)
        callbacks = cast("list[Callable[..., Any]]", given if isinstance(given, list) else [given] if given else [])
        for callback in callbacks:
            name = getattr(callback, "__name__", type(callback).__name__)
            # The seat of a model adds a callback of ours to agents that are used as tools.
            if getattr(callback, "__module__", "").startswith("adk_agent_sim.adk.seats.model_seat"):
                continue
            yield f"agent {node.name!r}: {field} {name}"


def _list_hooks(plugin: BasePlugin) -> list[str]:
    if type(plugin).__module__.startswith("adk_agent_sim."):
        return []
    # BasePlugin has every hook, so only those that a plugin overrides run code of the user's.
    return [hook for hook in _PLUGIN_HOOKS if getattr(type(plugin), hook, None) is not getattr(BasePlugin, hook, None)]
