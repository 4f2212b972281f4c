"""The pytest plugin: the fixtures `simulated_environment` and `model_cassette`, and the marker `no_real_tools`.

pytest loads it wherever the package is installed, so ADK, which takes seconds to import, is imported only when used.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from adk_agent_sim.text.escaping import escape_line
from adk_agent_sim.timeline.file_names import to_file_stem

if TYPE_CHECKING:
    from adk_agent_sim.adk.environment.environment_factory import EnvironmentSource
    from adk_agent_sim.adk.environment.environment_plugin import EnvironmentSimulationPlugin

_CREATED_PLUGINS = pytest.StashKey[list["EnvironmentSimulationPlugin"]]()


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", "no_real_tools: fail if a tool of an ADK agent would run for real")


@pytest.fixture
def simulated_environment(request: pytest.FixtureRequest) -> Callable[..., EnvironmentSimulationPlugin]:
    """Return a function that creates a plugin for `App(plugins=[...])` from rules.

    The report of a test shows what its rules did. Rules are objects, a dict with the contents of a rules file, ADK's
    own config, or the path of a file, relative to the test's folder. Keyword arguments are those of
    `EnvironmentSimulationFactory.create_plugin`.
    """
    # Kept with the test itself, because the hook that writes its report does not get the fixture.
    created = request.node.stash.setdefault(_CREATED_PLUGINS, [])

    def make_plugin(rules: EnvironmentSource | Mapping[str, Any], **settings: Any) -> EnvironmentSimulationPlugin:
        from adk_agent_sim.adk.environment.environment_factory import EnvironmentSimulationFactory
        from adk_agent_sim.environment.recorded_sources import read_recorded_sources
        from adk_agent_sim.environment.rules import Rules

        if isinstance(rules, str | Path):
            rules = request.path.parent / rules
        elif isinstance(rules, Mapping):
            rules = Rules.model_validate(rules)
            read_recorded_sources(rules, request.path.parent)
        plugin = EnvironmentSimulationFactory.create_plugin(rules, **settings)
        created.append(plugin)
        return plugin

    return make_plugin


@pytest.fixture
def model_cassette(request: pytest.FixtureRequest) -> str:
    """Return a player that answers from a model cassette beside the test file, which is named after the test.

    Pass it on as `Simulation(agent, model=model_cassette)` or `SimulatorPlugin(player=model_cassette)`. A test without
    a cassette fails, unless ADK_SIM_CASSETTE is `record` or `update`: then the agents' own models are recorded.
    """
    from adk_agent_sim.adk.players.cassette_player import CASSETTE_VARIABLE, CassetteMode, read_cassette_mode

    names = request.node.nodeid.partition("::")[2].replace("::", ".")
    path = request.path.with_name(f"{request.path.stem}.{to_file_stem(names, 'test')}.cassette.json")
    mode = read_cassette_mode(os.environ)
    if path.exists():
        return f"replay:{path}"
    if mode is CassetteMode.REPLAY:
        pytest.fail(
            escape_line(
                f"there is no model cassette {path.name} beside the test. Record it with the agent's own model: "
                f"{CASSETTE_VARIABLE}=record pytest {shlex.quote(request.node.nodeid)}"
            ),
            pytrace=False,
        )
    return f"record:{path}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Refuse real tools in a marked test, and fail it even if its agent caught the exception."""
    if item.get_closest_marker("no_real_tools") is None:
        return (yield)
    from adk_agent_sim.adk.environment.real_tool_guard import refuse_real_tools

    with refuse_real_tools() as refused:
        result = yield
    if refused:
        pytest.fail(escape_line(f"real tools were called: {', '.join(dict.fromkeys(refused))}"), pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the reports of a test's simulated environments to its own."""
    if call.when == "call":
        for plugin in item.stash.setdefault(_CREATED_PLUGINS, []):
            item.add_report_section("call", "simulated environment", str(plugin.report()))
    return (yield)
