"""Writes docs/app-tools.md, the reference of the built-in apps and their tools, from the registry (`make app-tools`).

Apps that differ only in their name share a table. A test checks that the page is current.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from adk_agent_sim.scenario.app_base.app import APP, ENV, USER, App, Argument, Tool, ToolKind
from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS

DOCUMENT = Path(__file__).parent / "app-tools.md"

_INTRODUCTION = """\
# Apps and their tools

Written by `make app-tools` from the registry of apps; do not edit it. [scenarios.md](scenarios.md) explains what
scenarios use it for, and [apps.md](apps.md) how to add an app.

An agent sees a tool as `APP__TOOL`, where `APP` is the name that the scenario gives to the app. Arguments with `=` are
optional. The callers are the agent, the environment's events (env) and the user's events (user).
"""

_CALLERS: dict[ToolKind, str] = {APP: "agent", ENV: "env", USER: "user"}


def render_document() -> str:
    """Return the page with a section for each app, in the order of their names."""
    return "\n".join([_INTRODUCTION, *(_render_section(names) for names in _group_apps())])


def _group_apps() -> list[list[str]]:
    """Return the class names, those of apps with the same tools together, each group in the order of inheritance."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, app_class in BUILT_IN_APPS.items():
        groups.setdefault(tuple(_render_rows(app_class)), []).append(name)
    return [sorted(names, key=lambda name: len(BUILT_IN_APPS[name].__mro__)) for names in groups.values()]


def _render_section(names: list[str]) -> str:
    lines = [f"## {', '.join(names)}", "", _read_first_line(BUILT_IN_APPS[names[0]]), ""]
    lines += [f"- `{name}`: {_read_first_line(BUILT_IN_APPS[name])}" for name in names[1:]]
    lines += [""] if names[1:] else []
    lines += ["| tool | callers | operation | what it does |", "|---|---|---|---|"]
    return "\n".join([*lines, *_render_rows(BUILT_IN_APPS[names[0]]), ""])


def _render_rows(app_class: type[App]) -> Iterator[str]:
    for tool in app_class.tools().values():
        callers = [label for kind, label in _CALLERS.items() if kind in tool.kinds]
        if callers:
            operation = tool.operation.value.lower() if tool.operation else ""
            yield f"| `{_render_signature(tool)}` | {', '.join(callers)} | {operation} | {_render_description(tool)} |"


def _render_signature(tool: Tool) -> str:
    return f"{tool.name}({', '.join(map(_render_argument, tool.arguments))})"


def _render_argument(argument: Argument) -> str:
    if argument.variadic:
        return f"**{argument.name}"
    return argument.name if argument.required else f"{argument.name}={argument.default!r}"


def _render_description(tool: Tool) -> str:
    return " ".join(tool.description.split()).replace("|", "\\|")


def _read_first_line(app_class: type[App]) -> str:
    return (app_class.__doc__ or "").split("\n", maxsplit=1)[0]


if __name__ == "__main__":
    DOCUMENT.write_text(render_document(), encoding="utf-8")
    sys.stdout.write(f"Wrote {DOCUMENT.name}.\n")
