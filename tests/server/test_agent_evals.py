"""The eval pages of a server that was started with agents: the files in their folders, and what is exported."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_folders import forget_imports, write_agent
from api_client import ApiClient, serve_simulator
from eval_case_files import EQUAL, build_case, build_turn, write_eval_set

from adk_agent_sim import AgentSimulator, SimulatedAgentConfig
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.adk.demo.math_agent.agent import root_agent as math_agent
from adk_agent_sim.golden.eval_file import EvalFile
from adk_agent_sim.server.evals.eval_catalog import EvalCatalog

_GREETING = build_turn("Greet Ada", "Done", ("greet", {"name": "Ada"}, "Hello Ada"))


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of agents, one of them broken, with EvalSets; exports go to the current directory beside it."""
    root = tmp_path / "agents"
    for name in ("first_agent", "second_agent"):
        write_agent(root, name)
    write_agent(root, "ruined_agent", "raise ValueError('no')")
    write_eval_set(root / "first_agent" / "golden.evalset.json", build_case("hello", _GREETING))
    (root / "second_agent" / "tests").mkdir()
    write_eval_set(root / "second_agent" / "tests" / "golden.test.json", build_case("hello", _GREETING))
    (root / "second_agent" / "half.evalset.json").write_text("{")
    write_eval_set(root / "ruined_agent" / "ruined.evalset.json", build_case("hello", _GREETING))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    with forget_imports():
        yield root


@pytest.fixture
async def browser(agents: Path) -> AsyncIterator[ApiClient]:
    async with serve_simulator(AgentSimulator(folder=agents)) as client:
        yield client


async def _list(browser: ApiClient) -> dict[str, Any]:
    return {file["path"]: file for file in await browser.get("/evals")}


async def _export(browser: ApiClient, agent: str, **more: Any) -> Any:
    session_id = await browser.start_session(agent, "Greet Ada")
    await browser.call_tools(session_id, ("greet", {"name": "Ada"}))
    await browser.respond(session_id, "Done")
    await browser.wait_for_status(session_id, "done")
    return await browser.post(f"/sessions/{session_id}/export", {"format": "evalset", **more})


async def _get_load_statuses(browser: ApiClient) -> dict[str, str]:
    return {agent["name"]: agent["load_status"] for agent in await browser.get("/agents")}


async def test_the_files_in_the_folders_are_listed_and_no_code_runs_for_it(browser: ApiClient, agents: Path) -> None:
    files = await _list(browser)
    server = await browser.get("/server")

    assert (server["has_evals"], server["eval_file_count"]) == (True, 0)
    assert {path: (file["case_count"], bool(file["problem"])) for path, file in files.items()} == {
        str(agents / "first_agent" / "golden.evalset.json"): (1, False),
        str(agents / "ruined_agent" / "ruined.evalset.json"): (1, False),
        str(agents / "second_agent" / "half.evalset.json"): (0, True),
        str(agents / "second_agent" / "tests" / "golden.test.json"): (1, False),
    }
    assert sorted(file["key"] for file in files.values()) == ["golden", "golden_2", "half", "ruined"]
    (case,) = (await browser.get("/evals/golden"))["cases"]
    detail = await browser.get(f"/evals/golden/cases/{case['key']}")
    assert (case["badge"]["state"], detail["row_count"]) == ("not_checked", 3)
    assert set((await _get_load_statuses(browser)).values()) == {"not_loaded"}


async def test_a_replay_loads_the_agent_of_the_file_and_no_other(browser: ApiClient) -> None:
    (case,) = (await browser.get("/evals/golden_2"))["cases"]
    checked = await browser.post(f"/evals/golden_2/cases/{case['key']}/check")
    (ruined,) = (await browser.get("/evals/ruined"))["cases"]
    refused = await browser.post_refused(f"/evals/ruined/cases/{ruined['key']}/check", None, 404)

    assert checked["case"]["badge"]["state"] == "equal"
    schemas = [field["value_schema"] for field in checked["fields"] if field["tool_name"] == "greet"]
    assert any(schema is not None for schema in schemas)
    assert "ValueError: no" in refused["message"]
    assert await _get_load_statuses(browser) == {
        "first_agent": "not_loaded",
        "ruined_agent": "failed",
        "second_agent": "loaded",
    }


