"""The tools that an agent is offered: those of all apps, optionally renamed and reworded.

Renaming and rewording test whether an agent reads tool descriptions or relies on names it has memorized. The other
names and descriptions are those under `augmentation` of the scenario if it has some; otherwise they depend only on the
seed. The tools by which an agent talks to the user and waits keep theirs, as in ARE.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any, cast

from adk_agent_sim.scenario.app_base.app import APP, App, Tool
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


_KEPT_CLASSES = ("AgentUserInterface", "SystemApp")
"""The apps whose tools are never renamed or reworded."""

_VALID_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
"""Names that models can call."""


@dataclass(frozen=True, kw_only=True)
class OfferedTool:
    """A tool as it is offered to the agent."""

    name: str
    """The name under which the agent calls it."""

    description: str

    app: str

    tool: Tool


def build_agent_tools(
    apps: Mapping[str, App], noise: Noise, seed: int, augmentation: Mapping[str, Any] | None = None
) -> dict[str, OfferedTool]:
    """Return the tools that the agent can call, by the names under which it calls them.

    Args:
        apps: The apps by name.
        noise: Whether tools are renamed and reworded.
        seed: Decides the names and descriptions, if the scenario has none.
        augmentation: What the scenario has under `augmentation`.
    """
    found: dict[str, OfferedTool] = {}
    names, descriptions = (
        _read_texts(augmentation, "tool_names_mapping"),
        _read_texts(augmentation, "tool_descriptions_mapping"),
    )
    for name, app in apps.items():
        app_noise = Noise() if type(app).__name__ in _KEPT_CLASSES else noise
        for tool in app.tools().values():
            if APP in tool.kinds:
                each = _build_tool(name, tool, app_noise, seed, names, descriptions)
                # Two renamed tools may get the same name; the later one keeps its own, with a number if need be.
                own_names = chain((each.name, f"{name}__{tool.name}"), (f"{name}__{tool.name}_{n}" for n in count(2)))
                free_name = next(other for other in own_names if other not in found)
                found[free_name] = replace(each, name=free_name)
    return found


def _build_tool(
    app: str,
    tool: Tool,
    noise: Noise,
    seed: int,
    names: Mapping[str, str] | None,
    descriptions: Mapping[str, str] | None,
) -> OfferedTool:
    plain_name, description = f"{app}__{tool.name}", tool.description
    name = plain_name
    chance = WorldRandom(seed, f"offered/{plain_name}")
    verb, _, rest = tool.name.partition("_")
    words = _VERB_SYNONYMS.get(verb, (verb,))
    # Both are drawn in any case, so that switching one kind of noise on does not change what the other one gives.
    other = words[int(chance.next_float() * len(words))]
    opening = _DESCRIPTION_PREFIXES[int(chance.next_float() * len(_DESCRIPTION_PREFIXES))]
    if noise.rename_tools:
        name = f"{app}__{'_'.join(filter(None, (other, rest)))}" if names is None else names.get(plain_name, plain_name)
    if noise.reword_tools:
        description = opening + description if descriptions is None else descriptions.get(plain_name, description)
    is_callable = name == plain_name or _VALID_NAME.fullmatch(name) is not None or names is None
    return OfferedTool(name=name if is_callable else plain_name, description=description, app=app, tool=tool)


def _read_texts(augmentation: Mapping[str, Any] | None, key: str) -> Mapping[str, str] | None:
    """Return the texts of a mapping by the plain names of tools; None if the scenario has no such mapping."""
    given = (augmentation or {}).get(key)
    if not isinstance(given, Mapping) or not given:
        return None
    texts = cast("Mapping[Any, Any]", given).items()
    return {name: text for name, text in texts if isinstance(name, str) and isinstance(text, str) and text}
