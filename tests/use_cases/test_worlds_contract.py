"""Worlds: checks of scenarios, runs in worlds and verdicts, for every caller."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from api_client import serve_simulator
from bench_folders import build_mail_scenario
from use_cases.contract import Outcome, Place, Row, run_row, send_request

from adk_agent_sim import AgentSimulator
from adk_agent_sim.adk.worlds.run_exports import RunExports
from adk_agent_sim.adk.worlds.run_options import WorldRunOptions
from adk_agent_sim.adk.worlds.run_plan import WorldRunPlan
from adk_agent_sim.scenario import ScenarioImportedFromJson, load_scenario
from adk_agent_sim.server.scenarios.scenario_catalog import ScenarioCatalog
from adk_agent_sim.use_cases import judging, worlds

_ORACLE = WorldRunPlan(player="oracle")


def _write_scenarios(place: Place, *, is_broken: bool = False) -> Path:
    """Write a scenario that asks for a mail, as the first line of a file; the second one may be broken."""
    lines = [json.dumps(build_mail_scenario(0)), *(["{"] if is_broken else [])]
    file = place.folder / ("scenarios.jsonl" if is_broken else "mail.json")
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def _load(place: Place) -> ScenarioImportedFromJson:
    return load_scenario(_write_scenarios(place))


async def _request(place: Place, method: str, path: str) -> Any:
    """Ask a server that was started with the scenario."""
    catalog = ScenarioCatalog([_write_scenarios(place)])
    async with serve_simulator(AgentSimulator([], scenarios=catalog, database=place.database)) as client:
        return await send_request(client, method, f"/scenarios/mail_0{path}")


def _is_sound(outcome: Outcome) -> None:
    assert (outcome.answer["status"], outcome.answer["solvable"]["holds"], outcome.answer["findings"]) == (
        "ok",
        True,
        [],
    )


async def _check_in_python(place: Place) -> Any:
    return worlds.check_scenario(_load(place))


async def _check_with_command(place: Place) -> Any:
    return (await place.run_command_on_files("scenario", "check", _write_scenarios(place)))[0]["check"]


async def _check_over_web(place: Place) -> Any:
    return await _request(place, "POST", "/check")


def _has_one_unreadable(outcome: Outcome) -> None:
    assert [each["status"] for each in outcome.answer] == ["ok", "unreadable"]
    assert [each["has_failed"] for each in outcome.answer] == [False, True]


async def _check_all_in_python(place: Place) -> Any:
    file = _write_scenarios(place, is_broken=True)
    return [each.model_dump(mode="json") for each in worlds.check_scenarios([file])]


async def _check_all_with_command(place: Place) -> Any:
    return await place.run_command_on_files("scenario", "check", _write_scenarios(place, is_broken=True))


def _finds_nothing(outcome: Outcome) -> None:
    assert outcome.answer == []


async def _lint_in_python(place: Place) -> Any:
    return [each.model_dump() for each in worlds.lint_scenario(_load(place))]


async def _lint_with_command(place: Place) -> Any:
    return await place.run_command_on_files("scenario", "lint", _write_scenarios(place))


async def _lint_over_web(place: Place) -> Any:
    return (await _request(place, "GET", "/findings"))["findings"]


def _has_no_such_agent(outcome: Outcome) -> None:
    assert outcome.refusal is not None
    assert "nobody" in outcome.refusal[1]


async def _prepare_in_python(place: Place) -> Any:
    plan = WorldRunPlan(player="oracle", options=WorldRunOptions(agents=frozenset({"nobody"})))
    worlds.prepare_world_run(plan, _load(place))


async def _prepare_with_command(place: Place) -> Any:
    options = ("--agent", "default", "--player", "oracle", "--world-agent", "nobody")
    await place.run_command_on_files("scenario", "run", _write_scenarios(place), *options)


def _has_passed(outcome: Outcome) -> None:
    assert (outcome.answer["passed"], outcome.answer["reason"]) == (True, "")
    assert outcome.answer["verdict"]["turns"][0]["status"] == "passed"


def _drop_time(result: dict[str, Any]) -> dict[str, Any]:
    return {**result, "wall_seconds": 0.0}


async def _run_in_python(place: Place) -> Any:
    result = await worlds.run_in_world(worlds.prepare_world_run(_ORACLE, _load(place)))
    return _drop_time(result.model_dump(mode="json"))


async def _run_with_command(place: Place) -> Any:
    options = ("--agent", "default", "--player", "oracle")
    return _drop_time(await place.run_command_on_files("scenario", "run", _write_scenarios(place), *options))


def _cannot_be_written(outcome: Outcome) -> None:
    [problem] = outcome.answer
    assert problem.startswith("<folder>/mail.json/trace.json was not written: ")


async def _export_in_python(place: Place) -> Any:
    run = worlds.prepare_world_run(_ORACLE, _load(place))
    exports = RunExports(trace=str(place.folder / "mail.json" / "trace.json"))
    return list((await worlds.export_world_run(run, await run.run(), exports)).export_problems)


async def _write_trace(place: Place) -> Path:
    trace = place.folder / "trace.json"
    run = worlds.prepare_world_run(_ORACLE, _load(place))
    await worlds.run_in_world(run, RunExports(trace=str(trace)))
    return trace


def _is_judged(outcome: Outcome) -> None:
    [result] = outcome.answer
    assert (result["passed"], result["problem"], result["verdict"]["scenario_id"]) == (True, "", "mail_0")


async def _judge_traces_in_python(place: Place) -> Any:
    trace = await _write_trace(place)
    results = judging.judge_traces(judging.ScenarioJudges([_load(place)]), trace)
    return [each.model_dump(mode="json") for each in results]


async def _judge_traces_with_command(place: Place) -> Any:
    trace = await _write_trace(place)
    return await place.run_command("scenario", "judge", _write_scenarios(place), trace)


async def _record_session(place: Place) -> str:
    """Store a session in a world, and return its id."""
    async with place.open_timeline() as timeline:
        run = worlds.prepare_world_run(_ORACLE, _load(place), timeline=timeline)
        await worlds.run_in_world(run)
        assert run.agent_run is not None
        return run.agent_run.recorded_session.session_id


def _verdict_is_saved(outcome: Outcome) -> None:
    _is_judged(outcome)
    assert any(kinds[-2:] == ["Closed", "VerdictReached"] for kinds in outcome.events.values())


async def _judge_session_in_python(place: Place) -> Any:
    session_id = await _record_session(place)
    async with place.open_timeline() as timeline:
        judges = judging.ScenarioJudges([_load(place)])
        result = await judging.judge_session(judges, timeline, session_id, save_as="scripted")
    return [result.model_dump(mode="json")]


async def _judge_session_with_command(place: Place) -> Any:
    session_id = await _record_session(place)
    return await place.run_command("scenario", "judge", _write_scenarios(place), "--session", session_id)


_NO_RUNS_IN_WEB = "In the browser a person plays; what a player does is shown there with `scenario run --web`."
_NO_JUDGING_IN_WEB = "The browser shows verdicts that were reached, and judges nothing itself."

ROWS = [
    Row(
        operation="worlds.check_scenario",
        case="a sound scenario",
        python=_check_in_python,
        cli=_check_with_command,
        web=_check_over_web,
        check=_is_sound,
    ),
    Row(
        operation="worlds.check_scenarios",
        case="a file with a line that cannot be read",
        python=_check_all_in_python,
        cli=_check_all_with_command,
        web="A server does not start with a file that it cannot read.",
        check=_has_one_unreadable,
    ),
    Row(
        operation="worlds.lint_scenario",
        case="a sound scenario",
        python=_lint_in_python,
        cli=_lint_with_command,
        web=_lint_over_web,
        check=_finds_nothing,
    ),
    Row(
        operation="worlds.prepare_world_run",
        case="with an agent of the world that does not exist",
        python=_prepare_in_python,
        cli=_prepare_with_command,
        web=_NO_RUNS_IN_WEB,
        check=_has_no_such_agent,
    ),
    Row(
        operation="worlds.run_in_world",
        case="the oracle",
        python=_run_in_python,
        cli=_run_with_command,
        web=_NO_RUNS_IN_WEB,
        check=_has_passed,
    ),
    Row(
        operation="worlds.export_world_run",
        case="to a place that is no folder",
        python=_export_in_python,
        cli="The command does it after a person has played, at a terminal, and refuses such a path before.",
        web="The browser exports the session of a run like any other session.",
        check=_cannot_be_written,
    ),
    Row(
        operation="judging.judge_traces",
        case="a trace of the oracle",
        python=_judge_traces_in_python,
        cli=_judge_traces_with_command,
        web=_NO_JUDGING_IN_WEB,
        check=_is_judged,
    ),
    Row(
        operation="judging.judge_session",
        case="a stored session of the oracle",
        python=_judge_session_in_python,
        cli=_judge_session_with_command,
        web=_NO_JUDGING_IN_WEB,
        check=_verdict_is_saved,
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_all_callers_do_the_same(row: Row, prepared: Place, tmp_path: Path) -> None:
    await run_row(row, prepared, tmp_path)
