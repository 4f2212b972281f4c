"""`adksim scenario run --player human`: a person plays the agent in the terminal, moves the clock, and is judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from world_builders import build_reply_event, build_scenario_file, build_world_event
from world_runs import SEND_A

from adk_agent_sim.cli.main import adksim

_SEND = f'{SEND_A[0]} recipients=["a@example.org"] subject=one'


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    file = build_scenario_file(
        build_world_event("ask", "USER", delay=0, call="AgentUserInterface__send_message_to_agent", content="Wait"),
        build_world_event("mail", "ENV", ("ask",), delay=10),
        build_world_event("one", "AGENT", ("mail",), SEND_A[0], **SEND_A[1]),
        build_reply_event("told", "one"),
        duration=600,
        hints=[{"hint_type": "TASK_HINT", "content": "Wait for a mail.", "associated_event_id": ""}],
    )
    path = tmp_path / "small.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    return path


def _play(file: Path, *lines: str, options: tuple[str | Path, ...] = ()) -> Result:
    arguments = ["scenario", "run", file, "--player", "human", *options]
    return CliRunner().invoke(adksim, [str(each) for each in arguments], input="\n".join(lines))


def test_a_person_steps_to_the_event_acts_and_passes(scenario: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    played = _play(scenario, "/step", _SEND, "say Done.", options=("--trace", trace))

    assert played.exit_code == 0, played.output
    after = played.stdout.partition("0 s, model of default_agent> /step")
    assert "  user    Wait\n" in after[0]
    assert "10 s  Emails__send_email_to_user_only: sender=a@example.com\n10 s, model of" in after[2]
    assert "notification: EmailClientV2: New email received from a@example.com\n11 s, model of" in after[2]
    assert "PASSED  small" in after[2]
    judged = CliRunner().invoke(adksim, ["scenario", "judge", str(scenario), str(trace)])
    assert judged.exit_code == 0, judged.output


def test_acting_before_the_event_fails(scenario: Path) -> None:
    played = _play(scenario, _SEND, "say Done.")
    assert played.exit_code == 1
    assert "FAILED  small" in played.stdout


def test_steps_jumps_and_decisions_are_undone_and_redone(scenario: Path) -> None:
    played = _play(
        scenario, "/jump +4", "/jump 8s", "/undo", "/step", "/undo", "/redo", _SEND, "/undo", "/undo", "/turns", "/step"
    )

    prompts = [line.split(",")[0] for line in played.stdout.splitlines() if ", model of default_agent> /" in line]
    assert prompts == [f"{each} s" for each in (0, 4, 8, 4, 10, 4, 11, 10, 4, 4)]
    assert "    1  default_agent: (waits for a decision)" in played.stdout
    assert played.exit_code == 3, "the lines ended before the run"


def test_what_is_wrong_is_said_and_the_turn_waits(scenario: Path) -> None:
    played = _play(
        scenario, "/jump soon", "/jump 0", "/jump 10h", "/undo", "/world Nowhere", "/fork 1", "/step", "/step", "/quit"
    )

    for message in (
        "The duration 'soon' cannot be used",
        "at 0 s, and time only passes",
        "over at 600 s",
        "nothing to undo",
        "There is no app 'Nowhere'. The apps are: AgentUserInterface, Emails, SystemApp.",
        "forked in the browser",
        "before the user gets a message",
    ):
        assert message in played.stderr, played.stderr
    assert "Error: The run was stopped before it was over, so it was not judged." in played.stderr
    assert played.exit_code == 3


def test_the_world_and_the_commands_are_shown(scenario: Path) -> None:
    played = _play(scenario, "/world", "/world Emails", "/help", "/done", "/quit")

    assert "  hint: Wait for a mail.\n  apps: AgentUserInterface, Emails, SystemApp\n" in played.stdout
    assert '"user_email": "me@example.org"' in played.stdout
    assert played.stdout.count("/step                     let time pass until the next event") == 2
    assert "The agent is waiting" in played.stderr


def test_one_run_is_played_at_a_time_and_json_needs_the_browser(scenario: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.jsonl"
    line = json.dumps(json.loads(scenario.read_text(encoding="utf-8")))
    both.write_text(f"{line}\n{line}\n", encoding="utf-8")

    for options in ((), ("--web",)):
        several = _play(both, options=options)
        assert (several.exit_code, "choose a scenario with --scenario ID" in several.output) == (2, True)
    as_json = _play(scenario, options=("--json",))
    assert (as_json.exit_code, "add --web" in as_json.output) == (2, True)
