"""The public API of the package: few names, and a fast import."""

import importlib.util
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from adk_agent_sim import environment
from adk_agent_sim._lazy_exports import list_exports
from adk_agent_sim.environment.actions import ACTIONS

_ROOT = Path(__file__).parents[1]

_IMPORT = re.compile(r"^ *(?:from (adk_agent_sim[\w.]*) import (.*)|import (adk_agent_sim[\w.]*))$", re.MULTILINE)


def _load_page_writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("public_api_index", _ROOT / "docs" / "public_api_index.py")
    assert spec is not None
    assert spec.loader is not None
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    return writer


_WRITER = _load_page_writer()
_PACKAGES = re.findall(r"^## (\S+)$", _WRITER.render_document(), re.MULTILINE)


def _in_a_new_process(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_it_promises_what_the_page_says_and_has_at_most_15_names() -> None:
    names = list_exports("adk_agent_sim")

    assert set(_WRITER.PROMISED) < set(names)
    assert len(names) <= 15
    assert set(_WRITER.PROMISED) == {
        "AgentSimulator",
        "EnvironmentSimulationFactory",
        "RunFailed",
        "SimulatedAgentConfig",
        "Simulation",
        "SimulatorPlugin",
        "ToolErrorPlugin",
    }


@pytest.mark.parametrize("package", _PACKAGES)
def test_every_name_of_the_page_can_be_imported_from_its_package(package: str) -> None:
    page = _WRITER.render_document()
    section = page.split(f"\n## {package}\n")[1].split("\n## ")[0]

    names = 0
    for module, table in re.findall(r"^(?:### ([\w.]+))?\n\n\| name \|.*\n((?:\|.*\n)+)", f"\n{section}", re.MULTILINE):
        home = import_module(f"{package}.{module}" if module else package)
        for name in re.findall(r"^\| `(\w+)` \| \S", table, re.MULTILINE):
            assert hasattr(home, name), name
            names += 1
    assert names == len(re.findall(r"^\| `", section, re.MULTILINE)) > 0


def test_the_page_is_current() -> None:
    page = (_ROOT / "docs" / "public-api.md").read_text(encoding="utf-8")

    assert page == _WRITER.render_document(), "Run `make public-api`."


def test_pages_and_examples_import_only_names_of_the_page() -> None:
    pages = [_ROOT / "README.md", *(_ROOT / "docs").glob("*.md"), *(_ROOT / "examples").rglob("*.py")]
    imports = [(page, match) for page in pages for match in _IMPORT.findall(page.read_text(encoding="utf-8"))]

    assert len(imports) > 20
    for page, (package, names, module) in imports:
        assert not module, page
        assert package in _PACKAGES, f"{page.name} imports an internal module, {package}"
        for name in re.findall(r"\w+", names.split("#")[0]):
            assert hasattr(import_module(package), name), f"{page.name}: {package}.{name}"


@pytest.mark.parametrize("package", [name for name in _PACKAGES if not name.endswith((".errors", ".use_cases"))])
def test_a_package_lists_the_names_that_it_resolves(package: str) -> None:
    module = import_module(package)

    assert set(dir(module)) >= set(list_exports(package)) == set(module.__all__)
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'Nonsense'"):
        _ = module.Nonsense


@pytest.mark.process
def test_opening_it_imports_neither_adk_nor_pydantic() -> None:
    loaded = _in_a_new_process(
        "import sys, adk_agent_sim; print('google.adk' in sys.modules, 'pydantic' in sys.modules)"
    )

    assert loaded == "False False"


def test_rules_in_python_have_every_action() -> None:
    names = list_exports("adk_agent_sim.environment")

    assert {*ACTIONS.values()} <= {getattr(environment, name) for name in names}


@pytest.mark.process
def test_rules_do_not_import_adk_and_a_module_beside_them_does_not_import_them() -> None:
    code = (
        "import sys, adk_agent_sim.environment.incoming_call\n"
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
