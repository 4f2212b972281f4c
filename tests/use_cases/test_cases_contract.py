"""Cases: describe, check, compare, replay and convert, for every caller."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from api_client import serve_simulator
from eval_case_files import EQUAL, build_case, build_turn, write_eval_set, write_legacy_eval_set
from use_cases.contract import Outcome, Place, Row, run_row, send_request

from adk_agent_sim import AgentSimulator
from adk_agent_sim.adk.loading.agent_loader import load_app
from adk_agent_sim.golden.eval_file import EvalFile
from adk_agent_sim.golden.recording_files import read_recordings
from adk_agent_sim.server.evals.eval_catalog import EvalCatalog
from adk_agent_sim.use_cases import cases

_DRIFTED = build_case("wrong sum", build_turn("What is 2+2?", "The answer is 5", ("add", {"a": 2, "b": 2}, 5)))


def _write_file(place: Place, name: str = "golden") -> EvalFile:
    """Write a file with a case, and another one with a recording of the same conversation."""
    files = {"golden": _DRIFTED, "other": EQUAL}
    paths = {each: write_eval_set(place.folder / f"{each}.evalset.json", case) for each, case in files.items()}
    return EvalFile(paths[name])


async def _request(place: Place, method: str, path: str, body: Any = None, *, has_agent: bool = True) -> Any:
    """Ask a server that was started with the file, and with another recording of the same conversation."""
    files = [_write_file(place), _write_file(place, "other")]
    catalog = EvalCatalog(files, load_app(place.agent_folder) if has_agent else None)
    async with serve_simulator(AgentSimulator([], evals=catalog, database=place.database)) as client:
        return await send_request(client, method, f"/evals/{path}", body)


def _get_key(place: Place) -> str:
    return _write_file(place).read().cases[0].key


def _is_not_checked(outcome: Outcome) -> None:
    assert (outcome.answer["eval_id"], outcome.answer["badge"]["state"]) == ("wrong sum", "not_checked")


async def _describe_in_python(place: Place) -> Any:
    return cases.describe_case(_write_file(place).read().cases[0], has_agent=False)


async def _describe_with_command(place: Place) -> Any:
    [file] = await place.run_command_on_files("evals", _write_file(place).path)
    return file["cases"][0]["case"]


async def _describe_over_web(place: Place) -> Any:
    return (await _request(place, "GET", "golden", has_agent=False))["cases"][0]


def _has_drifted(outcome: Outcome) -> None:
    assert outcome.answer["case"]["badge"]["state"] == "drifted"
    assert [(each["recorded"], each["found"]) for each in outcome.answer["check"]["differences"]] == [
        ('{"result": 5}', '{"result": 4}')
    ]


def _select_check(answer: Any) -> Any:
    """Return what a check has found, without what the browser needs besides."""
    return {"case": answer["case"], "check": answer["check"]}


async def _check_in_python(place: Place) -> Any:
    file = _write_file(place)
    checked = await cases.check_case(load_app(place.agent_folder), file, file.read().cases[0])
    return _select_check(checked.model_dump(mode="json"))


async def _check_with_command(place: Place) -> Any:
    [file] = await place.run_command_on_files("evals", _write_file(place).path, "--agent", place.agent_folder)
    return _select_check(file["cases"][0])


async def _check_over_web(place: Place) -> Any:
    return _select_check(await _request(place, "POST", f"golden/cases/{_get_key(place)}/check"))


def _responds_differently(outcome: Outcome) -> None:
    [turn] = outcome.answer["turns"]
    assert (turn["expected_response"], turn["actual_response"]) == ("The answer is 5", "The answer is 4")


async def _compare_in_python(place: Place) -> Any:
    file, other = _write_file(place), _write_file(place, "other")
    return cases.compare_case(file, file.read().cases[0], other.read().cases[0], "sum of other.evalset.json")


async def _compare_over_web(place: Place) -> Any:
    other = {"file_key": "other", "case_key": _write_file(place, "other").read().cases[0].key}
    return await _request(place, "POST", f"golden/cases/{_get_key(place)}/compare", other)


def _differs(outcome: Outcome) -> None:
    [replay] = outcome.answer
    assert (replay["name"], replay["is_unchanged"], replay["call_count"]) == ("wrong sum", False, 1)


async def _replay_in_python(place: Place) -> Any:
    recordings = read_recordings(_write_file(place).path, None)
    app = load_app(place.agent_folder)
    return [(await cases.replay_recording(app, each)).model_dump(mode="json") for each in recordings]


async def _replay_with_command(place: Place) -> Any:
    value = await place.run_command_on_files("replay", _write_file(place).path, "--agent", place.agent_folder)
    return cast("dict[str, Any]", value)["replays"] if isinstance(value, dict) else value


def _write_legacy(place: Place) -> EvalFile:
    """Write an EvalSet of an old format, which can only be read."""
    return EvalFile(write_legacy_eval_set(place.folder / "old.evalset.json", "sum"))


def _is_converted(outcome: Outcome) -> None:
    assert (outcome.answer["kind"], outcome.answer["case_count"]) == ("evalset", 1)
    assert outcome.answer["path"] in outcome.files
    assert json.loads(outcome.files[outcome.answer["path"]])["eval_cases"]


async def _convert_in_python(place: Place) -> Any:
    return cases.convert_cases(_write_legacy(place))


async def _convert_over_web(place: Place) -> Any:
    file = _write_legacy(place)
    async with serve_simulator(AgentSimulator([], evals=EvalCatalog([file]), database=place.database)) as client:
        answer = await send_request(client, "POST", "/evals/old/convert")
    return {name: value for name, value in answer.items() if name != "key"}  # only a server has eval pages


def _is_refused(outcome: Outcome) -> None:
    assert outcome.refusal is not None
    assert outcome.refusal[0] == "ExportRefused"
    assert outcome.files["<folder>/target.evalset.json"] == "mine"


def _write_target(place: Place) -> Path:
    target = place.folder / "target.evalset.json"
    target.write_text("mine", encoding="utf-8")
    return target


async def _convert_again_in_python(place: Place) -> Any:
    cases.convert_cases(_write_legacy(place), _write_target(place))


async def _convert_again_with_command(place: Place) -> Any:
    await place.run_command_on_files("evals", _write_legacy(place).path, "--convert", _write_target(place))


ROWS = [
    Row(
        operation="cases.describe_case",
        case="without an agent",
        python=_describe_in_python,
        cli=_describe_with_command,
        web=_describe_over_web,
        check=_is_not_checked,
    ),
    Row(
        operation="cases.check_case",
        case="whose tool responds differently",
        python=_check_in_python,
        cli=_check_with_command,
        web=_check_over_web,
        check=_has_drifted,
    ),
    Row(
        operation="cases.compare_case",
        case="with another recording",
        python=_compare_in_python,
        cli="The command checks cases on the tools, and compares no two recordings.",
        web=_compare_over_web,
        check=_responds_differently,
    ),
    Row(
        operation="cases.replay_recording",
        case="whose tool responds differently",
        python=_replay_in_python,
        cli=_replay_with_command,
        web="The browser replays a case when it checks it, and shows the differences there.",
        check=_differs,
    ),
    Row(
        operation="cases.convert_cases",
        case="of an old format, beside it",
        python=_convert_in_python,
        cli="The command asks for the path of the new file.",
        web=_convert_over_web,
        check=_is_converted,
    ),
    Row(
        operation="cases.convert_cases",
        case="to a file that exists",
        python=_convert_again_in_python,
        cli=_convert_again_with_command,
        web="The browser chooses a new name, so nothing is in the way.",
        check=_is_refused,
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_all_callers_do_the_same(row: Row, prepared: Place, tmp_path: Path) -> None:
    await run_row(row, prepared, tmp_path)
