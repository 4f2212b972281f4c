"""The tools that an agent is offered: those of all apps, optionally renamed and reworded.

Renaming and rewording test whether an agent reads tool descriptions or relies on names it has memorized. The choice
depends only on the seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adk_agent_sim.scenario.app_base.app import App
from adk_agent_sim.scenario.app_base.tool import APP, Tool
from adk_agent_sim.scenario.app_base.world_random import WorldRandom
from adk_agent_sim.scenario.world.noise import Noise

_VERB_SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "get": ("fetch", "retrieve"), "list": ("enumerate", "show"), "search": ("find", "look_up"),
    "add": ("create", "insert"), "delete": ("remove", "erase"), "send": ("dispatch", "transmit"),
    "edit": ("change", "modify"), "create": ("make", "set_up"), "remove": ("take_out", "drop"),
    "read": ("load", "view"), "update": ("revise", "change"), "cancel": ("call_off", "revoke"),
    "order": ("book", "request"), "save": ("keep", "bookmark"), "reply": ("respond", "answer"),
}  # fmt: skip

_DESCRIPTION_PREFIXES = ("Use this to do the following. ", "What it does: ", "Purpose: ", "In short: ")


@dataclass(frozen=True, kw_only=True)
class OfferedTool:
    """A tool as it is offered to the agent."""

    name: str
    """The name under which the agent calls it."""

    description: str

    app: str

    tool: Tool


def build_agent_tools(apps: Mapping[str, App], noise: Noise, seed: int) -> dict[str, OfferedTool]:
    """Return the tools that the agent can call, by the names under which it calls them."""
    found: dict[str, OfferedTool] = {}
    for name, app in apps.items():
        for tool in app.tools().values():
            if APP in tool.kinds:
                each = _build_tool(name, tool, noise, seed)
                # Two renamed tools may get the same name; the later one keeps its own.
                taken = each.name in found
                plain = OfferedTool(name=f"{name}__{tool.name}", description=each.description, app=name, tool=tool)
                found[plain.name if taken else each.name] = plain if taken else each
    return found


def _build_tool(app: str, tool: Tool, noise: Noise, seed: int) -> OfferedTool:
    chance = WorldRandom(seed, f"offered/{app}__{tool.name}")
    verb, _, rest = tool.name.partition("_")
    words = _VERB_SYNONYMS.get(verb, (verb,))
    other = words[int(chance.next_float() * len(words))]
    opening = _DESCRIPTION_PREFIXES[int(chance.next_float() * len(_DESCRIPTION_PREFIXES))]
    name = "_".join(filter(None, (other, rest))) if noise.rename_tools else tool.name
    description = opening + tool.description if noise.reword_tools else tool.description
    return OfferedTool(name=f"{app}__{name}", description=description, app=app, tool=tool)
