"""Results of checks are kept for the content of a scenario, across restarts of the server."""

from __future__ import annotations

import json
import os
from pathlib import Path

from api_client import serve_simulator
from processes import invoke_adksim
from world_runs import build_two_turns

from adk_agent_sim import AgentSimulator
from adk_agent_sim.scenario import load_scenario
from adk_agent_sim.scenario.format.exporter import serialize_trace
from adk_agent_sim.scenario.players.checked_scenario import CheckCache, check_scenario
from adk_agent_sim.server.scenarios.scenario_catalog import ScenarioCatalog


async def test_a_badge_is_there_after_a_restart_and_an_annotation_and_gone_after_a_change(tmp_path: Path) -> None:
    file, cache = tmp_path / "small.json", CheckCache(tmp_path / "checks")
    file.write_text(serialize_trace(build_two_turns().trace), encoding="utf-8")

    async def read_status(*, checks: bool = False) -> tuple[str, str]:
        catalog = ScenarioCatalog([file], check_cache=cache)
        async with serve_simulator(AgentSimulator([], scenarios=catalog)) as browser:
            if checks:
                await browser.post("/scenarios/small/check")
                await browser.client.patch("/api/scenarios/small/annotation", json={"validation_decision": "valid"})
            [listed] = await browser.get("/scenarios")
            detail = await browser.get("/scenarios/small")
            return listed["check_status"], detail["check_status"]

    assert await read_status() == ("", "")
    checked = await read_status(checks=True)
    assert checked[0] == "ok"
    assert await read_status() == checked
    [path] = (tmp_path / "checks").iterdir()
    assert path.stat().st_mode & 0o077 == 0
    content = json.loads(file.read_text(encoding="utf-8"))
    content["metadata"]["definition"]["duration"] = 1234
    file.write_text(json.dumps(content), encoding="utf-8")
    assert await read_status() == ("", "")


def test_a_result_that_cannot_be_read_or_judged_is_none(tmp_path: Path) -> None:
    scenario, cache = build_two_turns(), CheckCache(tmp_path)
    check = check_scenario(scenario)
    cache.save(scenario, check.model_copy(update={"problem": "It took too long."}))
    assert cache.find(scenario) is None
    cache.save(scenario, check)
    assert cache.find(scenario) == check.model_copy(update={"runs": ()})
    [path] = tmp_path.iterdir()
    for broken in ("", "{}", '{"solvable": 1}', "[]"):
        path.write_text(broken, encoding="utf-8")
        assert cache.find(scenario) is None
    os.chmod(path, 0o644)
    assert cache.find(scenario) is None


def test_the_command_keeps_what_the_browser_shows(tmp_path: Path) -> None:
    file = tmp_path / "small.json"
    file.write_text(serialize_trace(build_two_turns(duration=777).trace), encoding="utf-8")
    scenario = load_scenario(file)
    assert CheckCache().find(scenario) is None
    assert invoke_adksim("scenario", "check", file, "--seed", "3").exit_code == 0
    assert CheckCache().find(scenario) is None
    assert invoke_adksim("scenario", "check", file).exit_code == 0
    kept = CheckCache().find(scenario)
    assert kept is not None
    assert kept.status == "ok"
