"""`adksim scenario check`: results as text and JSON, several scenarios, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner, Result
from world_builders import build_reply_event, build_scenario_file, build_world_event

from adk_agent_sim.cli.main import adksim
from adk_agent_sim.scenario.app_base.app import APP, READ, App, tool
from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS
from adk_agent_sim.use_cases.worlds import check_scenarios

USER = build_world_event("u", "USER", delay=0)
SOUND = build_scenario_file(USER, build_world_event("a", after=("u",)), build_reply_event("r", "a"))
READING = build_world_event("a", "AGENT", ("u",), "Emails__list_emails", folder_name="INBOX")
TRIVIAL = build_scenario_file(USER, READING)
EMPTY = build_scenario_file(USER)


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(adksim, ["scenario", "check", *map(str, arguments)])


def _write(path: Path, *values: Any) -> Path:
    path.write_text("".join(f"{json.dumps(each)}\n" for each in values), encoding="utf-8")
    return path


def test_a_sound_scenario_exits_with_0(tmp_path: Path) -> None:
    result = _run(_write(tmp_path / "sound.json", SOUND))

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"OK  {tmp_path / 'sound.json'}",
        "  yes solvable: The oracle passed: 4 steps in 2 s of simulated time.",
        "  yes not trivially passed: Doing nothing fails, and so does calling tools at random.",
        "  yes deterministic: Two runs of the oracle, and two at random, gave the same traces.",
    ]


def test_a_scenario_that_is_not_sound_exits_with_1_and_says_what_to_do(tmp_path: Path) -> None:
    result = _run(_write(tmp_path / "trivial.json", TRIVIAL))

    assert result.exit_code == 1
    assert (
        "  no  not trivially passed: An agent that does nothing passes.\n      next: Expect an action" in result.stdout
    )


def test_folders_lines_and_several_files_are_checked_and_a_bad_one_does_not_stop_it(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    _write(folder / "a.jsonl", SOUND, "no scenario", TRIVIAL)
    (folder / "b.json").write_text("{", encoding="utf-8")
    _write(folder / "c.json", EMPTY)
    result = _run(folder, tmp_path / "missing.json", _write(tmp_path / "d.json", SOUND))

    assert result.exit_code == 1
    assert [line for line in result.stdout.splitlines() if not line.startswith(" ")] == [
        f"OK  {folder / 'a.jsonl'}, line 1",
        f"FAILED  {folder / 'a.jsonl'}, line 2",
        f"FAILED  {folder / 'a.jsonl'}, line 3",
        f"FAILED  {folder / 'b.json'}",
        f"NOT JUDGED  {folder / 'c.json'}",
        f"FAILED  {tmp_path / 'missing.json'}",
        f"OK  {tmp_path / 'd.json'}",
        "2 ok, 4 failed, 1 not judged",
    ]


def test_json_has_every_result(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text("{", encoding="utf-8")
    _write(tmp_path / "a.jsonl", SOUND, TRIVIAL, EMPTY)
    result = _run(tmp_path, "--json", "--seed", "4")

    rows = json.loads(result.stdout)
    assert [row["status"] for row in rows] == ["ok", "trivially passed", "not judgeable", "unreadable"]
    assert rows[0]["file"] == f"{tmp_path / 'a.jsonl'}, line 1"
    assert (rows[0]["check"]["seed"], rows[0]["check"]["runs"][0]["passed"]) == (4, True)
    assert rows[2]["check"]["solvable"]["holds"] is None
    assert "it expects nothing of the agent" in rows[2]["problem"]


def test_what_cannot_be_judged_exits_with_3(tmp_path: Path) -> None:
    result = _run(_write(tmp_path / "a.json", EMPTY), _write(tmp_path / "sound.json", SOUND))

    assert result.exit_code == 3
    assert "1 ok, 0 failed, 1 not judged" in result.stdout


def test_files_without_a_scenario_exit_with_3(tmp_path: Path) -> None:
    assert _run(_write(tmp_path / "empty.jsonl")).exit_code == 3


class TestFindings:
    """The findings are those of `adksim scenario lint`, and so is when they make the command fail."""

    @pytest.fixture
    def invalid(self, tmp_path: Path) -> Path:
        """Files with errors, with warnings only, and one that cannot be read."""
        mail: dict[str, Any] = {"recipients": ["a@example.org"], "subject": "a"}
        unfit = build_world_event("a", "AGENT", ("u",), "Emails__send_email", **mail, bcc="x")
        twice = build_world_event("a", "AGENT", ("u",), "Emails__send_email", at=1001, **mail)
        return _write(
            tmp_path / "invalid.jsonl",
            build_scenario_file(USER, unfit, build_reply_event("r", "a")),
            build_scenario_file(USER, twice, build_reply_event("r", "a")),
            {"no": "scenario"},
        )

    def test_the_findings_are_those_of_lint_in_text_and_json(self, invalid: Path) -> None:
        linted = CliRunner().invoke(adksim, ["scenario", "lint", str(invalid), "--json"])
        found = json.loads(linted.stdout)
        rows = json.loads(_run(invalid, "--json").stdout)
        text = _run(invalid)
        lines = CliRunner().invoke(adksim, ["scenario", "lint", str(invalid)]).stdout.splitlines()[:-1]

        assert {each["severity"] for each in found} == {"error", "warning"}
        findings = [row["check"]["findings"] if row["check"] else row["unreadable"] for row in rows]
        assert [each for one in findings for each in one] == found
        assert [one[0]["code"] for one in findings][::2] == ["argument-unfit", "unreadable"]
        assert [line.strip() for line in text.stdout.splitlines() if "[" in line] == lines
        assert (linted.exit_code, text.exit_code) == (1, 1)

    @pytest.mark.parametrize(("line", "code"), [(0, 1), (1, 0), (2, 1)], ids=["error", "warning", "unreadable"])
    def test_errors_fail_and_warnings_do_not(self, invalid: Path, line: int, code: int) -> None:
        content = invalid.read_text(encoding="utf-8").splitlines()[line]
        invalid.write_text(content, encoding="utf-8")

        assert CliRunner().invoke(adksim, ["scenario", "lint", str(invalid)]).exit_code == code
        assert _run(invalid).exit_code == code


def test_texts_are_compared_by_recorded_answers(tmp_path: Path) -> None:
    scenario = _write(tmp_path / "talk.json", build_scenario_file(USER, build_reply_event("r", "u")))

    assert "note: Only messages to the user are expected" in _run(scenario).stdout
    # The texts of the oracle are those that are expected, which needs no answer.
    judged = _run(scenario, "--judge", f"replay:{_write(tmp_path / 'answers.jsonl')}")
    assert judged.exit_code == 0, judged.output
    assert "note:" not in judged.stdout


def test_progress_counts_the_runs_of_all_scenarios(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.json", "b.json", "c.json")]
    for file, scenario in zip(files, (SOUND, "{", SOUND), strict=True):
        file.write_text(scenario if isinstance(scenario, str) else json.dumps(scenario), encoding="utf-8")
    done: list[tuple[int, int]] = []

    list(check_scenarios(files, progress=lambda run, total: done.append((run, total))))

    assert done == [(run, 15) for run in (*range(1, 6), *range(11, 16))]


class InterruptedApp(App):
    """An app during whose call Ctrl-C is pressed."""

    state_keys = ()

    @tool(APP, operation=READ, type_checked=False)
    def wait_long(self) -> None:
        """Wait."""
        raise KeyboardInterrupt


def test_ctrl_c_ends_it_and_keeps_what_was_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast("dict[str, type[App]]", BUILT_IN_APPS), "InterruptedApp", InterruptedApp)
    long = build_scenario_file(USER, build_world_event("w", "AGENT", ("u",), "InterruptedApp__wait_long"))
    result = _run(_write(tmp_path / "a.jsonl", SOUND, long, SOUND))

    assert result.exit_code == 1
    assert [line for line in result.stdout.splitlines() if not line.startswith(" ")] == [
        f"OK  {tmp_path / 'a.jsonl'}, line 1"
    ]
    assert "Aborted" in result.stderr
    assert "Traceback" not in result.output
