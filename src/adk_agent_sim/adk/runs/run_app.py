"""The ADK App that a run uses: made from an agent or a workflow if need be, with our plugins around its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.adk.apps import App
from google.adk.plugins import BasePlugin
from google.adk.workflow import BaseNode

from adk_agent_sim.adk.players.session_player import SessionPlayer
from adk_agent_sim.adk.seats.seat_plugin import SeatPlugin
from adk_agent_sim.adk.seats.tool_errors import ToolErrorPlugin
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.events import Player

_log = get_logger(__name__)


def to_app(agent: object) -> App:
    """Return an App, or an App of an agent or a workflow; raise TypeError for anything else."""
    if isinstance(agent, App):
        return agent
    if isinstance(agent, BaseNode):
        return App(name=agent.name, root_agent=agent)
    raise TypeError(f"A {type(agent).__name__} cannot be simulated. Pass an ADK agent, a workflow, or an App.")


def remove_simulator_plugin(app: App) -> App:
    """Return the app without a SimulatorPlugin of its own, which would wait for a server, and log that it is left out.

    Who opens many runs of one app calls this once, so that it is logged once.
    """
    plugins = [plugin for plugin in app.plugins if not isinstance(plugin, SeatPlugin)]
    if len(plugins) == len(app.plugins):
        return app
    _log.warning("The app's SimulatorPlugin is not used here: this simulation itself plays the models.")
    return app.model_copy(update={"plugins": plugins})


def has_tool_error_plugin(app: App) -> bool:
    """Return whether the app has a ToolErrorPlugin."""
    return any(isinstance(plugin, ToolErrorPlugin) for plugin in app.plugins)


def add_run_plugins(app: App, leading_plugins: Sequence[BasePlugin], player: SessionPlayer) -> App:
    """Return the app with our plugins around its own: seats first, tool errors last, so its own plugins see both."""
    own = remove_simulator_plugin(app).plugins
    # The environment plugin may be the app's own one, and ADK refuses two plugins of one name.
    leading = [plugin for plugin in leading_plugins if plugin not in own]
    trailing = [] if has_tool_error_plugin(app) else [ToolErrorPlugin()]
    update: dict[str, Any] = {"plugins": [*leading, *own, *trailing]}
    if app.events_compaction_config is not None and player is not Player.REAL:
        _log.warning("Event compaction is disabled in this simulation, because it would call the agent's own model.")
        update["events_compaction_config"] = None
    return app.model_copy(update=update)
