"""`EnvironmentSimulationFactory`: the same two doors as ADK's own, for its config objects, for rules and for files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

from google.adk.apps import App
from google.adk.tools import BaseTool, ToolContext
from google.adk.tools.environment_simulation.environment_simulation_config import EnvironmentSimulationConfig

from adk_agent_sim.adk.environment_config import convert_config_to_rules
from adk_agent_sim.adk.environment_plugin import EnvironmentRegistry, EnvironmentSimulationPlugin, answer_by_rules
from adk_agent_sim.environment.actions.raise_exception import ExceptionFactories
from adk_agent_sim.environment.environment_report import EnvironmentReport
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.environment.rules_file import load_rules
from adk_agent_sim.errors import PluginRequired
from adk_agent_sim.timeline.clock import Sleeper

EnvironmentSource: TypeAlias = EnvironmentSimulationConfig | Rules | str | Path
"""What tools answer: ADK's config, rules, or the path of a rules file."""

BeforeToolCallback: TypeAlias = Callable[[BaseTool, dict[str, Any], ToolContext], Awaitable[dict[str, Any] | None]]


class EnvironmentSimulationFactory:
    """Makes what intercepts the tool calls of an agent.

    With ADK's config objects it is used as ADK's own factory; only the import differs:

        from adk_agent_sim import EnvironmentSimulationFactory
    """

    @staticmethod
    def create_callback(
        config: EnvironmentSource,
        *,
        label: str = "",
        exceptions: ExceptionFactories | None = None,
        sleeper: Sleeper | None = None,
    ) -> BeforeToolCallback:
        """A `before_tool_callback` for an LlmAgent.

        Args:
            config: ADK's config, rules, or the path of a rules file.
            label: Tells runs apart whose chances should differ, as a scenario and the number of a run.
            exceptions: The exceptions that `raise` may name, beside the built-in ones.
            waiting: How time passes in delays; by default as the rules say.

        Raises:
            PluginRequired: Rules act inside the call: they raise, change or delay a real result. Use `create_plugin`.
            InvalidRules: The rules have mistakes.
        """
        book = _build_rulebook(config, label=label, exceptions=exceptions, sleeper=sleeper)
        if needs := list(_list_plugin_reasons(book)):
            raise PluginRequired(needs)
        environments = EnvironmentRegistry(book)

        async def simulate(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any] | None:
            if not book.find_candidates(tool.name) or await _is_consent_pending(tool, args, tool_context):
                return None
            return await answer_by_rules(environments, tool, args, tool_context)

        return simulate

    @staticmethod
    def create_plugin(
        config: EnvironmentSource,
        *,
        label: str = "",
        exceptions: ExceptionFactories | None = None,
        sleeper: Sleeper | None = None,
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
            InvalidRules: The rules have mistakes.
        """
        return EnvironmentSimulationPlugin(
            _build_rulebook(config, label=label, exceptions=exceptions, sleeper=sleeper), name=name
        )


def add_environment_plugin(
    app: App, config: EnvironmentSource | None
) -> tuple[App, Callable[[], EnvironmentReport | None]]:
    """The app with rules for its tools, and what tells what they did; the app itself stays as it is."""
    if config is None:
        return app, lambda: None
    plugin = EnvironmentSimulationFactory.create_plugin(config)
    return app.model_copy(update={"plugins": [plugin, *app.plugins]}), plugin.report


def _build_rulebook(
    config: EnvironmentSource, *, label: str, exceptions: ExceptionFactories | None, sleeper: Sleeper | None
) -> Rulebook:
    if isinstance(config, EnvironmentSimulationConfig):
        # ADK's config may hold injections that never fire; whoever moves here with one keeps it.
        return Rulebook(convert_config_to_rules(config), label=label, sleeper=sleeper, skip_checks=True)
    rules = config if isinstance(config, Rules) else load_rules(config, exceptions=exceptions)
    return Rulebook(rules, label=label, exceptions=exceptions, sleeper=sleeper)


def _list_plugin_reasons(rulebook: Rulebook) -> list[str]:
    inside = [rule.name for rule in rulebook.rules if rule.acts_inside_call]
    found = [f"{name!r} acts inside the call: it raises, changes or delays a real result." for name in inside]
    return found + (["`unanswered: refuse` acts inside the call."] if rulebook.refuses_real_tools else [])


async def _is_consent_pending(tool: BaseTool, args: dict[str, Any], context: ToolContext) -> bool:
    """Whether ADK must ask for consent first, or was refused it: then the gate answers, and no rule."""
    consent = context.tool_confirmation
    if consent is not None and consent.confirmed:
        return False
    return await tool.check_require_confirmation(args, context) is True
