"""The apps of a world: which there are, how each is created, its state at the start, and the contents of its files."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

from adk_agent_sim.errors import UnknownApp
from adk_agent_sim.scenario.app_base.app import App
from adk_agent_sim.scenario.app_base.app_context import AppContext
from adk_agent_sim.scenario.apps.registry import DEFAULT_APPS, find_app_class, list_app_class_names
from adk_agent_sim.scenario.format.call_check import find_unlisted_app
from adk_agent_sim.scenario.format.models import ExportedApp, ExportedTrace


def make_content_reader(directory: str | Path | None) -> Callable[[str], bytes | None]:
    """Return a function from a file's path in the scenario to its bytes, or None if there is no such file.

    Files outside the folder are never read, not even through a symbolic link inside it.
    """
    if directory is None:
        return lambda path: None
    root = Path(directory).resolve()

    def read_content(path: str) -> bytes | None:
        try:
            file = (root / path.lstrip("/")).resolve()
            return file.read_bytes() if file.is_relative_to(root) and file.is_file() else None
        # ValueError: the path contains a null character.
        except (OSError, ValueError):
            return None

    return read_content


def list_world_apps(trace: ExportedTrace) -> list[ExportedApp]:
    """Return the apps that a scenario lists, those that every world has, and those that events call by class name."""
    apps = {each.name: each for each in trace.apps}
    called = (event.action.app for event in trace.events if event.action is not None and event.action.app)
    for name in dict.fromkeys((*DEFAULT_APPS, *called)):
        if name not in apps and (name in DEFAULT_APPS or find_unlisted_app(name) is not None):
            apps[name] = ExportedApp(name=name, class_name=name)
    return list(apps.values())


def create_app(app: ExportedApp, app_context: AppContext) -> App:
    """Create the app of a world.

    Raises:
        UnknownApp: There is no such class.
    """
    app_class = find_app_class(app.class_name or app.name)
    if app_class is None:
        raise UnknownApp(app.name, app.class_name or app.name, list_app_class_names())
    return app_class(app.name, app_context, app.app_state)


def fill_in_state(app: ExportedApp, created_app: App) -> ExportedApp:
    """Return an app with the state that it has at the start, also if the scenario has none."""
    if app.app_state is not None or created_app.empty_state is None:
        return app
    return app.model_copy(update={"app_state": deepcopy(dict(created_app.empty_state))})