async def test_what_is_exported_can_be_opened_replayed_and_edited(browser: ApiClient, tmp_path: Path) -> None:
    result = await _export(browser, "first_agent")
    keys = result["eval_case"]
    at = f"/evals/{keys['file_key']}/cases/{keys['case_key']}"
    checked = await browser.post(f"{at}/check")
    renamed = await browser.client.patch(f"/api{at}", json={"eval_id": "greeting"})

    assert result["path"] == str(tmp_path / "work" / "first_agent.evalset.json")
    assert checked["case"]["badge"]["state"] == "equal"
    assert renamed.status_code == 200
    (case,) = json.loads((tmp_path / "work" / "first_agent.evalset.json").read_text())["eval_cases"]
    assert case["eval_id"] == "greeting"
    assert result["path"] in await _list(browser)


async def test_an_export_to_another_file_of_the_folder_is_one_of_the_files_too(
    browser: ApiClient, tmp_path: Path
) -> None:
    (tmp_path / "work" / "unrelated.evalset.json").write_text("{}")
    result = await _export(browser, "second_agent", path="more/others.evalset.json")
    again = await _export(browser, "second_agent", path="more/others.evalset.json")

    assert result["eval_case"]["file_key"] == again["eval_case"]["file_key"] == "others"
    assert result["eval_case"]["case_key"] != again["eval_case"]["case_key"]
    paths = set(await _list(browser))
    assert str(tmp_path / "work" / "more" / "others.evalset.json") in paths
    assert not any("unrelated" in path for path in paths)


async def test_a_fixture_has_no_eval_page(browser: ApiClient) -> None:
    result = await _export(browser, "first_agent", format="adk-test", force=True)

    assert result["eval_case"] is None


async def test_exports_of_an_earlier_server_are_listed(agents: Path, tmp_path: Path) -> None:
    async with serve_simulator(AgentSimulator(folder=agents)) as browser:
        written = (await _export(browser, "first_agent"))["path"]
    async with serve_simulator(AgentSimulator(folder=agents)) as browser:
        assert written in await _list(browser)
        key = (await _list(browser))[written]["key"]
        os.unlink(written)
        assert written not in await _list(browser)
        assert "no longer exists" in (await browser.client.get(f"/api/evals/{key}")).json()["message"]
    async with serve_simulator(AgentSimulator(folder=agents)) as browser:  # before anything was listed
        assert (await browser.get("/evals/ruined"))["path"].endswith("ruined.evalset.json")


@pytest.mark.parametrize("key", ["..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd", "half.evalset.json", "golden%00"])
async def test_a_file_is_named_by_its_key_and_never_by_a_path(browser: ApiClient, key: str) -> None:
    await browser.get("/evals")

    assert (await browser.client.get(f"/api/evals/{key}")).status_code == 404


async def test_an_agent_that_was_passed_has_the_file_of_its_config(tmp_path: Path) -> None:
    path = tmp_path / "math.evalset.json"
    config = SimulatedAgentConfig(name="Math", agent=math_agent, eval_set_path=path)
    async with serve_simulator(AgentSimulator([config])) as browser:
        assert await browser.get("/evals") == []
        write_eval_set(path, EQUAL)
        (file,) = await browser.get("/evals")
        (case,) = (await browser.get(f"/evals/{file['key']}"))["cases"]
        checked = await browser.post(f"/evals/{file['key']}/cases/{case['key']}/check")

    assert checked["case"]["badge"]["state"] == "equal"


async def test_a_server_of_files_opens_no_others_and_finds_its_own(tmp_path: Path) -> None:
    path = write_eval_set(tmp_path / "math.evalset.json", EQUAL)
    write_eval_set(tmp_path / "other.evalset.json", EQUAL)
    config = SimulatedAgentConfig(name="Math", agent=math_agent, app=math_app, eval_set_path=path, folder=tmp_path)
    catalog = EvalCatalog([EvalFile(path)], math_app)
    async with serve_simulator(AgentSimulator([config], evals=catalog)) as browser:
        session_id = await browser.start_session("math", "What is 1+1?")
        await browser.call_tools(session_id, ("add", {"a": 1, "b": 1}))
        await browser.respond(session_id, "2")
        await browser.wait_for_status(session_id, "done")
        own = await browser.post(f"/sessions/{session_id}/export", {"format": "evalset"})
        elsewhere = await browser.post(
            f"/sessions/{session_id}/export", {"format": "evalset", "path": "other.evalset.json", "again": True}
        )

        assert own["eval_case"]["file_key"] == "math"
        assert elsewhere["eval_case"] is None
        assert [file["key"] for file in await browser.get("/evals")] == ["math"]
