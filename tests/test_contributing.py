"""The examples of CONTRIBUTING.md work as written: they are applied to a copy of the sources and used there."""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from pathlib import Path
from textwrap import dedent
from typing import Any

import fork_server
import pytest

_ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^```(python|diff) file=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

_FORGET_SIMULATOR = """\
import sys
for name in [name for name in sys.modules if name.split(".")[0] == "adk_agent_sim"]:
    del sys.modules[name]
"""
"""A process of the fork server may have imported the sources that the examples are not applied to."""

_USE_EXAMPLES = """
    import asyncio, json
    from adk_agent_sim.environment.rules_file import parse_rules
    from adk_agent_sim.scenario.apps.registry import find_app_class
    from adk_agent_sim.use_cases.export_records import ExportRequest
    from adk_agent_sim.use_cases.exports import list_export_formats, render_export
    from adk_agent_sim import Simulation

    def greet(name: str) -> str:
        "Greet somebody."
        return f"Hello {name}"

    async def main():
        from google.adk.agents import LlmAgent
        rules = parse_rules("rules: [{match: {tool: greet}, do: [{upper_case: true}]}]")
        agent = LlmAgent(name="greeter", model="gemini-2.5-flash", tools=[greet])
        async with Simulation(agent, environment=rules) as sim:
            turn = await sim.send("Hi")
            turn = await turn.call("greet", {"name": "Ada"})
            await turn.respond("Done")
            request = ExportRequest(format="csv")
            return turn.results, await render_export(sim.timeline, sim.session_id, request)

    results, table = asyncio.run(main())
    tools = sorted(find_app_class("NotesApp").tools())
    last = list_export_formats()[-1].name
    print(json.dumps([results, table.splitlines()[0], "greet" in table, last, tools]))
"""


@pytest.mark.process
def test_the_examples_work_as_written(tmp_path: Path) -> None:
    shutil.copytree(_ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "static"))
    blocks = _BLOCK.findall((_ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    for language, path, text in blocks:
        target = tmp_path / path
        if language == "python":
            target.write_text(text, encoding="utf-8")
        else:
            target.write_text(_apply_diff(target.read_text(encoding="utf-8"), text), encoding="utf-8")
    script = f"{_FORGET_SIMULATOR}sys.path.insert(0, {str(tmp_path / 'src')!r})\n{dedent(_USE_EXAMPLES)}"
    done = fork_server.run(["-W", "ignore", "-c", script], environment=os.environ)

    assert len(blocks) == 7
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        [{"result": "HELLO ADA"}],
        "call_id,tool_name",
        True,
        "csv",
        ["add_note", "list_notes"],
    ]


def _apply_diff(text: str, diff: str) -> str:
    """Apply hunks of context, removed and added lines; each must fit exactly one place."""
    for hunk in diff.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if not line.startswith("+"))
        after = "".join(line[1:] for line in lines if not line.startswith("-"))
        assert text.count(before) == 1, f"the example does not fit the file any more:\n{hunk}"
        text = text.replace(before, after)
    return text


@pytest.mark.req("001/constitution-7")
def test_the_gate_and_the_inner_loop_check_style_and_strict_types_of_all_code() -> None:
    rules = dict(
        re.findall(r"^([a-z-]+):(.*(?:\n\t.*)*)", (_ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    tools = _read_pyproject()["tool"]
    settings = tools["pyright"]

    assert {"lint", "quick-types", "layers"} <= set(rules["check"].split())
    assert {"lint", "types", "layers"} <= set(rules["test"].split())
    assert "quick-types" in rules["types"].split()
    assert "ruff check\n" in rules["lint"]
    assert "ruff format --check" in rules["lint"]
    assert "pyrefly check" in rules["quick-types"]
    assert tools["pyrefly"]["preset"] == "strict"
    assert tools["pyrefly"]["project-includes"] == settings["include"]
    assert "pyright --warnings" in rules["types"]
    assert settings["typeCheckingMode"] == "strict"
    assert {"src", "tests"} <= set(settings["include"])
    assert [name for name in settings if name.startswith("report")] == []
    # Style, names, imports, unused and undefined names, likely bugs, security, docstrings, current syntax.
    assert {"E", "W", "N", "I", "F", "B", "S", "D1", "UP", "RUF"} <= set(tools["ruff"]["lint"]["select"])


@pytest.mark.req("001/constitution-7")
def test_the_code_is_checked_for_the_oldest_python_that_it_runs_on() -> None:
    pyproject = _read_pyproject()
    tools = pyproject["tool"]

    assert pyproject["project"]["requires-python"] == ">=3.11"
    assert tools["ruff"]["target-version"] == "py311"
    assert tools["pyright"]["pythonVersion"] == tools["pyrefly"]["python-version"] == "3.11"


def _read_pyproject() -> dict[str, Any]:
    return tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
