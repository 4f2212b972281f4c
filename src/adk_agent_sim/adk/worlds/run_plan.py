"""A run in a world as a plan: values only, so that a process pool can execute thousands of them.

plan = WorldRunPlan(scenario="lunch.json", agent="my_agents/assistant")
result = execute_plan(plan)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from google.adk.apps import App

from adk_agent_sim.adk.environment.environment_plugin import EnvironmentSimulationPlugin, read_profile_variable
from adk_agent_sim.adk.loading.agent_loader import load_app
from adk_agent_sim.adk.worlds.other_model import OtherModel
from adk_agent_sim.adk.worlds.run_exports import RunExports, write_exports
from adk_agent_sim.adk.worlds.run_options import WorldRunOptions
from adk_agent_sim.adk.worlds.run_players import create_run_player
from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.adk.worlds.world_agents import check_world_agents, create_default_agent
from adk_agent_sim.adk.worlds.world_checkpoints import WorldCheckpoints
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.environment.rulebook import Rulebook
from adk_agent_sim.environment.rules_file import load_rules
from adk_agent_sim.errors import InvalidPlayer, InvalidRunOption
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.scenario_files import load_scenarios
from adk_agent_sim.scenario.verdict.judge import Judge
from adk_agent_sim.timeline.player_spec import PlayerKind
from adk_agent_sim.timeline.timeline import Timeline

DEFAULT_AGENT = "default"


@dataclass(frozen=True, kw_only=True)
class WorldRunPlan:
    """Everything that determines a run."""

    scenario: str = ""
    """The path of the scenario; of a file with several, `scenario_id` selects one."""

    scenario_id: str | None = None

    agent: str = DEFAULT_AGENT
    """The agent's folder, as `adk run` takes it, or `default`."""

    player: str = "real"
    """Who plays the agent's models; `create_run_player` says how it is written."""

    model: str | None = None
    """The model that answers instead of the agents' own, such as `gemini-2.5-flash` or `openai/gpt-4o`."""

    rules: str | None = None
    """A file with environment rules for tools and models, which apply on top of the world."""

    profile: str | None = None
    """The profile of the rules."""

    judge: str | None = None
    """Who answers soft checks: None for nobody, or `replay:FILE`."""

    options: WorldRunOptions = field(default_factory=WorldRunOptions)

    exports: RunExports = field(default_factory=RunExports)


def prepare_run(
    plan: WorldRunPlan,
    scenario: ScenarioImportedFromJson | None = None,
    *,
    judge: Judge | None = None,
    app: App | None = None,
    timeline: Timeline | None = None,
    checkpoints: WorldCheckpoints | None = None,
) -> WorldRun:
    """Return the run of a plan.

    Args:
        plan: The plan.
        scenario: The scenario, if it was read before.
        judge: The judge of the scenario, if it was prepared before.
        app: The agent's app, if it was loaded before.
        timeline: Where the session is recorded; a person can play only there.
        checkpoints: Keeps what the world was like before each turn, for undo and fork.

    Raises:
        SimulatorError: Something in the plan cannot be used: its agent, model, player, rules or scenario.
    """
    scenario = scenario or _load_scenario(plan)
    if plan.model is not None and plan.player != "real":
        raise InvalidRunOption("the model", plan.model, f"the player {plan.player!r} does not ask any model")
    if plan.player == PlayerKind.HUMAN and timeline is None:
        raise InvalidPlayer(plan.player, "nobody could answer here; play with `adksim scenario run --player human`")
    judge = judge or Judge(scenario, soft=plan.judge)
    app = app or load_agent(plan.agent)
    check_world_agents(app.root_agent, plan.options.agents)
    if plan.rules is not None:
        app = add_rules(app, plan, scenario.scenario_id, scenario.seed or 0)
    model = OtherModel(plan.model) if plan.model is not None else None
    return WorldRun(
        app,
        scenario,
        plan.options,
        judge=judge,
        create_player=(lambda run: model) if model is not None else create_run_player(plan.player),
        player_name=plan.player,
        model_name=plan.model,
        judge_name=plan.judge or "scripted",
        source=plan.scenario,
        timeline=timeline,
        checkpoints=checkpoints,
    )


def execute_plan(plan: WorldRunPlan) -> WorldRunResult:
    """Run a plan in an event loop of its own, write its exports and return the result.

    Raises:
        SimulatorError: Something in the plan cannot be used.
    """
    return asyncio.run(run_and_export(prepare_run(plan), plan.exports))


async def run_and_export(
    run: WorldRun, exports: RunExports, on_step: Callable[[int], object] | None = None
) -> WorldRunResult:
    """Run, write the exports and return the result."""
    if on_step is not None:
        run.session.on_step = on_step
    return await write_exports(run, await run.run(), exports)


def load_agent(agent: str) -> App:
    """Return the app of an agent: of a folder, or the default one; raise AgentLoadFailed if there is none."""
    return create_default_agent() if agent == DEFAULT_AGENT else load_app(Path(agent))


def _load_scenario(plan: WorldRunPlan) -> ScenarioImportedFromJson:
    found = [each for each in load_scenarios(plan.scenario) if plan.scenario_id in (None, each.scenario_id)]
    if len(found) != 1:
        raise InvalidRunOption("the scenario", plan.scenario, f"it contains {len(found)} such scenarios; name one")
    return found[0]


def add_rules(app: App, plan: WorldRunPlan, task_id: str, default_seed: int = 0) -> App:
    """Return a copy of the app with the plan's rules in place of its own; their draws depend on the seed and the run.

    Args:
        app: The app.
        plan: The plan; without rules, the app is returned as it is.
        task_id: The scenario or eval case.
        default_seed: The seed if neither the rules nor the plan have one.
    """
    if plan.rules is None:
        return app
    rules = load_rules(plan.rules)
    if rules.seed is None:
        seed = plan.options.seed if plan.options.seed is not None else default_seed
        rules = rules.model_copy(update={"seed": seed})
    rulebook = Rulebook(
        rules,
        label=f"{task_id}#{plan.options.run_number}",
        profile=plan.profile if plan.profile is not None else read_profile_variable(rules),
        source=plan.rules,
    )
    plugin = EnvironmentSimulationPlugin(rulebook, name="adksim_environment")
    others = [each for each in app.plugins if not isinstance(each, EnvironmentSimulationPlugin)]
    return app.model_copy(update={"plugins": [plugin, *others]})
