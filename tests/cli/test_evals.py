"""`adksim evals` in the terminal."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from click.testing import CliRunner, Result
from eval_case_files import (
    DRIFTED,
    EQUAL,
    TALK,
    build_case,
    build_turn,
    write_adk_session,
    write_eval_set,
    write_legacy_eval_set,
)
from polling import MAX_WAIT_SECONDS
from processes import open_adksim

from adk_agent_sim.adk.loading.agent_loader import get_demo_folder
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.golden.eval_file import EvalFile

_MATH = get_demo_folder("math_agent")


def _run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(adksim, ["evals", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_eval_set(tmp_path / "math.evalset.json", EQUAL, DRIFTED, TALK)


def test_the_cases_are_a_table(path: Path) -> None:
    done = _run(path)

    assert done.exit_code == 0
    title, heading, *rows = done.stdout.splitlines()
    assert title == f"{path}: 3 cases"
    assert heading.split() == ["case", "turns", "calls", "badge", "scores", "why"]
    assert [row.split("  ")[0] for row in rows] == ["sum", "wrong sum", "talk"]
    assert "not checked" in rows[0]
    assert "not replayable" in rows[2]


def test_with_an_agent_each_case_has_a_badge_and_scores(path: Path) -> None:
    done = _run(path, "--agent", _MATH)

    assert done.exit_code == 1
    equal, drifted, talk = done.stdout.splitlines()[2:]
    assert "equal" in equal
    assert "calls 1.00, response 1.00" in equal
    assert "DRIFTED" in drifted
    assert "Call 1 of add after message 1 is not as recorded." in drifted
    assert "It calls no tools" in talk


def test_cases_that_are_all_equal_exit_0(tmp_path: Path) -> None:
    assert _run(write_eval_set(tmp_path / "a.evalset.json", EQUAL), "--agent", _MATH).exit_code == 0


def test_what_may_differ_can_be_ignored(tmp_path: Path) -> None:
    path = write_eval_set(tmp_path / "a.evalset.json", DRIFTED)

    assert _run(path, "--agent", _MATH, "--ignore", "add:result").exit_code == 0


@pytest.mark.parametrize("cases", [[], [TALK]])
def test_nothing_to_compare_exits_3(tmp_path: Path, cases: list[dict[str, object]]) -> None:
    done = _run(write_eval_set(tmp_path / "a.evalset.json", *cases), "--agent", _MATH)

    assert done.exit_code == 3
    assert "Nothing was compared" in done.stderr


def test_a_metric_that_fails_exits_1(tmp_path: Path) -> None:
    (tmp_path / "test_config.json").write_text('{"criteria": {"response_match_score": 0.9}}', encoding="utf-8")
    turn = build_turn("2+2?", "4", ("add", {"a": 2, "b": 2}, 4))
    # ADK scores a response without words with 0, whatever is compared with it.
    turn["final_response"]["parts"][0]["text"] = "!"
    done = _run(write_eval_set(tmp_path / "a.evalset.json", build_case("x", turn)), "--agent", _MATH)

    assert done.exit_code == 1
    assert "response 0.00 FAILED" in done.stdout


def test_a_case_is_a_timeline_with_what_differs(path: Path) -> None:
    done = _run(path, "--agent", _MATH, "--case", "wrong sum")

    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "wrong sum: DRIFTED. Call 1 of add after message 1 is not as recorded."
    assert [line.split()[0] for line in lines[1:4]] == ["user", "call", "answer"]
    assert "add" in lines[2]
    assert '-  "result": 6' in done.stdout
    assert '+  "result": 5' in done.stdout
    assert "tool_trajectory_avg_score: 1.00 of 1.0, passed" in done.stdout


def test_an_unknown_case_names_those_that_there_are(path: Path) -> None:
    done = _run(path, "--case", "nope")

    assert done.exit_code == 1
    assert "There is no case 'nope'; there are: sum, wrong sum, talk" in done.stderr


def test_all_of_it_is_available_as_json(path: Path) -> None:
    (file,) = json.loads(_run(path, "--agent", _MATH, "--json").stdout)

    assert (file["path"], file["kind"]) == (str(path), "evalset")
    assert [each["case"]["badge"]["state"] for each in file["cases"]] == ["equal", "drifted", "not_replayable"]
    assert [each["is_good"] for each in file["cases"]] == [True, False, False]
    assert json.loads(file["cases"][1]["check"]["differences"][0]["found"]) == {"result": 5}
    assert file["cases"][0]["check"]["turns"][0]["calls"][0]["status"] == "same"
    assert file["cases"][0]["case"]["first_message"] == "What is 2+2?"


def test_hostile_texts_are_escaped(tmp_path: Path) -> None:
    evil = build_case("\x1b[2Jevil\nline", build_turn("\x1b]0;pwned\x07", "4"))
    path = write_eval_set(tmp_path / "a.evalset.json", evil)

    for done in (_run(path), _run(path, "--case", "\x1b[2Jevil\nline")):
        assert "evil" in done.stdout
        assert "\x1b" not in done.stdout
        assert "\x07" not in done.stdout


def test_a_file_that_is_something_else_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("{}", encoding="utf-8")

    assert "cannot be opened as an EvalSet or an ADK session" in _run(path).stderr
    assert _run(path, tmp_path / "none").exit_code == 1


def test_json_and_a_single_case_are_for_the_terminal(path: Path) -> None:
    assert _run(path, "--web", "--json").exit_code == 2
    assert _run(path, "--web", "--case", "sum").exit_code == 2


@pytest.mark.process
def test_the_browser_gets_the_files_and_the_agent_whose_sessions_are_added_to_them(path: Path) -> None:
    with open_adksim("evals", path, "--agent", _MATH, "--web", "--port", "0") as process:
        try:
            address = re.search(r"http://\S+", process.stdout.readline())
            assert address is not None
            with httpx.Client(base_url=f"http://{urlsplit(address[0]).netloc}", timeout=MAX_WAIT_SECONDS) as client:
                assert client.get(address[0]).status_code == 303
                (file,) = client.get("/api/evals").json()
                (agent,) = client.get("/api/agents").json()
        finally:
            process.terminate()

    assert (file["path"], file["case_count"]) == (str(path), 3)
    assert (agent["name"], agent["eval_set_path"]) == ("math_agent", str(path))
    assert process.returncode == 0


def test_a_file_that_can_only_be_read_is_converted_to_one_that_can_be_edited(tmp_path: Path) -> None:
    source, target = write_legacy_eval_set(tmp_path / "old.evalset.json", "sum"), tmp_path / "new.evalset.json"

    done = _run(source, "--convert", target)

    assert done.exit_code == 0
    assert done.stdout == f"Wrote 1 case to {target}. `adksim evals {target} --web` opens the file.\n"
    assert EvalFile(target).read().is_editable
    again = _run(source, "--convert", target)
    assert again.exit_code == 1
    assert "exists and was not changed" in again.stderr
    current = _run(target, "--convert", tmp_path / "other.evalset.json")
    assert current.exit_code == 1
    assert "nothing to convert" in current.stderr


def test_a_converted_session_says_what_was_left_out(tmp_path: Path) -> None:
    source, target = asyncio.run(write_adk_session(tmp_path / "session.json")), tmp_path / "new.evalset.json"

    done = _run(source, "--convert", target, "--json")

    assert json.loads(done.stdout) == {
        "source": str(source),
        "kind": "session",
        "path": str(target),
        "case_count": 1,
        "omitted_turn_count": 1,
    }
    text = _run(source, "--convert", tmp_path / "third.evalset.json").stdout
    assert "1 user turn was left out: without a final response." in text
    assert "equal" in _run(target, "--agent", _MATH).stdout


@pytest.mark.parametrize("options", [("--agent", _MATH), ("--case", "sum"), ("--web",), ("--ignore", "result")])
def test_a_conversion_takes_no_other_options(path: Path, options: tuple[str | Path, ...]) -> None:
    done = _run(path, "--convert", path.with_name("new.json"), *options)

    assert done.exit_code == 2
    assert "--convert converts one file as a whole" in done.stderr


def test_what_is_no_file_of_cases_is_not_converted(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text('{"a": 1}', "utf-8")
    for name, reason in (("notes.json", "it is neither of them"), ("gone.json", "there is no such file")):
        done = _run(tmp_path / name, "--convert", tmp_path / "new.evalset.json")
        assert done.exit_code == 1
        assert reason in done.stderr
    assert not (tmp_path / "new.evalset.json").exists()
