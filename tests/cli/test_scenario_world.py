"""`adksim scenario run --oracle`: text and JSON output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from scenario_corpus import SPEC_EXAMPLE, load_scenarios
from world_builders import build_reply_event, build_scenario_file, build_world_event

from adk_agent_sim.cli.main import adksim
from adk_agent_sim.cli.progress_bar import ProgressBar
from adk_agent_sim.scenario import load_scenario

USER = build_world_event("u", "USER", delay=0)


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(adksim, ["scenario", *map(str, arguments)])


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    file = tmp_path / "clean.json"
    file.write_text(json.dumps(load_scenarios()["scenario_synth_s05_adapt_multi_turn"]))
    return file


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    gone = build_world_event("a", "AGENT", ("u",), "Emails__delete_email", email_id="{{nope}}", folder_name="INBOX")
    file = tmp_path / "broken.json"
    file.write_text(
        json.dumps(
            build_scenario_file(USER, gone, build_reply_event("m", "a"), build_world_event("z", after=("\x1b[31m",)))
        )
    )
    return file


def test_run_lists_what_happened(clean: Path) -> None:
    result = _run("run", "--oracle", clean)
    assert result.exit_code == 0
    assert "      +3 s  ENV    Emails__reply_to_email_from_user  (Event-ENV-scenario_synth_s05" in result.output
    assert result.output.endswith("7 events in 6 s of simulated time, 0 failed, 0 never happened\n")


def test_run_reports_what_failed_or_never_happened(broken: Path) -> None:
    result = _run("run", "--oracle", broken)
    assert result.exit_code == 1
    assert (
        "failed: a (Emails__delete_email): UnresolvedReference: The placeholder {{nope}} of 'email_id'" in result.output
    )
    assert "never happened: z (Emails__send_email): it depends on '\\x1b[31m', which does not exist" in result.output
    assert "\x1b" not in result.output
    assert "3 events in 2 s of simulated time, 1 failed, 1 never happened" in result.output


def test_run_prints_json(clean: Path, broken: Path) -> None:
    done = json.loads(_run("run", "--oracle", "--json", clean).stdout)
    assert (done["ok"], len(done["completed_events"]), done["failed"], done["seconds"]) == (True, 7, [], 6)
    result = _run("run", "--oracle", "--json", broken)
    assert result.exit_code == 1
    assert [each["event_id"] for each in json.loads(result.stdout)["missing"]] == ["z"]


def test_run_writes_a_trace_that_can_be_read_and_run_again(clean: Path, tmp_path: Path) -> None:
    assert _run("run", "--oracle", clean, "--trace", tmp_path / "trace.json").exit_code == 0
    trace = load_scenario(tmp_path / "trace.json")
    assert len(trace.completed_events) == 7
    messages = (next(each for each in trace.apps if each.name == "AgentUserInterface").app_state or {})["messages"]
    assert messages == []  # the states are those of the start
    assert _run("run", "--oracle", tmp_path / "trace.json", "--trace", tmp_path / "again.json").exit_code == 0
    assert load_scenario(tmp_path / "again.json").completed_events == trace.completed_events


def test_run_without_oracle_says_what_to_do(clean: Path) -> None:
    result = _run("run", clean)
    assert result.exit_code == 2
    assert "Add --oracle" in result.output


def test_run_of_a_file_that_is_not_a_scenario_is_a_one_line_error(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    result = _run("run", "--oracle", tmp_path / "x.json")
    assert result.exit_code == 1
    assert result.output.startswith("Error: Cannot read a scenario from")


@pytest.mark.req("004/complete-example")
def test_the_complete_example_runs() -> None:
    result = _run("run", "--oracle", SPEC_EXAMPLE)
    assert result.exit_code == 0, result.output
    assert "+60 s  ENV    NotificationApp__show_reminder" in result.output


class _ManualClock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    def monotonic(self) -> float:
        return self.seconds


def test_progress_is_printed_after_two_seconds_and_erased(capsys: pytest.CaptureFixture[str]) -> None:
    watch = _ManualClock()
    progress = ProgressBar("events", watch, is_visible=True)
    progress(1, 5000)
    assert capsys.readouterr().err == ""
    watch.seconds = 2.1
    progress(1200, 5000)
    progress(1201, 5000)
    progress.close()
    printed = capsys.readouterr().err
    assert printed.startswith("\r  1,200 of 5,000 events\r ")
    assert "1,201" not in printed
