"""Finds the agents of an app, the other nodes of its workflows, and by name the callbacks that a replay runs again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from google.adk.agents import (
    BaseAgent,
    LlmAgent,
    ParallelAgent,  # pyright: ignore[reportDeprecated] - users still have them
)
from google.adk.plugins import BasePlugin
from google.adk.tools import AgentTool
from google.adk.workflow import BaseNode, FunctionNode

from adk_agent_sim.adk.compat import list_child_nodes
from adk_agent_sim.timeline.events import Event


def collect_agent_names(root: object) -> set[str]:
    """Return the names of an agent and of those that run below it.

    The set is empty for a workflow: its functions may run agents that are not known before.
    """
    return {agent.name for agent in iter_agents(root)} if isinstance(root, BaseAgent) else set()


def may_run_side_by_side(root: object) -> bool:
    """Return whether two agents of an app may run at the same time: in a ParallelAgent, or in a workflow."""
    parallel_type = ParallelAgent  # pyright: ignore[reportDeprecated]
    return not isinstance(root, BaseAgent) or any(isinstance(each, parallel_type) for each in iter_agents(root))


def iter_agents(root: object) -> Iterator[BaseAgent]:
    """Yield the agents of an app, each once: the root, sub-agents, agents used as tools, and those in workflows."""
    return (node for node in iter_nodes(root) if isinstance(node, BaseAgent))


def iter_nodes(root: object) -> Iterator[BaseNode]:
    """Yield the agents, workflows and functions of an app, each once and before what is in it."""
    # By identity: agents are pydantic models, which have no hash, and two different agents may be equal.
    seen_ids: set[int] = set()
    remaining: list[object] = [root]
    while remaining:
        node = remaining.pop()
        if not isinstance(node, BaseNode) or id(node) in seen_ids:
            continue
        seen_ids.add(id(node))
        yield node
        remaining += reversed(list_inner_nodes(node))


def list_inner_nodes(node: BaseNode) -> list[BaseNode]:
    """Return the nodes directly below a node, and the agents that it uses as tools."""
    tools = cast("list[object]", node.tools) if isinstance(node, LlmAgent) else []  # pyright: ignore[reportUnknownMemberType]
    # ADK does not list the agent of an AgentTool among the children of the agent that has the tool.
    return [*list_child_nodes(node), *(tool.agent for tool in tools if isinstance(tool, AgentTool))]


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
