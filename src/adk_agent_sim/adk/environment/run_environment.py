"""The simulated environment of a run's session: its plugin, the rules' active profile, and the players of its tools."""

from __future__ import annotations

from collections.abc import Mapping

from google.adk.apps import App
from google.adk.sessions import Session

from adk_agent_sim.adk.environment.environment_factory import EnvironmentSimulationFactory, EnvironmentSource
from adk_agent_sim.adk.environment.environment_plugin import EnvironmentSimulationPlugin
from adk_agent_sim.adk.loading.tool_catalog import list_tool_names
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.environment.tool_choices import ToolPlayer
from adk_agent_sim.timeline.events import EnvironmentDecided


class RunEnvironment:
    """Gives access to the environment that simulates the tools of one run."""

    def __init__(self, app: App, source: EnvironmentSource | None, continued: RunEnvironment | None = None) -> None:
        """Prepare the environment of a run; its session is bound later.

        Args:
            app: The app that runs.
            source: How tools are simulated; by default by the app's own environment plugin, if it has one.
            continued: The environment of the run whose session this one continues after an undo.
        """
        self._app = app
        self.plugin = continued.plugin if continued else _get_or_create_plugin(app, source)
        """Simulates the environment of the session; a run that continues a session has the same."""
        self.adk_session: Session | None = None
        """The ADK session; None before the run is opened."""
        self._environment = continued.find() if continued else None

    def get(self, adk_session: Session) -> Environment:
        """Return the environment of the session, to be shown and changed."""
        environment = self.plugin.get_environment(adk_session)
        environment.list_tools = lambda: list_tool_names(self._app)
        self._environment = environment
        return environment

    def find(self) -> Environment | None:
        """Return the environment of the session if somebody has looked at it; None means that nothing was changed."""
        return self._environment

    @property
    def tool_players(self) -> Mapping[str, ToolPlayer]:
        """The players that were chosen for tools of the session, by tool."""
        # If nobody has looked at the environment, nobody has chosen.
        return self._environment.tool_choices.players if self._environment is not None else {}

    def build_switch_event(self) -> EnvironmentDecided | None:
        """Return what was switched and is not on the timeline yet, as an event, which counts as recorded then."""
        if self._environment is None or self.adk_session is None:
            return None  # nobody can have switched anything
        return self.plugin.build_profile_event(self.adk_session)


def _get_or_create_plugin(app: App, source: EnvironmentSource | None) -> EnvironmentSimulationPlugin:
    """Return a plugin for `source`, else the app's own plugin, else one without rules, which still allows faults."""
    plugin = next((plugin for plugin in app.plugins if isinstance(plugin, EnvironmentSimulationPlugin)), None)
    if plugin is None or source is not None:
        # The names of an App's plugins must differ, and the app may have ADK's own environment plugin.
        name = "adksim_environment"
        plugin = EnvironmentSimulationFactory.create_plugin(Rules(rules=[]) if source is None else source, name=name)
    return plugin
