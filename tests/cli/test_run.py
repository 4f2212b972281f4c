"""`adksim run`, `replay` and `doctor`, called as users and CI call them."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from google.adk.evaluation.eval_set import EvalSet
from processes import run_adksim
from unvisited_server import listen_without_clients

from adk_agent_sim.adk.loading.agent_loader import get_demo_folder
from adk_agent_sim.cli.main import adksim

_MATH = str(get_demo_folder("math_agent"))

_SCRIPT = """
steps:
  - user: What is 2+2?
  - call: add
    agent: math_agent
    args: {a: 2, b: 2}
    expect: {result: 4}
  - calls:
      - {call: multiply, args: {a: 3, b: 3}, expect: 9}
      - {call: divide, args: {dividend: 1, divisor: 0}, expect_error: ZeroDivisionError}
  - respond: 2+2 is 4.
"""


@dataclass(frozen=True)
class _CommandResult:
    returncode: int
    stdout: str
    stderr: str


def _run(*arguments: str) -> _CommandResult:
    result = CliRunner().invoke(adksim, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return _CommandResult(result.exit_code, result.stdout, result.stderr)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "math.yaml"
    path.write_text(_SCRIPT)
    return path


_NOISY_AGENT = '''
import logging

from google.adk.agents import LlmAgent


def warn() -> str:
    """Warn as ADK does."""
    logging.getLogger("google_adk.google.adk.runners").warning("A real warning of ADK")
    return "warned"


root_agent = LlmAgent(name="noisy", model="gemini-2.5-flash", tools=[warn])
'''


_AGENT_WITH_PLUGIN = '''
from adk_agent_sim import SimulatorPlugin
from google.adk.agents import LlmAgent
from google.adk.apps import App


def look() -> int:
    """Look."""
    return 7


root_agent = LlmAgent(name="looker", model="gemini-2.5-flash", tools=[look])
app = App(name="looker", root_agent=root_agent, plugins=[SimulatorPlugin()])
'''


@pytest.mark.process
def test_the_terminal_shows_what_adk_warns_about_except_what_the_player_causes(tmp_path: Path) -> None:
    (tmp_path / "noisy").mkdir()
    (tmp_path / "noisy" / "agent.py").write_text(_NOISY_AGENT)
    done = run_adksim("run", "noisy", cwd=tmp_path, text_input="hello\nwarn\n!make_tea\nsay done\n/quit\n")

    assert done.returncode == 0, done.stderr
    assert "warned" in done.stdout
    assert "make_tea" in done.stdout
    assert done.stderr.count("A real warning of ADK") == 1
    assert "token usage" not in done.stderr
    assert "make_tea" not in done.stderr


class TestRun:
    def test_a_script_that_holds_passes_and_exports(self, script: Path, tmp_path: Path) -> None:
        path = tmp_path / "out.evalset.json"
        done = _run("run", _MATH, "--script", str(script), "--eval-set", str(path))

        assert done.returncode == 0, done.stderr
        assert f"passed, exported to {path}" in done.stdout
        assert len(EvalSet.model_validate_json(path.read_text()).eval_cases) == 1

    @pytest.mark.parametrize("is_scripted", [True, False])
    def test_the_plugin_of_the_app_is_left_out_with_one_line_in_the_log(
        self, is_scripted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        folder = tmp_path / ("scripted" if is_scripted else "typed")  # ADK imports an agent by the name of its folder
        folder.mkdir()
        (folder / "agent.py").write_text(_AGENT_WITH_PLUGIN)
        (tmp_path / "script.yaml").write_text("steps: [{user: hi}, {call: look, expect: 7}, {respond: It is 7.}]")
        options = ["--script", str(tmp_path / "script.yaml")] if is_scripted else []
        typed = "hi\nlook\nsay It is 7.\n/done\n"
        path = tmp_path / "out.evalset.json"
        with listen_without_clients() as address:
            monkeypatch.setenv("ADK_SIM_SERVER_URL", address)
            arguments = ["run", str(folder), "--eval-set", str(path), *options]
            done = CliRunner().invoke(adksim, arguments, input=None if is_scripted else typed)

        assert done.exit_code == 0, done.output
        (case,) = EvalSet.model_validate_json(path.read_text()).eval_cases
        assert "It is 7." in case.model_dump_json()
        assert [record.message for record in caplog.records if "SimulatorPlugin" in record.message] == [
            "The app's SimulatorPlugin is not used here: this simulation itself plays the models."
        ]

    def test_a_script_that_does_not_hold_shows_a_diff_and_exits_1(self, script: Path, tmp_path: Path) -> None:
        script.write_text(_SCRIPT.replace("{result: 4}", "{result: 5}"))
        path = tmp_path / "out.evalset.json"
        done = _run("run", _MATH, "--script", str(script), "--eval-set", str(path))

        assert done.returncode == 1
        assert "step 2: call add" in done.stdout
        assert '-  "result": 5\n+  "result": 4' in done.stdout
        assert not path.exists()

    def test_the_result_is_available_as_json(self, script: Path) -> None:
        script.write_text(_SCRIPT.replace("ZeroDivisionError", "KeyError"))
        done = _run("run", _MATH, "--script", str(script), "--json")

        result = json.loads(done.stdout)
        assert done.returncode == 1
        assert not result["passed"]
        assert result["mismatches"][0]["expected"] == {"error": "KeyError"}

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("steps: []", "steps: List should have at least 1 item"),
            ("steps:\n  - {user: hi, respond: ho}", "this one has user and respond"),
            ("steps:\n  - {users: hi}", "steps.0.users: Extra inputs are not permitted"),
            ("steps: [", "while parsing a flow"),
            ("", "Input should be a valid dictionary"),
        ],
    )
    def test_an_invalid_script_is_an_error_with_a_position(self, script: Path, text: str, message: str) -> None:
        script.write_text(text)
        done = _run("run", _MATH, "--script", str(script))

        assert done.returncode == 1
        assert message in done.stderr
        assert "Traceback" not in done.stderr

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("steps:\n  - respond: hi", "the first step of a script must be a user step"),
            ("steps:\n  - user: hi\n  - call: nope", "Tool 'nope' is not offered"),
            ("steps:\n  - user: hi\n  - {respond: ho, agent: other}", "other"),
            ("steps:\n  - user: hi\n  - respond: ho\nexpect_state: {a: 1}", "expect_state"),
        ],
    )
    def test_a_step_that_cannot_be_taken_is_a_mismatch(self, script: Path, text: str, message: str) -> None:
        script.write_text(text)
        done = _run("run", _MATH, "--script", str(script))

        assert done.returncode == 1
        assert message in done.stdout

    def test_a_folder_without_an_agent_says_what_was_looked_for_and_found(self, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").touch()
        done = _run("run", str(tmp_path))

        assert done.returncode == 1
        assert "looked for `app` or `root_agent`" in done.stderr
        assert "found: notes.txt" in done.stderr

    def test_a_folder_of_agents_names_them(self) -> None:
        done = _run("run", str(get_demo_folder("math_agent").parent))

        assert "it contains agents but is not one itself; give one of them: math_agent, shop_agent" in done.stderr

    def test_a_folder_of_agents_names_those_in_yaml_too(self, tmp_path: Path) -> None:
        for name, file in (("coded", "agent.py"), ("written", "root_agent.yaml"), ("shared", "tools.py")):
            (tmp_path / name).mkdir()
            (tmp_path / name / file).touch()

        assert "give one of them: coded, written; or add --web" in _run("run", str(tmp_path)).stderr

    def test_a_folder_that_is_not_there_says_so(self) -> None:
        assert "there is no such folder" in _run("run", "nowhere").stderr

    def test_an_agent_that_does_not_import_says_why(self, tmp_path: Path) -> None:
        folder = tmp_path / "broken"
        folder.mkdir()
        (folder / "agent.py").write_text("import no_such_module_anywhere\n")
        done = _run("run", str(folder))

        assert done.returncode == 1
        assert "no_such_module_anywhere" in done.stderr
        assert "Traceback" not in done.stderr

    def test_a_file_that_cannot_be_written_says_so(self, script: Path) -> None:
        done = _run("run", _MATH, "--script", str(script), "--eval-set", "/proc/nowhere/x.json")

        assert done.returncode == 1
        assert "/proc/nowhere" in done.stderr

    @pytest.mark.parametrize("port", ["-1", "65536"])
    def test_an_invalid_port_is_refused_at_once(self, port: str) -> None:
        done = _run("run", _MATH, "--web", "--port", port)

        assert done.returncode == 2
        assert "is not in the range 0<=x<=65535" in done.stderr


class TestReplay:
    @pytest.fixture
    def eval_set(self, script: Path, tmp_path: Path) -> Path:
        path = tmp_path / "golden.evalset.json"
        assert _run("run", _MATH, "--script", str(script), "--eval-set", str(path)).returncode == 0
        return path

    def test_tools_that_are_as_they_were_exit_0(self, eval_set: Path) -> None:
        done = _run("replay", str(eval_set), "--agent", _MATH)

        assert done.returncode == 0, done.stderr
        assert "3 calls, 3 responses compared, as recorded" in done.stdout
        assert "1 of 1 cases are as recorded" in done.stdout

    def test_a_tool_that_answers_otherwise_shows_a_diff_and_exits_1(self, eval_set: Path) -> None:
        eval_set.write_text(eval_set.read_text().replace('"result": 9', '"result": 10'))
        done = _run("replay", str(eval_set), "--agent", _MATH)

        assert done.returncode == 1
        assert "message 1, call 2 of multiply" in done.stdout
        assert re.search(r'-  "result": 10\n\+  "result": 9', done.stdout)

    def test_what_may_differ_can_be_ignored(self, eval_set: Path) -> None:
        eval_set.write_text(eval_set.read_text().replace('"result": 9', '"result": 10'))

        assert _run("replay", str(eval_set), "--agent", _MATH, "--ignore", "multiply:result").returncode == 0
        assert _run("replay", str(eval_set), "--agent", _MATH, "--ignore", "add:result").returncode == 1

    def test_the_result_is_available_as_json(self, eval_set: Path) -> None:
        eval_set.write_text(eval_set.read_text().replace('"result": 9', '"result": 10'))
        (case,) = json.loads(_run("replay", str(eval_set), "--agent", _MATH, "--json").stdout)

        assert not case["is_unchanged"]
        (difference,) = case["differences"]
        assert (difference["recorded"], difference["found"]) == ('{"result": 10}', '{"result": 9}')

    def test_a_case_that_is_not_there_names_those_that_are(self, eval_set: Path) -> None:
        done = _run("replay", str(eval_set), "--agent", _MATH, "--case", "nope")

        assert done.returncode == 1
        assert "has no case 'nope'; it has: math_agent_" in done.stderr

    def test_a_file_that_is_not_an_eval_set_is_refused(self, tmp_path: Path) -> None:
        assert "there is no such file" in _run("replay", str(tmp_path / "none.json"), "--agent", _MATH).stderr

    def test_a_file_without_recorded_responses_compares_nothing_and_exits_3(self, eval_set: Path) -> None:
        _remove_responses(eval_set)
        done = _run("replay", str(eval_set), "--agent", _MATH)

        assert done.returncode == 3, done.stdout
        assert "2 calls, 0 responses compared, nothing to compare" in done.stdout
        assert "0 of 1 cases are as recorded" in done.stdout
        assert "which have no recorded responses of tools" in done.stderr

    def test_a_tool_that_is_gone_fails_although_no_response_was_recorded(self, eval_set: Path) -> None:
        _remove_responses(eval_set)
        eval_set.write_text(eval_set.read_text().replace('"name": "multiply"', '"name": "times"'))
        done = _run("replay", str(eval_set), "--agent", _MATH)

        assert done.returncode == 1
        assert "call 2 of times" in done.stdout

    def test_the_result_is_json_whatever_the_agent_prints(self, eval_set: Path, tmp_path: Path) -> None:
        folder = tmp_path / "noisy"
        folder.mkdir()
        (folder / "agent.py").write_text(
            "from adk_agent_sim.adk.demo.math_agent.agent import root_agent\nprint('loading')\n"
        )
        done = _run("replay", str(eval_set), "--agent", str(folder), "--json")

        (case,) = json.loads(done.stdout)
        assert case["is_unchanged"]
        assert "loading" in done.stderr

    def test_an_eval_set_of_an_older_format_is_read(self, tmp_path: Path) -> None:
        uses = [{"tool_name": "add", "tool_input": {"a": 1, "b": 2}}]
        turn = {"query": "1+2?", "expected_tool_use": uses, "reference": "3"}
        for name, content in {"list.test.json": [turn], "named.json": [{"name": "sum", "data": [turn]}]}.items():
            (tmp_path / name).write_text(json.dumps(content))
            done = _run("replay", str(tmp_path / name), "--agent", _MATH)
            assert done.returncode == 3, done.stderr  # it has no responses of tools
            assert "1 calls, 0 responses compared" in done.stdout

    def test_a_tool_that_is_gone_is_drift(self, eval_set: Path) -> None:
        eval_set.write_text(eval_set.read_text().replace('"name": "multiply"', '"name": "times"'))
        done = _run("replay", str(eval_set), "--agent", _MATH)

        assert done.returncode == 1
        assert "no tool with that name" in done.stdout


def _remove_responses(eval_set: Path) -> None:
    content = json.loads(eval_set.read_text())
    for turn in content["eval_cases"][0]["conversation"]:
        data = turn["intermediate_data"]
        data["tool_uses"] = [call for call in data["tool_uses"] if call["name"] != "divide"]  # it fails
        data["tool_responses"] = []
    eval_set.write_text(json.dumps(content))


class TestDoctor:
    def test_it_checks_everything(self) -> None:
        done = _run("doctor")

        assert done.returncode == 0, done.stdout
        for what in ("Python", "google-adk", "port 8080", "browser", "current directory"):
            assert what in done.stdout

    @pytest.mark.parametrize(
        ("installed", "is_supported"),
        [("2.14rc1", True), ("2.13.0b2", True), ("3", True), ("2.12rc1", False), ("nightly", False)],
    )
    def test_it_reads_versions_of_every_form(
        self, installed: str, is_supported: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        metadata = tmp_path / "google_adk-1.dist-info" / "METADATA"
        metadata.parent.mkdir()
        metadata.write_text(f"Metadata-Version: 2.1\nName: google-adk\nVersion: {installed}\n")
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

        done = CliRunner().invoke(adksim, ["doctor", "--json"])

        assert done.exception is None or isinstance(done.exception, SystemExit)
        findings = {finding["what"]: finding for finding in json.loads(done.stdout)}
        assert (findings["google-adk"]["ok"], installed in findings["google-adk"]["detail"]) == (is_supported, True)

    def test_its_results_are_available_as_json(self) -> None:
        findings = {finding["what"]: finding for finding in json.loads(_run("doctor", "--json").stdout)}

        assert findings["google-adk"]["ok"]
        assert findings["google-adk"]["needed"]
