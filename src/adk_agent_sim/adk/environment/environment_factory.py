"""`EnvironmentSimulationFactory`: the interface of ADK's own factory, for ADK's config, rules and rules files.

A callback sees the calls of its agents only, and nothing of how they end. So it counts a call as real if no rule
answers it, and rules that act inside the call need the plugin.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast

from google.adk.apps import App
from google.adk.models import BaseLlm
from google.adk.tools import BaseTool, ToolContext
from google.adk.tools.environment_simulation.environment_simulation_config import EnvironmentSimulationConfig

from adk_agent_sim.adk.environment.environment_config import convert_config_to_rules, read_llm_setup
from adk_agent_sim.adk.environment.environment_plugin import (
    EnvironmentSimulationPlugin,
    answer_by_rules,
    read_profile_variable,
    record_rules,
)
from adk_agent_sim.adk.environment.environment_registry import EnvironmentRegistry
from adk_agent_sim.adk.environment.llm_mock_setup import LlmMockSetup, check_llm_mocks
from adk_agent_sim.adk.seats import tool_seat
from adk_agent_sim.environment.actions.raise_exception import ExceptionFactories
from adk_agent_sim.environment.environment_report import EnvironmentReport
from adk_agent_sim.environment.incoming_call import CallWatcher
from adk_agent_sim.environment.recorded_sources import read_recorded_sources
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.environment.rules_file import load_rules
from adk_agent_sim.errors import PluginRequired
from adk_agent_sim.timeline.clock import Sleeper
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS


class EnvironmentCallback(Protocol):
    """A function for `before_tool_callback`, with a report of the calls that it has seen."""

    async def __call__(self, tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any] | None:
        """Return the response of the rule that answers the call; None if no rule does, so that the tool runs."""
        ...

    def report(self) -> EnvironmentReport:
        """Return what happened to all calls so far, as the plugin's `report`."""
        ...


def create_environment_callback(rulebook: Rulebook, llm_setup: LlmMockSetup | None = None) -> EnvironmentCallback:
    """Return a callback for rules of which none acts inside a call."""
    registry = EnvironmentRegistry(rulebook, llm_setup)

    # A function with an attribute, because users and ADK recognize a coroutine function, not an object that is called.
    async def simulate(tool: BaseTool, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any] | None:
        # ADK calls callbacks before it asks for consent, so a rule would answer a call that the user may refuse.
        if await _is_consent_pending(tool, args, tool_context):
            return None
        if rulebook.find_candidates(tool.name, by_name_only=tool.name in CONTROL_TOOLS):
            return await answer_by_rules(registry, tool, args, tool_context)
        registry.get_session_environment(tool_context.session).environment.tally.fold.real[tool.name] += 1
        if (calls := tool_seat.SESSION_CALLS.get()) is not None:
            await record_rules(registry, calls, tool, tool_context)
        return None

    vars(simulate)["report"] = registry.build_report
    return cast("EnvironmentCallback", simulate)


async def _is_consent_pending(tool: BaseTool, args: dict[str, Any], context: ToolContext) -> bool:
    """Return whether the call needs consent that was not given; then ADK responds to the call, not a rule."""
    consent = context.tool_confirmation
    if consent is not None and consent.confirmed:
        return False
    return await tool.check_require_confirmation(args, context) is True


