"""`EnvironmentSimulationFactory`: the same two doors as ADK's own, for its config objects, for rules and for files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

from google.adk.apps import App
from google.adk.tools import BaseTool, ToolContext
from google.adk.tools.environment_simulation.environment_simulation_config import EnvironmentSimulationConfig

from adk_agent_sim.adk.environment import Environments, EnvironmentSimulationPlugin, answered
from adk_agent_sim.adk.environment_config import rules_of
from adk_agent_sim.environment.actions.raised import Exceptions
from adk_agent_sim.environment.loading import load_rules
from adk_agent_sim.environment.report import Report
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.errors import PluginNeeded
from adk_agent_sim.timeline.clock import Waiting

Simulated: TypeAlias = EnvironmentSimulationConfig | Rules | str | Path
"""What tools answer: ADK's config, rules, or the path of a rules file."""

BeforeTool: TypeAlias = Callable[[BaseTool, dict[str, Any], ToolContext], Awaitable[dict[str, Any] | None]]


class EnvironmentSimulationFactory:
    """Makes what intercepts the tool calls of an agent.

    With ADK's config objects it is used as ADK's own factory; only the import differs:

        from adk_agent_sim import EnvironmentSimulationFactory
    """

    @staticmethod
    def create_callback(
        config: Simulated, *, label: str = "", exceptions: Exceptions | None = None, waiting: Waiting | None = None
    ) -> BeforeTool:
        """A `before_tool_callback` for an LlmAgent.

        Args:
            config: ADK's config, rules, or the path of a rules file.
            label: Tells runs apart whose chances should differ, as a scenario and the number of a run.
            exceptions: The exceptions that `raise` may name, beside the built-in ones.
            waiting: How time passes in delays; by default as the rules say.

        Raises:
            PluginNeeded: Rules act inside the call: they raise, change or delay a real result. Use `create_plugin`.
            RulesRefused: The rules have mistakes.
        """
        book = _book(config, label=label, exceptions=exceptions, waiting=waiting)
        if needs := list(_needs_plugin(book)):
            raise PluginNeeded(needs)
        environments = Environments(book)

        async def simulate(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any] | None:
            if not book.candidates(tool.name) or await _waits_for_consent(tool, args, tool_context):
                return None
            return await answered(environments, tool, args, tool_context)

        return simulate

    @staticmethod
    def create_plugin(
        config: Simulated,
        *,
        label: str = "",
        exceptions: Exceptions | None = None,
        waiting: Waiting | None = None,
        name: str = "EnvironmentSimulation",
    ) -> EnvironmentSimulationPlugin:
        """A plugin for `App(plugins=[...])`, with `adk web`, `adk api_server`, `adk eval` and a Runner of your own.

        Args:
            config: ADK's config, rules, or the path of a rules file.
            label: Tells runs apart whose chances should differ, as a scenario and the number of a run.
            exceptions: The exceptions that `raise` may name, beside the built-in ones.
            waiting: How time passes in delays; by default as the rules say.
            name: The plugin's name in the App.

        Raises:
            RulesRefused: The rules have mistakes.
        """
        return EnvironmentSimulationPlugin(
            _book(config, label=label, exceptions=exceptions, waiting=waiting), name=name
        )


def simulated(app: App, config: Simulated | None) -> tuple[App, Callable[[], Report | None]]:
    """The app with rules for its tools, and what tells what they did; the app itself stays as it is."""
    if config is None:
        return app, lambda: None
    plugin = EnvironmentSimulationFactory.create_plugin(config)
    return app.model_copy(update={"plugins": [plugin, *app.plugins]}), plugin.report


def _book(config: Simulated, *, label: str, exceptions: Exceptions | None, waiting: Waiting | None) -> Rulebook:
    if isinstance(config, EnvironmentSimulationConfig):
        # ADK's config may hold injections that never fire; whoever moves here with one keeps it.
        return Rulebook(rules_of(config), label=label, waiting=waiting, checked=True)
    rules = config if isinstance(config, Rules) else load_rules(config, exceptions=exceptions)
    return Rulebook(rules, label=label, exceptions=exceptions, waiting=waiting)


def _needs_plugin(book: Rulebook) -> list[str]:
    inside = [rule.name for rule in book.rules if rule.acts_inside]
    found = [f"{name!r} acts inside the call: it raises, changes or delays a real result." for name in inside]
    return found + (["`unanswered: refuse` acts inside the call."] if book.refuses else [])


async def _waits_for_consent(tool: BaseTool, args: dict[str, Any], context: ToolContext) -> bool:
    """Whether ADK must ask for consent first, or was refused it: then the gate answers, and no rule."""
    consent = context.tool_confirmation
    if consent is not None and consent.confirmed:
        return False
    return await tool.check_require_confirmation(args, context) is True
