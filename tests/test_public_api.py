"""The public API of the package: few names, and a fast import."""

import subprocess
import sys

import pytest

import adk_agent_sim
from adk_agent_sim import environment
from adk_agent_sim.environment.actions import ACTIONS

_PROMISED = {
    "AgentSimulator",
    "EnvironmentSimulationFactory",
    "EnvironmentSimulationPlugin",
    "RunFailed",
    "SimulatedAgentConfig",
    "Simulation",
    "SimulatorPlugin",
    "ToolErrorPlugin",
    "simulated",
}


def _in_a_new_process(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_it_promises_at_most_15_names_and_each_resolves() -> None:
    assert set(adk_agent_sim.__all__) == _PROMISED
    assert len(_PROMISED) <= 15
    for name in _PROMISED:
        assert getattr(adk_agent_sim, name).__name__ == name
    assert set(dir(adk_agent_sim)) >= _PROMISED


def test_a_name_it_does_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Nonsense"):
        adk_agent_sim.__getattr__("Nonsense")


@pytest.mark.process
def test_opening_it_imports_neither_adk_nor_pydantic() -> None:
    loaded = _in_a_new_process(
        "import sys, adk_agent_sim; print('google.adk' in sys.modules, 'pydantic' in sys.modules)"
    )

    assert loaded == "False False"


def test_every_name_for_rules_in_python_resolves() -> None:
    assert {*ACTIONS.values()} <= {getattr(environment, name) for name in environment.__all__}
    for name in environment.__all__:
        assert getattr(environment, name).__name__ == name
    assert set(dir(environment)) >= {"Rules", "Rule", "Match", *environment.__all__}
    with pytest.raises(AttributeError, match="Nonsense"):
        environment.__getattr__("Nonsense")


@pytest.mark.process
def test_rules_do_not_import_adk_and_a_module_beside_them_does_not_import_them() -> None:
    code = (
        "import sys, adk_agent_sim.environment.session_randomness\n"
        "before = 'adk_agent_sim.environment.rules' in sys.modules\n"
        "from adk_agent_sim.environment import Rules, load_rules\n"
        "print(before, 'google.adk' in sys.modules)"
    )

    assert _in_a_new_process(code) == "False False"


@pytest.mark.process
def test_the_timeline_and_the_forms_do_not_import_adk() -> None:
    code = (
        "import sys, adk_agent_sim.timeline.timeline, adk_agent_sim.forms.schema_checker; "
        "print('google.adk' in sys.modules)"
    )

    assert _in_a_new_process(code) == "False"


@pytest.mark.process
def test_scenarios_and_the_timeline_import_neither_adk_nor_genai() -> None:
    code = (
        "import sys, adk_agent_sim.timeline.timeline, adk_agent_sim.scenario; "
        "print('google.adk' in sys.modules, 'google.genai' in sys.modules)"
    )

    assert _in_a_new_process(code) == "False False"


@pytest.mark.process
def test_the_server_and_its_clients_do_not_import_adk() -> None:
    code = (
        "import sys, adk_agent_sim.server.grpc.grpc_server, adk_agent_sim.link.outbox\n"
        "import adk_agent_sim.persistence.database_store\n"
        "print('google.adk' in sys.modules)"
    )

    assert _in_a_new_process(code) == "False"


@pytest.mark.process
def test_help_does_not_import_adk() -> None:
    code = (
        "import sys, adk_agent_sim.cli.main as m; sys.argv = ['adksim', '--help']\n"
        "try: m.main()\n"
        "except SystemExit: pass\n"
        "print('google.adk' in sys.modules)"
    )

    assert _in_a_new_process(code).endswith("False")
