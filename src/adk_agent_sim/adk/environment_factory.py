"""`EnvironmentSimulationFactory`: the interface of ADK's own factory, for ADK's config, rules and rules files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

from google.adk.apps import App
from google.adk.tools import BaseTool, ToolContext
from google.adk.tools.environment_simulation.environment_simulation_config import EnvironmentSimulationConfig

from adk_agent_sim.adk.environment_config import convert_config_to_rules
from adk_agent_sim.adk.environment_plugin import (
    EnvironmentSimulationPlugin,
    answer_by_rules,
    read_profile_variable,
)
from adk_agent_sim.adk.environment_registry import EnvironmentRegistry
from adk_agent_sim.environment.actions.raise_exception import ExceptionFactories
from adk_agent_sim.environment.environment_report import EnvironmentReport
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.environment.rules_file import load_rules
from adk_agent_sim.errors import PluginRequired
from adk_agent_sim.timeline.clock import Sleeper
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS

EnvironmentSource: TypeAlias = EnvironmentSimulationConfig | Rules | str | Path
"""How tools are simulated: ADK's config, rules, or the path of a rules file."""

BeforeToolCallback: TypeAlias = Callable[[BaseTool, dict[str, Any], ToolContext], Awaitable[dict[str, Any] | None]]


class EnvironmentSimulationFactory:
    """Creates callbacks and plugins that simulate the tools of an agent.

    With ADK's config objects it is used like ADK's own factory; only the import differs:

        from adk_agent_sim import EnvironmentSimulationFactory
    """

    @staticmethod
    def create_callback(
        config: EnvironmentSource,
        *,
        label: str = "",
        profile: str | None = None,
        exceptions: ExceptionFactories | None = None,
        sleeper: Sleeper | None = None,
    ) -> BeforeToolCallback:
        """Return a `before_tool_callback` for an LlmAgent.

        Args:
            config: ADK's config, rules, or the path of a rules file.
            label: Part of the key of random decisions; runs that should differ need different labels.
            profile: The profile of the rules; by default ADK_SIM_PROFILE, or else the one that the rules name.
            exceptions: The exceptions that `raise` may name, in addition to the built-in ones.
            sleeper: How delays wait; by default as the rules say.

        Raises:
            PluginRequired: Some rules raise, or change or delay a real result, which a callback cannot do. Use
                `create_plugin`.
            InvalidRules: The rules have errors, or no such profile.
        """
        rulebook = _build_rulebook(config, label=label, profile=profile, exceptions=exceptions, sleeper=sleeper)
        if reasons := _list_plugin_reasons(rulebook):
            raise PluginRequired(reasons)
        environments = EnvironmentRegistry(rulebook)

        async def simulate(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any] | None:
            candidates = rulebook.find_candidates(tool.name, by_name_only=tool.name in CONTROL_TOOLS)
            if not candidates or await _is_consent_pending(tool, args, tool_context):
                return None
            return await answer_by_rules(environments, tool, args, tool_context)

        return simulate

    @staticmethod
    def create_plugin(
        config: EnvironmentSource,
        *,
        label: str = "",
        profile: str | None = None,
        exceptions: ExceptionFactories | None = None,
        sleeper: Sleeper | None = None,
        name: str = "EnvironmentSimulation",
    ) -> EnvironmentSimulationPlugin:
        """Return a plugin for `App(plugins=[...])`, for `adk web`, `adk api_server`, `adk eval` or your own Runner.

        Args:
            config: ADK's config, rules, or the path of a rules file.
            label: Part of the key of random decisions; runs that should differ need different labels.
            profile: The profile of the rules; by default ADK_SIM_PROFILE, or else the one that the rules name.
            exceptions: The exceptions that `raise` may name, in addition to the built-in ones.
            sleeper: How delays wait; by default as the rules say.
            name: The plugin's name in the App.

        Raises:
            InvalidRules: The rules have errors, or no such profile.
        """
        return EnvironmentSimulationPlugin(
            _build_rulebook(config, label=label, profile=profile, exceptions=exceptions, sleeper=sleeper), name=name
        )


def add_environment_plugin(
    app: App, config: EnvironmentSource | None, profile: str | None = None
) -> tuple[App, Callable[[], EnvironmentReport | None]]:
    """Return a copy of the app with rules for its tools, and a function that returns the report of what they did."""
    if config is None:
        return app, lambda: None
    plugin = EnvironmentSimulationFactory.create_plugin(config, profile=profile)
    return app.model_copy(update={"plugins": [plugin, *app.plugins]}), plugin.report


def _build_rulebook(
    config: EnvironmentSource,
    *,
    label: str,
    profile: str | None,
    exceptions: ExceptionFactories | None,
    sleeper: Sleeper | None,
) -> Rulebook:
    if isinstance(config, EnvironmentSimulationConfig):
        # ADK accepts injections that can never match; users who migrate with such a config must not be refused.
        rules = convert_config_to_rules(config)
        return Rulebook(rules, label=label, profile=profile, sleeper=sleeper, skip_checks=True)
    rules = config if isinstance(config, Rules) else load_rules(config, exceptions=exceptions)
    return Rulebook(
        rules,
        label=label,
        profile=profile if profile is not None else read_profile_variable(rules),
        exceptions=exceptions,
        sleeper=sleeper,
        source="Python" if isinstance(config, Rules) else str(config),
    )


def _list_plugin_reasons(rulebook: Rulebook) -> list[str]:
    seated = [rule for rule in rulebook.rules if rule.rule.seat == "model"]
    inside = [rule for rule in rulebook.rules if rule.acts_inside_call and rule not in seated]
    reasons = [f"{rule.name!r} acts in the model's seat." for rule in seated]
    reasons += [f"{rule.name!r} acts inside the call: it raises, changes or delays a real result." for rule in inside]
    return reasons + (["`unanswered: refuse` acts inside the call."] if rulebook.refuses_real_tools else [])


async def _is_consent_pending(tool: BaseTool, args: dict[str, Any], context: ToolContext) -> bool:
    """Return whether the call needs consent that was not given; then ADK responds to the call, not a rule."""
    consent = context.tool_confirmation
    if consent is not None and consent.confirmed:
        return False
    return await tool.check_require_confirmation(args, context) is True
