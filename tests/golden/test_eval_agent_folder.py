"""Exports say when `adk eval` cannot load the agent of a folder, compared with ADK's own loader."""

import asyncio
import json
import re
from pathlib import Path

import pytest
from agent_folders import forget_imports, write_agent
from api_client import serve_simulator
from google.adk.cli.cli_eval import get_app_or_root_agent
from processes import invoke_adksim, run_adksim

from adk_agent_sim import AgentSimulator
from adk_agent_sim.golden.eval_agent_folder import describe_unloadable_folder

_SCRIPT = "steps:\n  - user: Hello.\n  - respond: Hello!\n"


def _is_loaded_by_adk(folder: Path) -> bool:
    with forget_imports():
        try:
            asyncio.run(get_app_or_root_agent(str(folder)))
        except (ValueError, OSError):
            return False
        return True


@pytest.mark.parametrize(
    ("code", "is_loadable"),
    [
        ("", False),
        ('"""My agent."""\nfrom pathlib import Path\n\nNAME = "agent"\n', False),
        ("from . import agent\n", True),
        ("from . import agent as agent\n", True),
        ("from .agent import greet\n", True),
        ("from .agent import root_agent as root_agent\n", True),
        ("from .agent import *\n", True),
        ("from . import agent as implementation\n\nroot_agent = implementation.root_agent\n", True),
        ("from google.adk.agents import LlmAgent\n\nroot_agent = LlmAgent(name='greeter')\n", True),
        ("import importlib\n\n\ndef __getattr__(name):\n    return importlib.import_module('agent.agent')\n", True),
    ],
)
def test_a_folder_is_judged_as_adk_eval_loads_it(tmp_path: Path, code: str, is_loadable: bool) -> None:
    folder = write_agent(tmp_path, "greeter")
    (folder / "__init__.py").write_text(code)

    assert _is_loaded_by_adk(folder) == is_loadable
    assert bool(describe_unloadable_folder(folder)) != is_loadable


def test_a_folder_without_the_file_is_not_loaded_and_says_what_to_add(tmp_path: Path) -> None:
    folder = write_agent(tmp_path, "greeter")
    (folder / "__init__.py").unlink()

    (note,) = describe_unloadable_folder(folder)

    assert not _is_loaded_by_adk(folder)
    assert note.endswith("has no __init__.py. Add one with the line `from . import agent`.")


@pytest.mark.filterwarnings("ignore:LlmAgentConfig is deprecated:DeprecationWarning")  # ADK's own use of it
def test_what_is_added_for_an_agent_in_yaml_makes_adk_load_it(tmp_path: Path) -> None:
    (tmp_path / "root_agent.yaml").write_text("name: waiter\nmodel: gemini-2.5-flash\ninstruction: Be kind.\n")
    package_file = tmp_path / "__init__.py"
    package_file.touch()
    (note,) = describe_unloadable_folder(tmp_path)
    assert not _is_loaded_by_adk(tmp_path)

    package_file.write_text("\n".join(re.findall(r"`((?:from|root_agent) .*?)`", note)))

    assert _is_loaded_by_adk(tmp_path)
    assert describe_unloadable_folder(tmp_path) == []


@pytest.mark.parametrize("code", ["def broken(:\n", "\0", "(" * 100_000, "x = 1\n" * 50_000])
def test_a_file_that_cannot_be_read_quickly_is_left_to_adk(tmp_path: Path, code: str) -> None:
    (tmp_path / "__init__.py").write_text(code)

    assert describe_unloadable_folder(tmp_path) == []


def test_a_folder_that_is_not_known_has_no_note(tmp_path: Path) -> None:
    assert describe_unloadable_folder(None) == describe_unloadable_folder(tmp_path / "gone") == []


def test_a_script_that_exports_says_it_beside_its_result(tmp_path: Path) -> None:
    folder = write_agent(tmp_path, "greeter")
    (folder / "__init__.py").write_text("")
    script = tmp_path / "greet.yaml"
    script.write_text(_SCRIPT)

    result = invoke_adksim("run", folder, "--script", script, "--eval-set", tmp_path / "greeter.evalset.json", "--json")

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["passed"]
    assert "Add the line `from . import agent` to it." in result.stderr


@pytest.mark.process
def test_the_terminal_says_it_below_the_command(tmp_path: Path) -> None:
    folder = write_agent(tmp_path, "greeter")
    (folder / "__init__.py").write_text("")

    done = run_adksim("run", str(folder), cwd=tmp_path, text_input="Hello.\nsay Hello!\n/done\n")

    command, note = done.stdout.splitlines()[-2:]
    assert "adk eval" in command
    assert note.endswith("Add the line `from . import agent` to it.")


async def test_the_browser_and_the_export_of_a_stored_session_warn_about_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder, database = write_agent(tmp_path / "agents", "bare_agent"), tmp_path / "kept.db"
    (folder / "__init__.py").write_text("")
    with forget_imports():
        async with serve_simulator(AgentSimulator(folder=folder.parent, database=database)) as browser:
            session_id = await browser.start_session("bare_agent", "Hello.")
            await browser.wait_for_turn(session_id)
            await browser.respond(session_id, "Hello!")
            await browser.wait_for_status(session_id, "done")
            preview = await browser.post(f"/sessions/{session_id}/export/preview", {})
        command = ["export", "last", "--db", database, "--agent", folder, "--json"]
        exported = await asyncio.to_thread(invoke_adksim, *command)

    assert preview["warnings"] == describe_unloadable_folder(folder)
    assert json.loads(exported.stdout)["warnings"] == describe_unloadable_folder(folder)
