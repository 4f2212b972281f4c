"""`simulated`: an App with simulated tools for `adk eval`, which takes no plugins on its command line."""

from __future__ import annotations

import os

from google.adk.apps import App
from google.adk.workflow import BaseNode

from adk_agent_sim.adk.environment.environment_factory import EnvironmentSimulationFactory, EnvironmentSource
from adk_agent_sim.adk.environment.environment_plugin import RULES_VARIABLE, EnvironmentSimulationPlugin
from adk_agent_sim.errors import SimulatorError


def simulated(app: App | BaseNode, rules: EnvironmentSource | None = None) -> App:
    """Return a copy of an app whose tools are answered by rules, for the module of an agent.

        app = simulated(app)

    Without `rules`, and if ADK_SIM_RULES is not set either, the app is returned unchanged, so that the line can stay.

    Args:
        app: The app, or an agent, which becomes an App with the agent's name.
        rules: ADK's config, rules, or the path of a rules file; by default the file that ADK_SIM_RULES names, relative
            to the current directory.

    Raises:
        InvalidRules: The rules have errors, or the file cannot be read.
        SimulatorError: The app has a plugin that simulates its tools already.
    """
    if not isinstance(app, App):
        app = App(name=app.name, root_agent=app)
    source = rules if rules is not None else os.environ.get(RULES_VARIABLE) or None
    if source is None:
        return app
    if any(isinstance(plugin, EnvironmentSimulationPlugin) for plugin in app.plugins):
        raise SimulatorError(
            f"The app {app.name!r} has an EnvironmentSimulationPlugin already. Remove it, or do not call `simulated`."
        )
    plugin = EnvironmentSimulationFactory.create_plugin(source)
    return app.model_copy(update={"plugins": [plugin, *app.plugins]})
