"""Benches: run, report, compare, pause and repeat, for every caller."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from api_client import serve_simulator
from bench_builders import build_result, build_runs, write_results
from bench_folders import build_test_plan, run_bench_command, write_scenarios
from use_cases.contract import Outcome, Place, Row, run_row, send_request

from adk_agent_sim import AgentSimulator
from adk_agent_sim.bench.bench_control import BenchControl, read_activity
from adk_agent_sim.bench.bench_plan import BenchPlan
from adk_agent_sim.bench.bench_run import BenchOptions
from adk_agent_sim.bench.process_pool import ProcessPool
from adk_agent_sim.bench.results_file import open_results
from adk_agent_sim.server.benches.bench_catalog import BenchCatalog
from adk_agent_sim.use_cases import benches


def _write_bench(place: Place, name: str = "bench", outcomes: str = "+-") -> Path:
    return write_results(place.folder / name, build_runs("s1", outcomes))


def _build_plan(place: Place) -> BenchPlan:
    return build_test_plan(write_scenarios(place.folder, 1), players=("oracle",))


@contextmanager
def _keep_running(place: Place) -> Generator[Path]:
    """Hold a bench that runs, of which the only run has ended with an error; what was asked is left nowhere else."""
    plan, folder = _build_plan(place), place.folder / "bench"
    with open_results(folder, plan) as saved, closing(BenchControl(folder, plan)):
        saved.append([build_result("error", **plan.runs[0].key.model_dump())])
        yield folder


async def _request(place: Place, path: str, body: Any = None) -> Any:
    catalog = BenchCatalog([place.folder / "bench"])
    async with serve_simulator(AgentSimulator([], benches=catalog, database=place.database)) as client:
        return await send_request(client, "POST", f"/benches/bench{path}", body)


def _drop_times(value: Any) -> Any:
    if isinstance(value, dict):
        mapping = cast("dict[str, Any]", value)
        return {key: _drop_times(each) for key, each in mapping.items() if key != "wall_seconds"}
    return [_drop_times(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def _has_run(outcome: Outcome) -> None:
    assert outcome.answer["planned"] == 1
    assert outcome.answer["overall"]["outcomes"]["passed"] == 1
    assert outcome.answer["folder"] == "<folder>/out"


def _read_and_remove(place: Place, summary: dict[str, Any]) -> Any:
    """Return a summary without what differs in time, and remove the folder, whose pages have that too."""
    left = sorted(each.name for each in (place.folder / "out").iterdir())
    shutil.rmtree(place.folder / "out")
    return _drop_times({**summary, "left": left})


async def _run_in_python(place: Place) -> Any:
    plan, out = _build_plan(place), place.folder / "out"
    pool = ProcessPool(out, plan.files, 1)
    summary = await asyncio.to_thread(benches.run_bench, plan, out, pool, BenchOptions())
    return _read_and_remove(place, summary.model_dump(mode="json"))


async def _run_with_command(place: Place) -> Any:
    out = place.folder / "out"
    options = ("--player", "oracle", "--no-report", "--workers", "1", "--out", out, "--json")
    done = await asyncio.to_thread(run_bench_command, write_scenarios(place.folder, 1), *options)
    assert done.returncode == 0, done.stderr
    return _read_and_remove(place, json.loads(done.stdout))


def _is_reported(outcome: Outcome) -> None:
    assert outcome.answer["overall"]["success"]["value"] == 0.5
    written = {"<folder>/bench/report.html", "<folder>/bench/summary.md", "<folder>/bench/junit.xml"}
    assert written <= outcome.files.keys()


async def _report_in_python(place: Place) -> Any:
    return benches.write_bench_reports(_write_bench(place)).model_dump(mode="json")


async def _report_with_command(place: Place) -> Any:
    return await place.run_command_on_files("bench", "report", _write_bench(place))


def _has_no_results(outcome: Outcome) -> None:
    assert outcome.refusal is not None
    assert outcome.refusal[0] == "BenchFolderRefused"


async def _report_nothing_in_python(place: Place) -> Any:
    (place.folder / "empty").mkdir()
    benches.write_bench_reports(place.folder / "empty")


async def _report_nothing_with_command(place: Place) -> Any:
    (place.folder / "empty").mkdir()
    await place.run_command_on_files("bench", "report", place.folder / "empty")


def _got_better(outcome: Outcome) -> None:
    assert (outcome.answer["is_worse"], outcome.answer["variants"][0]["counts"]["better"]) == (False, 1)


async def _compare_in_python(place: Place) -> Any:
    return benches.compare_benches(_write_bench(place), _write_bench(place, "after", "++")).model_dump(mode="json")


async def _compare_with_command(place: Place) -> Any:
    return await place.run_command_on_files("bench", "diff", _write_bench(place), _write_bench(place, "after", "++"))


def _is_not_comparable(outcome: Outcome) -> None:
    assert outcome.refusal is not None
    assert outcome.refusal[0] == "BenchesNotComparable"


async def _compare_nothing_in_python(place: Place) -> Any:
    benches.compare_benches(_write_bench(place), _write_bench(place, "after", "?"))


async def _compare_nothing_with_command(place: Place) -> Any:
    await place.run_command_on_files("bench", "diff", _write_bench(place), _write_bench(place, "after", "?"))


def _is_paused(outcome: Outcome) -> None:
    assert outcome.answer is True


async def _pause_in_python(place: Place) -> Any:
    with _keep_running(place) as folder:
        benches.pause_bench(folder, paused=True)
        return read_activity(folder).is_paused


async def _pause_over_web(place: Place) -> Any:
    with _keep_running(place):
        return (await _request(place, "/pause", {"paused": True}))["is_paused"]


def _is_not_running(outcome: Outcome) -> None:
    assert outcome.refusal is not None
    assert outcome.refusal[0] == "InvalidTransition"


async def _pause_stopped_in_python(place: Place) -> Any:
    benches.pause_bench(_write_bench(place), paused=True)


async def _pause_stopped_over_web(place: Place) -> Any:
    _write_bench(place)
    await _request(place, "/pause", {"paused": True})


def _is_requested(outcome: Outcome) -> None:
    [run] = outcome.answer
    assert (run["scenario"], run["player"]) == ("mail_0", "oracle")


def _take_requests(folder: Path) -> Any:
    """Return what was asked for, and remove the files, whose names differ."""
    requested = [each.model_dump(mode="json") for each in read_activity(folder).requested]
    shutil.rmtree(folder / "requests")
    return requested


async def _repeat_in_python(place: Place) -> Any:
    with _keep_running(place) as folder:
        benches.repeat_run(folder, _build_plan(place).runs[0].key.run_id)
        return _take_requests(folder)


async def _repeat_over_web(place: Place) -> Any:
    with _keep_running(place) as folder:
        await _request(place, f"/runs/{_build_plan(place).runs[0].key.run_id}/repeat")
        return _take_requests(folder)


def _has_no_such_run(outcome: Outcome) -> None:
    assert outcome.refusal == ("NotFound", "The bench has no such run that has ended.")


async def _repeat_unknown_in_python(place: Place) -> Any:
    benches.repeat_run(_write_bench(place), "unknown")


async def _repeat_unknown_over_web(place: Place) -> Any:
    _write_bench(place)
    await _request(place, "/runs/unknown/repeat")


_NOT_STARTED_IN_WEB = "A server shows the benches of its folders, and starts none."
_NO_REPORTS_IN_WEB = "The browser shows the runs themselves, and writes no files."
_NOT_COMPARED_IN_WEB = "The browser shows one bench at a time, and compares none."
_NOT_CONTROLLED_BY_COMMANDS = "A command runs a bench until Ctrl-C; another one runs again what is missing."

ROWS = [
    Row(
        operation="benches.run_bench",
        case="the oracle in one scenario",
        python=_run_in_python,
        cli=_run_with_command,
        web=_NOT_STARTED_IN_WEB,
        check=_has_run,
    ),
    Row(
        operation="benches.write_bench_reports",
        case="of two runs",
        python=_report_in_python,
        cli=_report_with_command,
        web=_NO_REPORTS_IN_WEB,
        check=_is_reported,
    ),
    Row(
        operation="benches.write_bench_reports",
        case="of a folder without results",
        python=_report_nothing_in_python,
        cli=_report_nothing_with_command,
        web=_NO_REPORTS_IN_WEB,
        check=_has_no_results,
    ),
    Row(
        operation="benches.compare_benches",
        case="a better one",
        python=_compare_in_python,
        cli=_compare_with_command,
        web=_NOT_COMPARED_IN_WEB,
        check=_got_better,
    ),
    Row(
        operation="benches.compare_benches",
        case="one that nobody could judge",
        python=_compare_nothing_in_python,
        cli=_compare_nothing_with_command,
        web=_NOT_COMPARED_IN_WEB,
        check=_is_not_comparable,
    ),
    Row(
        operation="benches.pause_bench",
        case="while it runs",
        python=_pause_in_python,
        cli=_NOT_CONTROLLED_BY_COMMANDS,
        web=_pause_over_web,
        check=_is_paused,
    ),
    Row(
        operation="benches.pause_bench",
        case="that does not run",
        python=_pause_stopped_in_python,
        cli=_NOT_CONTROLLED_BY_COMMANDS,
        web=_pause_stopped_over_web,
        check=_is_not_running,
    ),
    Row(
        operation="benches.repeat_run",
        case="that has ended",
        python=_repeat_in_python,
        cli=_NOT_CONTROLLED_BY_COMMANDS,
        web=_repeat_over_web,
        check=_is_requested,
    ),
    Row(
        operation="benches.repeat_run",
        case="that there is not",
        python=_repeat_unknown_in_python,
        cli=_NOT_CONTROLLED_BY_COMMANDS,
        web=_repeat_unknown_over_web,
        check=_has_no_such_run,
    ),
]


@pytest.mark.process
@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_all_callers_do_the_same(row: Row, prepared: Place, tmp_path: Path) -> None:
    await run_row(row, prepared, tmp_path)
