"""`adksim scenario`: text and JSON output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from scenario_corpus import SPEC_EXAMPLE, build_event, build_scenario, load_scenarios

from adk_agent_sim.cli.main import adksim
from adk_agent_sim.scenario import load_scenario


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(adksim, ["scenario", *map(str, arguments)])


@pytest.fixture
def invalid_file(tmp_path: Path) -> Path:
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(build_scenario(build_event("a", after=("gone",))), indent=1))
    return file


def test_lint_prints_file_line_path_and_advice(invalid_file: Path) -> None:
    result = _run("lint", invalid_file)
    assert result.exit_code == 1
    line = next(number for number, text in enumerate(invalid_file.read_text().split("\n"), 1) if '"gone"' in text)
    position = f"{invalid_file}:{line}: error[dependency-unknown] events[0].dependencies[0]"
    assert f"{position}: event 'a' depends" in result.output
    assert "remove the dependency." in result.output
    assert "1 errors, 0 warnings" in result.output


def test_lint_prints_json(invalid_file: Path) -> None:
    result = _run("lint", invalid_file, SPEC_EXAMPLE, "--json")
    assert [each["code"] for each in json.loads(result.stdout)] == ["dependency-unknown", "app-unlisted"]


def test_lint_of_a_clean_folder_succeeds(tmp_path: Path) -> None:
    for name, file in load_scenarios().items():
        (tmp_path / f"{name}.json").write_text(json.dumps(file))
    result = _run("lint", "--are", tmp_path)
    assert (result.exit_code, result.output) == (0, "0 errors, 0 warnings\n")


def test_lint_of_an_unreadable_file_goes_on_with_the_next(tmp_path: Path, invalid_file: Path) -> None:
    (tmp_path / "torn.json").write_text('{"version"')
    result = _run("lint", tmp_path / "torn.json", invalid_file)
    assert "error[unreadable]" in result.output
    assert "error[dependency-unknown]" in result.output


def test_warnings_alone_are_not_a_failure() -> None:
    assert _run("lint", SPEC_EXAMPLE).exit_code == 0
    assert _run("lint", "--are", SPEC_EXAMPLE).exit_code == 1


def test_show_prints_the_events_and_draws_them(tmp_path: Path) -> None:
    result = _run("show", SPEC_EXAMPLE, "--svg", tmp_path / "graph.svg")
    assert "+60 s  ENV    NotificationApp.show_reminder(" in result.output
    assert (tmp_path / "graph.svg").read_text().startswith("<svg ")
    assert json.loads(_run("show", SPEC_EXAMPLE, "--json").stdout)["scenario_id"] == "email_apology_001"


@pytest.mark.req("004/validation-decision")
@pytest.mark.parametrize("decision", ["valid", "invalid", "needs_review"])
def test_annotate_writes_what_the_reviewer_says_and_keeps_the_rest(tmp_path: Path, decision: str) -> None:
    file = tmp_path / "scenario.json"
    before = load_scenarios()["scenario_synth_s01_search"]
    file.write_text(json.dumps(before))
    assert _run("annotate", file, "--decision", "maybe").exit_code == 2
    assert _run("annotate", file, "--decision", decision, "--annotator", "Ada").exit_code == 0
    assert _run("annotate", file, "--comment", "too easy").exit_code == 0
    annotation = load_scenario(file).annotation
    assert (annotation.validation_decision, annotation.annotator) == (decision, "Ada")
    assert annotation.comment == "too easy"
    assert annotation.date > 0
    after = json.loads(file.read_text())
    after["metadata"]["annotation"] = before["metadata"]["annotation"]
    assert after == before
    assert json.loads(_run("annotate", file, "--json").stdout)["comment"] == "too easy"


@pytest.mark.req("004/complete-example", "004/complete-example-apps")
def test_convert_writes_what_are_reads_and_lists_what_it_adapted(tmp_path: Path) -> None:
    output = tmp_path / "are.json"
    result = _run("convert", SPEC_EXAMPLE, output)
    assert "adapted: NotificationApp.show_reminder is written as EmailApp.send_email_to_user_only" in result.output
    assert _run("lint", "--are", output).output == "0 errors, 0 warnings\n"


@pytest.mark.process
def test_an_unreadable_file_is_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from adk_agent_sim.cli.main import main; main()", "scenario", "show"]
    result = subprocess.run([*command, str(tmp_path / "none.json")], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert f"Cannot read a scenario from {tmp_path / 'none.json'}: No such file or directory." in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.process
def test_a_reader_that_has_ended_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(build_scenario()))
    command = [sys.executable, "-c", "from adk_agent_sim.cli.main import main; main()", "scenario", "show"]
    reader, writer = os.pipe()
    os.close(reader)
    result = subprocess.run(
        [*command, str(tmp_path / "a.json")], stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (result.returncode, result.stderr) == (1, "")


def test_lint_checks_every_file_and_line_also_after_broken_ones(tmp_path: Path) -> None:
    good = json.dumps(build_scenario())
    wrong = json.dumps(build_scenario(build_event("a", after=("gone",))))
    row = json.dumps({"id": 1, "data": json.dumps(build_scenario(build_event("ü", after=("gone",))), indent=1)})
    (tmp_path / "a_torn.json").write_text('{"version"')
    (tmp_path / "b_lines.jsonl").write_text(f'{good}\n\n[1,\n{wrong}\n{{"version": 5}}\n{row}\n')
    (tmp_path / "c_bytes.json").write_bytes(b'{"a":\n "\xff"}')
    (tmp_path / "d_wrong.json").write_text(wrong)
    (tmp_path / "e_moved.json").symlink_to(tmp_path / "elsewhere")
    result = _run("lint", tmp_path, tmp_path / "none.json")
    assert result.exit_code == 1
    found = [
        (each["file"].rpartition("/")[2], each["line"], each["path"], each["code"])
        for each in json.loads(_run("lint", "--json", tmp_path, tmp_path / "none.json").stdout)
        if each["severity"] == "error"
    ]
    assert found == [
        ("a_torn.json", 1, "the file", "unreadable"),
        ("b_lines.jsonl", 3, "the file", "unreadable"),
        ("b_lines.jsonl", 4, "events[0].dependencies[0]", "dependency-unknown"),
        ("b_lines.jsonl", 5, "version", "unreadable"),
        ("b_lines.jsonl", 5, "metadata", "unreadable"),
        ("b_lines.jsonl", 6, "events[0].dependencies[0]", "dependency-unknown"),
        ("c_bytes.json", 2, "the file", "unreadable"),
        ("d_wrong.json", 1, "events[0].dependencies[0]", "dependency-unknown"),
        ("e_moved.json", 1, "the file", "unreadable"),
        ("none.json", 1, "the file", "unreadable"),
    ]


def test_lint_reports_columns_where_a_line_is_not_enough(tmp_path: Path) -> None:
    scenario = build_scenario(build_event("a", after=("gone ü",)))
    line, lines = json.dumps(scenario), json.dumps(scenario, indent=1)
    row = json.dumps({"n": "ü\n", "data": lines})
    for name, text, column in (
        ("line.json", line, line.index('"gone')),
        ("after_blank.json", "\n" + line, line.index('"gone')),
        ("rows.jsonl", line, line.index('"gone')),
        ("dataset.jsonl", row, row.index('\\"gone')),
    ):
        (tmp_path / name).write_text(text)
        place = "2" if name == "after_blank.json" else "1"
        assert f"{name}:{place}:{column + 1}: error[dependency-unknown]" in _run("lint", tmp_path / name).output
    (tmp_path / "lines.json").write_text(lines)
    number = lines[: lines.index('"gone')].count("\n") + 1
    assert f"lines.json:{number}: error[dependency-unknown]" in _run("lint", tmp_path / "lines.json").output
    (tmp_path / "torn.json").write_text(line + "]")
    assert f"torn.json:1:{len(line) + 1}: error[unreadable]" in _run("lint", tmp_path / "torn.json").output


def test_lint_says_what_would_be_valid(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    (tmp_path / "empty").mkdir()
    state = {"user_email": "a@b.c", "view_limit": 5, "folders": {"INBOX": "mails"}}
    scenario = build_scenario() | {"apps": [{"name": "Emails", "class_name": "EmailClientV2", "app_state": state}]}
    for text, advice in (
        ("{", 'Write one JSON object with the keys "version" and "metadata"'),
        ("[]", "the file: it must be an object"),
        (json.dumps(build_scenario() | {"events": 5}), "events: it must be a list"),
        (json.dumps(build_scenario() | {"apps": [5]}), "apps[0]: it must be an object"),
        (json.dumps(build_scenario(build_event("a", after=("b",)))), "Its events are: a"),
        (json.dumps(scenario), "apps[0].app_state.folders.INBOX: it must be an object, but it is a string"),
        (json.dumps(scenario), "Write an object with the keys folder_name, emails."),
    ):
        file.write_text(text)
        assert advice in _run("lint", file).output
    assert "Name a .json or .jsonl file" in _run("lint", tmp_path / "empty").output
    run = _run("run", "--oracle", file)
    assert run.exit_code == 1
