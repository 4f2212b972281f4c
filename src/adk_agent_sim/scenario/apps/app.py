"""What every app has: the tools its class declares, and the keys of its state."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import ClassVar

from adk_agent_sim.scenario.apps.tool import Tool, declared


class App:
    """The base of all apps. Two apps of one class differ by the names a scenario gives them."""

    state_keys: ClassVar[tuple[str, ...]] = ()
    """The keys of `app_state` in a scenario file."""

    @classmethod
    def tools(cls) -> Mapping[str, Tool]:
        """The tools by name, in the order of declaration."""
        return _tools(cls)


@cache
def _tools(app: type[App]) -> Mapping[str, Tool]:
    found: dict[str, Tool] = {}
    for owner in reversed(app.__mro__):
        for member in vars(owner).values():
            if each := declared(member):
                found[each.name] = each
    return MappingProxyType(found)
