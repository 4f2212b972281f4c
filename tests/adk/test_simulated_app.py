"""Rules without Python: the plugin reads ADK_SIM_RULES, and `simulated` puts it into an App."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from google.adk.apps import App
from google.adk.plugins import ReflectAndRetryToolPlugin
from scripted_agent import build_scripted_agent, get_function_responses, run_scripted_agent

from adk_agent_sim import EnvironmentSimulationFactory, EnvironmentSimulationPlugin, Simulation, simulated
from adk_agent_sim.adk.environment.environment_plugin import PROFILE_VARIABLE, RULES_VARIABLE
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.errors import InvalidRules, RunFailed, SimulatorError

_RULES = "rules: [{name: seven, match: {tool: lookup}, do: {respond: {value: 7}}}]"


def lookup(key: str = "") -> str:
    """Look up."""
    return "real"


def _build_agent() -> Any:
    return build_scripted_agent([lookup], [("lookup", {})])


@pytest.fixture
def rules_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that ADK_SIM_RULES names."""
    path = tmp_path / "rules.yaml"
    path.write_text(_RULES)
    monkeypatch.setenv(RULES_VARIABLE, str(path))
    return path


@pytest.mark.usefixtures("rules_file")
async def test_the_plugin_reads_the_rules_of_the_variable() -> None:
    plugin = EnvironmentSimulationPlugin(name="as ADK makes it")

    assert await run_scripted_agent(_build_agent(), plugin) == [{"value": 7}]
    assert plugin.report().tools[0].simulated == {"seven": 1}


async def test_the_plugin_takes_the_profile_of_the_variable(rules_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (rules_file.parent / rules_file.name).write_text(f"profiles: {{quiet: [seven]}}\n{_RULES}")
    assert await run_scripted_agent(_build_agent(), EnvironmentSimulationPlugin()) == [{"result": "real"}]
    monkeypatch.setenv(PROFILE_VARIABLE, "quiet")
    assert await run_scripted_agent(_build_agent(), EnvironmentSimulationPlugin()) == [{"value": 7}]
    monkeypatch.setenv(PROFILE_VARIABLE, "loud")
    with pytest.raises(RuntimeError, match="no profile 'loud'"):
        await run_scripted_agent(_build_agent(), EnvironmentSimulationPlugin())


async def test_a_path_is_relative_to_the_current_folder(rules_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(rules_file.parent)
    monkeypatch.setenv(RULES_VARIABLE, rules_file.name)

    assert await run_scripted_agent(_build_agent(), EnvironmentSimulationPlugin()) == [{"value": 7}]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "the environment variable ADK_SIM_RULES cannot be used:\n  It is not set. Set it to the path"),
        ("", "It is not set"),
        ("missing.yaml", "missing.yaml:1: error"),
        ("broken.yaml", "broken.yaml:2: error"),
        (".", "cannot be opened"),
    ],
)
async def test_without_valid_rules_every_run_is_rejected_with_the_reason(
    value: str | None, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.yaml").write_text("rules:\n  - {match: {tool: lookup}, do: {respnd: 1}}\n")
    monkeypatch.delenv(RULES_VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(RULES_VARIABLE, value)
    plugin = EnvironmentSimulationPlugin()
    ran: list[str] = []

    def lookup() -> None:
        """Look up."""
        ran.append("real")

    for _ in range(2):
        with pytest.raises(RuntimeError) as rejected:
            await run_scripted_agent(build_scripted_agent([lookup], [("lookup", {})]), plugin)
        assert reason in str(rejected.value)
    assert ran == []


async def test_a_simulation_says_why_the_rules_of_its_app_cannot_be_used() -> None:
    app = App(name="shop", root_agent=_build_agent(), plugins=[EnvironmentSimulationPlugin("missing.yaml")])

    async with Simulation(app, model="real") as sim:
        with pytest.raises(RunFailed, match="missing"):
            await sim.send("go")
        with pytest.raises(InvalidRules, match="missing"):
            _ = sim.environment


@pytest.mark.usefixtures("rules_file")
async def test_an_app_or_an_agent_is_simulated_by_the_rules_of_the_variable() -> None:
    own = ReflectAndRetryToolPlugin()
    agent = _build_agent()
    app = App(name="renamed", root_agent=agent, plugins=[own])

    for source, name in ((app, "renamed"), (agent, "shop")):
        found = simulated(source)
        assert found.name == name
        async with Simulation(found, model="real") as sim:
            await sim.send("go")
            assert get_function_responses(sim.events()) == [{"value": 7}]
    assert app.plugins == [own], "the app itself is not changed"
    assert simulated(app).plugins[1:] == [own]


def test_without_the_variable_the_app_is_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RULES_VARIABLE, raising=False)
    app = App(name="shop", root_agent=_build_agent())

    assert simulated(app) is app
    monkeypatch.setenv(RULES_VARIABLE, "")
    assert simulated(app) is app
    assert simulated(_build_agent()).plugins == []


@pytest.mark.usefixtures("rules_file")
def test_given_rules_come_before_those_of_the_variable() -> None:
    rules = Rules.model_validate({"rules": [{"name": "given", "match": {"tool": "lookup"}, "do": {"respond": 1}}]})
    (plugin,) = simulated(App(name="shop", root_agent=_build_agent()), rules).plugins

    assert isinstance(plugin, EnvironmentSimulationPlugin)
    assert plugin.report().unused == ["given"]


def test_invalid_rules_fail_the_import_of_the_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RULES_VARIABLE, str(tmp_path / "missing.yaml"))

    with pytest.raises(InvalidRules, match="missing"):
        simulated(App(name="shop", root_agent=_build_agent()))


@pytest.mark.usefixtures("rules_file")
def test_an_app_that_is_simulated_already_is_refused() -> None:
    plugin = EnvironmentSimulationFactory.create_plugin(Rules(rules=[]))

    with pytest.raises(SimulatorError, match="has an EnvironmentSimulationPlugin already"):
        simulated(App(name="shop", root_agent=_build_agent(), plugins=[plugin]))
