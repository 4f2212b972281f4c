"""`EnvironmentSimulationFactory`: the interface of ADK's own factory, for ADK's config, rules and rules files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from google.adk.apps import App
from google.adk.models import BaseLlm
from google.adk.tools.environment_simulation.environment_simulation_config import EnvironmentSimulationConfig

from adk_agent_sim.adk.environment.environment_callback import EnvironmentCallback, create_environment_callback
from adk_agent_sim.adk.environment.environment_config import convert_config_to_rules, read_llm_setup
from adk_agent_sim.adk.environment.environment_plugin import EnvironmentSimulationPlugin, read_profile_variable
from adk_agent_sim.adk.environment.llm_mock_setup import LlmMockSetup, check_llm_mocks
from adk_agent_sim.environment.actions.raise_exception import ExceptionFactories
from adk_agent_sim.environment.call_watcher import CallWatcher
from adk_agent_sim.environment.environment_report import EnvironmentReport
from adk_agent_sim.environment.recorded_sources import read_recorded_sources
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.environment.rules_file import load_rules
from adk_agent_sim.errors import PluginRequired
from adk_agent_sim.timeline.clock import Sleeper

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