EnvironmentSource: TypeAlias = EnvironmentSimulationConfig | Rules | str | Path
"""How tools are simulated: ADK's config, rules, or the path of a rules file."""


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
        simulation_model: str | BaseLlm | None = None,
        simulation_answers: str | Path | None = None,
    ) -> EnvironmentCallback:
        """Return a `before_tool_callback` for an LlmAgent; its `report()` says what happened to the calls so far.

        Args:
            config: ADK's config, rules, or the path of a rules file.
            label: Part of the key of random decisions; runs that should differ need different labels.
            profile: The profile of the rules; by default ADK_SIM_PROFILE, or else the one that the rules name.
            exceptions: The exceptions that `raise` may name, in addition to the built-in ones.
            sleeper: How delays wait; by default as the rules say.
            simulation_model: The model for `mock: llm` where the rules name none: its name, or the model itself. With
                ADK's config, it answers tools with a mock strategy.
            simulation_answers: The file of that model's recorded answers, if they are played back or recorded.

        Raises:
            PluginRequired: Some rules raise, or change or delay a real result, which a callback cannot do. Use
                `create_plugin`.
            InvalidRules: The rules have errors, or no such profile.
        """
        setup = _read_llm_setup(config, simulation_model, simulation_answers)
        rulebook = _build_rulebook(config, setup, label=label, profile=profile, exceptions=exceptions, sleeper=sleeper)
        if reasons := _list_plugin_reasons(rulebook):
            raise PluginRequired(reasons)
        return create_environment_callback(rulebook, setup)

    @staticmethod
    def create_plugin(
        config: EnvironmentSource,
        *,
        label: str = "",
        profile: str | None = None,
        exceptions: ExceptionFactories | None = None,
        sleeper: Sleeper | None = None,
        name: str = "EnvironmentSimulation",
        simulation_model: str | BaseLlm | None = None,
        simulation_answers: str | Path | None = None,
    ) -> EnvironmentSimulationPlugin:
        """Return a plugin for `App(plugins=[...])`, for `adk web`, `adk api_server`, `adk eval` or your own Runner.

        Args:
            config: ADK's config, rules, or the path of a rules file.
            label: Part of the key of random decisions; runs that should differ need different labels.
            profile: The profile of the rules; by default ADK_SIM_PROFILE, or else the one that the rules name.
            exceptions: The exceptions that `raise` may name, in addition to the built-in ones.
            sleeper: How delays wait; by default as the rules say.
            name: The plugin's name in the App.
            simulation_model: The model for `mock: llm` where the rules name none: its name, or the model itself. With
                ADK's config, it answers tools with a mock strategy.
            simulation_answers: The file of that model's recorded answers, if they are played back or recorded.

        Raises:
            InvalidRules: The rules have errors, or no such profile.
        """
        setup = _read_llm_setup(config, simulation_model, simulation_answers)
        rulebook = _build_rulebook(config, setup, label=label, profile=profile, exceptions=exceptions, sleeper=sleeper)
        return EnvironmentSimulationPlugin(rulebook, name=name, llm_setup=setup)


def add_environment_plugin(
    app: App, config: EnvironmentSource | None, profile: str | None = None
) -> tuple[App, Callable[[], EnvironmentReport | None]]:
    """Return a copy of the app with rules for its tools, and a function that returns the report of what they did."""
    if config is None:
        return app, lambda: None
    plugin = EnvironmentSimulationFactory.create_plugin(config, profile=profile)
    return app.model_copy(update={"plugins": [plugin, *app.plugins]}), plugin.report


def add_call_watcher(app: App, config: EnvironmentSource, watcher: CallWatcher) -> App:
    """Return a copy of the app with rules for its tools, whose calls a watcher sees."""
    plugin = EnvironmentSimulationFactory.create_plugin(config)
    plugin.watch_calls(watcher)
    return app.model_copy(update={"plugins": [plugin, *app.plugins]})


def _read_llm_setup(config: EnvironmentSource, model: str | BaseLlm | None, answers: str | Path | None) -> LlmMockSetup:
    path = Path(answers) if answers is not None else None
    if isinstance(config, EnvironmentSimulationConfig):
        return read_llm_setup(config, model, path)
    return LlmMockSetup(model=model, answers=path)


def _build_rulebook(
    config: EnvironmentSource,
    setup: LlmMockSetup,
    *,
    label: str,
    profile: str | None,
    exceptions: ExceptionFactories | None,
    sleeper: Sleeper | None,
) -> Rulebook:
    if isinstance(config, EnvironmentSimulationConfig):
        # ADK accepts injections that can never match; users who migrate with such a config must not be refused.
        rules = convert_config_to_rules(config, uses_model=setup.model is not None)
        rulebook = Rulebook(rules, label=label, profile=profile, sleeper=sleeper, skip_checks=True)
        check_llm_mocks(rulebook, setup, "the EnvironmentSimulationConfig")
        return rulebook
    rules = config if isinstance(config, Rules) else load_rules(config, exceptions=exceptions)
    if isinstance(config, Rules):
        # `load_rules` has read those of a file already, relative to the folder of that file.
        read_recorded_sources(rules, Path())
    source = "Python" if isinstance(config, Rules) else str(config)
    rulebook = Rulebook(
        rules,
        label=label,
        profile=profile if profile is not None else read_profile_variable(rules),
        exceptions=exceptions,
        sleeper=sleeper,
        source=source,
    )
    check_llm_mocks(rulebook, setup, source)
    return rulebook


def _list_plugin_reasons(rulebook: Rulebook) -> list[str]:
    seated = [rule for rule in rulebook.rules if rule.rule.seat == "model"]
    inside = [rule for rule in rulebook.rules if rule.acts_inside_call and rule not in seated]
    reasons = [f"{rule.name!r} acts in the model's seat." for rule in seated]
    reasons += [f"{rule.name!r} acts inside the call: it raises, changes or delays a real result." for rule in inside]
    return reasons + (["`unanswered: refuse` acts inside the call."] if rulebook.refuses_real_tools else [])
